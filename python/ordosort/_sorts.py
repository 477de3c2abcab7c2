"""Sorts of arrays with NumPy's words."""

from operator import index as as_index

import numpy as np

from . import _arrow, _machines
from . import _ordosort as core
from ._arrow import Validity
from ._libraries import NumPy, is_column, is_column_of_strings, library_of, offsets_array, one_dimension, with_nulls
from ._strings import is_strings, order_of, order_of_bytes, order_of_column, ranks_of, taken

_DESCENDING, _TOTAL_ORDER = 1, 2
_KINDS = (None, "stable", "quicksort", "mergesort", "heapsort")
_KEY_TYPES = frozenset(np.dtype(code) for code in "?bhilqBHILQefd")
_KEY_TYPE_IDS = frozenset(map(id, _KEY_TYPES))  # they live as long as NumPy, and almost all arrays have one of them itself
_INT64 = np.dtype(np.int64)
_ndarray = np.ndarray
_NAN_ORDERS = {"total": 0, "last": 1, "first": 2}  # the numbers of ordo_nans


def _is_plain(a):
    """Returns true if an array needs no conversion: of NumPy, of one dimension, with keys of the core. Small calls depend on it."""
    if type(a) is not _ndarray or a.ndim != 1:
        return False
    dtype = a.dtype
    return id(dtype) in _KEY_TYPE_IDS or dtype in _KEY_TYPES


def _flags(kind, descending, total_order):
    if kind not in _KINDS:
        raise ValueError(f"kind: {kind!r} is none of {', '.join(repr(k) for k in _KINDS)}")
    return (_DESCENDING if descending else 0) | (_TOTAL_ORDER if total_order else 0)


class _Keys:
    """Keys as the core sorts them, and the way back to what the caller has.

    keys: an array with a type of the core.
    nulls: an array of bool that marks the items that come last, or None.
    shown: the same for those that are masked in results; NaT is not.
    dtype: the type of results, where it is not that of the keys.
    """

    __slots__ = ("library", "keys", "nulls", "shown", "dtype", "like")

    def __init__(self, library, keys, nulls=None, shown=None, dtype=None, like=None):
        self.library, self.keys, self.nulls, self.shown, self.dtype, self.like = library, keys, nulls, shown, dtype, like

    def back(self, keys, shown=None):
        """Returns sorted keys with the type of results. `shown` is in the same order."""
        if self.dtype is not None:
            keys = keys.view(self.dtype) if self.dtype.kind in "Mm" else keys.astype(self.dtype)
        return keys if shown is None else _masked(self.like, keys, shown)

    def taken(self, index):
        """Returns the items at the positions of an array of one dimension."""
        return self.back(self.keys[index], None if self.shown is None else self.shown[index])


def _is_small_float(dtype):
    """Returns true for bfloat16 and the types of 8 bits of ml_dtypes, which float32 holds exactly."""
    return dtype.type.__module__.startswith("ml_dtypes")


def _hint(dtype):
    if dtype.kind == "c":
        return "sort_rows([a.real, a.imag]) sorts by both parts"
    if dtype.kind in "SUT":
        return "sort_strings and argsort_strings sort strings"
    if dtype.kind == "f":
        return "cast it to float64"
    if dtype.kind == "V":
        return "argsort_rows takes items of bytes"
    return "keys are numbers of at most 64 bits, bool, dates and times; for objects, convert them first"


def _as_keys(a, nulls, like):
    """Returns the keys of a NumPy array."""
    kind = a.dtype.kind
    if not a.dtype.isnative and a.dtype.names is None:
        a = a.astype(a.dtype.newbyteorder("="))
    if _is_small_float(a.dtype):
        return _Keys(NumPy, a.astype(np.float32), nulls, nulls, a.dtype, like)
    if kind in "biuf" and a.dtype.itemsize <= 8:
        return _Keys(NumPy, a, nulls, nulls, None, like)
    if kind in "Mm":
        no_time = np.isnat(a)
        if no_time.any():
            return _Keys(NumPy, a.view(_INT64), no_time if nulls is None else nulls | no_time, nulls, a.dtype, like)
        return _Keys(NumPy, a.view(_INT64), nulls, nulls, a.dtype, like)
    if kind == "O" and a.size != 0 and type(a.flat[0]).__name__ == "Decimal":
        raise TypeError("objects of decimal.Decimal: pyarrow.array makes a column of decimals of them, which is sorted exactly")
    raise TypeError(f"dtype {a.dtype}: {_hint(a.dtype)}")


def _keys_of(a, fill=True):
    """Returns the keys of anything that is an array or becomes one. `fill` is as in with_nulls."""
    if _is_plain(a):
        return _Keys(NumPy, a)
    library, values, nulls = with_nulls(a, fill)
    return _as_keys(values, nulls, a) if library is NumPy else _Keys(library, values)


def _checked(a, name="keys"):
    """Returns the library of an array and the array, with keys of the core. Refuses nulls."""
    if _is_plain(a):
        return NumPy, a
    library, a = library_of(a, name)
    if library is not NumPy:
        return library, a
    keys = _as_keys(a, None, a)
    if keys.dtype is not None:
        raise TypeError(f"{name}: dtype {a.dtype}: numbers are expected here")
    return library, keys.keys


