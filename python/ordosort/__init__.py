"""Sorts of arrays, segments, strings, suffixes and mass spectra, on CPUs and NVIDIA GPUs.

The functions take arrays of NumPy and, by DLPack or ``__cuda_array_interface__``, of CuPy, PyTorch and JAX. They work on the
device where an array is, and return arrays of the same library on the same device. All sorts are stable. The GIL is released
while they work.

>>> import numpy as np, ordosort
>>> ordosort.sort(np.array([3, 1, 2]))
array([1, 2, 3])
"""

import os as _os

from ._ordosort import InputError, Machine, __version__, built_with_cuda
from ._machines import default_machine, gpus, set_default_machine

# Everything else is loaded when it is first used: NumPy takes most of the time of an import, and not every program needs it.
_MODULES = {
    "_files": ("run_tool", "sort_file", "tool_path"),
    "_groups": ("merge_sorted", "rank", "searchsorted", "unique"),
    "_distributed": ("Messages", "sort_share", "sort_shares"),
    "_sorts": (
        "argpartition",
        "argsort",
        "argsort_rows",
        "lexsort",
        "partition",
        "segmented_argsort",
        "segmented_sort",
        "segmented_top_k",
        "sort",
        "sort_pairs",
        "sort_rows",
        "top_k",
    ),
    "_sparse": ("spgemm",),
    "_strings": ("argsort_strings", "sort_strings"),
    "_suffix": (
        "Drafts",
        "Hits",
        "Index",
        "Matches",
        "Ranges",
        "Repeats",
        "RunLengthIndex",
        "SuffixArray",
        "TokenIndex",
        "aligner_index",
        "suffix_array",
    ),
    "corpus": (),
    "jax": (),
    "spectra": (),
    "torch": (),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def _finish_imports():
    """Waits for imports of the package by other threads, which would never end in a process that is forked now."""
    import sys
    from importlib import import_module

    for name in _MODULES:
        if f"{__name__}.{name}" in sys.modules:
            import_module(f".{name}", __name__)


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(before=_finish_imports)


def __getattr__(name):
    if name not in _MODULES and name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{_MODULE_OF.get(name, name)}", __name__)
    if name in _MODULES:
        return module
    globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__all__})


__all__ = [
    "Drafts",
    "Hits",
    "Index",
    "InputError",
    "Machine",
    "Matches",
    "Messages",
    "Ranges",
    "Repeats",
    "RunLengthIndex",
    "SuffixArray",
    "TokenIndex",
    "__version__",
    "aligner_index",
    "argpartition",
    "argsort",
    "argsort_rows",
    "argsort_strings",
    "built_with_cuda",
    "corpus",
    "default_machine",
    "gpus",
    "lexsort",
    "merge_sorted",
    "partition",
    "rank",
    "run_tool",
    "searchsorted",
    "segmented_argsort",
    "segmented_sort",
    "segmented_top_k",
    "set_default_machine",
    "sort",
    "sort_file",
    "sort_pairs",
    "sort_rows",
    "sort_share",
    "sort_shares",
    "sort_strings",
    "spectra",
    "spgemm",
    "suffix_array",
    "tool_path",
    "top_k",
    "unique",
]
