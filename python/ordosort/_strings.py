"""Sorts of strings."""

import numpy as np

from . import _machines
from . import _ordosort as core


def _arrow(strings):
    """Returns an array of pyarrow for one of any library with Arrow's C data interface, and None for others."""
    if hasattr(strings, "type") and (hasattr(strings, "buffers") or hasattr(strings, "combine_chunks")):  # pyarrow
        array = strings
    elif _root(strings) == "pandas":
        dtype = getattr(strings, "dtype", None)
        if dtype is None or str(dtype) == "category":
            raise TypeError(f"strings: {dtype or type(strings).__name__}, where a column of strings is expected")
        array = getattr(strings, "array", strings)
        if isinstance(dtype, np.dtype) or not hasattr(array, "__arrow_array__"):
            return None
        try:
            array = array.__arrow_array__()
        except ImportError:
            return None  # by their elements
    elif hasattr(strings, "__arrow_c_stream__") or hasattr(strings, "__arrow_c_array__"):
        try:
            import pyarrow  # type: ignore
        except ImportError:
            return None  # polars and others: by their elements
        make = pyarrow.chunked_array if hasattr(strings, "__arrow_c_stream__") else pyarrow.array
        array = make(strings)
    else:
        return None
    name = str(array.type)
    if name.endswith("_view"):
        name = "large_" + name.removesuffix("_view")
        array = array.cast(name)
    if name not in ("string", "binary", "large_string", "large_binary"):
        raise TypeError(f"strings: Arrow type {name}, where string or binary is expected")
    if hasattr(array, "combine_chunks"):
        array = array.combine_chunks()
        if hasattr(array, "chunks"):  # more than 2 GiB of a type with offsets of 32 bits
            array = array.cast("large_" + name).combine_chunks()
    return array


def _root(strings):
    return type(strings).__module__.partition(".")[0]


def _is_container(strings):
    """Returns true if strings are an array or a series of a library. Other iterables may be read only once."""
    return any(hasattr(strings, name) for name in ("__array__", "__arrow_c_array__", "__arrow_c_stream__"))


def _valid(strings):
    """Returns an array of bool that marks the items that are not null, or None if there are no nulls. Not for pyarrow."""
    if isinstance(strings, np.ma.MaskedArray):
        valid = ~np.ma.getmaskarray(strings)
    elif isinstance(strings, np.ndarray) and strings.dtype.kind == "T":
        valid = np.array([isinstance(s, str) for s in strings.tolist()], np.bool_)
    elif _root(strings) == "pandas":
        valid = ~np.asarray(strings.isna())
    elif _root(strings) == "polars":
        valid = strings.is_not_null().to_numpy()
    else:
        return None
    return None if valid.all() else valid


def _layout(strings):
    """Returns strings end to end, as bytes and offsets. Those of UTF-8 have the order of code points."""
    encoded = [s.encode("utf-8", "surrogatepass") if isinstance(s, str) else s for s in strings]
    for s in encoded:
        if not isinstance(s, bytes):
            raise TypeError(f"strings: {type(s).__name__}, where str and bytes are expected")
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return b"".join(encoded), offsets


def _arrow_layout(array):
    dtype = np.int64 if str(array.type).startswith("large") else np.int32
    _, offsets, data = array.buffers()
    first = array.offset
    offsets = np.frombuffer(offsets, dtype)[first : first + len(array) + 1] if offsets else np.zeros(1, dtype)
    data = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    begin, end = int(offsets[0]), int(offsets[-1])
    return data[begin:end], offsets.astype(np.int64) - begin


def argsort_strings(strings, *, descending=False, machine=None):
    """Returns the positions that sort strings, as int64. Strings compare by their bytes, str by code points. Stable.

    strings: an iterable of str or bytes, an array of NumPy, a series of pandas, or an array of strings or binaries of pyarrow
    or, where pyarrow is installed, of another library with Arrow's C data interface. Nulls and masked items come last, in both
    directions.

    >>> import ordosort
    >>> ordosort.argsort_strings(["pear", "apple", "fig"])
    array([1, 2, 0])
    """
    array, valid = _arrow(strings), None
    if array is None:
        if isinstance(strings, np.ndarray):
            if strings.ndim != 1:
                raise ValueError(f"strings: {strings.ndim} dimensions, where one is expected")
            if strings.dtype.kind not in "SUOT":
                raise TypeError(f"strings: dtype {strings.dtype}, where strings are expected")
        valid = _valid(strings)
        present = strings if valid is None else strings[valid]
        data, offsets = _layout(present.tolist() if isinstance(present, np.ndarray) else present)
    else:
        if array.null_count:
            valid = array.is_valid().to_numpy(zero_copy_only=False)
            array = array.drop_null()
        data, offsets = _arrow_layout(array)
    index = np.empty(len(offsets) - 1, np.int64)
    core.argsort_strings(_machines.chosen(machine), data, offsets, index, bool(descending), 0)
    return index if valid is None else np.concatenate([np.flatnonzero(valid)[index], np.flatnonzero(~valid)])


def sort_strings(strings, *, descending=False, machine=None):
    """Returns sorted strings, in a container like that of the input: an array or a series for such, else a list. Stable.

    >>> import ordosort
    >>> ordosort.sort_strings(["pear", "apple", "fig"])
    ['apple', 'fig', 'pear']
    """
    if not _is_container(strings):
        strings = list(strings)  # an iterator ends
    index = argsort_strings(strings, descending=descending, machine=machine)
    if isinstance(strings, np.ndarray) or _root(strings) == "polars":
        return strings[index]
    if hasattr(strings, "iloc"):  # a series of pandas, which [] reads by labels
        return strings.iloc[index]
    if hasattr(strings, "take"):  # pyarrow, and indexes and arrays of pandas
        return strings.take(index)
    strings = list(strings)
    return [strings[i] for i in index.tolist()]
