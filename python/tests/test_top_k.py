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
