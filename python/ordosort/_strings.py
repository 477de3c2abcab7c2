"""Sorts of strings."""

import numpy as np

from . import _arrow, _machines
from . import _ordosort as core

_SMALL = 2048  # strings, for which NumPy copies as fast as all threads


class Order:
    """The order of strings: the rows that are not null, marks of those that equal the one before, and the null rows."""

    def __init__(self, index, repeats, nulls):
        self.index, self.repeats, self.nulls = index, repeats, nulls

    def positions(self):
        """Returns all rows in order, nulls last."""
        return self.index if self.nulls is None else np.concatenate([self.index, self.nulls])


def _root(strings):
    return type(strings).__module__.partition(".")[0]


def _is_container(strings):
    """Returns true if strings are an array or a series of a library. Other iterables may be read only once."""
    return any(hasattr(strings, name) for name in ("__array__", "__arrow_c_array__", "__arrow_c_stream__"))


def _refuse(what):
    raise TypeError(f"strings: {what}, where str and bytes are expected")


def _arrow_column(strings):
    """Returns the Arrow column of strings of a library that has them, and None for others."""
    if _root(strings) == "pandas":
        dtype = getattr(strings, "dtype", None)
        if dtype is None or str(dtype) == "category":
            raise TypeError(f"strings: {dtype or type(strings).__name__}, where a column of strings is expected")
        array = getattr(strings, "array", strings)
        if isinstance(dtype, np.dtype) or not hasattr(array, "__arrow_array__"):
            return None
        try:
            strings = array.__arrow_array__()
        except ImportError:
            return None  # by their elements
    if isinstance(strings, np.ndarray) or not _arrow.has_interface(strings):
        return None
    column = _arrow.read(_arrow.import_column(strings), "strings")
    if isinstance(column, _arrow.Strings):
        return column
    kind = getattr(strings, "type", None) or getattr(strings, "dtype", "numbers")
    raise TypeError(f"strings: {kind}, where a column of strings or bytes is expected: sort and argsort take others")


def is_strings(a):
    """Returns true for anything whose items argsort_strings sorts and argsort does not."""
    if isinstance(a, np.ndarray):
        return a.dtype.kind in "SUT" or (a.dtype.kind == "O" and a.size != 0 and isinstance(a.flat[0], (str, bytes)))
    if isinstance(a, (list, tuple)):
        return len(a) != 0 and isinstance(a[0], (str, bytes))
    if _root(a) == "pandas":
        return str(getattr(a, "dtype", "")).startswith(("str", "large_str")) or (
            getattr(a, "dtype", None) == object and len(a) != 0 and isinstance(next(iter(a)), (str, bytes))
        )
    return False


def _valid(strings):
    """Returns an array of bool that marks the items that are not null, or None if there are no nulls. Not for Arrow."""
    if isinstance(strings, np.ma.MaskedArray):
        valid = ~np.ma.getmaskarray(strings)
    elif isinstance(strings, np.ndarray) and strings.dtype.kind == "T":
        if not hasattr(strings.dtype, "na_object"):
            return None
        valid = np.array([isinstance(s, str) for s in strings.tolist()], np.bool_)
    elif _root(strings) == "pandas":
        valid = ~np.asarray(strings.isna())
    else:
        return None
    return None if valid.all() else valid


def order_of_column(column, descending, machine, with_repeats=False):
    """Returns the order of a column of strings of Arrow."""
    rows = nulls = None
    if column.validity is not None:
        valid = column.validity.valid(len(column))
        rows, nulls = np.flatnonzero(valid), np.flatnonzero(~valid)
    n = len(column) if rows is None else len(rows)
    index = np.empty(n, np.int64)
    repeats = np.empty(n, np.uint8) if with_repeats else None
    if column.layout == "offsets":
        core.argsort_strings(machine, *column.buffers, rows, index, repeats, descending)
    elif column.layout == "views":
        core.argsort_string_views(machine, *column.buffers[:2], rows, index, repeats, descending)
    elif n != 0 and column.buffers[0].dtype.itemsize != 0:
        core.argsort_fixed(machine, column.buffers[0], rows, index, repeats, False, descending)
    return Order(index, repeats, nulls)