def _values_of(values):
    """Returns the library of values, an array of them that the core can move or None, their nulls, and a function that gives
    an array of the core the type that they have."""
    library, values, nulls = with_nulls(values)
    if library is not NumPy:
        return library, values, nulls, lambda moved: moved
    dtype = values.dtype
    if dtype.hasobject or dtype.kind == "T" or nulls is not None or dtype.itemsize == 0:
        return library, values, nulls, None
    if dtype.kind in "MmV" or _is_small_float(dtype):  # which the buffer protocol does not export
        return library, values.view(f"V{dtype.itemsize}"), nulls, lambda moved: moved.view(dtype)
    return library, values, nulls, lambda moved: moved


def _masked(like, values, nulls):
    """Returns an array of numpy.ma, with the fill value of `like` if that is one, too."""
    result = np.ma.MaskedArray(values, nulls)
    if isinstance(like, np.ma.MaskedArray) and like.dtype.kind == values.dtype.kind:
        result.fill_value = like.fill_value
    return result


def _taken(values, nulls, index, like):
    """Returns the items at the positions of an array of one dimension."""
    return values[index] if nulls is None else _masked(like, values[index], nulls[index])


def _is_coded(a):
    """Returns true for a column of categories, which are sorted as codes and returned in a container of their library."""
    if isinstance(a, (np.ndarray, list, tuple)):
        return False
    root = type(a).__module__.partition(".")[0]
    if root not in ("pyarrow", "polars", "pandas"):
        return False
    if root == "pyarrow":
        return str(getattr(a, "type", "")).startswith("dictionary")
    name = type(getattr(a, "dtype", None)).__name__ if root == "pandas" else str(getattr(a, "dtype", ""))
    return name.startswith(("CategoricalDtype", "Categorical", "Enum"))


def _is_decimal(a):
    """Returns true for a column of decimals or integers of 128 bits, which NumPy has no type for. They are treated as codes."""
    if isinstance(a, (np.ndarray, list, tuple)) or type(a).__module__.partition(".")[0] not in ("pyarrow", "polars", "pandas"):
        return False
    name = str(getattr(a, "type", getattr(a, "dtype", "")))
    return name.startswith(("decimal", "Decimal", "Int128", "UInt128"))


def _axis(a, axis):
    dimensions = len(a.shape)
    axis = as_index(axis)
    if not -dimensions <= axis < dimensions:
        raise np.exceptions.AxisError(axis, dimensions) if hasattr(np, "exceptions") else np.AxisError(axis, dimensions)
    return axis % dimensions


def _along(keys, axis):
    """Flattens keys without an axis. Returns a valid axis."""
    if axis is not None:
        return _axis(keys.keys, axis)
    for name in ("keys", "nulls", "shown"):
        if getattr(keys, name) is not None:
            setattr(keys, name, getattr(keys, name).reshape(-1))
    return 0


def _library(a):
    return library_of(a)[0] if not isinstance(a, np.ndarray) else NumPy


def _name_of(a):
    return f"{type(a).__module__.partition('.')[0]}.{type(a).__name__}"


def _check_out(out, result):
    if isinstance(result, np.ndarray) != isinstance(out, np.ndarray) or _library(out) is not _library(result):
        raise TypeError(f"out: {_name_of(out)}, where the result is {_name_of(result)}")
    if isinstance(result, np.ma.MaskedArray) and not isinstance(out, np.ma.MaskedArray):
        raise TypeError("out: no array of numpy.ma, where the result has nulls or masked items")
    if tuple(out.shape) != tuple(result.shape):
        raise ValueError(f"out: shape {tuple(out.shape)}, where the result has {tuple(result.shape)}")
    if out.dtype != result.dtype:
        raise TypeError(f"out: dtype {out.dtype}, where the result has {result.dtype}")


def _store(out, result):
    """Copies a result to the caller's array, if there is one and the result is not in it already."""
    if out is None or out is result:
        return result
    _check_out(out, result)
    out[...] = result
    return out


def _copied(library, a, out):
    """Returns a copy of an array, to be sorted in place: in the caller's array where that has the same layout and place."""
    if out is None:
        return library.copy(a)
    _check_out(out, a)
    if not library.is_contiguous(out) or not library.same_device(out, a):
        return library.copy(a)
    if out is not a:
        out[...] = a
    return out


