"""Sorts of arrays with NumPy's words."""

from operator import index as as_index

import numpy as np

from . import _machines
from . import _ordosort as core
from ._libraries import NumPy, library_of

_DESCENDING, _TOTAL_ORDER = 1, 2
_KINDS = (None, "stable", "quicksort", "mergesort", "heapsort")
_KEY_TYPES = frozenset(np.dtype(code) for code in "?bhilqBHILQefd")
_INT64 = np.dtype(np.int64)


def _is_plain(a):
    """Returns whether an array needs no conversion: of NumPy, of one dimension, with keys of the core. Small calls depend on it."""
    return type(a) is np.ndarray and a.ndim == 1 and a.dtype in _KEY_TYPES


def _flags(kind, descending, total_order):
    if kind not in _KINDS:
        raise ValueError(f"kind: {kind!r} is none of {', '.join(repr(k) for k in _KINDS)}")
    return (_DESCENDING if descending else 0) | (_TOTAL_ORDER if total_order else 0)


def _native(a):
    """A NumPy array whose items the core can compare; dates become their numbers."""
    kind = a.dtype.kind
    if kind in "biuf" and a.dtype.itemsize <= 8:
        return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))
    raise TypeError(f"dtype {a.dtype}: keys are integers, floating-point numbers of at most 64 bits, or bool")


def _checked(a):
    """Returns the library of an array and the array, with keys of the core."""
    if _is_plain(a):
        return NumPy, a
    library, a = library_of(a)
    return library, _native(a) if library is NumPy else a


def _axis(a, axis):
    dimensions = len(a.shape)
    axis = as_index(axis)
    if not -dimensions <= axis < dimensions:
        raise np.exceptions.AxisError(axis, dimensions) if hasattr(np, "exceptions") else np.AxisError(axis, dimensions)
    return axis % dimensions


def _check_out(out, result):
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
    if library_of(out)[0] is not library or not library.is_contiguous(out) or not library.same_device(out, a):
        return library.copy(a)
    if out is not a:
        out[...] = a
    return out


