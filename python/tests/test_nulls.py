"""Nulls of pyarrow, polars and pandas, and masked items of numpy.ma, in every call: last, and never through float64."""

import datetime

import numpy as np
import pytest

import ordosort
from ordosort import spectra

BIG = 2**53
ITEMS = [BIG + 1, None, BIG, -5, None, BIG + 1, 7, None]


def masked(items, dtype="int64"):
    return np.ma.array([0 if x is None else x for x in items], mask=[x is None for x in items], dtype=dtype)


def of_arrow(items):
    return pytest.importorskip("pyarrow").array(items, "int64")


def of_slice(items):
    return pytest.importorskip("pyarrow").array([None, 3, *items, 4], "int64").slice(2, len(items))


def of_chunks(items):
    return pytest.importorskip("pyarrow").chunked_array([items[:2], [], items[2:3], items[3:]], "int64")


def of_polars(items):
    return pytest.importorskip("polars").Series(items, dtype=pytest.importorskip("polars").Int64)


def of_pandas(items):
    return pytest.importorskip("pandas").Series(items, index=range(len(items), 0, -1), dtype="Int64")


def of_pandas_index(items):
    return pytest.importorskip("pandas").Index(items, dtype="Int64")


def of_pandas_arrow(items):
    pytest.importorskip("pyarrow")
    return pytest.importorskip("pandas").Series(items, index=["x"] * len(items), dtype="int64[pyarrow]")


def of_capsule(items):
    array = of_arrow(items)

    class Column:  # of some other library
        def __arrow_c_array__(self, schema=None):
            return array.__arrow_c_array__(schema)

        def __len__(self):
            return len(array)

    return Column()


MAKERS = [masked, of_arrow, of_slice, of_chunks, of_polars, of_pandas, of_pandas_index, of_pandas_arrow, of_capsule]


def order_of(items, descending=False):
    """The positions of a stable sort with nulls last."""
    valid = [i for i, x in enumerate(items) if x is not None]
    sign = -1 if descending else 1
    return sorted(valid, key=lambda i: sign * items[i]) + [i for i, x in enumerate(items) if x is None]


def listed(array):
    assert isinstance(array, np.ma.MaskedArray)
    return array.tolist()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("descending", [False, True, np.True_])
def test_every_call(make, descending):
    order = order_of(ITEMS, descending)
    expected = [ITEMS[i] for i in order]
    assert ordosort.argsort(make(ITEMS), descending=descending).tolist() == order
    assert listed(ordosort.sort(make(ITEMS), descending=descending)) == expected
    keys, values = ordosort.sort_pairs(make(ITEMS), np.arange(8), descending=descending)
    assert (listed(keys), values.tolist()) == (expected, order)
    # Values have nulls of their own.
    keys, values = ordosort.sort_pairs(np.arange(8)[::-1].copy(), make(ITEMS), descending=not descending)
    assert (keys.tolist(), listed(values)) == (
        list(range(8)) if descending else list(range(8))[::-1],
        ITEMS[::-1] if descending else ITEMS,
    )
    assert ordosort.argsort_rows([make(ITEMS)], descending=descending).tolist() == order
    two = ordosort.argsort_rows([[0, 1] * 4, make(ITEMS)], descending=[False, descending]).tolist()
    assert two == [i for i in order if i % 2 == 0] + [i for i in order if i % 2 == 1]
    column, numbers = ordosort.sort_rows([make(ITEMS), np.arange(8)], descending=[descending, False])
    assert (listed(column), numbers.tolist()) == (expected, order)
    # Segments [0, 3), [3, 3), [3, 8).
    parts = [order_of(ITEMS[:3], descending), [], [3 + i for i in order_of(ITEMS[3:], descending)]]
    segmented = sum(parts, [])
    offsets = [0, 3, 3, 8]
    assert ordosort.segmented_argsort(make(ITEMS), offsets, descending=descending).tolist() == segmented
    assert listed(ordosort.segmented_sort(make(ITEMS), offsets, descending=descending)) == [ITEMS[i] for i in segmented]
    keys, values = ordosort.segmented_sort(make(ITEMS), offsets, np.arange(8), descending=descending)
    assert (listed(keys), values.tolist()) == ([ITEMS[i] for i in segmented], segmented)
    for k in [0, 1, 3, 6, 8]:
        best, index = ordosort.top_k(make(ITEMS), k, largest=bool(descending))
        assert (listed(best), index.tolist()) == (expected[:k], order[:k])
        assert ordosort.top_k(make(ITEMS), k, largest=bool(descending), sorted=False)[1].tolist() == sorted(order[:k])
        best, index = ordosort.segmented_top_k(make(ITEMS), offsets, k, largest=bool(descending))
        assert index.tolist() == [(part + [-1] * k)[:k] for part in parts]
        assert [[x for x, i in zip(*row) if i >= 0] for row in zip(listed(best), index)] == [
            [ITEMS[i] for i in p[:k]] for p in parts
        ]