def order_of_bytes(items, machine):
    """Returns the order of an array of items of bytes."""
    index, repeats = np.empty(len(items), np.int64), np.empty(len(items), np.uint8)
    core.argsort_fixed(machine, np.ascontiguousarray(items), None, index, repeats, False, False)
    return Order(index, repeats, None)


def order_of(strings, descending, machine, with_repeats=False):
    """Returns the order of anything that argsort_strings takes."""
    column = _arrow_column(strings)
    if column is not None:
        return order_of_column(column, descending, machine, with_repeats)
    if isinstance(strings, np.ndarray):
        if strings.ndim != 1:
            raise ValueError(f"strings: {strings.ndim} dimensions, where one is expected")
        if strings.dtype.kind not in "SUOT":
            raise TypeError(f"strings: dtype {strings.dtype}, where strings are expected")
    valid, rows, nulls = _valid(strings), None, None
    if valid is not None:
        rows, nulls = np.flatnonzero(valid), np.flatnonzero(~valid)
        strings = strings[valid]
    n = len(strings) if hasattr(strings, "__len__") else None
    if isinstance(strings, np.ndarray) and strings.dtype.kind in "SU":
        strings = np.ascontiguousarray(strings.data if isinstance(strings, np.ma.MaskedArray) else strings)
        if not strings.dtype.isnative:
            strings = strings.astype(strings.dtype.newbyteorder("="))
        index, repeats = np.empty(n, np.int64), np.empty(n, np.uint8) if with_repeats else None
        if strings.dtype.itemsize == 0:
            index[:] = np.arange(n) if rows is None else rows
            if with_repeats:
                repeats[:] = np.arange(n) != 0
        elif strings.dtype.kind == "S":
            core.argsort_fixed(machine, strings, None, index, repeats, True, descending)
        elif machine.device.startswith("gpu"):
            return _order_of_list(strings.tolist(), rows, nulls, descending, machine, with_repeats)
        else:
            if not strings.flags.aligned:
                strings = strings.copy()
            core.argsort_ucs4(machine, strings, None, index, repeats, descending)
        return Order(index if rows is None or strings.dtype.itemsize == 0 else rows[index], repeats, nulls)
    items = strings.tolist() if isinstance(strings, np.ndarray) else list(strings)
    return _order_of_list(items, rows, nulls, descending, machine, with_repeats)


def _order_of_list(items, rows, nulls, descending, machine, with_repeats):
    index, repeats = np.empty(len(items), np.int64), np.empty(len(items), np.uint8) if with_repeats else None
    core.argsort_list(machine, items, rows, index, repeats, descending)
    return Order(index, repeats, nulls)


def ranks_of(order, length):
    """Returns a number for each row, smaller for smaller strings and equal for equal ones. Those of null rows are 0."""
    numbers = np.cumsum(order.repeats == 0, dtype=np.uint32 if length < 2**32 else np.uint64)
    ranks = np.zeros(length, numbers.dtype)
    ranks[order.index] = numbers
    return ranks


def argsort_strings(strings, *, descending=False, machine=None):
    """Returns the positions that sort strings, as int64. Strings compare by their bytes, str by code points. Stable.

    strings: an iterable of str or bytes, an array of NumPy, a series of pandas, or a column of strings or binaries of pyarrow,
    polars or another library with Arrow's C data interface. Nulls and masked items come last, in both directions. No string is
    copied, except that Python keeps the UTF-8 of each str that is not ASCII.

    >>> import ordosort
    >>> ordosort.argsort_strings(["pear", "apple", "fig"])
    array([1, 2, 0])
    """
    machine = _machines.chosen(machine)
    if type(strings) is np.ndarray:
        index = core.argsort_unicode(machine, strings, bool(descending))
        if index is not None:
            return index
    return order_of(strings, bool(descending), machine).positions()


