"""Dates, records, categories and columns of Arrow, as keys and as values."""

import datetime
import decimal
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ordosort

DATES = ["2024-03-01", "NaT", "1969-12-31", "2024-03-01", "NaT", "1815-06-18"]


@pytest.mark.parametrize("kind", ["M8[D]", "M8[ns]", "m8[s]", ">M8[us]"])
@pytest.mark.parametrize("shape", [(0,), (1,), (5000,), (30, 40)])
def test_dates_beside_numpy(kind, shape):
    random = np.random.default_rng(3)
    a = random.integers(-50, 50, shape).astype("i8").view("m8[s]" if "m" in kind else kind.lstrip(">")).astype(kind)
    a[random.random(shape) < 0.2] = "NaT"
    for axis in (0, -1, None):
        np.testing.assert_array_equal(ordosort.sort(a, axis), np.sort(a, axis))
        np.testing.assert_array_equal(ordosort.argsort(a, axis), np.argsort(a, axis, kind="stable"))
    assert ordosort.sort(a).dtype == a.dtype.newbyteorder("=") and not isinstance(ordosort.sort(a), np.ma.MaskedArray)
    np.testing.assert_array_equal(ordosort.sort(a[..., ::-1]), np.sort(a))
    flat = a.reshape(-1)
    falling = ordosort.sort(flat, descending=True)
    missing = int(np.isnat(flat).sum())
    assert np.isnat(falling[flat.size - missing :]).all()
    np.testing.assert_array_equal(falling[: flat.size - missing][::-1], np.sort(flat)[: flat.size - missing])


def test_dates_in_every_call():
    dates, numbers = np.array(DATES, "M8[D]"), np.arange(6)
    order, falling = [5, 2, 0, 3, 1, 4], [0, 3, 2, 5, 1, 4]
    assert ordosort.argsort(dates).tolist() == order and ordosort.argsort(dates, descending=True).tolist() == falling
    keys, values = ordosort.sort_pairs(dates, numbers)
    np.testing.assert_array_equal(keys, dates[order])
    assert values.tolist() == order
    keys, values = ordosort.sort_pairs(numbers[::-1].copy(), dates)  # as values
    np.testing.assert_array_equal(values, dates[::-1])
    assert ordosort.argsort_rows([dates]).tolist() == order
    assert ordosort.argsort_rows([dates], nulls_first=True).tolist() == [1, 4, 5, 2, 0, 3]
    np.testing.assert_array_equal(ordosort.sort_rows([dates, numbers])[0], dates[order])
    np.testing.assert_array_equal(ordosort.segmented_sort(dates, [0, 3, 6]), dates[[2, 0, 1, 5, 3, 4]])
    assert ordosort.segmented_argsort(dates, [0, 3, 6]).tolist() == [2, 0, 1, 5, 3, 4]
    np.testing.assert_array_equal(ordosort.segmented_sort(numbers[::-1].copy(), [0, 3, 6], dates)[1], dates[[2, 1, 0, 5, 4, 3]])
    best, index = ordosort.top_k(dates, 3)
    assert index.tolist() == [0, 3, 2] and best.dtype == dates.dtype
    assert ordosort.segmented_top_k(dates, [0, 3, 6], 1, largest=False)[1].tolist() == [[2], [5]]
    into = dates.copy()
    assert ordosort.sort(dates, out=into) is into and into[0] == dates[5]
    assert ordosort.sort(into, out=into) is into
    masked = np.ma.array(dates, mask=[1, 0, 0, 0, 0, 0])
    assert ordosort.argsort(masked).tolist() == [5, 2, 3, 0, 1, 4]
    assert np.ma.getmaskarray(ordosort.sort(masked)).tolist() == [False] * 3 + [True, False, False]


