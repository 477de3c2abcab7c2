"""Sorts of strings."""

import numpy as np

from . import _machines
from . import _ordosort as core


def _layout(strings):
    """Strings end to end, as bytes and offsets. Those of UTF-8 have the order of code points."""
    if hasattr(strings, "buffers") and hasattr(strings, "type"):  # pyarrow
        return _arrow_layout(strings)
    if isinstance(strings, np.ndarray):
        if strings.ndim != 1:
            raise ValueError(f"strings: {strings.ndim} dimensions, where one is expected")
        if strings.dtype.kind not in "SUOT":
            raise TypeError(f"strings: dtype {strings.dtype}, where strings are expected")
        strings = strings.tolist()
    encoded = [s.encode("utf-8", "surrogatepass") if isinstance(s, str) else s for s in strings]
    for s in encoded:
        if not isinstance(s, bytes):
            raise TypeError(f"strings: {type(s).__name__}, where str and bytes are expected")
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return b"".join(encoded), offsets


def _arrow_layout(strings):
    name = str(strings.type)
    if hasattr(strings, "combine_chunks"):
        strings = strings.combine_chunks()
        if hasattr(strings, "chunks"):
            raise ValueError("strings: more than one chunk")
    if name not in ("string", "binary", "large_string", "large_binary"):
        raise TypeError(f"strings: Arrow type {name}, where string or binary is expected")
    if strings.null_count:
        raise ValueError(f"strings: {strings.null_count} nulls: fill or drop them first")
    dtype = np.int64 if name.startswith("large") else np.int32
    _, offsets, data = strings.buffers()
    first = strings.offset
    offsets = np.frombuffer(offsets, dtype)[first : first + len(strings) + 1] if offsets else np.zeros(1, dtype)
    data = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    begin, end = int(offsets[0]), int(offsets[-1])
    return data[begin:end], offsets.astype(np.int64) - begin


def argsort_strings(strings, *, descending=False, machine=None):
    """Returns the positions that sort strings, as int64. Strings compare by their bytes, str by code points. Stable.

    strings: a sequence of str or bytes, an array of NumPy, or an Arrow array of strings or binaries without nulls.

    >>> import ordosort
    >>> ordosort.argsort_strings(["pear", "apple", "fig"])
    array([1, 2, 0])
    """
    data, offsets = _layout(strings)
    index = np.empty(len(offsets) - 1, np.int64)
    core.argsort_strings(machine or _machines._default, data, offsets, index, bool(descending), 0)
    return index


def sort_strings(strings, *, descending=False, machine=None):
    """Returns sorted strings, in a container like that of the input: an array for an array, else a list. Stable.

    >>> import ordosort
    >>> ordosort.sort_strings(["pear", "apple", "fig"])
    ['apple', 'fig', 'pear']
    """
    index = argsort_strings(strings, descending=descending, machine=machine)
    if isinstance(strings, np.ndarray):
        return strings[index]
    if hasattr(strings, "take") and hasattr(strings, "type"):
        return strings.take(index)
    strings = list(strings)
    return [strings[i] for i in index.tolist()]