def sort(
    a, axis=-1, kind=None, order=None, *, stable=None, descending=False, out=None, total_order=False, machine=None
):
    """Returns a sorted copy of an array. Stable.

    NaNs come last in both directions, and -0.0 equals 0.0. With `total_order`, floating-point numbers have the order of IEEE
    754: NaNs with a sign first, -0.0 before 0.0, other NaNs last. NaT, nulls of pyarrow, polars and pandas and masked items
    come last of all, in both directions; a result with nulls is an array of numpy.ma. Times of pandas with a zone are those of
    UTC. Records are sorted by their fields, the first field first. Categories and decimals are sorted as argsort_rows does it,
    and returned in a column of their library.

    axis: the axis along which to sort; None flattens the array.
    kind, stable: accepted for the sake of NumPy and of the array API standard. Every sort is stable.
    order: a field of records, or several, that come before the others.
    out: an array for the result; `a` itself sorts in place.
    machine: an ordosort.Machine; by default the module's.

    >>> import numpy as np, ordosort
    >>> ordosort.sort(np.array([[3.0, 1.0], [np.nan, 2.0]]))
    array([[ 1.,  3.],
           [ 2., nan]])
    >>> ordosort.sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """
    flags = 0 if kind is None and descending is False and total_order is False else _flags(kind, descending, total_order)
    if type(a) is _ndarray and axis == -1 and out is None and order is None:
        result = core.sort_plain(_machines._default if machine is None else _machines.chosen(machine), a, flags)
        if result is not None:
            return result
    if order is None and out is None and axis in (-1, 0, None) and _root(a) in _ARROW:
        result = core.sort_arrow(_machines._default if machine is None else _machines.chosen(machine), a, flags)
        if result is not None:
            return _sorted_arrow(*result)
    if order is not None or _has_fields(a):
        a = np.asanyarray(a)
        axis, a = (0, a.reshape(-1)) if axis is None else (_axis(a, axis), a)
        return _store(out, np.take_along_axis(a, _argsort_records(a, axis, order, flags, machine), axis))
    if _is_coded(a) or _is_decimal(a):
        return taken(a, _argsort_column(a, flags, machine), _machines.chosen(machine))
    keys = _keys_of(a, getattr(a, "ndim", 1) != 1)
    axis = _along(keys, axis)
    library, values = keys.library, keys.keys
    last = len(values.shape) - 1
    if keys.nulls is not None:
        if last == 0:
            return _store(out, _sorted_with_nulls(keys, flags, machine))
        moved = NumPy.contiguous(np.moveaxis(values, axis, last))
        index = _argsort_rows_of(NumPy, moved, np.moveaxis(keys.nulls, axis, last), flags, machine)
        shown = None if keys.shown is None else np.take_along_axis(np.moveaxis(keys.shown, axis, last), index, last)
        return _store(out, np.moveaxis(keys.back(np.take_along_axis(moved, index, last), shown), last, axis))
    into = out if keys.dtype is None else None
    moved = _copied(library, values, into) if axis == last else library.copy(library.move_axis(values, axis, last))
    core.sort(_machines.chosen(machine), moved, moved.shape[-1], flags, library.stream(moved))
    return _store(out, keys.back(moved if axis == last else library.move_axis(moved, last, axis)))


def _root(a):
    return type(a).__module__.partition(".")[0]


_ARROW = frozenset(("pyarrow", "polars"))  # libraries whose columns the core reads where they are


def _sorted_arrow(values, valid, format):
    """Returns what the core's sort of a column made, with its type and its nulls."""
    values = _arrow.times_of(values, format)
    if valid == len(values):
        return values
    values[valid:] = "NaT" if values.dtype.kind in "Mm" else 0
    nulls = np.zeros(len(values), np.bool_)
    nulls[valid:] = True
    return np.ma.MaskedArray(values, nulls)


def _sorted_with_nulls(keys, flags, machine):
    """Returns the sorted items of an array of one dimension, and after them those that come last, in the order of the input."""
    valid = keys.keys[~keys.nulls]
    core.sort(_machines.chosen(machine), valid, valid.size, flags, 0)
    last, shown = keys.keys[keys.nulls], keys.shown
    if shown is not None:
        is_shown = shown[keys.nulls]
        last[is_shown] = 0 if keys.dtype is None or keys.dtype.kind not in "Mm" else np.iinfo(np.int64).min  # NaT
        shown = np.concatenate([np.zeros(valid.size, np.bool_), is_shown])
    return keys.back(np.concatenate([valid, last]), shown)


def _has_fields(a):
    return isinstance(a, np.ndarray) and a.dtype.names is not None


def _fields(a):
    """Returns the columns of records: fields, those inside of fields, and the items of arrays in fields."""
    if a.dtype.names is not None:
        return [column for name in a.dtype.names for column in _fields(a[name])]
    if a.ndim == 1:
        return [a]
    return [column for k in range(a.shape[1]) for column in _fields(a[:, k])]


def _argsort_records(a, axis, order, flags, machine):
    """Returns the order of records along an axis, by the fields of `order` and then by the others."""
    names = a.dtype.names
    if names is None:
        raise ValueError(f"order: {order!r}, where the array has no fields")
    chosen = [] if order is None else [order] if isinstance(order, str) else list(order)
    for name in chosen:
        if name not in names:
            raise ValueError(f"order: {name!r} is none of the fields {', '.join(names)}")
    chosen += [name for name in names if name not in chosen]
    moved = a if a.ndim == 1 else np.moveaxis(a, axis, -1)
    records = moved.reshape(-1)
    columns = [column for name in chosen for column in _fields(records[name])]
    columns = [NumPy.contiguous(column) if type(column) is _ndarray else column for column in columns]
    falls, nan_order = bool(flags & _DESCENDING), "total" if flags & _TOTAL_ORDER else "last"
    if a.ndim == 1:
        return argsort_rows(columns, descending=falls, nan_order=nan_order, machine=machine)
    length = moved.shape[-1]
    row = np.arange(records.size, dtype=_INT64) // max(length, 1)
    falls = [False, *[falls] * len(columns)]
    index = argsort_rows([row, *columns], descending=falls, nan_order=nan_order, machine=machine)
    return np.moveaxis((index - row * length).reshape(moved.shape), -1, axis)


def _argsort_column(a, flags, machine):
    """Returns the order of a column of numbers or categories."""
    if _root(a) in _ARROW:
        index = core.argsort_arrow(_machines.chosen(machine), a, flags)
        if index is not None:
            return index
    library, keys, validity, wide = _row_key(a, _machines.chosen(machine), False)
    if wide or validity is not None:
        nan_order = _NAN_ORDERS["total" if flags & _TOTAL_ORDER else "last"]
        return _argsort_key(NumPy.contiguous(keys), validity, bool(flags & _DESCENDING), False, nan_order, wide, machine)
    return _argsort_rows_of(library, library.contiguous(keys), None, flags, machine)