def test_values_of_any_type():
    keys = np.array([3, 1, 2])
    values = [
        np.array([True, False, True]),
        np.array(["a", "bb", "c"]),
        np.array(["a", None, "c"], object),
        np.array([(1, "2024-01-01"), (2, "NaT"), (3, "1999-01-01")], [("a", "i4"), ("b", "M8[D]")]),
        np.array([1, 2j, 3]),
        np.array([b"a", b"b", b"c"]),
        np.array([1, 2, 3], np.longdouble),
    ]
    if hasattr(getattr(np, "dtypes", None), "StringDType"):
        values.append(np.array(["a", "much longer than sixteen bytes", "c"], np.dtypes.StringDType()))
    for v in values:
        for moved in (ordosort.sort_pairs(keys, v)[1], ordosort.segmented_sort(keys, [0, 3], v)[1]):
            assert moved.dtype == v.dtype and moved.tolist() == v[[1, 2, 0]].tolist()


def test_small_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for small in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        v = np.array([1.5, 2.5, -1], small)
        moved = ordosort.sort_pairs(np.array([3, 1, 2]), v)[1]
        assert moved.dtype == v.dtype and moved.tolist() == [2.5, -1, 1.5]
    for small in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        a = np.array([3, np.nan, -1, 0.5], small)
        assert ordosort.sort(a).dtype == a.dtype
        assert ordosort.argsort(a).tolist() == [2, 3, 0, 1]


def test_records():
    random = np.random.default_rng(1)
    a = np.zeros(2000, [("x", "i4"), ("y", "f8"), ("name", "U3"), ("when", "M8[D]"), ("sub", [("p", "u1"), ("q", "i2", (2,))])])
    a["x"], a["y"] = random.integers(0, 5, 2000), random.integers(0, 5, 2000)
    a["name"] = random.choice(["a", "ab", "é"], 2000)
    a["when"] = random.integers(0, 3, 2000)
    a["sub"]["q"] = random.integers(-2, 2, (2000, 2))
    b = a[["x", "y", "name", "when"]]
    for order in (None, "y", ["name", "x"], ["when", "y"]):
        np.testing.assert_array_equal(ordosort.argsort(b, order=order), np.argsort(b, order=order, kind="stable"))
        np.testing.assert_array_equal(ordosort.sort(b, order=order), np.sort(b, order=order))
        square = b.reshape(40, 50)
        np.testing.assert_array_equal(ordosort.sort(square, 0, order=order), np.sort(square, 0, order=order))
    keys = [(r["x"], r["y"], r["name"], r["when"], r["sub"]["p"], *r["sub"]["q"]) for r in a]
    assert ordosort.argsort(a).tolist() == sorted(range(2000), key=keys.__getitem__)
    assert ordosort.argsort(a[:3], order="x", descending=True).tolist() == sorted(range(3), key=lambda i: keys[i])[::-1]
    with pytest.raises(ValueError, match="none of the fields x, y"):
        ordosort.sort(b, order="z")
    with pytest.raises(ValueError, match="no fields"):
        ordosort.sort([3, 1], order="z")


def test_refused_with_a_hint():
    with pytest.raises(TypeError, match="a.real"):
        ordosort.sort(np.array([1j]))
    with pytest.raises(TypeError, match="sort_strings"):
        ordosort.sort(np.array(["a"]))
    with pytest.raises(TypeError, match="float64"):
        ordosort.sort(np.array([1], np.longdouble))
    arrow = pytest.importorskip("pyarrow")
    for call in (ordosort.sort, ordosort.argsort, lambda a: ordosort.argsort_rows([a])):
        for objects in ([decimal.Decimal(1)], np.array([decimal.Decimal(1)])):
            with pytest.raises(TypeError, match="pyarrow.array makes a column of decimals"):
                call(objects)
    decimals = arrow.array([1], arrow.decimal128(5, 2))
    for call in (lambda a: ordosort.top_k(a, 1), lambda a: ordosort.sort_pairs(a, [1]), lambda a: ordosort.segmented_sort(a, [0, 1])):
        with pytest.raises(TypeError, match="decimals: sort, argsort, argsort_rows, unique and rank"):
            call(decimals)
    with pytest.raises(TypeError, match="argsort_rows takes items of bytes"):
        ordosort.sort(np.zeros(2, "V16"))
    for wrong, hint in [
        (arrow.array([[1]]), "fields"),
        (arrow.array([{"a": 1}]), "fields|dtype"),
        (arrow.array(["a"]), "argsort_strings"),
        (arrow.array([None]), "cast"),
    ]:
        with pytest.raises(TypeError, match=hint):
            ordosort.argsort(wrong)
    with pytest.raises(ValueError, match="nan_order"):
        ordosort.argsort_rows([[1]], nan_order="middle")
    with pytest.raises(ValueError, match="nulls_first: 2 for 1"):
        ordosort.argsort_rows([[1]], nulls_first=[True, False])


