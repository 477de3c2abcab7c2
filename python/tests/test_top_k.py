"""The k greatest and smallest, and rows by several columns, beside NumPy's."""

import numpy as np
import pytest

import ordosort


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float32", "float64"])
@pytest.mark.parametrize("largest", [False, True])
def test_top_k(dtype, largest):
    keys = (np.random.default_rng(1).random((20, 100)) * 50).astype(dtype)
    for axis in [0, 1, -1]:
        for k in [0, 1, 7, keys.shape[axis]]:
            signed = -keys.astype("float64") if largest else keys
            order = np.take(np.argsort(signed, axis=axis, kind="stable"), range(k), axis=axis)
            best, index = ordosort.top_k(keys, k, axis, largest=largest)
            np.testing.assert_array_equal(index, order)
            np.testing.assert_array_equal(best, np.take_along_axis(keys, order, axis))
    best, index = ordosort.top_k(keys[0], 5, sorted=False, largest=largest)
    assert np.all(np.diff(index) > 0)
    np.testing.assert_array_equal(np.sort(best), np.sort(ordosort.top_k(keys[0], 5, largest=largest)[0]))
    for wrong in [-1, 101]:
        with pytest.raises(ValueError):
            ordosort.top_k(keys, wrong)


def test_segmented_top_k():
    keys = np.random.default_rng(2).integers(0, 50, 1000)
    offsets = np.array([0, 0, 3, 10, 500, 1000])
    for largest, max_length in [(False, None), (True, None), (True, 500)]:
        best, index = ordosort.segmented_top_k(keys, offsets, 5, largest=largest, max_length=max_length)
        for s in range(5):
            part = keys[offsets[s] : offsets[s + 1]]
            order = offsets[s] + np.argsort(-part if largest else part, kind="stable")[:5]
            np.testing.assert_array_equal(index[s, : len(order)], order)
            np.testing.assert_array_equal(best[s, : len(order)], keys[order])
            assert np.all(index[s, len(order) :] == -1)
    with pytest.raises(ValueError):
        ordosort.segmented_top_k(keys, offsets, 5, max_length=-1)
    bounded = ordosort.segmented_sort(keys, offsets, max_length=500)
    np.testing.assert_array_equal(bounded, ordosort.segmented_sort(keys, offsets))
    order = ordosort.segmented_argsort(keys, offsets, max_length=500)
    np.testing.assert_array_equal(keys[order], bounded)


