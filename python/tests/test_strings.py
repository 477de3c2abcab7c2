"""Sorts of strings beside Python's own."""

import random

import numpy as np
import pytest

import ordosort


def random_strings(n, letters="ab\0é\U0001f600\n"):
    chosen = random.Random(n)
    return ["".join(chosen.choices(letters, k=chosen.randrange(8))) for _ in range(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 100, 3000])
def test_strings(n):
    strings = random_strings(n)
    assert ordosort.sort_strings(strings) == sorted(strings)
    assert ordosort.sort_strings(strings, descending=True) == sorted(strings, reverse=True)
    index = ordosort.argsort_strings(strings)
    assert index.dtype == np.int64
    assert index.tolist() == sorted(range(n), key=strings.__getitem__)
    falling = ordosort.argsort_strings(strings, descending=True)
    assert falling.tolist() == sorted(range(n), key=strings.__getitem__, reverse=True)
    encoded = [s.encode() for s in strings]
    assert ordosort.sort_strings(encoded) == sorted(encoded)


def test_every_byte():
    chosen = random.Random(1)
    strings = [bytes(chosen.choices(range(256), k=chosen.randrange(5))) for _ in range(5000)]
    assert ordosort.sort_strings(strings) == sorted(strings)


def test_arrays():
    strings = random_strings(500, "abc")
    for array in [np.array(strings), np.array(strings, object), np.array([s.encode() for s in strings])]:
        np.testing.assert_array_equal(ordosort.sort_strings(array), np.sort(array))


def test_arrow():
    arrow = pytest.importorskip("pyarrow")
    strings = random_strings(1000)
    for kind in [arrow.string(), arrow.large_string()]:
        array = arrow.array(strings, kind)
        assert ordosort.sort_strings(array).to_pylist() == sorted(strings)
        assert ordosort.sort_strings(array.slice(10, 50)).to_pylist() == sorted(strings[10:60])
        chunks = arrow.chunked_array([strings[:300], [], strings[300:]], kind)
        assert ordosort.sort_strings(chunks).to_pylist() == sorted(strings)
        assert ordosort.sort_strings(arrow.chunked_array([], kind)).to_pylist() == []
        assert ordosort.argsort_strings(arrow.array([], kind)).tolist() == []
        # Nulls come last, also in a slice of them.
        holes = arrow.array([None if i % 3 == 0 else s for i, s in enumerate(strings)], kind)
        for part in (holes, holes.slice(7, 101), holes.slice(0, 1)):
            want = sorted(s for s in part.to_pylist() if s is not None)
            assert ordosort.sort_strings(part).to_pylist() == want + [None] * part.null_count
            falling = ordosort.sort_strings(part, descending=True).to_pylist()
            assert falling == want[::-1] + [None] * part.null_count
            index = ordosort.argsort_strings(part)
            assert sorted(index.tolist()) == list(range(len(part)))
    with pytest.raises(TypeError, match="int64"):
        ordosort.sort_strings(arrow.array([1, 2]))


def test_arrow_interface():
    arrow = pytest.importorskip("pyarrow")
    strings = random_strings(200)

    class Array:  # of some other library
        def __arrow_c_array__(self, schema=None):
            return arrow.array(strings).__arrow_c_array__(schema)

    class Series(Array):
        def __arrow_c_stream__(self, schema=None):
            return arrow.chunked_array([strings[:50], strings[50:]]).__arrow_c_stream__(schema)

    for given in (Array(), Series()):
        assert [strings[i] for i in ordosort.argsort_strings(given)] == sorted(strings)


def test_polars():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    series = polars.Series([*random_strings(500), None])
    ours = ordosort.sort_strings(series)
    assert isinstance(ours, polars.Series) and ours.to_list() == series.sort(nulls_last=True).to_list()


def test_wrong_strings():
    for wrong in [[1, 2], np.arange(3), [None]]:
        with pytest.raises(TypeError):
            ordosort.sort_strings(wrong)
    with pytest.raises(ValueError):
        ordosort.sort_strings(np.array([["a"]]))