def test_dates_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    days = [datetime.date(2024, 3, 1), None, datetime.date(1950, 1, 1)]
    for kind in (arrow.date32(), arrow.date64()):
        result = ordosort.sort(arrow.array(days, kind))
        assert result.dtype.kind == "M" and result.tolist()[2] is None
        assert ordosort.argsort(arrow.array(days, kind)).tolist() == [2, 0, 1]
    for unit in ("s", "ms", "us", "ns"):
        for kind in (arrow.timestamp(unit), arrow.timestamp(unit, "Europe/Paris"), arrow.duration(unit)):
            a = arrow.array([5, None, -3, 5, -(2**63)], arrow.int64()).cast(kind) if unit != "x" else None
            assert ordosort.argsort(a).tolist() == [4, 2, 0, 3, 1]  # the lowest number is a time here
            assert ordosort.argsort(a.slice(1, 3), descending=True).tolist() == [2, 1, 0]
        kind = arrow.time32(unit) if unit in ("s", "ms") else arrow.time64(unit)
        assert ordosort.argsort(arrow.array([5, None, 3], kind)).tolist() == [2, 0, 1]


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_tables(library):
    module = pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    data = {"a": [2, None, 1, 2], "b": ["x", "y", None, "w"]}
    table = {"pyarrow": lambda: module.table(data), "polars": lambda: module.DataFrame(data)}.get(
        library, lambda: module.DataFrame({"a": module.array(data["a"], "Int64"), "b": module.array(data["b"], "str")})
    )()
    assert ordosort.argsort_rows(table).tolist() == [2, 3, 0, 1]
    assert ordosort.argsort_rows(table, nulls_first=[True, False], descending=[True, False]).tolist() == [1, 3, 0, 2]
    result = ordosort.sort_rows(table)
    assert type(result) is type(table) and result["b"].isnull().tolist()[0] if library == "pandas" else True
    assert ordosort.sort_rows([table["b"], np.arange(4)])[1].tolist() == [3, 0, 1, 2]


def test_categories():
    pandas = pytest.importorskip("pandas")
    sizes = pandas.Series(["m", "s", None, "l", "s"], dtype=pandas.CategoricalDtype(["s", "m", "l"], ordered=True))
    assert ordosort.argsort(sizes).tolist() == [1, 4, 0, 3, 2]
    assert ordosort.sort(sizes, descending=True).tolist()[:4] == ["l", "m", "s", "s"]
    assert ordosort.argsort_rows([sizes], nulls_first=True).tolist() == [2, 1, 4, 0, 3]
    arrow = pytest.importorskip("pyarrow")
    for values in (["m", "s", None, "l", "s"], [5, 9, None, 2, 9]):
        coded = arrow.array(values).dictionary_encode()
        wanted = sorted((i for i in range(5) if i != 2), key=lambda i: values[i]) + [2]
        assert ordosort.argsort(coded).tolist() == wanted
        assert ordosort.sort(coded).to_pylist() == [values[i] for i in wanted]
        chunks = arrow.chunked_array([coded, arrow.array(values[:2][::-1]).dictionary_encode()])
        both = values + values[:2][::-1]
        assert ordosort.argsort(chunks).tolist() == sorted(
            (i for i in range(7) if i != 2), key=lambda i: both[i]
        ) + [2]
    ordered = arrow.DictionaryArray.from_arrays(arrow.array([1, 0, None], "int8"), ["z", "a"], ordered=True)
    assert ordosort.argsort(ordered).tolist() == [1, 0, 2]
    polars = pytest.importorskip("polars")
    values = ["m", "s", None, "l"]
    assert ordosort.argsort(polars.Series(values, dtype=polars.Categorical)).tolist() == [3, 0, 1, 2]
    assert ordosort.argsort(polars.Series(values, dtype=polars.Enum(["s", "m", "l"]))).tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