def check_partition(a, kth, axis=-1):
    """What NumPy promises, of the items and of their positions."""
    wanted, result = np.sort(a, axis), ordosort.partition(a, kth, axis)
    index = ordosort.argpartition(a, kth, axis)
    assert result.dtype == a.dtype and result.shape == wanted.shape == index.shape and index.dtype == np.int64
    taken = a.reshape(-1)[index] if axis is None else np.take_along_axis(a, index, axis)
    for got in (result, taken):
        np.testing.assert_array_equal(np.sort(got, axis), wanted)  # the same items
        ordered, got = (np.moveaxis(x, axis if axis is not None else -1, -1) for x in (wanted, got))
        for k in np.atleast_1d(kth):
            np.testing.assert_array_equal(got[..., k], ordered[..., k])
            np.testing.assert_array_equal(np.sort(got[..., :k], -1), ordered[..., :k])
    positions = np.sort(np.moveaxis(index, -1 if axis is None else axis, -1), -1)
    np.testing.assert_array_equal(positions, np.broadcast_to(np.arange(positions.shape[-1]), positions.shape))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_partition(dtype):
    random = np.random.default_rng(11)
    for n in (1, 2, 100, 5000, 40_000):
        wide = (random.random(n) * 2**62).astype("u8").view("u8").astype("i8")
        a = (wide if dtype not in ("bool", "int8", "uint16", "float16") else random.integers(0, 100, n)).astype(dtype)
        if np.dtype(dtype).kind in "if":
            a[::2] *= -1
        for kth in {0, n // 3, n // 2, n - 1, -1}:
            check_partition(a, kth)
        check_partition(a, [n // 2, 0, n - 1, n // 2, n // 5])
        check_partition(a, np.arange(0, n, max(n // 20, 1)))
    few = random.integers(0, 3, 30_000).astype(dtype)  # a splitter that is most of the items
    for kth in (0, 10_000, 15_000, 29_999, [4, 9999, 20_001]):
        check_partition(few, kth)
    for same in (np.zeros(9000, dtype), np.arange(9000).astype(dtype), np.arange(9000)[::-1].astype(dtype)):
        check_partition(same, 4500)
    check_partition(few.reshape(3, 10_000), [7000, 3])
    check_partition(few.reshape(10_000, 3), 5000, 0)
    check_partition(few.reshape(10_000, 3), 5000, None)
    check_partition(few.reshape(5000, 6), 2)


def test_partition_of_bad_samples():
    # The sample is of fixed places in ranges of n / 256 items, of which this has the greatest items alone.
    n = 65_536
    places = [(((j + 1) * 0x9E3779B97F4A7C15) % 2**64) for j in range(1024)]
    a = np.zeros(n)
    for j, x in enumerate(places):
        a[j * 64 + (x ^ (x >> 32)) % 64] = 1e9 + j
    a[a == 0] = np.random.default_rng(1).random(n - 1024)
    for kth in (10, n // 2, n - 2, [3, n // 2, n - 2]):
        check_partition(a, kth)


def test_partition_of_nans_and_nulls():
    random = np.random.default_rng(12)
    for part in (0.1, 0.9, 1):
        a = random.normal(size=20_000)
        a[random.random(20_000) < part] = np.nan
        a[:10] = -0.0
        for kth in (0, 1000, 10_000, 19_999):
            check_partition(a, kth)
    dates = random.integers(0, 100, 9000).view("M8[s]")
    for _ in range(2):
        for kth in (0, 4500, -1):
            assert ordosort.partition(dates, kth)[kth] == np.sort(dates)[kth] or np.isnat(np.sort(dates)[kth])
            assert ordosort.partition(dates, kth).dtype == dates.dtype
        dates[::3] = "NaT"
    masked = np.ma.array(np.arange(9000)[::-1], mask=np.arange(9000) < 5)
    result = ordosort.partition(masked, 3)
    assert result[3] == 3 and np.ma.getmaskarray(result)[-5:].all() and ordosort.argpartition(masked, 0)[0] == 8999
    records = np.array([(2, 1.0), (1, 5.0), (1, 3.0)], [("x", "i4"), ("y", "f8")])
    assert ordosort.partition(records, 1).tolist() == [(1, 3.0), (1, 5.0), (2, 1.0)]
    assert ordosort.argpartition(records, 0, order="y")[0] == 0


def test_arguments_of_partition():
    for call in (ordosort.partition, ordosort.argpartition):
        assert call([3, 1, 2], np.array([], int)).shape == (3,) and call(np.zeros((0, 3)), 5, 0).shape == (0, 3)
        assert call([[3, 1], [0, 5]], 2, None).shape == (4,)
        for wrong, error in [(3, ValueError), (-4, ValueError), (1.5, TypeError), ([[0]], ValueError), (True, TypeError)]:
            with pytest.raises(error, match="kth: "):
                call([3, 1, 2], wrong)
        with pytest.raises(ValueError, match="introselect"):
            call([3, 1, 2], 1, kind="quick")
        with pytest.raises(ValueError):
            call([3, 1, 2], 1, 1)


def test_rows():
    random = np.random.default_rng(3)
    columns = [random.integers(0, 5, 2000), random.random(2000).round(1).astype("float32"), random.integers(0, 3, 2000, "int8")]
    for descending in [False, [True, False, True]]:
        flags = [descending] * 3 if descending is False else descending
        keys = [-c.astype("float64") if d else c for c, d in zip(columns, flags)]
        order = np.lexsort(keys[::-1])
        np.testing.assert_array_equal(ordosort.argsort_rows(columns, descending=descending), order)
        for result, column in zip(ordosort.sort_rows(columns, descending=descending), columns):
            np.testing.assert_array_equal(result, column[order])
    for wrong in [[], [columns[0], columns[1][:-1]]]:
        with pytest.raises(ValueError):
            ordosort.argsort_rows(wrong)
    with pytest.raises(ValueError):
        ordosort.argsort_rows(columns, descending=[True])
