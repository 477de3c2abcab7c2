"""Groups of equal keys, ranks, and positions in sorted arrays."""

from typing import Any, NamedTuple

import numpy as np

from . import _machines
from . import _ordosort as core
from ._libraries import NumPy, is_column_of_strings, library_of, one_dimension
from ._sorts import _flags, _has_fields, _hint, _is_coded, _is_decimal, _keys_of, _row_key, argsort
from ._strings import is_strings, order_of, taken

_METHODS = ("average", "min", "max", "dense", "ordinal")


class _Groups(NamedTuple):
    """The order of a column, marks of the first item of each group in that order, and how many items are not null."""

    index: Any
    heads: Any
    present: int


def _heads_of(items, present):
    """Returns marks of the first item of each group of sorted items, of which those from `present` on are one group."""
    if present == len(items) != 0:
        heads = np.empty(present, np.bool_)
        heads[0] = True
        np.not_equal(items[1:], items[:-1], heads[1:])
    else:
        heads = np.zeros(len(items), np.bool_)
        heads[:1] = heads[present : present + 1] = True
        if present > 1:
            heads[1:present] = items[1:present] != items[: present - 1]
    if items.dtype.kind == "f" and present and items[present - 1] != items[present - 1]:  # NaNs are the last of the others
        numbers = present - int(np.count_nonzero(np.isnan(items[:present])))
        heads[numbers + 1 : present] = False
    return heads


def _groups_of(a, descending, machine):
    """Returns the groups of a column of one dimension. Nulls and NaT are one group, after all others, and so are NaNs."""
    if is_strings(a) or is_column_of_strings(a):
        order = order_of(a, descending, _machines.chosen(machine), True)
        index, present = order.positions(), len(order.index)
        heads = np.zeros(len(index), np.bool_)
        heads[:present] = order.repeats == 0
        heads[present : present + 1] = True
        return _Groups(index, heads, present)
    if _is_decimal(a):
        index = argsort(a, descending=descending, machine=machine)
        items, validity = _row_key(a, _machines.chosen(machine))[1:3]
        present = len(index) if validity is None else int(np.count_nonzero(validity.valid(len(index))))
        return _Groups(index, _heads_of(items[index], present), present)
    if _has_fields(a) or _is_coded(a):
        raise TypeError("a: records and categories have no groups here: pass a field, or the codes")
    keys = _keys_of(a)
    one_dimension("a", keys.keys)
    if keys.library is not NumPy:
        raise TypeError("a: an array of NumPy, Arrow, polars or pandas is expected, in the host's memory")
    index = argsort(a, descending=descending, machine=machine)
    items = keys.keys[index]
    present = len(index) if keys.nulls is None else len(index) - int(np.count_nonzero(keys.nulls))
    return _Groups(index, _heads_of(items, present), present)