def test_decimals(bits):
    arrow = pytest.importorskip("pyarrow")
    if not hasattr(arrow, f"decimal{bits}"):
        pytest.skip("pyarrow lacks these decimals")
    digits = {32: 9, 64: 18, 128: 38, 256: 76}[bits]
    kind = getattr(arrow, f"decimal{bits}")(digits, 3)
    random = np.random.default_rng(bits)
    greatest = 10**digits - 1
    numbers = [greatest, -greatest, 0, -1, 1, None, 2**27, -(2**27), *random.integers(-40, 40, 300).tolist()]
    numbers += [None if x < 0.1 else int(x * greatest) - greatest // 2 for x in random.random(300).tolist()]
    with decimal.localcontext() as context:
        context.prec = 80
        items = [None if x is None else decimal.Decimal(x).scaleb(-3) for x in numbers]
    valid = [i for i, x in enumerate(numbers) if x is not None]
    nulls = [i for i, x in enumerate(numbers) if x is None]
    rising = sorted(valid, key=numbers.__getitem__)
    falling = sorted(valid, key=lambda i: -numbers[i])
    whole = arrow.array(items, kind)
    for a in (whole, arrow.chunked_array([whole.slice(0, 7), whole.slice(7, 0), whole.slice(7)])):
        assert ordosort.argsort(a).tolist() == rising + nulls
        assert ordosort.argsort(a, descending=True).tolist() == falling + nulls
        assert ordosort.argsort_rows([a], nulls_first=True).tolist() == nulls + rising
        parity = [i % 2 for i in range(len(items))]
        wanted = sorted(nulls, key=parity.__getitem__) + sorted(rising, key=lambda i: (numbers[i], parity[i]))
        assert ordosort.argsort_rows([a, parity], nulls_first=True).tolist() == wanted
        result = ordosort.sort(a)
        assert result.type == kind and result.to_pylist() == [items[i] for i in rising + nulls]
        values, first, inverse, counts = ordosort.unique(a, True, True, True)
        distinct = sorted({numbers[i] for i in valid})
        assert values.type == kind and values.to_pylist() == [items[numbers.index(x)] for x in (*distinct, None)]
        assert first.tolist() == [numbers.index(x) for x in (*distinct, None)]
        assert counts.tolist() == [numbers.count(x) for x in (*distinct, None)] and values.take(inverse).to_pylist() == items
        assert ordosort.rank(a, "dense").tolist() == [(len(distinct) if x is None else distinct.index(x)) + 1 for x in numbers]
    part = whole.slice(3, 40)
    wanted = sorted((x is None, x or 0, i) for i, x in enumerate(numbers[3:43]))
    assert ordosort.argsort(part).tolist() == [i for _, _, i in wanted]
    coded = arrow.DictionaryArray.from_arrays(np.arange(len(whole)), whole)
    assert ordosort.argsort(coded).tolist() == rising + nulls
    assert ordosort.argsort(arrow.array([], kind)).tolist() == [] and ordosort.sort(arrow.array([None], kind)).null_count == 1


def test_decimals_of_polars_and_pandas():
    arrow = pytest.importorskip("pyarrow")
    items = [decimal.Decimal("1.50"), None, decimal.Decimal("-12345678901234567890.25"), decimal.Decimal("1.25")]
    try:
        import pandas

        series = pandas.Series(items, dtype=pandas.ArrowDtype(arrow.decimal128(30, 2)))
        assert ordosort.argsort(series).tolist() == [2, 3, 0, 1]
        assert ordosort.sort(series, descending=True).tolist()[:3] == [items[0], items[3], items[2]]
    except ImportError:
        pass
    polars = pytest.importorskip("polars")
    series = polars.Series(items, dtype=polars.Decimal(30, 2))
    assert ordosort.argsort(series).tolist() == [2, 3, 0, 1]
    assert ordosort.sort_rows(polars.DataFrame({"a": series}))["a"].to_list() == [items[i] for i in (2, 3, 0, 1)]
    if hasattr(polars, "Int128"):
        series = polars.Series([2**100, None, -(2**100), 5, -5], dtype=polars.Int128)
        assert ordosort.argsort(series).tolist() == [2, 4, 3, 0, 1]
        assert ordosort.sort(series, descending=True).to_list() == [2**100, 5, -5, -(2**100), None]


def test_items_of_bytes():
    random = np.random.default_rng(8)
    for width in (1, 7, 8, 16, 20, 32):
        a = random.integers(0, 256, (3000, width), np.uint8)
        a[: 1500, :-1] = 200  # ties up to the last byte
        items = [row.tobytes() for row in a]
        wanted = sorted(range(3000), key=items.__getitem__)
        falling = sorted(range(3000), key=items.__getitem__, reverse=True)
        keys = a.reshape(-1).view(f"V{width}")
        assert ordosort.argsort_rows([keys]).tolist() == wanted
        assert ordosort.argsort_rows([keys], descending=True).tolist() == falling
        assert ordosort.argsort_rows([keys[::-1]]).tolist() == sorted(range(3000), key=items[::-1].__getitem__)
        result = ordosort.sort_rows([keys, np.arange(3000)])
        assert result[0].tobytes() == b"".join(items[i] for i in wanted) and result[1].tolist() == wanted
        strings = keys.view(f"S{width}")
        assert ordosort.argsort_rows([strings]).tolist() == np.argsort(strings, kind="stable").tolist()
        two = ordosort.argsort_rows([np.arange(3000) % 2, keys])
        assert two.tolist() == sorted(range(3000), key=lambda i: (i % 2, items[i]))
    unaligned = np.frombuffer(b"x" + b"".join(items), "V32", offset=1)
    assert ordosort.argsort_rows([unaligned]).tolist() == wanted
    assert ordosort.argsort_rows([np.zeros(0, "V16")]).tolist() == [] and ordosort.argsort_rows([np.zeros(1, "V3")]).tolist() == [0]
    arrow = pytest.importorskip("pyarrow")
    fixed = arrow.array([b"bb", b"a\0", None, b"ba"] * 2, arrow.binary(2))
    assert ordosort.argsort_rows([fixed]).tolist() == [1, 5, 3, 7, 0, 4, 2, 6]
    assert ordosort.argsort_rows([fixed.slice(1, 4)], nulls_first=True).tolist() == [1, 0, 2, 3]


def test_zones_of_pandas():
    pandas = pytest.importorskip("pandas")
    utc = np.array(["2024-03-31T03:00", "NaT", "2024-03-31T00:59", "2024-03-31T01:01"], "M8[us]")
    zoned = pandas.Series(utc).dt.tz_localize("UTC").dt.tz_convert("Europe/Paris")  # the clock skips an hour
    for given in (zoned, pandas.DatetimeIndex(zoned), zoned.array):
        np.testing.assert_array_equal(ordosort.sort(given), np.sort(utc))
        assert ordosort.argsort(given).tolist() == [2, 3, 0, 1]
        keys, values = ordosort.sort_pairs([3, 1, 2, 0], given)
        np.testing.assert_array_equal(values, utc[[3, 1, 2, 0]])
    assert ordosort.argsort_rows(pandas.DataFrame({"z": zoned, "k": range(4)}), nulls_first=True).tolist() == [1, 2, 3, 0]
    for wrong, hint in [
        (pandas.Series(pandas.period_range("2024", periods=2, freq="D")), "to_timestamp"),
        (pandas.Series(pandas.arrays.IntervalArray.from_breaks([1, 2, 3])), "left and right"),
        (pandas.Series(["b", "a"], dtype="string"), "sort_strings"),
    ]:
        with pytest.raises(TypeError, match=hint):
            ordosort.sort(wrong)


def test_polars_without_pyarrow():
    pytest.importorskip("polars")
    program = """
import sys
sys.modules["pyarrow"] = None
import ordosort, polars
assert ordosort.argsort(polars.Series([2**53 + 1, None, 2**53])).tolist() == [2, 0, 1]
assert ordosort.sort_strings(polars.Series(["b", None, "a string of more than twelve bytes"])).to_list()[1:] == ["b", None]
table = polars.DataFrame({"a": ["x", "x", "a"], "b": [True, None, False]})
assert ordosort.sort_rows(table, nulls_first=True)["b"].to_list() == [False, None, True]
"""
    folder = str(pathlib.Path(ordosort.__file__).parents[1])
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_nan_order_and_nulls_first():
    a = np.array([np.nan, 1, -np.nan, -1, 0.0, -0.0])
    assert ordosort.argsort_rows([a], nan_order="first").tolist() == [0, 2, 3, 4, 5, 1]
    assert ordosort.argsort_rows([a], nan_order="total").tolist() == [2, 3, 5, 4, 1, 0]
    assert ordosort.argsort_rows([a, a], nan_order=["first", "last"], descending=True).tolist() == [0, 2, 1, 4, 5, 3]
    masked = np.ma.array(a, mask=[0, 1, 0, 0, 0, 0])
    assert ordosort.argsort_rows([masked], nulls_first=True, nan_order="first").tolist() == [1, 0, 2, 3, 4, 5]


def test_strings_of_every_layout():
    arrow = pytest.importorskip("pyarrow")
    values = ["pear", None, "a string of more than twelve bytes", "", "a string of more", "pear", None, "é"]
    wanted = [3, 4, 2, 0, 5, 7, 1, 6]
    falling = [7, 0, 5, 2, 4, 3, 1, 6]
    for kind in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view"):
        a = arrow.array([s.encode() if s is not None and "binary" in kind else s for s in values], getattr(arrow, kind)())
        assert ordosort.argsort_strings(a).tolist() == wanted
        assert ordosort.argsort_strings(a, descending=True).tolist() == falling
        assert ordosort.argsort_rows([a], nulls_first=True).tolist() == [1, 6, *wanted[:-2]]
        chunks = arrow.chunked_array([a.slice(0, 3), a.slice(3, 0), a.slice(3)])
        assert ordosort.argsort_strings(chunks).tolist() == wanted
        assert ordosort.argsort_strings(a.slice(2, 3)).tolist() == [1, 2, 0]
    fixed = arrow.array([b"bb", b"a\0", None, b"ba"], arrow.binary(2))
    assert ordosort.argsort_strings(fixed).tolist() == [1, 3, 0, 2]
    assert ordosort.argsort_strings(arrow.chunked_array([fixed, fixed])).tolist() == [1, 5, 3, 7, 0, 4, 2, 6]


def test_rows_of_strings_and_numbers():
    rows = [("b", 2), ("a", 3), ("b", 1), ("", 9), ("a", 3)]
    names, numbers = [r[0] for r in rows], np.array([r[1] for r in rows])
    wanted = sorted(range(5), key=rows.__getitem__)
    for column in (names, np.array(names), np.array(names, "S"), np.array(names, object)):
        assert ordosort.argsort_rows([column, numbers]).tolist() == wanted
    assert ordosort.sort_rows([names, numbers])[0] == [names[i] for i in wanted]