@pytest.mark.parametrize("make", MAKERS)
def test_without_nulls(make):
    items = [BIG + 1, BIG, 3]
    result = ordosort.sort(make(items))
    assert result.dtype == np.int64 and result.tolist() == sorted(items)
    assert ordosort.argsort(make(items)).tolist() == [2, 1, 0]
    assert ordosort.sort(make([])).tolist() == []
    assert listed(ordosort.sort(make([None, None]))) == [None, None]


def test_holes_between_segments_stay():
    keys = masked([3, None, 1, 9, 2, None, 0])
    assert ordosort.segmented_argsort(keys, [0, 4], ends=[3, 6]).tolist() == [2, 0, 1, 3, 4, 5, 6]
    assert listed(ordosort.segmented_sort(keys, [0, 4], ends=[3, 6])) == [1, 3, None, 9, 2, None, 0]
    with pytest.raises(ValueError, match=r"segment 0: \[-1, 3\)"):
        ordosort.segmented_sort(np.arange(5), [-1, 3])
    for wrong in ([0, 9], [-1, 3], [3, 1]):
        with pytest.raises(ValueError, match="bad segments"):
            ordosort.segmented_top_k(keys, wrong, 1)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"])
def test_masked_of_every_type_beside_numpy(dtype):
    random = np.random.default_rng(4)
    a = np.ma.array((random.random((5, 40)) * 30).astype(dtype), mask=random.random((5, 40)) < 0.3)
    for given in (a, a[::-1, ::2], a.T, np.ma.array(a, order="F"), a.astype(np.dtype(dtype).newbyteorder(">"))):
        for axis in (0, 1, -1, None):
            result = ordosort.sort(given, axis)
            flat, along = (given.reshape(-1), 0) if axis is None else (given, axis)
            np.testing.assert_array_equal(result.filled(99), np.ma.sort(flat, along).filled(99))
            index = ordosort.argsort(given, axis)
            np.testing.assert_array_equal(np.take_along_axis(flat, index, along).filled(99), result.filled(99))
    assert not np.shares_memory(ordosort.sort(a), a)
    assert ordosort.sort(np.ma.array([2, 1], fill_value=77)).fill_value == 77


def test_nan_comes_before_nulls():
    a = masked([None, np.nan, 1.0, -np.nan, None, 0.5], "float64")
    assert ordosort.argsort(a).tolist() == [5, 2, 1, 3, 0, 4]
    assert ordosort.argsort(a, descending=True).tolist() == [2, 5, 1, 3, 0, 4]
    assert ordosort.top_k(a, 6)[1].tolist() == [1, 3, 2, 5, 0, 4]
    assert ordosort.argsort_rows([a], descending=True).tolist() == [2, 5, 1, 3, 0, 4]


def test_outputs():
    a = masked([3, None, 1])
    out = np.ma.zeros(3, np.int64)
    assert ordosort.sort(a, out=out) is out and out.tolist() == [1, 3, None]
    index = np.empty(3, np.int64)
    assert ordosort.argsort(a, out=index) is index and index.tolist() == [2, 0, 1]
    assert ordosort.sort(a, out=a) is a and a.tolist() == [1, 3, None]
    with pytest.raises(TypeError, match="no array of numpy.ma"):
        ordosort.sort(masked([3, None]), out=np.empty(2, np.int64))


def test_calls_without_place_for_nulls_refuse_them():
    nulls = masked([1, None, 2])
    refused = [
        lambda: ordosort.segmented_sort(np.arange(3), nulls),
        lambda: ordosort.segmented_sort(np.arange(3), [0], ends=nulls),
        lambda: ordosort.sort_shares([nulls]),
        lambda: ordosort.sort_shares([np.arange(3)], [nulls]),
        lambda: spectra.sort(np.ones(3), np.ones(3), nulls),
        lambda: spectra.sort(nulls, np.ones(3), [0, 3]),
        lambda: ordosort.suffix_array(np.ma.array([1, 2], mask=[0, 1], dtype="uint8")),
    ]
    for call in refused:
        with pytest.raises(ValueError, match="null|masked"):
            call()


def test_missing_numbers_of_spectra():
    mz, intensity = spectra.sort(
        [1.0, 2.0, 3.0], masked([5.0, None, 7.0], "float64"), [0, 3], by="intensity", descending=True
    )
    np.testing.assert_array_equal(mz, [3.0, 1.0, 2.0])
    np.testing.assert_array_equal(intensity, [7.0, 5.0, np.nan])
    arguments = (np.array([1.0, 2.0, 9.0]), np.ones(3), [0, 2, 3])
    for precursor in (np.array([1.0, np.nan]), masked([1.0, None], "float64")):
        kept = spectra.select(*arguments, precursor_mz=precursor, charge=masked([1, None]), remove_precursor=0.1)
        np.testing.assert_array_equal(kept[0], [2.0, 9.0])


