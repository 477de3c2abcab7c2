"""Sorts of arrays with NumPy's words."""

from operator import index as as_index

import numpy as np

from . import _machines
from . import _ordosort as core
from ._libraries import NumPy, library_of, offsets_array, one_dimension, with_nulls

_DESCENDING, _TOTAL_ORDER = 1, 2
_KINDS = (None, "stable", "quicksort", "mergesort", "heapsort")
_KEY_TYPES = frozenset(np.dtype(code) for code in "?bhilqBHILQefd")
_INT64 = np.dtype(np.int64)


def _is_plain(a):
    """Returns true if an array needs no conversion: of NumPy, of one dimension, with keys of the core. Small calls depend on it."""
    return type(a) is np.ndarray and a.ndim == 1 and a.dtype in _KEY_TYPES


def _flags(kind, descending, total_order):
    if kind not in _KINDS:
        raise ValueError(f"kind: {kind!r} is none of {', '.join(repr(k) for k in _KINDS)}")
    return (_DESCENDING if descending else 0) | (_TOTAL_ORDER if total_order else 0)


def _native(a):
    """Returns a NumPy array whose items the core can compare."""
    kind = a.dtype.kind
    if kind in "biuf" and a.dtype.itemsize <= 8:
        return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))
    raise TypeError(f"dtype {a.dtype}: keys are integers, floating-point numbers of at most 64 bits, or bool")


def _checked(a, name="keys"):
    """Returns the library of an array and the array, with keys of the core. Refuses nulls."""
    if _is_plain(a):
        return NumPy, a
    library, a = library_of(a, name)
    return library, _native(a) if library is NumPy else a


def _checked_with_nulls(a):
    """Returns the library of an array, the array, with keys of the core, and its nulls."""
    if _is_plain(a):
        return NumPy, a, None
    library, a, nulls = with_nulls(a)
    return library, _native(a) if library is NumPy else a, nulls


def _masked(like, values, nulls):
    """Returns an array of numpy.ma, with the fill value of `like` if that is one, too."""
    result = np.ma.MaskedArray(values, nulls)
    if isinstance(like, np.ma.MaskedArray) and like.dtype.kind == values.dtype.kind:
        result.fill_value = like.fill_value
    return result


def _taken(values, nulls, index, like):
    """Returns the items at the positions of an array of one dimension."""
    return values[index] if nulls is None else _masked(like, values[index], nulls[index])


def _axis(a, axis):
    dimensions = len(a.shape)
    axis = as_index(axis)
    if not -dimensions <= axis < dimensions:
        raise np.exceptions.AxisError(axis, dimensions) if hasattr(np, "exceptions") else np.AxisError(axis, dimensions)
    return axis % dimensions


def _along(a, nulls, axis):
    """Returns an array, its nulls and a valid axis; without an axis the array has one dimension, of all items."""
    if axis is None:
        return a.reshape(-1), None if nulls is None else nulls.reshape(-1), 0
    return a, nulls, _axis(a, axis)


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


def sort(a, axis=-1, kind=None, *, descending=False, out=None, total_order=False, machine=None):
    """Returns a sorted copy of an array. Stable.

    NaNs come last in both directions, and -0.0 equals 0.0. With `total_order`, floating-point numbers have the order of IEEE
    754: NaNs with a sign first, -0.0 before 0.0, other NaNs last. Nulls of pyarrow, polars and pandas and masked items come
    last of all, in both directions; the result is then an array of numpy.ma.

    axis: the axis along which to sort; None flattens the array.
    kind: accepted for NumPy's sake. Every kind is stable.
    out: an array for the result; `a` itself sorts in place.
    machine: an ordosort.Machine; by default the module's.

    >>> import numpy as np, ordosort
    >>> ordosort.sort(np.array([[3.0, 1.0], [np.nan, 2.0]]))
    array([[ 1.,  3.],
           [ 2., nan]])
    >>> ordosort.sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """
    flags = _flags(kind, descending, total_order)
    if axis == -1 and out is None and _is_plain(a):
        result = a.copy()
        core.sort(_machines.chosen(machine), result, result.size, flags, 0)
        return result
    given = a
    library, a, nulls = _checked_with_nulls(a)
    a, nulls, axis = _along(a, nulls, axis)
    last = len(a.shape) - 1
    if nulls is not None:
        moved = NumPy.contiguous(np.moveaxis(a, axis, last))
        nulls = np.moveaxis(nulls, axis, last)
        index = _argsort_rows_of(NumPy, moved, nulls, flags, machine)
        result = _masked(given, np.take_along_axis(moved, index, last), np.take_along_axis(nulls, index, last))
        return _store(out, np.moveaxis(result, last, axis))
    moved = _copied(library, a, out) if axis == last else library.copy(library.move_axis(a, axis, last))
    core.sort(_machines.chosen(machine), moved, moved.shape[-1], flags, library.stream(moved))
    return _store(out, moved if axis == last else library.move_axis(moved, last, axis))


