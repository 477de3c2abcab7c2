"""Random columns beside NumPy and pyarrow. `python test_random.py SEED CASES` runs more cases; 5,000 take a minute."""

import decimal
import sys
import warnings

import numpy as np
import pytest

import ordosort

NUMBERS = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
DATES = ["M8[D]", "M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "m8[ns]"]
LETTERS = ["ab", "a\0b", "aé\u6f22\U0001f600", "abcdefghijklmnopqrstuvwxyz", "/x"]


def numbers(random, dtype, n):
    """Returns n items with many ties, at the ends of the type and, of floating-point numbers and dates, with NaNs and NaT."""
    dtype = np.dtype(dtype)
    narrow = random.random() < 0.6
    if dtype.kind == "b":
        return random.random(n) < 0.5
    if dtype.kind == "f":
        a = (random.integers(-3, 4, n) if narrow else random.normal(size=n) * 100).astype(dtype)
        a[random.random(n) < 0.1] = random.choice([np.nan, np.inf, -np.inf, -0.0])
        return a
    if dtype.kind in "Mm":
        a = random.integers(-3, 4, n) if narrow else random.integers(-(2**40), 2**40, n)
        a = a.view(dtype)
        a[random.random(n) < 0.1] = "NaT"
        return a
    limits = np.iinfo(dtype)
    low, high = (max(limits.min, -3), 4) if narrow else (limits.min, limits.max)
    return random.integers(low, high, n, dtype=dtype, endpoint=True)


def words(random, n):
    letters, longest = list(random.choice(LETTERS)), random.choice([3, 9, 40])
    prefix = random.choice(["", "https://example.org/", "x" * 30])
    return [prefix + "".join(random.choice(letters, random.integers(0, longest))) for _ in range(n)]


def length(random):
    return int(random.choice([0, 1, 2, 7, 100, 700, 1500, 3000], p=[0.05, 0.05, 0.1, 0.25, 0.3, 0.15, 0.05, 0.05]))


def check_numpy(random):
    """Sorts NumPy arrays of one and two dimensions, ascending and descending."""
    n = length(random)
    a = numbers(random, random.choice(NUMBERS + DATES), n)
    if n % 10 == 0 and random.random() < 0.5:
        a = a.reshape(-1, 10) if random.random() < 0.5 else a.reshape(10, -1).T
    axis = random.choice([-1, 0, None]) if a.ndim > 1 else -1
    np.testing.assert_array_equal(ordosort.sort(a, axis), np.sort(a, axis, kind="stable"))
    np.testing.assert_array_equal(ordosort.argsort(a, axis), np.argsort(a, axis, kind="stable"))
    flat = np.ascontiguousarray(a).reshape(-1)
    falling, last = ordosort.argsort(flat, descending=True), np.isnan(flat) if flat.dtype.kind == "f" else None
    if flat.dtype.kind in "Mm":
        last = np.isnat(flat)
    order = np.arange(n) if last is None else np.concatenate([np.flatnonzero(~last), np.flatnonzero(last)])
    present = n if last is None else n - int(last.sum())
    codes = np.unique(flat[order[:present]], return_inverse=True)[1].reshape(-1).astype(np.int64)
    np.testing.assert_array_equal(falling[:present], order[np.argsort(-codes, kind="stable")])
    np.testing.assert_array_equal(falling[present:], order[present:])
    if n != 0:
        kth = random.integers(-n, n, random.integers(1, 4))
        for parted in (ordosort.partition(flat, kth), flat[ordosort.argpartition(flat, kth)]):
            np.testing.assert_array_equal(parted[kth], np.sort(flat, kind="stable")[kth])
            np.testing.assert_array_equal(np.sort(parted, kind="stable"), np.sort(flat, kind="stable"))
    values = numbers(random, random.choice(NUMBERS + DATES), n)
    moved = ordosort.sort_pairs(flat, values)[1]
    np.testing.assert_array_equal(moved, values[np.argsort(flat, kind="stable")])


def as_arrow(random, arrow, a, valid):
    """Returns an array of pyarrow: whole, sliced, or in chunks."""
    before = random.integers(0, 20)
    column = arrow.array(np.concatenate([a[:0].repeat(0), np.resize(a, before) if len(a) else a, a]), from_pandas=False)
    mask = np.concatenate([np.zeros(len(column) - len(a), np.bool_), ~valid])
    column = arrow.array(column.to_numpy(zero_copy_only=False), type=column.type, mask=mask, from_pandas=False)
    column = column.slice(len(column) - len(a))
    if random.random() < 0.3:
        cut = random.integers(0, len(a) + 1)
        column = arrow.chunked_array([column.slice(0, cut), column.slice(cut)], column.type)
    return column


def column_of(random, arrow, n):
    """Returns a column of pyarrow with nulls: numbers, dates, strings or categories."""
    valid = random.random(n) >= random.choice([0, 0.1, 0.5, 1])
    kind = random.choice(["numbers", "dates", "strings", "categories", "decimals"], p=[0.35, 0.2, 0.25, 0.1, 0.1])
    if kind in ("numbers", "dates"):
        dtype = random.choice(NUMBERS if kind == "numbers" else [d for d in DATES if d != "M8[D]"])
        a = numbers(random, dtype, n)
        if kind == "dates":
            a[np.isnat(a)] = 7
        return as_arrow(random, arrow, a, valid)
    if kind == "decimals":
        bits = random.choice([128, 256])
        few = [int(x) * 10 ** int(random.choice([0, 20, 30])) for x in random.integers(-4, 5, n)]
        items = [decimal.Decimal(x).scaleb(-2) if v else None for x, v in zip(few, valid)]
        return arrow.array(items, arrow.decimal128(38, 2) if bits == 128 else arrow.decimal256(50, 2))
    items = [s if v else None for s, v in zip(words(random, n), valid)]
    kinds = [arrow.string(), arrow.large_string(), arrow.string_view(), arrow.binary()]
    column = arrow.array(items, kinds[random.integers(0, 4)])
    if kind == "categories":
        return arrow.array(items, arrow.string()).dictionary_encode()
    return column.slice(random.integers(0, n + 1) // 8) if n else column


def plain(arrow, column):
    """Returns the column with a type that pyarrow itself sorts."""
    kind = column.type
    if arrow.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if kind == arrow.string_view():
        return column.cast(arrow.large_string())
    return column.cast(arrow.float32()) if kind == arrow.float16() else column


def check_arrow(random, arrow):
    """A table of one to three columns beside pyarrow's sort, with nulls at either end, and each column by itself."""
    from pyarrow import compute

    columns = [column_of(random, arrow, length(random)) for _ in range(random.integers(1, 4))]
    n = min(map(len, columns))
    columns = [column.slice(0, n) for column in columns]
    falls = [bool(random.random() < 0.4) for _ in columns]
    first = bool(random.random() < 0.4)
    nan_order = "first" if first else "last"  # as pyarrow has it
    names = [str(k) for k in range(len(columns))]
    table = arrow.table([plain(arrow, column) for column in columns], names)
    keys = [(name, "descending" if falling else "ascending") for name, falling in zip(names, falls)]
    wanted = table.append_column("row", arrow.array(np.arange(n)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pyarrow 25 has another way to say it, which older versions lack
        wanted = compute.sort_indices(
            wanted, sort_keys=[*keys, ("row", "ascending")], null_placement="at_start" if first else "at_end"
        ).to_numpy()
    given = arrow.table(columns, names) if random.random() < 0.5 else columns
    ours = ordosort.argsort_rows(given, descending=falls, nulls_first=first, nan_order=nan_order)
    np.testing.assert_array_equal(ours, wanted)
    column, falling = columns[0], falls[0]
    alone = ordosort.argsort_rows([column], descending=falling)
    if arrow.types.is_dictionary(column.type) or arrow.types.is_decimal(column.type):
        np.testing.assert_array_equal(ordosort.argsort(column, descending=falling), alone)
        assert ordosort.sort(column, descending=falling).to_pylist() == column.take(alone).to_pylist()
    elif is_string(arrow, column.type):
        np.testing.assert_array_equal(ordosort.argsort_strings(column, descending=falling), alone)
        taken = ordosort.sort_strings(column, descending=falling)
        items = column.to_pylist()
        assert taken.type == column.type and taken.to_pylist() == [items[i] for i in alone.tolist()]
    else:
        np.testing.assert_array_equal(ordosort.argsort(column, descending=falling), alone)
        result = ordosort.sort(column, descending=falling)
        mask, valid = np.ma.getmaskarray(result), ~column.is_null().to_numpy(zero_copy_only=False)
        assert not mask[: int(valid.sum())].any() and mask[int(valid.sum()) :].all()


def is_string(arrow, kind):
    return any(test(kind) for test in (arrow.types.is_string, arrow.types.is_large_string, arrow.types.is_binary)) or (
        kind == arrow.string_view()
    )


def check_strings(random):
    """Strings of Python and NumPy beside `sorted` and numpy.sort."""
    items = words(random, length(random))
    falling = bool(random.random() < 0.4)
    wanted = sorted(range(len(items)), key=items.__getitem__, reverse=falling)
    assert ordosort.argsort_strings(items, descending=falling).tolist() == wanted
    assert ordosort.sort_strings(items, descending=falling) == [items[i] for i in wanted]
    array = np.array(items, "U") if random.random() < 0.5 else np.array([s.encode() for s in items], "S")
    index = ordosort.argsort_strings(array)
    np.testing.assert_array_equal(index, np.argsort(array, kind="stable"))
    np.testing.assert_array_equal(ordosort.sort_strings(array), array[index])
    fields = np.zeros(len(items), [("s", array.dtype), ("d", "M8[D]"), ("x", "i2")])
    fields["s"], fields["d"] = array, numbers(random, "M8[D]", len(items))
    fields["d"][np.isnat(fields["d"])] = 0
    fields["x"] = numbers(random, "i2", len(items))
    order = [None, "d", ["x", "s"]][random.integers(0, 3)]
    np.testing.assert_array_equal(ordosort.argsort(fields, order=order), np.argsort(fields, order=order, kind="stable"))


def run(seed, cases, arrow):
    for case in range(cases):
        random = np.random.default_rng([seed, case])
        try:
            check = case % 3
            if check == 0:
                check_numpy(random)
            elif check == 1 and arrow is not None:
                check_arrow(random, arrow)
            else:
                check_strings(random)
        except Exception as error:
            raise AssertionError(f"seed {seed}, case {case}: {error}") from error


def test_random_columns():
    try:
        import pyarrow
    except ImportError:
        pyarrow = None
    run(1, 150, pyarrow)


if __name__ == "__main__":
    run(int(sys.argv[1]), int(sys.argv[2]), pytest.importorskip("pyarrow"))
    print(f"{sys.argv[2]} cases: no difference")
