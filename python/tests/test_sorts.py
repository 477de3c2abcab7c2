"""The sorts of arrays beside NumPy's."""

import threading

import numpy as np
import pytest

import ordosort

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "bool"]
SIZES = [0, 1, 2, 3, 31, 32, 33, 100, 1000, 5000]


def keys_of(dtype, shape, seed=0):
    """Keys with many equal ones; floats with NaNs of both signs, infinities and both zeros."""
    random = np.random.default_rng(seed + np.dtype(dtype).num)
    if np.dtype(dtype).kind != "f":
        low, high = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        wide = random.integers(low, high, shape, dtype="int64" if dtype == "bool" else dtype, endpoint=dtype != "bool")
        return np.where(random.random(shape) < 0.3, wide.dtype.type(1), wide).astype(dtype)
    keys = random.normal(size=shape).astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], dtype)
    special[1] = np.copysign(special[1], -1)
    return np.where(random.random(shape) < 0.4, special[random.integers(0, len(special), shape)], keys).astype(dtype)


def descending_order(keys, axis=-1):
    """A stable argsort in descending order, with NaNs last."""
    flipped = np.flip(keys, axis)
    length = keys.shape[axis]
    order = length - 1 - np.flip(np.argsort(flipped, axis, kind="stable"), axis)  # NaNs come first
    if keys.dtype.kind != "f" or keys.size == 0:
        return order
    rows = np.moveaxis(order, axis, -1).reshape(-1, length)
    sorted_keys = np.take_along_axis(keys, order, axis)
    nans = np.moveaxis(np.isnan(sorted_keys), axis, -1).reshape(-1, length)
    rows = np.array([np.concatenate([row[~nan], row[nan]]) for row, nan in zip(rows, nans)], order.dtype)
    return np.moveaxis(rows.reshape(np.moveaxis(order, axis, -1).shape), -1, axis)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sort(dtype, n):
    keys = keys_of(dtype, n)
    before = keys.copy()
    result = ordosort.sort(keys)
    assert result.dtype == keys.dtype
    np.testing.assert_array_equal(result, np.sort(keys, kind="stable"))
    np.testing.assert_array_equal(ordosort.sort(keys, descending=True), keys[descending_order(keys)])
    np.testing.assert_array_equal(keys, before)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_argsort(dtype, n):
    keys = keys_of(dtype, n)
    result = ordosort.argsort(keys)
    assert result.dtype == np.int64
    np.testing.assert_array_equal(result, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(ordosort.argsort(keys, descending=True), descending_order(keys))


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "uint64"])
@pytest.mark.parametrize("shape", [(3, 4), (1, 7), (7, 1), (5, 0), (0, 5), (2, 3, 100), (40, 50)])
def test_axes(dtype, shape):
    keys = keys_of(dtype, shape)
    for axis in [None, *range(-len(shape), len(shape))]:
        np.testing.assert_array_equal(ordosort.sort(keys, axis=axis), np.sort(keys, axis=axis, kind="stable"))
        np.testing.assert_array_equal(ordosort.argsort(keys, axis=axis), np.argsort(keys, axis=axis, kind="stable"))
        if axis is not None:
            expected = descending_order(keys, axis)
            np.testing.assert_array_equal(ordosort.argsort(keys, axis=axis, descending=True), expected)
            np.testing.assert_array_equal(
                ordosort.sort(keys, axis=axis, descending=True), np.take_along_axis(keys, expected, axis)
            )


def test_layouts():
    keys = keys_of("float64", (60, 40))
    for view in [keys.T, keys[::2, ::3], keys[::-1], np.asfortranarray(keys), keys.astype(">f8"), keys[:, 0]]:
        np.testing.assert_array_equal(ordosort.sort(view), np.sort(view, kind="stable"))
        np.testing.assert_array_equal(ordosort.argsort(view), np.argsort(view, kind="stable"))
    keys.flags.writeable = False
    np.testing.assert_array_equal(ordosort.sort(keys), np.sort(keys))
    np.testing.assert_array_equal(ordosort.sort([3, 1, 2]), [1, 2, 3])
    np.testing.assert_array_equal(ordosort.sort((2.5, -1)), [-1, 2.5])


