"""Groups of equal keys, merges, and rows by their last key."""

import numpy as np
import pytest

import ordosort


@pytest.mark.parametrize("dtype", ["bool", "i1", "u8", "f2", "f8", "M8[D]", "U", "S", "T"])
@pytest.mark.parametrize("n", [0, 1, 50, 3000])
def test_unique_beside_numpy(dtype, n):
    random = np.random.default_rng(n)
    if dtype == "T":
        dtype = getattr(getattr(np, "dtypes", None), "StringDType", lambda: "U")()
    a = random.integers(-9, 9, n)
    if dtype == "M8[D]":
        a = a.view(dtype)
    else:
        a = (a.astype("U") if dtype in ("U", "S") or not isinstance(dtype, str) else a).astype(dtype)
    if a.dtype.kind in "fM":
        a[random.random(n) < 0.2] = "NaT" if a.dtype.kind == "M" else np.nan
        a[random.random(n) < 0.1] = np.array(0).astype(a.dtype) if a.dtype.kind == "M" else -0.0
    ours = ordosort.unique(a, return_index=True, return_inverse=True, return_counts=True)
    wanted = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    for result, expected in zip(ours, wanted):
        np.testing.assert_array_equal(result, expected.reshape(-1))
    np.testing.assert_array_equal(ordosort.unique(a), wanted[0])
    assert ours[0].dtype == a.dtype


def test_unique_of_columns():
    values, counts = ordosort.unique(["b", "a", "b"], return_counts=True)
    assert values == ["a", "b"] and counts.tolist() == [1, 2]
    values, index = ordosort.unique(np.ma.array([3, 1, 3, 1], mask=[0, 1, 0, 1]), return_index=True)
    assert values.tolist() == [3, None] and index.tolist() == [0, 1]
    arrow = pytest.importorskip("pyarrow")
    values, inverse = ordosort.unique(arrow.array([5, None, -5, None, 5]), return_inverse=True)
    assert values.tolist() == [-5, 5, None] and inverse.tolist() == [1, 2, 0, 2, 1]
    assert ordosort.unique(arrow.array(["x", None, "x"])).to_pylist() == ["x", None]
    for wrong in (np.zeros(2, "i4,i4"), arrow.array(["x"]).dictionary_encode(), np.array([1j])):
        with pytest.raises(TypeError):
            ordosort.unique(wrong)


def test_rank():
    a = [30.0, 10.0, np.nan, 30.0, 20.0, np.nan]
    for method, wanted in {
        "average": [3.5, 1, 5.5, 3.5, 2, 5.5],
        "min": [3, 1, 5, 3, 2, 5],
        "max": [4, 1, 6, 4, 2, 6],
        "dense": [3, 1, 4, 3, 2, 4],
        "ordinal": [3, 1, 5, 4, 2, 6],
    }.items():
        ranks = ordosort.rank(a, method)
        assert ranks.tolist() == wanted and ranks.dtype == (np.float64 if method == "average" else np.int64)
        assert ordosort.rank([], method).tolist() == []
    assert ordosort.rank(a, "dense", descending=True).tolist() == [1, 3, 4, 1, 2, 4]
    assert ordosort.rank(["b", "a", "b"], "min").tolist() == [2, 1, 2]
    assert ordosort.rank(np.ma.array([1, 2, 3], mask=[1, 0, 0])).tolist() == [3, 1, 2]
    with pytest.raises(ValueError, match="'average', 'min'"):
        ordosort.rank(a, "first")
    with pytest.raises(ValueError, match="dimensions"):
        ordosort.rank([[1]])


def test_lexsort():
    random = np.random.default_rng(2)
    keys = random.integers(0, 4, (3, 500))
    np.testing.assert_array_equal(ordosort.lexsort(keys), np.lexsort(keys))
    names = random.choice(["a", "b", "ab"], 500)
    np.testing.assert_array_equal(ordosort.lexsort((keys[0], names)), np.lexsort((keys[0], names)))


@pytest.mark.parametrize("dtype", ["bool", "i1", "u4", "i8", "f2", "f8", "M8[s]"])
def test_merge_sorted(dtype):
    random = np.random.default_rng(6)
    for m, n in [(0, 0), (0, 5), (3, 0), (700, 3000)]:
        a, b = (random.integers(0, 50, k, np.int64) for k in (m, n))
        a, b = (np.sort(x.view(dtype) if dtype == "M8[s]" else x.astype(dtype)) for x in (a, b))
        merged = ordosort.merge_sorted(a, b)
        np.testing.assert_array_equal(merged, np.sort(np.concatenate([a, b])))
        assert merged.dtype == a.dtype
        np.testing.assert_array_equal(ordosort.merge_sorted(a[::-1], b[::-1], descending=True), merged[::-1])
    with pytest.raises(TypeError, match="dtype int32, where a has"):
        ordosort.merge_sorted(np.ones(1), np.ones(1, "i4"))
    with pytest.raises(ValueError, match="nulls"):
        ordosort.merge_sorted(np.ma.array([1], mask=[1]), np.array([1]))


def test_array_api_words():
    a = np.array([3, 1, 2])
    assert ordosort.sort(a, axis=-1, descending=True, stable=True).tolist() == [3, 2, 1]
    assert ordosort.argsort(a, axis=-1, descending=False, stable=False).tolist() == [1, 2, 0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "int64", "float16", "float64", "M8[D]", "m8[ms]"])
def test_searchsorted(dtype):
    rng = np.random.default_rng(1)

    def random_items(n):
        items = rng.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype)
        if dtype.startswith("float"):
            items[rng.random(n) < 0.1] = np.nan
            items[rng.random(n) < 0.1] = -0.0
        elif dtype[0] in "Mm":
            items[rng.random(n) < 0.1] = "NaT"
        return items

    for n in [0, 1, 50, 3000]:
        a = random_items(n)
        for v in [random_items(0), random_items(5), random_items(5000), random_items(4000).reshape(50, 80), random_items(1)[0]]:
            for side in ["left", "right"]:
                found = ordosort.searchsorted(np.sort(a), v, side)
                want = np.searchsorted(np.sort(a), v, side)
                np.testing.assert_array_equal(found, want)
                assert np.asarray(found).dtype == np.int64 and np.shape(found) == np.shape(v)
                np.testing.assert_array_equal(ordosort.searchsorted(a, v, side, np.argsort(a)), want)


def test_searchsorted_of_other_types():
    v = np.random.default_rng(2).normal(size=3000) * 100
    a = np.arange(-50, 50)
    np.testing.assert_array_equal(ordosort.searchsorted(a, v), np.searchsorted(a, v))
    v = v.astype("f4")[::2]
    np.testing.assert_array_equal(ordosort.searchsorted(a, v, "right"), np.searchsorted(a, v, "right"))
    assert ordosort.searchsorted([1, 3], 2) == 1
    with pytest.raises(ValueError, match="side: 'middle'"):
        ordosort.searchsorted(a, v, "middle")
    with pytest.raises(ValueError, match="a: 2 dimensions"):
        ordosort.searchsorted(a.reshape(10, 10), v)
    with pytest.raises(ValueError, match="v: 1 nulls or masked items"):
        ordosort.searchsorted(a, np.ma.array([1, 2], mask=[0, 1]))
    with pytest.raises(TypeError, match="v: dtype <U1: sort_strings"):
        ordosort.searchsorted(a, ["a"])
    with pytest.raises(TypeError, match="a: dtype object"):
        ordosort.searchsorted(np.array([1, 2], object), v)