def sort_strings(strings, *, descending=False, machine=None):
    """Returns sorted strings, in a container like that of the input: an array or a series for such, else a list. Stable.

    >>> import ordosort
    >>> ordosort.sort_strings(["pear", "apple", "fig"])
    ['apple', 'fig', 'pear']
    """
    machine = _machines.chosen(machine)
    if type(strings) is list:
        return core.sort_list(machine, strings, bool(descending))
    if type(strings) is np.ndarray:
        result = core.sort_unicode(machine, strings, bool(descending))
        if result is not None:
            return result
    if not _is_container(strings):
        return core.sort_list(machine, list(strings), bool(descending))  # an iterator ends
    column = _arrow_column(strings)
    descending = bool(descending)
    if column is not None and column.layout == "offsets" and column.validity is None and _is_arrow_strings(strings):
        result = _arrow_strings(strings, column, *core.sort_strings(machine, *column.buffers, descending), None, 0)
        if result is not None:
            return result
    order = order_of(strings, descending, machine) if column is None else order_of_column(column, descending, machine)
    return taken(strings, order.positions(), machine, column)


def taken(items, index, machine, column=None):
    """Returns the items at positions, in a container like that of the input.

    column: what _arrow_column returns for the items, if that is known.
    """
    root = _root(items)
    if type(items) is np.ndarray and items.dtype.kind in "SU" and items.dtype.itemsize != 0 and items.size > _SMALL:
        result = np.empty(len(index), items.dtype)
        core.gather(machine, np.ascontiguousarray(items), index, result)
        return result
    if isinstance(items, np.ndarray) or root == "polars":
        return items[index]
    if hasattr(items, "iloc"):  # a series of pandas, which [] reads by labels
        return items.iloc[index]
    if root == "pyarrow" and hasattr(items, "type"):
        gathered = _taken_of_arrow(items, index, machine, column)
        if gathered is not None:
            return gathered
    if hasattr(items, "take"):  # pyarrow, and indexes and arrays of pandas
        return items.take(index)
    items = list(items)
    return [items[i] for i in index.tolist()]


def _is_arrow_strings(items):
    """Returns true for an array of pyarrow of the types string, binary and their large forms."""
    return _root(items) == "pyarrow" and str(items.type).removeprefix("large_") in ("string", "binary")


def _taken_of_arrow(items, index, machine, column):
    """Returns strings of pyarrow at positions, gathered by all threads; None for types and arrays that this does not serve."""
    import pyarrow  # type: ignore

    kind = str(items.type)
    if kind.endswith("_view") and hasattr(items, "chunks"):
        items = items.cast("large_" + kind.removesuffix("_view"))
        return taken(items, index, machine).cast(kind)
    if kind.removesuffix("_view").removeprefix("large_") not in ("string", "binary"):
        return None
    if column is None:
        column = _arrow.read(_arrow.import_column(items))
    validity, nulls = None, 0
    if column.validity is not None:
        valid = column.validity.valid(len(column))[index]
        nulls, validity = len(valid) - int(np.count_nonzero(valid)), pyarrow.py_buffer(np.packbits(valid, bitorder="little"))
    if column.layout == "views":
        views = np.empty(len(index), column.buffers[0].dtype)
        core.gather(machine, column.buffers[0].view("V16"), index, views.view("V16"))
        buffers = [validity, pyarrow.py_buffer(views.view(np.uint8)), *items.buffers()[2:]]
        return pyarrow.Array.from_buffers(items.type, len(index), buffers, nulls)
    return _arrow_strings(items, column, *core.gather_strings(machine, *column.buffers, index), validity, nulls)


def _arrow_strings(items, column, begins, gathered, validity, nulls):
    """Returns strings of pyarrow like `items`, from their buffers; None if there are more bytes than their offsets hold."""
    import pyarrow  # type: ignore

    if column.format in "uz" and begins.dtype != np.int32:  # of joined chunks
        if len(gathered) >= 2**31:
            return None
        begins = begins.astype(np.int32)
    buffers = [validity, pyarrow.py_buffer(begins), pyarrow.py_buffer(gathered)]
    result = pyarrow.Array.from_buffers(items.type, len(begins) - 1, buffers, nulls)
    return pyarrow.chunked_array([result], items.type) if hasattr(items, "chunks") else result