def test_out():
    keys = keys_of("int32", 500)
    out = np.empty_like(keys)
    assert ordosort.sort(keys, out=out) is out
    np.testing.assert_array_equal(out, np.sort(keys))
    same = keys.copy()
    assert ordosort.sort(same, out=same) is same
    np.testing.assert_array_equal(same, np.sort(keys))
    every_second = np.empty(1000, np.int32)[::2]
    assert ordosort.sort(keys, out=every_second) is every_second
    np.testing.assert_array_equal(every_second, np.sort(keys))
    rows = keys.reshape(20, 25)
    for axis in [0, 1]:
        result = np.empty_like(rows)
        assert ordosort.sort(rows, axis=axis, out=result) is result
        np.testing.assert_array_equal(result, np.sort(rows, axis=axis))
    offsets = np.arange(0, 501, 25)
    for result in [out, every_second, same]:
        assert ordosort.segmented_sort(keys, offsets, out=result) is result
        np.testing.assert_array_equal(result, np.sort(rows, axis=1).ravel())
    in_place = keys.copy()
    assert ordosort.segmented_sort(in_place, offsets, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, np.sort(rows, axis=1).ravel())
    # Results in each other's inputs.
    a, b = keys.copy(), np.arange(500, dtype=np.int32)
    expected = ordosort.sort_pairs(a, b)
    ordosort.sort_pairs(a, b, out=(b, a))
    np.testing.assert_array_equal(b, expected[0])
    np.testing.assert_array_equal(a, expected[1])
    with pytest.raises(ValueError):
        ordosort.sort(keys, out=np.empty(499, np.int32))
    with pytest.raises(TypeError):
        ordosort.sort(keys, out=np.empty(500, np.int64))


def test_total_order():
    keys = keys_of("float64", 2000)
    bits = keys.view(np.int64)
    code = np.where(bits < 0, ~bits ^ np.int64(-(2**63)), bits)
    expected = keys[np.argsort(code, kind="stable")].view(np.int64)
    np.testing.assert_array_equal(ordosort.sort(keys, total_order=True).view(np.int64), expected)
    np.testing.assert_array_equal(ordosort.argsort(keys, total_order=True), np.argsort(code, kind="stable"))


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float64"])
@pytest.mark.parametrize("values", ["int8", "int32", "float64", "complex128"])
def test_sort_pairs(dtype, values):
    keys = keys_of(dtype, 3000)
    keys = keys[~np.isnan(keys)] if np.dtype(dtype).kind == "f" else keys  # with zeros of both signs
    moved = np.arange(len(keys)).astype(values)
    for descending in [False, True]:
        order = descending_order(keys) if descending else np.argsort(keys, kind="stable")
        sorted_keys, sorted_values = ordosort.sort_pairs(keys, moved, descending=descending)
        np.testing.assert_array_equal(sorted_keys, keys[order])
        np.testing.assert_array_equal(sorted_values, moved[order])


@pytest.mark.parametrize("offset_type", ["int32", "uint32", "int64", "uint64", "int16", list])
@pytest.mark.parametrize("descending", [False, True])
def test_segments(offset_type, descending):
    bounds = np.array([0, 3, 3, 40, 41, 541, 2000])
    offsets = bounds.tolist() if offset_type is list else bounds.astype(offset_type)
    keys = keys_of("int32", 2000)
    values = np.arange(2000)
    order = np.concatenate(
        [
            begin + (descending_order(keys[begin:end]) if descending else np.argsort(keys[begin:end], kind="stable"))
            for begin, end in zip(bounds[:-1], bounds[1:])
        ]
    ).astype(np.int64)
    np.testing.assert_array_equal(ordosort.segmented_sort(keys, offsets, descending=descending), keys[order])
    np.testing.assert_array_equal(ordosort.segmented_argsort(keys, offsets, descending=descending), order)
    sorted_keys, moved = ordosort.segmented_sort(keys, offsets, values, descending=descending)
    np.testing.assert_array_equal(sorted_keys, keys[order])
    np.testing.assert_array_equal(moved, values[order])