def test_tables_and_other_types():
    arrow = pytest.importorskip("pyarrow")
    for wrong in [
        arrow.array(["a"]),
        arrow.array([None, None]),
        arrow.scalar(3),
        [3, None],
    ]:
        with pytest.raises(TypeError):
            ordosort.sort(wrong)
    assert listed(ordosort.sort(arrow.array([True, None, False]))) == [False, True, None]
    assert listed(ordosort.sort(arrow.array([2.5, None, 1.0], arrow.float32()))) == [1.0, 2.5, None]
    polars = pytest.importorskip("polars")
    assert listed(ordosort.sort(polars.Series([True, None, False]))) == [False, True, None]
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(ordosort.sort(pandas.DataFrame({"a": [3, 1], "b": [2, 4]})), [[2, 3], [1, 4]])
    np.testing.assert_array_equal(ordosort.sort(polars.DataFrame({"a": [3, 1], "b": [2, 4]})), [[2, 3], [1, 4]])
    # Missing numbers of NumPy's types are NaN.
    assert ordosort.argsort(pandas.Series([2.0, None, 1.0], index=[5, 3, 3])).tolist() == [2, 0, 1]


STRINGS = ["b", "a", None, "c", "", "a"]


def test_strings_of_pandas():
    pandas = pytest.importorskip("pandas")
    for dtype in ["str", "string", "object"]:
        for index in ([2, 0, 1, 9, 9, 3], list("abcdef"), range(6, 0, -1)):
            series = pandas.Series(STRINGS, index=index, dtype=dtype)
            for descending in (False, True):
                ours = ordosort.sort_strings(series, descending=descending)
                wanted = series.sort_values(ascending=not descending, kind="stable", na_position="last")
                assert ours.dtype == series.dtype and ours.index.tolist() == wanted.index.tolist()
                assert ours.dropna().tolist() == wanted.dropna().tolist() and len(ours) == len(series)
            present = series[series != "b"]
            assert list(ordosort.sort_strings(present.dropna())) == ["", "a", "a", "c"]
    index = pandas.Index(["b", "a", None])
    assert ordosort.argsort_strings(index).tolist() == [1, 0, 2]
    assert ordosort.sort_strings(index)[:2].tolist() == ["a", "b"]
    for wrong in [pandas.Series(["b", "a"], dtype="category"), pandas.DataFrame({"a": ["b"]}), pandas.Series([2, 1])]:
        with pytest.raises(TypeError, match="strings"):
            ordosort.sort_strings(wrong)


def test_masked_strings():
    a = np.ma.array(["b", "x", "a"], mask=[0, 1, 0])
    assert ordosort.sort_strings(a).tolist() == ["a", "b", None]
    assert ordosort.argsort_strings(a, descending=True).tolist() == [0, 2, 1]
    if hasattr(getattr(np, "dtypes", None), "StringDType"):
        a = np.array(["b", None, "a"], np.dtypes.StringDType(na_object=None))
        assert ordosort.argsort_strings(a).tolist() == [2, 0, 1]


def test_strings_of_polars_and_chunks():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    assert ordosort.sort_strings(polars.Series(STRINGS)).to_list() == ["", "a", "a", "b", "c", None]
    assert ordosort.sort_strings(arrow.chunked_array([STRINGS[:1], STRINGS[1:]])).to_pylist() == [
        "",
        "a",
        "a",
        "b",
        "c",
        None,
    ]


@pytest.mark.parametrize("n", [1, 13, 600, 5000])
@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "M8[D]", "M8[us]", "m8[s]"])
def test_slices_of_arrow(kind, n):
    arrow = pytest.importorskip("pyarrow")
    random = np.random.default_rng(n)
    for share in (0, 0.3, 1):
        numbers, missing = random.integers(0, 100, n + 5), random.random(n + 5) < share
        keys = numbers.astype("i8").view("M8[D]").astype(kind) if kind[0] in "M" else numbers.astype(kind)
        if kind[0] == "f":
            keys[random.random(n + 5) < 0.2] = np.nan
        array = arrow.array(keys, mask=missing).slice(3, n)
        keys, missing = keys[3 : n + 3], missing[3 : n + 3]
        valid = np.flatnonzero(~missing)
        for descending in (False, True):
            order = ordosort.argsort(keys[valid], descending=descending)
            expected = np.concatenate([valid[order], np.flatnonzero(missing)])
            np.testing.assert_array_equal(ordosort.argsort(array, descending=descending), expected)
            np.testing.assert_array_equal(ordosort.argsort(arrow.chunked_array([array]), descending=descending), expected)


