# The compiled part of the package, which the modules beside it call.
from typing import Any

from . import InputError as InputError
from . import Machine as Machine
from . import __version__ as __version__
from . import built_with_cuda as built_with_cuda

ArrowColumn: Any
Place: Any
StoredIndex: Any
TokenIndex: Any
argsort: Any
argsort_fixed: Any
argsort_arrow: Any
argsort_list: Any
argsort_plain: Any
argsort_rows: Any
argsort_rows_arrow: Any
argsort_rows_plain: Any
argsort_string_views: Any
argsort_strings: Any
argsort_ucs4: Any
argsort_unicode: Any
build_suffix_array: Any
calls: Any
detect_format: Any
find_clusters: Any
find_pairs: Any
gather: Any
gather_strings: Any
gpus: Any
import_arrow: Any
index_fits: Any
merge_sorted: Any
partition: Any
partition_plain: Any
read_spectra: Any
run_program: Any
segmented_top_k: Any
select_peaks: Any
sort: Any
sort_arrow: Any
sort_list: Any
sort_pairs: Any
sort_peaks: Any
sort_plain: Any
sort_segments: Any
sort_strings: Any
sort_share: Any
sort_shares: Any
sort_unicode: Any
spgemm: Any
to_mgf: Any
top_k: Any
top_k_plain: Any
unique_plain: Any
view: Any
