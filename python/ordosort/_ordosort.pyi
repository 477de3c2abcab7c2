# The compiled part of the package, which the modules beside it call.
from typing import Any

from . import InputError as InputError
from . import Machine as Machine
from . import __version__ as __version__
from . import built_with_cuda as built_with_cuda

StoredIndex: Any
argsort: Any
argsort_rows: Any
argsort_strings: Any
build_suffix_array: Any
detect_format: Any
gpus: Any
index_fits: Any
read_spectra: Any
run_program: Any
segmented_top_k: Any
select_peaks: Any
sort: Any
sort_pairs: Any
sort_peaks: Any
sort_segments: Any
sort_share: Any
sort_shares: Any
to_mgf: Any
top_k: Any
