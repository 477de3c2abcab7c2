"""Sorts of strings beside Python's own."""

import random
import sys
import threading

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


@pytest.mark.parametrize(
    "strings",
    [
        ["a" * i for i in range(1024)],
        ["a" * i for i in range(2500)],
        ["x" * 9000 + c for c in "zyx"] * 400,
        ["same"] * 5000,
        ["\0" * (i % 40) for i in range(3000)],
        ["\udc00", "\ue000", "\uffff", "\U00010000", "\ud800"] * 500,
    ],
)
@pytest.mark.parametrize("descending", [False, True])
def test_shared_prefixes(strings, descending):
    assert ordosort.sort_strings(strings, descending=descending) == sorted(strings, reverse=descending)
    index = sorted(range(len(strings)), key=strings.__getitem__, reverse=descending)
    assert ordosort.argsort_strings(strings, descending=descending).tolist() == index


@pytest.mark.parametrize("letters", ["ab", "a\0b", "aéÿ", "a\u0101", "a\U0001f600\uffff"])
def test_layouts_of_numpy(letters):
    strings = np.array(random_strings(3000, letters))
    index = np.argsort(strings, kind="stable")
    odd = np.zeros(strings.nbytes + 1, np.uint8)[1:].view(strings.dtype)
    odd[:] = strings
    odd.flags.writeable = False
    for given in (strings, strings.astype(strings.dtype.newbyteorder(">")), np.repeat(strings, 2)[::2], odd):
        np.testing.assert_array_equal(ordosort.argsort_strings(given), index)
        np.testing.assert_array_equal(ordosort.sort_strings(given), strings[index])
    np.testing.assert_array_equal(ordosort.argsort_strings(strings[:0]), [])
    beyond = np.array([0x110005, 0x7FFFFFFF, 3, 0xFFFFFFFF], np.uint32).view("U1")  # no code points
    assert ordosort.argsort_strings(beyond).tolist() == [2, 0, 1, 3]


def test_references():
    strings = random_strings(3000)
    before = sys.getrefcount(strings[0])
    for _ in range(10):
        ordosort.sort_strings(strings)
        ordosort.argsort_strings(strings)
        with pytest.raises(TypeError, match="int"):
            ordosort.sort_strings([*strings, 3])
    assert sys.getrefcount(strings[0]) < before + 5  # the last error may live on


def test_a_list_that_changes():
    strings = ["".join(random.Random(i).choices("abc", k=12)) for i in range(20000)]
    wanted, given, results = sorted(strings), [list(strings) for _ in range(3)], []
    threads = [threading.Thread(target=lambda k=k: results.append(ordosort.sort_strings(given[k]))) for k in range(3)]
    del strings
    for thread in threads:
        thread.start()
    for items in given:
        items.clear()
    for thread in threads:
        thread.join()
    assert all(result in ([], wanted) for result in results)


def test_arrow_strings_of_any_length():
    arrow = pytest.importorskip("pyarrow")
    chosen = random.Random(3)
    for n, longest in [(0, 1), (1, 40), (9, 40), (50, 3), (700, 17), (5000, 33)]:
        items = [bytes(chosen.choices(b"ab\0", k=chosen.choice([0, longest, chosen.randrange(longest + 1)]))) for _ in range(n)]
        for kind in (arrow.binary(), arrow.large_binary()):
            array = arrow.array(items, kind)
            for descending in (False, True):
                result = ordosort.sort_strings(array, descending=descending)
                result.validate(full=True)
                assert result.type == kind and result.to_pylist() == sorted(items, reverse=descending)
            assert ordosort.sort_strings(array.slice(1, max(n - 2, 0))).to_pylist() == sorted(items[1:-1])


def test_wrong_offsets():
    arrow = pytest.importorskip("pyarrow")
    offsets = arrow.py_buffer(np.array([0, 5, 2], "i4"))
    with pytest.raises(ValueError, match="bad offset: strings: number"):
        ordosort.argsort_strings(arrow.Array.from_buffers(arrow.string(), 2, [None, offsets, arrow.py_buffer(b"hello")]))
    with pytest.raises(ValueError, match="bad offset: strings: number"):
        ordosort.sort_strings(arrow.Array.from_buffers(arrow.string(), 2, [None, offsets, arrow.py_buffer(b"hello")]))