def sort(a, axis=-1, kind=None, *, descending=False, out=None, total_order=False, machine=None):
    """Returns a sorted copy of an array. Stable.

    NaNs come last in both directions, and -0.0 equals 0.0. With `total_order`, floating-point numbers have the order of IEEE
    754: NaNs with a sign first, -0.0 before 0.0, other NaNs last.

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
        core.sort(machine or _machines._default, result, result.size, flags, 0)
        return result
    library, a = _checked(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = _axis(a, axis)
    last = len(a.shape) - 1
    moved = _copied(library, a, out) if axis == last else library.copy(library.move_axis(a, axis, last))
    core.sort(machine or _machines._default, moved, moved.shape[-1], flags, library.stream(moved))
    return _store(out, moved if axis == last else library.move_axis(moved, last, axis))


def argsort(a, axis=-1, kind=None, *, descending=False, out=None, total_order=False, machine=None):
    """Returns the positions that sort an array, as int64. Positions of equal keys ascend. NaNs and zeros are as in sort.

    >>> import numpy as np, ordosort
    >>> ordosort.argsort(np.array([3, 1, 2, 1]))
    array([1, 3, 2, 0])
    """
    flags = _flags(kind, descending, total_order)
    if axis == -1 and out is None and _is_plain(a):
        index = np.empty(a.size, _INT64)
        core.argsort(machine or _machines._default, np.ascontiguousarray(a), index, a.size, flags, 0)
        return index
    library, a = _checked(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = _axis(a, axis)
    last = len(a.shape) - 1
    moved = library.contiguous(a if axis == last else library.move_axis(a, axis, last))
    rows = any(length != 1 for length in moved.shape[:-1])
    index = library.numbered(moved) if rows else library.index(moved)
    core.argsort(machine or _machines._default, moved, index, moved.shape[-1], flags, library.stream(moved))
    result = index if axis == last else library.move_axis(index, last, axis)
    return _store(out, result)


def sort_pairs(keys, values, *, descending=False, out=None, total_order=False, machine=None):
    """Returns sorted copies of two arrays of one dimension: the keys, and the values in the order of their keys. Stable.

    Values of 4, 8 and 16 bytes are moved fastest.
    out: a pair of arrays for the results.

    >>> import numpy as np, ordosort
    >>> ordosort.sort_pairs(np.array([3, 1, 2]), np.array([0.5, 0.25, 0.125]))
    (array([1, 2, 3]), array([0.25 , 0.125, 0.5  ]))
    """
    flags = _flags(None, descending, total_order)
    library, keys = _checked(keys)
    _, values = library_of(values)
    _one_dimension("keys", keys)
    _one_dimension("values", values)
    keys, values = library.copy(keys), library.copy(values)
    core.sort_pairs(machine or _machines._default, keys, values, flags, library.stream(keys))
    return (keys, values) if out is None else (_store(out[0], keys), _store(out[1], values))


def _one_dimension(name, a):
    if len(a.shape) != 1:
        raise ValueError(f"{name}: {len(a.shape)} dimensions, where one is expected")


def _offsets(name, a):
    """Returns segment offsets as a contiguous array of integers of 32 or 64 bits."""
    library, a = library_of(a)
    if library is NumPy:
        dtype = a.dtype
        if dtype.kind not in "iu" and a.size != 0:
            raise TypeError(f"{name}: dtype {dtype}, where integers are expected")
        if dtype.kind not in "iu" or dtype.itemsize < 4 or not dtype.isnative:
            a = a.astype(_INT64)
    _one_dimension(name, a)
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
    library, keys = _checked(keys)
    _one_dimension("keys", keys)
    offsets = _offsets("offsets", offsets)
    ends = None if ends is None else _offsets("ends", ends)
    if values is not None:
        _, values = library_of(values)
        _one_dimension("values", values)
        values = library.copy(values)  # and the keys, too: they may be in the memory of each other's results
    keys = _copied(library, keys, out) if values is None else library.copy(keys)
    bound, stream = _bound(max_length), library.stream(keys)
    core.sort_segments(machine or _machines._default, keys, values, offsets, ends, bound, False, flags, stream)
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
    library, keys = _checked(keys)
    _one_dimension("keys", keys)
    offsets = _offsets("offsets", offsets)
    ends = None if ends is None else _offsets("ends", ends)
    keys = library.contiguous(keys)
    index = library.numbered(keys)
    bound, stream = _bound(max_length), library.stream(keys)
    core.sort_segments(machine or _machines._default, keys, index, offsets, ends, bound, True, flags, stream)
    return _store(out, index)


def top_k(a, k, axis=-1, *, largest=True, sorted=True, machine=None):
    """Returns the k greatest or smallest items along an axis, and their positions as int64: the first k of a stable sort.
    Floating-point keys have their total order, in which NaNs without a sign are the greatest.

    sorted: if not, items are in the order of the input.

    >>> import numpy as np, ordosort
    >>> ordosort.top_k(np.array([3, 1, 2, 3]), 2)
    (array([3, 3]), array([0, 3]))
    """
    library, a = _checked(a)
    axis, k = _axis(a, axis), as_index(k)
    last = len(a.shape) - 1
    moved = library.contiguous(a if axis == last else library.move_axis(a, axis, last))
    if not 0 <= k <= moved.shape[-1]:
        raise ValueError(f"k: {k} of {moved.shape[-1]} items")
    best = library.copy(moved[..., :k])
    index = library.index(best)
    core.top_k(
        machine or _machines._default, moved, moved.shape[-1], k, best, index, not largest, bool(sorted), library.stream(moved)
    )
    if axis == last:
        return best, index
    return library.move_axis(best, last, axis), library.move_axis(index, last, axis)


def segmented_top_k(keys, offsets, k, *, max_length=None, largest=True, machine=None):
    """Returns the k greatest or smallest keys of each segment and their positions in the array, as arrays of one row for each
    segment. A segment of fewer keys leaves -1 as position behind its own. `max_length` is as in segmented_sort: on a GPU, long
    segments take half the time with it.

    >>> import numpy as np, ordosort
    >>> ordosort.segmented_top_k(np.array([3, 1, 2, 9]), [0, 3, 4], 2)[1]
    array([[ 0,  2],
           [ 3, -1]])
    """
    library, keys = _checked(keys)
    _one_dimension("keys", keys)
    offsets = _offsets("offsets", offsets)
    k = as_index(k)
    if k < 0:
        raise ValueError(f"k: {k}")
    keys = library.contiguous(keys)
    best, index = library.results(keys, (max(offsets.shape[0] - 1, 0), k))
    bound, stream = _bound(max_length), library.stream(keys)
    core.segmented_top_k(machine or _machines._default, keys, offsets, bound, k, best, index, not largest, stream)
    return best, index


def argsort_rows(columns, *, descending=False, machine=None):
    """Returns the positions that sort rows by their columns, the first column first, as int64. Stable. NaNs come last.

    columns: a list of arrays of one length.
    descending: a flag, or one for each column.

    >>> import numpy as np, ordosort
    >>> ordosort.argsort_rows([np.array([1, 0, 1]), np.array([0.5, 0.5, 0.25])])
    array([1, 2, 0])
    """
    columns = [_checked(column) for column in columns]
    if not columns:
        raise ValueError("columns: none")
    library = columns[0][0]
    columns = [library.contiguous(column) for _, column in columns]
    for column in columns:
        _one_dimension("column", column)
    flags = [bool(descending)] * len(columns) if isinstance(descending, (bool, int)) else [bool(d) for d in descending]
    if len(flags) != len(columns):
        raise ValueError(f"descending: {len(flags)} flags for {len(columns)} columns")
    index = library.index(columns[0])
    core.argsort_rows(machine or _machines._default, list(zip(columns, flags)), index, library.stream(columns[0]))
    return index


def sort_rows(columns, *, descending=False, machine=None):
    """Returns copies of columns with their rows sorted, as argsort_rows orders them.

    >>> import numpy as np, ordosort
    >>> ordosort.sort_rows([np.array([1, 0, 1]), np.array([0.5, 0.5, 0.25])])
    [array([0, 1, 1]), array([0.5 , 0.25, 0.5 ])]
    """
    columns = list(columns)
    index = argsort_rows(columns, descending=descending, machine=machine)
    return [library_of(column)[1][index] for column in columns]