def argsort(a, axis=-1, kind=None, *, descending=False, out=None, total_order=False, machine=None):
    """Returns the positions that sort an array, as int64. Positions of equal keys ascend. NaNs, nulls and zeros are as in sort.

    >>> import numpy as np, ordosort
    >>> ordosort.argsort(np.array([3, 1, 2, 1]))
    array([1, 3, 2, 0])
    """
    flags = _flags(kind, descending, total_order)
    if axis == -1 and out is None and _is_plain(a):
        index = np.empty(a.size, _INT64)
        core.argsort(_machines.chosen(machine), NumPy.contiguous(a), index, a.size, flags, 0)
        return index
    library, a, nulls = _checked_with_nulls(a)
    a, nulls, axis = _along(a, nulls, axis)
    last = len(a.shape) - 1
    moved = library.contiguous(a if axis == last else library.move_axis(a, axis, last))
    if nulls is not None:
        nulls = np.moveaxis(nulls, axis, last)
    index = _argsort_rows_of(library, moved, nulls, flags, machine)
    result = index if axis == last else library.move_axis(index, last, axis)
    return _store(out, result)


def _argsort_rows_of(library, keys, nulls, flags, machine):
    """Returns the order of each row of a contiguous array, with nulls last."""
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
    given, given_values = keys, values
    library, keys, nulls = _checked_with_nulls(keys)
    values_library, values, value_nulls = with_nulls(values)
    one_dimension("keys", keys)
    one_dimension("values", values)
    if nulls is not None or value_nulls is not None:
        _same_length("values", values, keys)
        keys = library.contiguous(keys)
        index = _argsort_rows_of(library, keys, nulls, flags, machine)
        keys = _taken(keys, nulls, index, given)
        values = _taken(values, value_nulls, index, given_values)
        return (keys, values) if out is None else (_store(out[0], keys), _store(out[1], values))
    keys, values = library.copy(keys), values_library.copy(values)
    core.sort_pairs(_machines.chosen(machine), keys, values, flags, library.stream(keys))
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
    given, given_values, value_nulls = keys, values, None
    library, keys, nulls = _checked_with_nulls(keys)
    one_dimension("keys", keys)
    offsets = _offsets("offsets", offsets)
    ends = None if ends is None else _offsets("ends", ends)
    if values is not None:
        values_library, values, value_nulls = with_nulls(values)
        one_dimension("values", values)
    if nulls is not None or value_nulls is not None:
        if values is not None:
            _same_length("values", values, keys)
        index = _argsort_segments_of(library, library.contiguous(keys), nulls, offsets, ends, max_length, flags, machine)
        keys = _taken(keys, nulls, index, given)
        if values is None:
            return _store(out, keys)
        values = _taken(values, value_nulls, index, given_values)
        return (keys, values) if out is None else (_store(out[0], keys), _store(out[1], values))
    if values is not None:
        values = values_library.copy(values)  # and the keys, too: they may be in the memory of each other's results
    keys = _copied(library, keys, out) if values is None else library.copy(keys)
    bound, stream = _bound(max_length), library.stream(keys)
    core.sort_segments(_machines.chosen(machine), keys, values, offsets, ends, bound, False, flags, stream)
    if values is None:
        return _store(out, keys)
    return (keys, values) if out is None else (_store(out[0], keys), _store(out[1], values))


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
    library, keys, nulls = _checked_with_nulls(keys)
    one_dimension("keys", keys)
    offsets = _offsets("offsets", offsets)
    ends = None if ends is None else _offsets("ends", ends)
    index = _argsort_segments_of(library, library.contiguous(keys), nulls, offsets, ends, max_length, flags, machine)
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
    given = a
    library, a, nulls = _checked_with_nulls(a)
    axis, k = _axis(a, axis), as_index(k)
    last = len(a.shape) - 1
    moved = library.contiguous(a if axis == last else library.move_axis(a, axis, last))
    if not 0 <= k <= moved.shape[-1]:
        raise ValueError(f"k: {k} of {moved.shape[-1]} items")
    if nulls is not None:
        nulls = np.ascontiguousarray(np.moveaxis(nulls, axis, last))
        index = _top_of_rows(moved, nulls, k, largest, sorted, machine)
        best = _masked(given, np.take_along_axis(moved, index, last), np.take_along_axis(nulls, index, last))
        return np.moveaxis(best, last, axis), np.moveaxis(index, last, axis)
    best = library.copy(moved[..., :k])
    index = library.index(best)
    core.top_k(
        _machines.chosen(machine), moved, moved.shape[-1], k, best, index, not largest, bool(sorted), library.stream(moved)
    )
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