def unique(a, return_index=False, return_inverse=False, return_counts=False, *, machine=None):
    """Returns the different items of a column in order, and with the flags, as in numpy.unique, for each of them the first
    position, then for each item of the column the number of its value, and then how often each value occurs, as int64.

    NaNs count as one value, which is last of the numbers, and -0.0 equals 0.0. Nulls, masked items and NaT are one value, which
    is last. The values are an array of NumPy, or for strings and decimals in a container like that of the input.

    >>> import numpy as np, ordosort
    >>> ordosort.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    if isinstance(a, np.ndarray) and a.ndim != 1 and not _has_fields(a):
        a = a.reshape(-1)
    if not return_index and not return_inverse and type(a) is np.ndarray:  # the order is not needed
        result = core.unique_plain(_machines.chosen(machine), NumPy.contiguous(a), bool(return_counts))
        if result is not None:
            return result
    groups = _groups_of(a, False, machine)
    starts = np.flatnonzero(groups.heads)
    first = groups.index[starts]
    if is_strings(a) or is_column_of_strings(a) or _is_decimal(a):
        result = [taken(a, first, _machines.chosen(machine))]
    else:
        result = [_keys_of(a).taken(first)]
    if return_index:
        result.append(first)
    if return_inverse:
        inverse = np.empty(len(groups.index), np.int64)
        inverse[groups.index] = np.cumsum(groups.heads) - 1
        result.append(inverse)
    if return_counts:
        result.append(np.diff(starts, append=len(groups.index)))
    return result[0] if len(result) == 1 else tuple(result)


def rank(a, method="average", *, descending=False, machine=None):
    """Returns the rank of each item of a column, from 1 on. Ranks of NaNs and nulls are the last, in both directions.

    method: "average", "min", "max", "dense" or "ordinal", as in scipy.stats.rankdata: which rank equal items get. Averages are
        float64, others int64. "ordinal" gives equal items different ranks, in the order of the column.

    >>> import ordosort
    >>> ordosort.rank([30, 10, 30], "min")
    array([2, 1, 2])
    """
    if method not in _METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(map(repr, _METHODS))}")
    groups = _groups_of(a, bool(descending), machine)
    n = len(groups.index)
    number = np.cumsum(groups.heads) - 1
    starts = np.flatnonzero(groups.heads)
    ends = np.append(starts[1:], n)
    if method == "ordinal":
        ranks = np.arange(1, n + 1)
    elif method == "dense":
        ranks = number + 1
    elif n == 0:
        ranks = starts
    else:
        ranks = {"min": starts + 1, "max": ends, "average": (starts + 1 + ends) / 2}[method][number]
    result = np.empty(n, np.float64 if method == "average" else np.int64)
    result[groups.index] = ranks
    return result


def merge_sorted(a, b, *, descending=False, total_order=False, machine=None):
    """Returns the items of two sorted arrays of one type and dimension as one sorted array. Neither may have nulls. Of equal
    items those of `a` come first. The order of NaNs and zeros is that of sort.

    >>> import numpy as np, ordosort
    >>> ordosort.merge_sorted(np.array([1, 4]), np.array([2, 4, 5]))
    array([1, 2, 4, 4, 5])
    """
    flags = _flags(None, descending, total_order)
    first, second = _keys_of(a), _keys_of(b)
    for name, keys in (("a", first), ("b", second)):
        one_dimension(name, keys.keys)
        if keys.nulls is not None and keys.nulls.any():
            raise ValueError(f"{name}: nulls, where none are expected: fill or drop them")
    if first.library is not second.library or first.keys.dtype != second.keys.dtype or first.dtype != second.dtype:
        raise TypeError(f"b: dtype {second.dtype or second.keys.dtype}, where a has {first.dtype or first.keys.dtype}")
    library, items, more = first.library, first.library.contiguous(first.keys), first.library.contiguous(second.keys)
    out, _ = library.results(items, (items.shape[0] + more.shape[0],))
    core.merge_sorted(_machines.chosen(machine), items, more, out, flags, library.stream(items))
    return first.back(out)


def searchsorted(a, v, side="left", sorter=None, *, machine=None):
    """Returns the positions at which the items of `v` would be inserted into the sorted array `a`, as numpy.searchsorted does.
    NaNs and NaT are last, and -0.0 equals 0.0. Both are arrays of numbers or dates in host memory, without nulls.

    Many items are sorted first, so that the search goes through memory in order.

    side: "left" for the first position that keeps `a` sorted, "right" for the last.
    sorter: the positions that sort `a`, if it is not sorted.

    >>> import ordosort
    >>> ordosort.searchsorted([1, 3, 3, 5], [3, 4])
    array([1, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side: {side!r} is none of 'left', 'right'")
    a, v = _searched("a", a), _searched("v", v)
    one_dimension("a", a)
    if v.size < _FEW:
        return a.searchsorted(v, side, sorter)
    items = v.reshape(-1)
    order = argsort(items, machine=machine)
    found = np.empty(items.size, np.int64)
    found[order] = a.searchsorted(items[order], side, sorter)
    return found.reshape(v.shape)


_FEW = 1000  # of which a search costs less than a sort of them


def _searched(name, a):
    if type(a) is not np.ndarray:  # small calls depend on it
        library, a = library_of(a, name)
        if library is not NumPy:
            raise TypeError(f"{name}: an array of NumPy, Arrow, polars or pandas is expected, in the host's memory")
    if a.dtype.kind not in "biufMm" or a.dtype.itemsize > 8:
        raise TypeError(f"{name}: dtype {a.dtype}: {_hint(a.dtype)}")
    return a