def test_segments_of_floats():
    keys = keys_of("float32", 3000)
    offsets = np.array([0, 10, 10, 500, 3000])
    order = np.concatenate([b + np.argsort(keys[b:e], kind="stable") for b, e in zip(offsets[:-1], offsets[1:])])
    np.testing.assert_array_equal(ordosort.segmented_argsort(keys, offsets), order)
    np.testing.assert_array_equal(ordosort.segmented_sort(keys, offsets), keys[order])
    order = np.concatenate([b + descending_order(keys[b:e]) for b, e in zip(offsets[:-1], offsets[1:])])
    np.testing.assert_array_equal(ordosort.segmented_argsort(keys, offsets, descending=True), order)
    np.testing.assert_array_equal(ordosort.segmented_sort(keys, offsets, descending=True), keys[order])
    numbers = np.where(np.isnan(keys), np.float32(1), keys)
    order = np.concatenate([b + np.argsort(numbers[b:e], kind="stable") for b, e in zip(offsets[:-1], offsets[1:])])
    np.testing.assert_array_equal(ordosort.segmented_sort(numbers, offsets, np.arange(3000))[1], order)


def test_holes():
    keys = np.array([5, 4, 9, 3, 2, 1])
    np.testing.assert_array_equal(ordosort.segmented_sort(keys, [0, 3], ends=[2, 6]), [4, 5, 9, 1, 2, 3])
    np.testing.assert_array_equal(ordosort.segmented_argsort(keys, [0, 3], ends=[2, 6]), [1, 0, 2, 5, 4, 3])
    assert len(ordosort.segmented_sort(np.empty(0), [])) == 0
    assert len(ordosort.segmented_sort(np.empty(0), [0])) == 0


def test_wrong_calls():
    keys = np.arange(10)
    for call in [
        lambda: ordosort.sort(keys, axis=1),
        lambda: ordosort.sort(np.array(1)),
        lambda: ordosort.sort(keys, kind="bubble"),
        lambda: ordosort.sort_pairs(keys, np.arange(9)),
        lambda: ordosort.sort_pairs(keys.reshape(2, 5), keys),
        lambda: ordosort.segmented_sort(keys, [0, 11]),
        lambda: ordosort.segmented_sort(keys, [5, 0]),
        lambda: ordosort.segmented_sort(keys, [-1, 5]),
        lambda: ordosort.segmented_sort(keys, [0, 3], ends=[5, 6]),
        lambda: ordosort.segmented_sort(keys, [0, 3], ends=[5]),
        lambda: ordosort.segmented_sort(keys, [0, 10], np.arange(9)),
        lambda: ordosort.Machine("tpu"),
        lambda: ordosort.sort(keys, machine=ordosort.Machine("gpu")),
    ]:
        with pytest.raises(ValueError):
            call()
    for call in [
        lambda: ordosort.sort(np.array(["b", "a"])),
        lambda: ordosort.sort(np.zeros(3, complex)),
        lambda: ordosort.sort(np.zeros(3, np.longdouble)),
        lambda: ordosort.segmented_sort(keys, [0.0, 1.0]),
        lambda: ordosort.sort(keys, machine="cpu"),
    ]:
        with pytest.raises(TypeError):
            call()


def test_machine():
    machine = ordosort.Machine("cpu", threads=1, memory_limit=1 << 20)
    machine.reserve(1 << 16)
    np.testing.assert_array_equal(ordosort.sort(np.arange(1000)[::-1], machine=machine), np.arange(1000))
    np.testing.assert_array_equal(ordosort.argsort(np.arange(10000)[::-1], machine=machine), np.arange(10000)[::-1])
    assert machine.peak_memory() > 0
    machine.trim()
    with pytest.raises(MemoryError):
        ordosort.sort(np.random.default_rng(0).random(1 << 20), machine=machine)
    assert repr(machine) == "ordosort.Machine('cpu')"
    assert machine.threads == 1