def segmented_top_k(keys, offsets, k, *, max_length=None, largest=True, machine=None):
    """Returns the k greatest or smallest keys of each segment and their positions in the array, as arrays of one row for each
    segment. A segment of fewer keys leaves -1 as position after its own. NaNs and nulls are as in top_k. `max_length` is as in
    segmented_sort.

    >>> import numpy as np, ordosort
    >>> ordosort.segmented_top_k(np.array([3, 1, 2, 9]), [0, 3, 4], 2)[1]
    array([[ 0,  2],
           [ 3, -1]])
    """
    given = keys
    library, keys, nulls = _checked_with_nulls(keys)
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
        values[is_item], of_best[is_item] = keys[index[is_item]], nulls[index[is_item]]
        return _masked(given, values, of_best), index
    best, index = library.results(keys, (max(offsets.shape[0] - 1, 0), k))
    bound, stream = _bound(max_length), library.stream(keys)
    core.segmented_top_k(_machines.chosen(machine), keys, offsets, bound, k, best, index, not largest, stream)
    return best, index


def argsort_rows(columns, *, descending=False, machine=None):
    """Returns the positions that sort rows by their columns, the first column first, as int64. Stable. NaNs come last in each
    column, and after them nulls and masked items, in both directions.

    columns: a list of arrays of one length.
    descending: a flag, or one for each column.

    >>> import numpy as np, ordosort
    >>> ordosort.argsort_rows([np.array([1, 0, 1]), np.array([0.5, 0.5, 0.25])])
    array([1, 2, 0])
    """
    given = [_checked_with_nulls(column) for column in columns]
    if not given:
        raise ValueError("columns: none")
    library = given[0][0]
    columns = [own.contiguous(column) for own, column, _ in given]
    for column in columns:
        one_dimension("column", column)
    validity = [None if nulls is None else np.packbits(~nulls, bitorder="little") for _, _, nulls in given]
    is_one = isinstance(descending, (bool, int)) or getattr(descending, "ndim", None) == 0
    flags = [bool(descending)] * len(columns) if is_one else [bool(d) for d in descending]
    if len(flags) != len(columns):
        raise ValueError(f"descending: {len(flags)} flags for {len(columns)} columns")
    index = library.index(columns[0])
    core.argsort_rows(_machines.chosen(machine), list(zip(columns, flags, validity)), index, library.stream(columns[0]))
    return index


def sort_rows(columns, *, descending=False, machine=None):
    """Returns copies of columns with their rows sorted, as argsort_rows orders them.

    >>> import numpy as np, ordosort
    >>> ordosort.sort_rows([np.array([1, 0, 1]), np.array([0.5, 0.5, 0.25])])
    [array([0, 1, 1]), array([0.5 , 0.25, 0.5 ])]
    """
    columns = list(columns)
    index = argsort_rows(columns, descending=descending, machine=machine)
    taken = [with_nulls(column) for column in columns]
    return [_taken(values, nulls, index, like) for (_, values, nulls), like in zip(taken, columns)]