class Capsule:
    """A column of some other library, whose nulls Python separates."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, schema=None):
        return self.array.__arrow_c_array__(schema)

    def __len__(self):
        return len(self.array)


def some_columns(pyarrow, n):
    """Columns of every type that the core reads itself, with nulls in a few: from the middle of longer ones."""
    random = np.random.default_rng(n)
    numbers, missing = random.integers(-60, 60, n + 5), random.random(n + 5) < 0.2
    real = np.where(numbers % 7 == 0, np.nan, numbers / 4)
    columns = [
        *(pyarrow.array(numbers.astype(kind), mask=missing) for kind in ("i1", "u1", "i2", "i4", "u4", "i8", "f2")),
        pyarrow.array(real, mask=missing, from_pandas=False),
        pyarrow.array(numbers * 2**57, mask=missing),
        *(pyarrow.array(numbers.astype(f"M8[{unit}]"), mask=missing) for unit in ("D", "s", "ns")),
        pyarrow.array(numbers.astype("m8[us]"), mask=missing),
        pyarrow.array([datetime.time(int(x)) for x in numbers % 24], pyarrow.time32("ms"), mask=missing),
        pyarrow.array(numbers, mask=np.ones(n + 5, np.bool_)),
        pyarrow.array(numbers),
    ]
    return [column.slice(3, n) for column in columns]


@pytest.mark.parametrize("n", [1, 2, 9, 700, 3000])
def test_columns_that_the_core_reads_itself(n):
    pyarrow = pytest.importorskip("pyarrow")
    columns = some_columns(pyarrow, n)
    for column in columns:
        for flags in ({}, {"descending": True}, {"total_order": True}):
            other, own = ordosort.sort(Capsule(column), **flags), ordosort.sort(column, **flags)
            assert other.dtype == own.dtype, column.type
            assert isinstance(own, np.ma.MaskedArray) == bool(column.null_count), column.type
            np.testing.assert_array_equal(np.ma.getmaskarray(own), np.ma.getmaskarray(other))
            np.testing.assert_array_equal(np.ma.getdata(own), np.ma.getdata(other))
            np.testing.assert_array_equal(ordosort.argsort(column, **flags), ordosort.argsort(Capsule(column), **flags))
    for first in range(0, len(columns), 3):
        some = [*columns[first : first + 3], np.arange(n) % 2]
        others = [column if isinstance(column, np.ndarray) else Capsule(column) for column in some]
        for options in (
            {},
            {"descending": True, "nulls_first": True},
            {"descending": [True, False] * 2 if len(some) == 4 else [True, False], "nan_order": "first"},
            {"nan_order": "total", "nulls_first": True},
        ):
            expected = ordosort.argsort_rows(others, **options)
            np.testing.assert_array_equal(ordosort.argsort_rows(some, **options), expected)
            table = pyarrow.table({str(k): column for k, column in enumerate(some)})
            np.testing.assert_array_equal(ordosort.argsort_rows(table, **options), expected)
            if n > 1:  # two chunks
                halves = pyarrow.concat_tables([table.slice(0, n // 2), table.slice(n // 2)])
                np.testing.assert_array_equal(ordosort.argsort_rows(halves, **options), expected)
                record = table.combine_chunks().to_batches()[0].slice(1)
                np.testing.assert_array_equal(
                    ordosort.argsort_rows(record, **options), ordosort.argsort_rows([Capsule(c) for c in record], **options)
                )


def test_wrong_calls_with_columns_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    column, short = pyarrow.array([2, None, 1]), pyarrow.array([2, None])
    for wrong in ([column, short], [np.arange(3), short]):
        with pytest.raises(ValueError, match="columns"):
            ordosort.argsort_rows(wrong)
    with pytest.raises(ValueError, match="descending: 1 for 2 columns"):
        ordosort.argsort_rows([column, column], descending=[True])
    with pytest.raises(ValueError, match="descending: 3 for 2 columns"):
        ordosort.argsort_rows([column, column], descending=[True, False, True])
    with pytest.raises(ValueError, match="nan_order"):
        ordosort.argsort_rows([column, column], nan_order="none")
    with pytest.raises(ValueError, match="none"):
        ordosort.argsort_rows(pyarrow.table({}))
    assert ordosort.argsort_rows([pyarrow.array([], "int64")] * 2).tolist() == []
    assert ordosort.sort(pyarrow.array([], "int32")).dtype == np.int32
    with pytest.raises(Exception, match="axis"):
        ordosort.sort(column, axis=1)
    assert ordosort.argsort_rows(pyarrow.table({"a": column, "b": pyarrow.array(["x", None, "y"])})).tolist() == [2, 0, 1]