def test_few_items_of_many_threads():
    """Sorts of few items keep the GIL, unless another thread sorts on the machine."""
    few, many = keys_of("float64", 10), keys_of("float64", 100000)
    expected, expected_many = np.sort(few, kind="stable"), np.sort(many, kind="stable")
    failures = []

    def work(keys, sorted_keys, times):
        for _ in range(times):
            if not np.array_equal(ordosort.sort(keys), sorted_keys, equal_nan=True):
                failures.append(keys.size)

    threads = [threading.Thread(target=work, args=(few, expected, 2000)) for _ in range(4)]
    threads += [threading.Thread(target=work, args=(many, expected_many, 5))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_rows_of_columns_that_need_no_conversion():
    a, b = np.array([1, 0, 1, 0]), np.array([2.0, np.nan, -0.0, 0.0])
    both = np.zeros((4, 2))
    both[:, 0], both[:, 1] = a, b
    expected = np.array([3, 1, 2, 0])
    for columns in ([a, b], (a, b), [both[:, 0], both[:, 1]], [a.astype(">i4"), b], [list(a), b]):
        np.testing.assert_array_equal(ordosort.argsort_rows(columns), expected)
    assert ordosort.argsort_rows([np.zeros(0), np.zeros(0)]).size == 0
    for columns in ([a, b[:3]], [a[:3], b], [], [both, both]):
        with pytest.raises(ValueError):
            ordosort.argsort_rows(columns)
    a.setflags(write=False)
    np.testing.assert_array_equal(ordosort.argsort_rows([a, b]), expected)


def test_threads():
    keys = keys_of("float32", 20000)
    expected = np.sort(keys, kind="stable")
    failures = []

    def work():
        for _ in range(20):
            if not np.array_equal(ordosort.sort(keys), expected, equal_nan=True):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# Calls on arrays that need no conversion, and on arrays that seem so.

SIZES_OF_CALLS = [1, 2, 3, 10, 33, 255, 256, 257, 1000, 3000, 5000, 70_000]


def different(keys):
    """The different items as NumPy has them: NaNs are one value, and both zeros."""
    return np.unique(keys)


def check_partition(keys, kth, part):
    # Stable, since the other sort of float16 by NumPy 2.4.6 is wrong with AVX-512: some items are out of order.
    expected = np.sort(keys, kind="stable")
    np.testing.assert_array_equal(np.sort(part, kind="stable"), expected)
    np.testing.assert_array_equal(part[kth], expected[kth])
    at = kth % len(keys)
    np.testing.assert_array_equal(np.sort(part[:at], kind="stable"), expected[:at])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES_OF_CALLS)