def argsort(
    a, axis=-1, kind=None, order=None, *, stable=None, descending=False, out=None, total_order=False, machine=None
):
    """Returns the positions that sort an array, as int64. Positions of equal keys ascend. NaNs, nulls, zeros, records and
    categories are as in sort.

    >>> import numpy as np, ordosort
    >>> ordosort.argsort(np.array([3, 1, 2, 1]))
    array([1, 3, 2, 0])
    """
    flags = 0 if kind is None and descending is False and total_order is False else _flags(kind, descending, total_order)
    if type(a) is _ndarray and axis == -1 and out is None and order is None:
        index = core.argsort_plain(_machines._default if machine is None else _machines.chosen(machine), a, flags)
        if index is not None:
            return index
    if order is not None or _has_fields(a):
        a = np.asanyarray(a)
        axis, a = (0, a.reshape(-1)) if axis is None else (_axis(a, axis), a)
        return _store(out, _argsort_records(a, axis, order, flags, machine))
    if is_column(a):
        return _store(out, _argsort_column(a, flags, machine))
    keys = _keys_of(a)
    axis = _along(keys, axis)
    library, values, nulls = keys.library, keys.keys, keys.nulls
    last = len(values.shape) - 1
    moved = library.contiguous(values if axis == last else library.move_axis(values, axis, last))
    if nulls is not None:
        nulls = np.moveaxis(nulls, axis, last)
    index = _argsort_rows_of(library, moved, nulls, flags, machine)
    result = index if axis == last else library.move_axis(index, last, axis)
    return _store(out, result)


def _argsort_rows_of(library, keys, nulls, flags, machine):
    """Returns the order of each row of a contiguous array, with nulls last."""
    if nulls is not None and keys.ndim == 1:
        valid = np.flatnonzero(~nulls)
        return np.concatenate([valid[_argsort_rows_of(library, keys[valid], None, flags, machine)], np.flatnonzero(nulls)])
    rows = any(length != 1 for length in keys.shape[:-1])
    index = library.numbered(keys) if rows else library.index(keys)
    core.argsort(_machines.chosen(machine), keys, index, keys.shape[-1], flags, library.stream(keys))
    if nulls is None:
        return index
    is_null = np.ascontiguousarray(np.take_along_axis(nulls, index, -1))
    return np.take_along_axis(index, _argsort_rows_of(NumPy, is_null, None, 0, machine), -1)


def sort_pairs(keys, values, *, descending=False, out=None, total_order=False, machine=None):
    """Returns sorted copies of two arrays of one dimension: the keys, and the values in the order of their keys. Stable.

    Values of 4, 8 and 16 bytes are moved fastest.
    out: a pair of arrays for the results.

    >>> import numpy as np, ordosort
    >>> ordosort.sort_pairs(np.array([3, 1, 2]), np.array([0.5, 0.25, 0.125]))
    (array([1, 2, 3]), array([0.25 , 0.125, 0.5  ]))
    """
    flags = _flags(None, descending, total_order)
    given_values, keys = values, _keys_of(keys)
    values_library, values, value_nulls, typed = _values_of(values)
    one_dimension("keys", keys.keys)
    one_dimension("values", values)
    if keys.nulls is not None or typed is None:
        _same_length("values", values, keys.keys)
        index = _argsort_rows_of(keys.library, keys.library.contiguous(keys.keys), keys.nulls, flags, machine)
        return _stored_pair(out, keys.taken(index), _taken_values(values, value_nulls, index, given_values, typed))
    library, moved, values = keys.library, keys.library.copy(keys.keys), values_library.copy(values)
    core.sort_pairs(_machines.chosen(machine), moved, values, flags, library.stream(moved))
    return _stored_pair(out, keys.back(moved), typed(values))


def _taken_values(values, nulls, index, like, typed):
    """Returns the values at the positions of an array of one dimension."""
    moved = _taken(values, nulls, index, like)
    return moved if typed is None else typed(moved)


def _stored_pair(out, keys, values):
    return (keys, values) if out is None else (_store(out[0], keys), _store(out[1], values))


def _same_length(name, a, keys):
    if a.shape[0] != keys.shape[0]:
        raise ValueError(f"{name}: length {a.shape[0]} for {keys.shape[0]} keys")


def _offsets(name, a):
    """Returns segment offsets as a contiguous array."""
    library, a = offsets_array(name, a)
    return library.contiguous(a)


def _bound(max_length):
    """Returns the bound on the lengths of segments that the core takes: 0 for none."""
    if max_length is None:
        return 0
    bound = as_index(max_length)
    if bound < 0:
        raise ValueError(f"max_length: {bound}")
    return max(bound, 1)


def segmented_sort(
    keys, offsets, values=None, *, ends=None, max_length=None, descending=False, out=None, total_order=False, machine=None
):
    """Returns a copy of an array of one dimension whose segments are sorted. Stable.

    Segment s is ``keys[offsets[s]:offsets[s + 1]]``; with `ends` it is ``keys[offsets[s]:ends[s]]``, and items between segments
    stay where they are. With `values` the result is a pair: the keys, and the values in the order of their keys.

    max_length: an upper bound of the segments' lengths, which saves time and memory on a GPU. The order within longer segments
        is then undefined.

    >>> import numpy as np, ordosort
    >>> ordosort.segmented_sort(np.array([3, 1, 2, 9, 7]), np.array([0, 3, 5]))
    array([1, 2, 3, 7, 9])
    """
    flags = _flags(None, descending, total_order)
    given_values, value_nulls, typed = values, None, lambda moved: moved
    keys = _keys_of(keys)
    library, items = keys.library, keys.keys
    one_dimension("keys", items)
    offsets = _offsets("offsets", offsets)
    ends = None if ends is None else _offsets("ends", ends)
    if values is not None:
        values_library, values, value_nulls, typed = _values_of(values)
        one_dimension("values", values)
    if keys.nulls is not None or typed is None:
        if values is not None:
            _same_length("values", values, items)
        index = _argsort_segments_of(library, library.contiguous(items), keys.nulls, offsets, ends, max_length, flags, machine)
        if values is None:
            return _store(out, keys.taken(index))
        return _stored_pair(out, keys.taken(index), _taken_values(values, value_nulls, index, given_values, typed))
    if values is not None:
        values = values_library.copy(values)  # and the keys, too: they may be in the memory of each other's results
    moved = _copied(library, items, out) if values is None and keys.dtype is None else library.copy(items)
    bound, stream = _bound(max_length), library.stream(moved)
    core.sort_segments(_machines.chosen(machine), moved, values, offsets, ends, bound, False, flags, stream)
    return _store(out, keys.back(moved)) if values is None else _stored_pair(out, keys.back(moved), typed(values))


def segmented_argsort(
    keys, offsets, *, ends=None, max_length=None, descending=False, out=None, total_order=False, machine=None
):
    """Returns the positions in the array that sort each segment, as int64. Positions of equal keys ascend. `max_length` is as in
    segmented_sort.

    >>> import numpy as np, ordosort
    >>> ordosort.segmented_argsort(np.array([3, 1, 2, 9, 7]), np.array([0, 3, 5]))
    array([1, 2, 0, 4, 3])
    """
    flags = _flags(None, descending, total_order)
    keys = _keys_of(keys)
    one_dimension("keys", keys.keys)
    offsets = _offsets("offsets", offsets)
    ends = None if ends is None else _offsets("ends", ends)
    items = keys.library.contiguous(keys.keys)
    index = _argsort_segments_of(keys.library, items, keys.nulls, offsets, ends, max_length, flags, machine)
    return _store(out, index)


def _argsort_segments_of(library, keys, nulls, offsets, ends, max_length, flags, machine):
    """Returns the order of each segment of a contiguous array, with nulls last."""
    index = library.numbered(keys)
    bound, stream, machine = _bound(max_length), library.stream(keys), _machines.chosen(machine)
    core.sort_segments(machine, keys, index, offsets, ends, bound, True, flags, stream)
    if nulls is not None:
        core.sort_segments(machine, nulls[index], index, offsets, ends, bound, True, 0, stream)
    return index


def top_k(a, k, axis=-1, *, largest=True, sorted=True, machine=None):
    """Returns the k greatest or smallest items along an axis, and their positions as int64: the first k of a stable sort.
    Every NaN is greater than all numbers, whatever its sign, as in PyTorch, NumPy and CuPy, and -0.0 equals 0.0. Nulls and
    masked items come last in both directions: they are among the k only if there are too few others.

    sorted: if not, items are in the order of the input.

    >>> import numpy as np, ordosort
    >>> ordosort.top_k(np.array([3, 1, 2, 3]), 2)
    (array([3, 3]), array([0, 3]))
    """
    k = as_index(k)
    if type(a) is _ndarray and axis == -1:
        result = core.top_k_plain(_machines.chosen(machine), a, k, not largest, bool(sorted))
        if result is not None:
            return result
    keys = _keys_of(a)
    library, a, nulls = keys.library, keys.keys, keys.nulls
    axis = _axis(a, axis)
    last = len(a.shape) - 1
    moved = library.contiguous(a if axis == last else library.move_axis(a, axis, last))
    if not 0 <= k <= moved.shape[-1]:
        raise ValueError(f"k: {k} of {moved.shape[-1]} items")
    if nulls is not None:
        nulls = np.ascontiguousarray(np.moveaxis(nulls, axis, last))
        index = _top_of_rows(moved, nulls, k, largest, sorted, machine)
        shown = None if keys.shown is None else np.take_along_axis(np.moveaxis(keys.shown, axis, last), index, last)
        best = keys.back(np.take_along_axis(moved, index, last), shown)
        return np.moveaxis(best, last, axis), np.moveaxis(index, last, axis)
    best = library.copy(moved[..., :k])
    index = library.index(best)
    core.top_k(
        _machines.chosen(machine), moved, moved.shape[-1], k, best, index, not largest, bool(sorted), library.stream(moved)
    )
    best = keys.back(best)
    if axis == last:
        return best, index
    return library.move_axis(best, last, axis), library.move_axis(index, last, axis)