def test_plain_calls(dtype, n):
    keys = keys_of(dtype, n, n)
    before = keys.tobytes()
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(ordosort.sort(keys), keys[order])
    np.testing.assert_array_equal(ordosort.argsort(keys), order)
    values, counts = ordosort.unique(keys, return_counts=True)
    np.testing.assert_array_equal(values, different(keys))
    np.testing.assert_array_equal(ordosort.unique(keys), values)
    np.testing.assert_array_equal(counts, np.unique(keys, return_counts=True)[1])
    assert values.dtype == keys.dtype and values.base is None and counts.dtype == np.int64
    for k in {0, 1, n // 9, n}:
        np.testing.assert_array_equal(ordosort.top_k(keys, k, largest=False)[1], order[:k])
    for kth in {0, n // 2, n - 1, -1, -n}:
        check_partition(keys, kth, ordosort.partition(keys, kth))
        check_partition(keys, kth, keys[ordosort.argpartition(keys, kth)])
    second = keys_of(dtype, n, n + 1)
    if np.dtype(dtype).kind != "f":  # lexsort does not place NaNs of one column before the next
        np.testing.assert_array_equal(ordosort.argsort_rows([keys, second]), np.lexsort((second, keys)))
    assert keys.tobytes() == before


def kinds_of(keys):
    """Arrays with the same items that a call must not take as they are, and some that it can."""
    wide = np.zeros((2, len(keys)), keys.dtype)
    wide[1] = keys
    records = np.zeros(len(keys), [("a", "i1"), ("b", keys.dtype)])
    records["b"] = keys
    data = np.zeros(keys.nbytes + 1, np.uint8)
    unaligned = data[1:].view(keys.dtype)
    unaligned[:] = keys
    fixed = keys.copy()
    fixed.flags.writeable = False
    return {
        "a row": wide[1],
        "every second item": np.repeat(keys, 2)[::2],
        "from the end": keys[::-1].copy()[::-1],
        "a field": records["b"],
        "unaligned": unaligned,
        "of the other byte order": keys.astype(keys.dtype.newbyteorder()),
        "read-only": fixed,
        "of a derived class": keys.view(np.memmap) if keys.size else keys,
        "a column": keys.reshape(-1, 1)[:, 0],
        "with metadata": keys.astype(np.dtype(keys.dtype, metadata={"unit": "m"})),
    }


@pytest.mark.parametrize("dtype", ["int64", "uint16", "float32", "float16"])
@pytest.mark.parametrize("n", [1, 40, 3000])
def test_plain_layouts(dtype, n):
    keys = keys_of(dtype, n, n)
    order = np.argsort(keys, kind="stable")
    for name, given in kinds_of(keys).items():
        np.testing.assert_array_equal(ordosort.sort(given), keys[order], name)
        np.testing.assert_array_equal(ordosort.argsort(given), order, name)
        np.testing.assert_array_equal(ordosort.unique(given), different(keys), name)
        np.testing.assert_array_equal(ordosort.top_k(given, 1, largest=False)[1], order[:1], name)
        check_partition(keys, n // 2, ordosort.partition(given, n // 2))
        check_partition(keys, n // 2, keys[ordosort.argpartition(given, n // 2)])
        np.testing.assert_array_equal(ordosort.argsort_rows([given, given]), order, name)
        np.testing.assert_array_equal(given, keys, name)


def test_types_of_results():
    for code in "bhilqBHILQefd?":
        keys = np.array([1, 0, 1], code)
        for result in (ordosort.sort(keys), ordosort.unique(keys), ordosort.top_k(keys, 2)[0], ordosort.partition(keys, 1)):
            assert result.dtype.char == code and type(result) is np.ndarray and result.flags.writeable and result.flags.owndata
    assert ordosort.sort(keys.astype(np.dtype("i8", metadata={"unit": "m"}))).dtype.metadata == {"unit": "m"}


def test_wrong_arguments():
    keys = np.array([3, 1, 2])
    for k in (-1, 4):
        with pytest.raises(ValueError, match=f"k: {k} of 3 items"):
            ordosort.top_k(keys, k)
    for kth in (-4, 3):
        for call in (ordosort.partition, ordosort.argpartition):
            with pytest.raises(ValueError, match=f"kth: {kth} of 3 items"):
                call(keys, kth)
    with pytest.raises(TypeError, match="machine"):
        ordosort.sort(keys, machine="cpu")
    for call in (ordosort.sort, ordosort.argsort, ordosort.unique):
        for wrong in (np.array([1j]), np.array([object()]), np.zeros(3, "V3")):
            with pytest.raises(TypeError):
                call(wrong)


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32", "float64"])
@pytest.mark.parametrize("order", ["random", "ascending", "descending", "equal", "few values"])
def test_few_of_many(dtype, order):
    n = 300_000
    keys = keys_of(dtype, n, 5)
    if order in ("ascending", "descending"):
        keys = np.sort(keys)[:: 1 if order == "ascending" else -1].copy()
    elif order == "equal":
        keys[:] = 7
    elif order == "few values":
        keys = (np.arange(n) * 7919 % 13).astype(dtype)
    machine = ordosort.Machine("cpu", threads=1)
    for largest in (False, True):
        for k in (1, 10, 300):
            best, index = ordosort.top_k(keys, k, largest=largest, machine=machine)
            expected = ordosort.argsort(keys, descending=largest)
            if keys.dtype.kind == "f" and largest:  # every NaN is greater than all numbers
                missing = np.flatnonzero(np.isnan(keys))
                expected = np.concatenate([missing, expected[: n - len(missing)]])
            np.testing.assert_array_equal(index, expected[:k])
            np.testing.assert_array_equal(best, keys[expected[:k]])