def _top_of_rows(keys, nulls, k, largest, sorted, machine):
    """Returns the positions of the first k of each row, with nulls last."""
    length = keys.shape[-1]
    starts = np.arange(keys.size // max(length, 1) + 1, dtype=np.int64) * length
    if length == 0:
        return np.empty(keys.shape, np.int64)
    index = _top_of_segments(keys.reshape(-1), nulls.reshape(-1), starts, k, length, largest, machine)
    index = (index - starts[:-1, None]).reshape(*keys.shape[:-1], k)
    return index if sorted else np.sort(index, axis=-1)


def _top_of_segments(keys, nulls, offsets, k, max_length, largest, machine):
    """Returns the positions of the first k of each segment, with nulls last, and -1 after those of short segments."""
    if offsets.size != 0 and (offsets[0] < 0 or np.any(offsets[1:] < offsets[:-1]) or offsets[-1] > keys.size):
        raise ValueError(f"bad segments: offsets fall, or leave the {keys.size} items")
    offsets = offsets.astype(_INT64)
    null_offsets = np.concatenate([[0], np.cumsum(nulls, dtype=_INT64)])[offsets]
    valid, missing, valid_offsets = np.flatnonzero(~nulls), np.flatnonzero(nulls), offsets - null_offsets
    _, index = segmented_top_k(keys[valid], valid_offsets, k, max_length=max_length, largest=largest, machine=machine)
    index[index >= 0] = valid[index[index >= 0]]
    # The nulls of a segment follow its other items.
    place = np.arange(k)[None, :] - np.diff(valid_offsets)[:, None]
    is_null = (place >= 0) & (place < np.diff(null_offsets)[:, None])
    index[is_null] = missing[(place + null_offsets[:-1, None])[is_null]]
    return index


_SORTED_BELOW = 4096  # items of a row, which a sort takes as long for as a partition


def _check_position(k, length):
    if not -length <= k < length:
        raise ValueError(f"kth: {k} of {length} items")


def _positions_of(kth, length):
    """Returns positions that partition takes, ascending, each once."""
    kth = np.asarray(kth)
    if kth.dtype.kind not in "iu":
        raise TypeError(f"kth: dtype {kth.dtype}, where integers are expected")
    if kth.ndim > 1:
        raise ValueError(f"kth: {kth.ndim} dimensions, where none or one is expected")
    for k in kth.reshape(-1).tolist():
        _check_position(k, length)
    return sorted({k % length for k in kth.reshape(-1).tolist()})


def _partition(a, kth, axis, kind, order, machine, wants_index):
    if kind != "introselect":
        raise ValueError(f"kind: {kind!r} is not 'introselect'")
    sort_whole = argsort if wants_index else sort
    if type(kth) is int and type(a) is _ndarray and axis == -1 and order is None:
        result = core.partition_plain(_machines.chosen(machine), a, kth, wants_index)
        if result is not None:
            return result
    if order is not None or _has_fields(a) or _is_coded(a) or _is_decimal(a):
        shape = np.shape(a) if isinstance(a, np.ndarray) else (len(a),)
        _positions_of(kth, int(np.prod(shape)) if axis is None else shape[axis])
        return sort_whole(a, axis, order=order, machine=machine)
    keys = _keys_of(a)
    axis = _along(keys, axis)
    length = keys.keys.shape[axis]
    if keys.library is NumPy and keys.keys.size == 0:  # as in NumPy, without a look at the positions
        return sort_whole(a if keys.keys.ndim > 1 else keys.back(keys.keys), axis, machine=machine)
    kth = _positions_of(kth, length)
    if keys.library is NumPy and keys.nulls is None and length >= _SORTED_BELOW:
        moved = NumPy.contiguous(np.moveaxis(keys.keys, axis, -1))
        out = np.empty(moved.shape, _INT64 if wants_index else moved.dtype)
        if core.partition(_machines.chosen(machine), moved, length, kth, out, wants_index):
            return np.moveaxis(out if wants_index else keys.back(out), -1, axis)
    if getattr(a, "shape", None) != keys.keys.shape:  # flattened, or no array
        a = _masked(a, keys.keys, keys.nulls) if keys.shown is not None else keys.back(keys.keys)
    return sort_whole(a, axis, machine=machine)


def partition(a, kth, axis=-1, kind="introselect", order=None, *, machine=None):
    """Returns a copy of an array in which the items at the positions `kth` are where sort puts them, with those that are not
    greater before them and those that are not smaller after them, as numpy.partition does. `kth` is an integer or several.
    NaNs, NaT, nulls and masked items are last; nulls, records and arrays of GPUs are sorted.

    >>> import numpy as np, ordosort
    >>> int(ordosort.partition(np.array([3, 1, 2, 0]), 1)[1])
    1
    """
    return _partition(a, kth, axis, kind, order, machine, False)


def argpartition(a, kth, axis=-1, kind="introselect", order=None, *, machine=None):
    """Returns the positions, as int64, that put an array into an order of partition.

    >>> import numpy as np, ordosort
    >>> int(ordosort.argpartition(np.array([3, 1, 2, 0]), 0)[0])
    3
    """
    return _partition(a, kth, axis, kind, order, machine, True)


def segmented_top_k(keys, offsets, k, *, max_length=None, largest=True, machine=None):
    """Returns the k greatest or smallest keys of each segment and their positions in the array, as arrays of one row for each
    segment. A segment of fewer keys leaves -1 as position after its own. NaNs and nulls are as in top_k. `max_length` is as in
    segmented_sort.

    >>> import numpy as np, ordosort
    >>> ordosort.segmented_top_k(np.array([3, 1, 2, 9]), [0, 3, 4], 2)[1]
    array([[ 0,  2],
           [ 3, -1]])
    """
    all_keys = _keys_of(keys)
    library, keys, nulls = all_keys.library, all_keys.keys, all_keys.nulls
    one_dimension("keys", keys)
    offsets = _offsets("offsets", offsets)
    k = as_index(k)
    if k < 0:
        raise ValueError(f"k: {k}")
    keys = library.contiguous(keys)
    if nulls is not None:
        index = _top_of_segments(keys, nulls, offsets, k, max_length, largest, machine)
        is_item = index >= 0
        values, of_best = np.zeros(index.shape, keys.dtype), np.zeros(index.shape, np.bool_)
        values[is_item] = keys[index[is_item]]
        if all_keys.shown is None:
            return all_keys.back(values), index
        of_best[is_item] = all_keys.shown[index[is_item]]
        return all_keys.back(values, of_best), index
    best, index = library.results(keys, (max(offsets.shape[0] - 1, 0), k))
    bound, stream = _bound(max_length), library.stream(keys)
    core.segmented_top_k(_machines.chosen(machine), keys, offsets, bound, k, best, index, not largest, stream)
    return all_keys.back(best), index


def _row_key(a, machine, takes_strings=True):
    """Returns the library of a column, an array of its keys, its validity or None, and the type of keys that are no numbers of
    NumPy, or 0."""
    if _is_plain(a):
        return NumPy, a, None, 0
    if is_column(a):
        root, dtype = type(a).__module__.partition(".")[0], getattr(a, "dtype", None)
        if root == "pandas" and type(dtype).__name__ == "CategoricalDtype":
            codes = np.asarray(getattr(a, "cat", a).codes)
            return NumPy, codes, Validity(valid=codes >= 0), 0
        if root == "polars" and str(dtype).startswith("Enum"):
            a = a.to_physical()
        if root == "pandas":
            a = getattr(a, "array", a).__arrow_array__()
        column = _arrow.read(_arrow.import_column(a), "column")
        if not takes_strings and isinstance(column, _arrow.Strings):
            raise TypeError("array: a column of strings: argsort_strings and argsort_rows sort them")
        return _row_key_of(column, machine)
    if type(a) is _ndarray and a.dtype.kind == "V" and a.dtype.names is None and a.dtype.itemsize != 0:
        one_dimension("column", a)
        return _ranked(order_of_bytes(a, machine), len(a))
    if is_strings(a):
        return _ranked(order_of(a, False, machine, True), len(a))
    keys = _keys_of(a)
    return keys.library, keys.keys, None if keys.nulls is None else Validity(valid=~keys.nulls), 0


def _ranked(order, length):
    ranks, validity = ranks_of(order, length), None
    if order.nulls is not None:
        valid = np.ones(length, np.bool_)
        valid[order.nulls] = False
        validity = Validity(valid=valid)
    return NumPy, ranks, validity, 0


def _row_key_of(column, machine):
    """Returns the same of a column of Arrow."""
    if isinstance(column, _arrow.Numbers):
        return NumPy, column.values, column.validity, column.wide
    if isinstance(column, _arrow.Strings):
        return _ranked(order_of_column(column, False, machine, True), len(column))
    if column.is_ordered:
        return NumPy, column.codes, column.validity, 0
    wide = 0
    if isinstance(column.values, list):  # joined dictionaries
        valid = np.array([s is not None for s in column.values], np.bool_)
        present = [s for s in column.values if s is not None]
        order = order_of(present, False, machine, True)
        values, values_validity = np.zeros(len(valid), np.uint32), None if valid.all() else Validity(valid=valid)
        values[valid] = ranks_of(order, len(present))
    else:
        _, values, values_validity, wide = _row_key_of(column.values, machine)
    valid = None if column.validity is None else column.validity.valid(len(column.codes))
    codes = column.codes if valid is None else np.where(valid, column.codes, 0)
    if codes.size != 0 and len(values) == 0:
        return NumPy, np.zeros(codes.size, np.uint8), Validity(valid=np.zeros(codes.size, np.bool_)), 0
    if values_validity is not None:
        of_values = values_validity.valid(len(values))[codes]
        valid = of_values if valid is None else valid & of_values
    return NumPy, values[codes], None if valid is None else Validity(valid=valid), wide


def _argsort_key(keys, validity, falls, nulls_first, nan_order, wide, machine):
    """Returns the order of one column."""
    bits, offset = (None, 0) if validity is None else validity.bitmap()
    index = np.empty(len(keys), _INT64)
    core.argsort_rows(_machines.chosen(machine), [(keys, falls, bits, offset, nulls_first, nan_order, wide)], index, 0)
    return index


def _columns_of(columns):
    """Returns the columns of a table, or a list of the columns that were passed."""
    root = type(columns).__module__.partition(".")[0]
    if root == "pandas" and getattr(columns, "ndim", 1) == 2:
        return [columns.iloc[:, k] for k in range(columns.shape[1])]
    if root == "polars" and hasattr(columns, "get_columns"):
        return columns.get_columns()
    if root == "pyarrow" and hasattr(columns, "column_names"):
        return list(columns.columns)
    return list(columns)


def _per_key(name, value, n, is_one):
    values = [value] * n if is_one else list(value)
    if len(values) != n:
        raise ValueError(f"{name}: {len(values)} for {n} columns")
    return values


def _is_flag(value):
    return isinstance(value, (bool, int)) or getattr(value, "ndim", None) == 0


def argsort_rows(columns, *, descending=False, nulls_first=False, nan_order="last", machine=None):
    """Returns the positions that sort rows by their columns, the first column first, as int64. Stable.

    columns: a list of columns of one length, or a table of pandas, polars or pyarrow. Columns are arrays of numbers, bools,
        dates or strings; decimals and integers of 128 bits; or items of bytes (V in NumPy), which compare byte by byte. Strings
        compare as in argsort_strings. Categories of pandas, of Enum in polars and of ordered
        dictionaries in Arrow have the order of their codes, all others that of their values.
    descending: a flag, or one for each column.
    nulls_first: a flag, or one for each column: whether nulls, masked items and NaT come first or last, in both directions.
    nan_order: "last", "first" or "total", or one for each column: the place of NaNs in both directions. They come before nulls
        that are last, and after those that are first. "total" is the order of IEEE 754.

    >>> import numpy as np, ordosort
    >>> ordosort.argsort_rows([np.array([1, 0, 1]), np.array([0.5, 0.5, 0.25])])
    array([1, 2, 0])
    """
    machine = _machines._default if machine is None else _machines.chosen(machine)
    if type(columns) is list and descending is False and nulls_first is False and nan_order == "last":
        index = core.argsort_rows_plain(machine, columns)
        if index is not None:
            return index
    index = _argsort_rows_arrow(columns, descending, nulls_first, nan_order, machine)
    if index is not None:
        return index
    given = [_row_key(column, machine) for column in _columns_of(columns)]
    n = len(given)
    if n == 0:
        raise ValueError("columns: none")
    library = given[0][0]
    values = [own.contiguous(column) for own, column, _, _ in given]
    for column in values:
        one_dimension("column", column)
    falls = [bool(flag) for flag in _per_key("descending", descending, n, _is_flag(descending))]
    first = [bool(flag) for flag in _per_key("nulls_first", nulls_first, n, _is_flag(nulls_first))]
    orders = _per_key("nan_order", nan_order, n, isinstance(nan_order, str))
    for order in orders:
        if order not in _NAN_ORDERS:
            raise ValueError(f"nan_order: {order!r} is none of {', '.join(map(repr, _NAN_ORDERS))}")
    if n == 1 and given[0][2] is not None:
        _, _, validity, wide = given[0]
        return _argsort_key(values[0], validity, falls[0], first[0], _NAN_ORDERS[orders[0]], wide, machine)
    bitmaps = [(None, 0) if validity is None else validity.bitmap() for _, _, validity, _ in given]
    keys = [
        (column, falling, *bitmap, is_first, _NAN_ORDERS[order], wide)
        for column, falling, bitmap, is_first, order, (_, _, _, wide) in zip(values, falls, bitmaps, first, orders, given)
    ]
    index = library.index(values[0])
    core.argsort_rows(machine, keys, index, library.stream(values[0]))
    return index


def _argsort_rows_arrow(columns, descending, nulls_first, nan_order, machine):
    """Returns the order of rows by columns of Arrow that the core reads itself, or None."""
    if type(nulls_first) is not bool or type(nan_order) is not str or nan_order not in _NAN_ORDERS:
        return None
    if type(columns) is list:
        if not all(type(column) is _ndarray or _root(column) in _ARROW for column in columns):
            return None
    elif _root(columns) not in _ARROW or not (hasattr(columns, "column_names") or hasattr(columns, "get_columns")):
        return None
    falls = descending if type(descending) is list and len(descending) > 1 else [descending]
    if not all(type(flag) is bool for flag in falls):
        return None
    return core.argsort_rows_arrow(machine, columns, falls, _NAN_ORDERS[nan_order], nulls_first)


def sort_rows(columns, *, descending=False, nulls_first=False, nan_order="last", machine=None):
    """Returns copies of columns with their rows sorted, as argsort_rows orders them; of a table, a table.

    >>> import numpy as np, ordosort
    >>> ordosort.sort_rows([np.array([1, 0, 1]), np.array([0.5, 0.5, 0.25])])
    [array([0, 1, 1]), array([0.5 , 0.25, 0.5 ])]
    """
    is_table = not isinstance(columns, np.ndarray) and any(
        hasattr(columns, name) for name in ("column_names", "get_columns", "iloc")
    )
    if not is_table:
        columns = list(columns)
    index = argsort_rows(
        columns, descending=descending, nulls_first=nulls_first, nan_order=nan_order, machine=machine
    )
    if is_table:
        return taken(columns, index, _machines.chosen(machine))
    return [_taken_column(column, index, machine) for column in columns]


def _taken_column(column, index, machine):
    if isinstance(column, np.ndarray) and not isinstance(column, np.ma.MaskedArray):
        return column[index]
    if _is_coded(column) or _is_decimal(column) or is_strings(column) or is_column_of_strings(column):
        return taken(column, index, _machines.chosen(machine))
    _, values, nulls = with_nulls(column)
    return _taken(values, nulls, index, column)


def lexsort(keys, *, machine=None):
    """Returns the positions that sort rows by several keys, of which the last is the first to compare, as numpy.lexsort does.

    >>> import ordosort
    >>> ordosort.lexsort([[1, 0, 2], [0, 1, 0]])
    array([0, 2, 1])
    """
    if type(keys) is tuple or type(keys) is list:
        return argsort_rows(list(keys[::-1]), machine=machine)
    return argsort_rows(_columns_of(keys)[::-1], machine=machine)
