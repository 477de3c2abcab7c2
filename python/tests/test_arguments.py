"""Arrays of every layout, and arguments of the wrong kind."""

import importlib
import sys

import numpy as np
import pytest
import stand_in_torch

import ordosort
from ordosort import spectra


class Sub(np.ndarray):
    pass


def unaligned(a):
    moved = np.frombuffer(b"x" + a.tobytes(), a.dtype, offset=1).reshape(a.shape)
    assert not moved.flags.aligned or a.dtype.itemsize == 1 or a.size == 0
    return moved


def field(a):
    record = np.zeros(a.shape, [("pad", "u1"), ("x", a.dtype)])
    record["x"] = a
    return record["x"]


LAYOUTS = {
    "unaligned": unaligned,
    "field of a record": field,
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "big-endian and unaligned": lambda a: unaligned(a.astype(a.dtype.newbyteorder(">"))),
    "backwards": lambda a: a[..., ::-1].copy()[..., ::-1],
    "every second": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "subclass": lambda a: a.view(Sub),
    "in Fortran's order": np.asfortranarray,
    "list": lambda a: a.tolist(),
    "memoryview": memoryview,
    "masked": np.ma.array,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["int64", "float32", "uint16"])
def test_every_call_takes_every_layout(layout, dtype):
    make = LAYOUTS[layout]
    plain = (np.random.default_rng(5).random(60) * 20).astype(dtype)
    if layout in ("list",):
        plain = plain.astype("int64" if dtype != "float32" else "float64")
    keys, offsets = make(plain), make(np.array([0, 20, 20, 60]))
    order = np.argsort(plain, kind="stable")

    def same(a, b):
        np.testing.assert_array_equal(np.asarray(a), b)

    same(ordosort.sort(keys), np.sort(plain))
    same(ordosort.argsort(keys), order)
    same(ordosort.sort(keys, axis=None), np.sort(plain))
    square = make(plain.reshape(6, 10))
    for axis in (0, 1):
        same(ordosort.sort(square, axis), np.sort(plain.reshape(6, 10), axis))
        same(ordosort.argsort(square, axis), np.argsort(plain.reshape(6, 10), axis, kind="stable"))
        same(
            ordosort.top_k(square, 3, axis, largest=False)[1],
            np.argsort(plain.reshape(6, 10), axis, kind="stable").take(range(3), axis),
        )
    sorted_keys, values = ordosort.sort_pairs(keys, make(np.arange(60)))
    same(sorted_keys, plain[order])
    same(values, order)
    parts = np.concatenate([order[order < 20], order[order >= 20]])
    same(ordosort.segmented_argsort(keys, offsets), parts)
    same(ordosort.segmented_sort(keys, offsets), plain[parts])
    same(ordosort.segmented_sort(keys, make(np.array([0, 20])), ends=make(np.array([20, 60]))), plain[parts])
    same(ordosort.segmented_sort(keys, offsets, keys)[1], plain[parts])
    same(ordosort.segmented_top_k(keys, offsets, 2, largest=False)[1][[0, 2]], [parts[:2], parts[20:22]])
    same(ordosort.top_k(keys, 7, largest=False)[1], order[:7])
    same(ordosort.argsort_rows([keys, make(np.arange(60))]), order)
    same(ordosort.sort_rows([keys])[0], plain[order])
    same(np.concatenate(ordosort.sort_shares([keys, keys])), np.sort(np.concatenate([plain, plain])))
    if dtype == "float32" and layout != "list":
        mz, intensity = spectra.sort(keys, keys, offsets)
        same(mz, plain[parts])
        kept = spectra.select(
            keys, keys, offsets, top=60, precursor_mz=make(np.ones(3)), charge=make(np.ones(3, "int32"))
        )
        same(kept[0], plain)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1,), (1, 1)])
def test_small_shapes(shape):
    for a in (np.zeros(shape), np.ma.zeros(shape)):
        assert ordosort.sort(a).shape == shape
        assert ordosort.argsort(a).shape == shape
        assert ordosort.top_k(a, 0)[0].shape == (*shape[:-1], 0)


def test_arrays_without_dimensions_have_no_axis():
    for a in (np.array(3), np.ma.array(3), 3):
        with pytest.raises(ValueError):
            ordosort.sort(a)
        assert ordosort.sort(a, axis=None).tolist() == [3]


def test_flags_of_numpy():
    a, b = np.array([1, 0, 1]), np.array([5, 6, 7])
    for flag in (np.True_, np.array(True), True, 1):
        assert ordosort.argsort_rows([a, b], descending=flag).tolist() == [2, 0, 1]
        assert ordosort.argsort(b, descending=flag).tolist() == [2, 1, 0]
        assert ordosort.argsort_strings(["a", "b"], descending=flag).tolist() == [1, 0]
        assert ordosort.segmented_argsort(b, [0, 3], descending=flag).tolist() == [2, 1, 0]
        np.testing.assert_array_equal(spectra.sort([1.0, 2.0], [1.0, 2.0], [0, 2], descending=flag)[0], [2.0, 1.0])
    for flags in (np.array([True, False]), (True, False), (f for f in [True, False])):
        assert ordosort.argsort_rows([a, b], descending=flags).tolist() == [0, 2, 1]
    assert ordosort.top_k(b, np.int8(1), largest=np.False_)[1].tolist() == [0]


@pytest.mark.parametrize("machine", [0, False, "", "cpu", [], ordosort.Machine])
def test_machines_of_another_kind_are_refused(machine):
    a = np.array([2.0, 1.0])
    calls = [
        lambda: ordosort.sort(a, machine=machine),
        lambda: ordosort.sort(np.ma.array(a), machine=machine),
        lambda: ordosort.argsort(a, machine=machine),
        lambda: ordosort.argsort([[2, 1]], machine=machine),
        lambda: ordosort.sort_pairs(a, a, machine=machine),
        lambda: ordosort.segmented_sort(a, [0, 2], machine=machine),
        lambda: ordosort.segmented_argsort(a, [0, 2], machine=machine),
        lambda: ordosort.top_k(a, 1, machine=machine),
        lambda: ordosort.segmented_top_k(a, [0, 2], 1, machine=machine),
        lambda: ordosort.argsort_rows([a], machine=machine),
        lambda: ordosort.sort_rows([a], machine=machine),
        lambda: ordosort.sort_strings(["b", "a"], machine=machine),
        lambda: ordosort.suffix_array("ab", machine=machine),
        lambda: ordosort.sort_shares([a], machine=machine),
        lambda: spectra.sort(a, a, [0, 2], machine=machine),
        lambda: spectra.select(a, a, [0, 2], top=1, machine=machine),
        lambda: spectra.read_mgf(b"", machine=machine),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="machine: .* where an ordosort.Machine is expected"):
            call()


def test_iterators():
    assert ordosort.sort_strings(s for s in ["b", "a"]) == ["a", "b"]
    assert ordosort.sort_strings(map(str, [2, 1])) == ["1", "2"]
    assert ordosort.sort_strings({"b": 1, "a": 2}) == ["a", "b"]
    assert ordosort.sort_strings({"b": 1, "a": 2}.keys()) == ["a", "b"]
    assert ordosort.argsort_strings(iter(["b", "a"])).tolist() == [1, 0]
    assert ordosort.sort_strings(iter([])) == []
    parts, values = ordosort.sort_shares((x for x in [[3, 1], [2]]), ([x] * n for x, n in [(7, 2), (8, 1)]))
    assert [part.tolist() for part in parts] == [[1, 2], [3]] and [v.tolist() for v in values] == [[7, 8], [7]]
    for wrong in (x for x in [1]), {1: 2}, None, object():
        with pytest.raises(TypeError):
            ordosort.sort(wrong, axis=None)


def test_outputs_of_another_library():
    a = np.array([2.0, 1.0])
    for wrong in ([0.0, 0.0], memoryview(np.zeros(2)), object()):
        with pytest.raises(TypeError, match="out: "):
            ordosort.sort(a, out=wrong)
        with pytest.raises(TypeError, match="out: "):
            ordosort.argsort(a, out=wrong)
    out = unaligned(np.zeros(2)).copy()
    assert ordosort.sort(a, out=out) is out and out.tolist() == [1.0, 2.0]
    room = np.zeros(17, np.uint8)
    out = room[1:].view(np.float64)  # unaligned, and may be written
    assert ordosort.sort(a, out=out) is out and out.tolist() == [1.0, 2.0]
    assert ordosort.sort(out, out=out, descending=True) is out and out.tolist() == [2.0, 1.0]


@pytest.fixture
def torch(monkeypatch):
    """PyTorch, or a stand-in for it."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        monkeypatch.setitem(sys.modules, "torch", stand_in_torch.module())
        return sys.modules["torch"]


def test_keys_and_values_of_two_libraries(torch):
    keys, values = torch.tensor([3.0, 1.0, 2.0]), np.array([7, 8, 9])
    sorted_keys, moved = ordosort.sort_pairs(keys, values)
    assert isinstance(sorted_keys, torch.Tensor) and isinstance(moved, np.ndarray)
    assert (sorted_keys.tolist(), moved.tolist()) == ([1.0, 2.0, 3.0], [8, 9, 7])
    moved, sorted_keys = ordosort.sort_pairs(values, keys, descending=True)
    assert isinstance(sorted_keys, torch.Tensor) and sorted_keys.tolist() == [2.0, 1.0, 3.0]
    assert ordosort.segmented_sort(keys, [0, 3], [7, 8, 9])[1].tolist() == [8, 9, 7]
    assert ordosort.segmented_sort(np.array([3, 1, 2]), torch.tensor([0, 3]), keys)[1].tolist() == [1.0, 2.0, 3.0]
    assert ordosort.argsort_rows([keys, values]).tolist() == [1, 2, 0]
    assert ordosort.argsort_rows([values, keys], descending=True).tolist() == [2, 1, 0]
    assert [column.tolist() for column in ordosort.sort_rows([keys, values])] == [[1.0, 2.0, 3.0], [8, 9, 7]]
    parts, moved = ordosort.sort_shares([keys], [values])
    assert moved[0].tolist() == [8, 9, 7]
    mz, intensity = spectra.sort(keys, np.array([1.0, 2.0, 3.0]), [0, 3])
    assert mz.tolist() == [1.0, 2.0, 3.0] and intensity.tolist() == [2.0, 3.0, 1.0]
    keys, moved = ordosort.sort_pairs(np.ma.array([3, 1, 2], mask=[0, 1, 0]), keys)
    assert keys.tolist() == [2, 3, None] and moved.tolist() == [2.0, 3.0, 1.0]
    with pytest.raises(TypeError, match="out: "):
        ordosort.sort(torch.tensor([2, 1]), out=np.zeros(2, np.int64))
    with pytest.raises(TypeError, match="out: "):
        ordosort.sort(np.array([2, 1]), out=torch.zeros(2, dtype=torch.int64))
    negative = torch.tensor([1.0, -float("nan"), 5.0, float("nan")])
    for largest in (True, False):
        assert ordosort.top_k(negative, 4, largest=largest)[1].tolist() == ([1, 3, 2, 0] if largest else [0, 2, 1, 3])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_nan_is_the_greatest_of_top_k(dtype):
    with np.errstate(all="ignore"):
        computed = np.array([1, 0, 5, 0], dtype) / np.array([1, 0, 1, -0.0], dtype)
    for a in (computed, -computed, np.array([1, np.nan, 5, -np.nan], dtype)):
        assert ordosort.top_k(np.abs(a), 4)[1].tolist() == [1, 3, 2, 0]
        assert ordosort.top_k(np.copysign(np.abs(a), [1, -1, 1, 1]).astype(dtype), 4)[1].tolist() == [1, 3, 2, 0]
        assert ordosort.top_k(np.copysign(np.abs(a), [1, 1, 1, -1]).astype(dtype), 4, largest=False)[1].tolist() == [
            0,
            2,
            1,
            3,
        ]
    random = np.random.default_rng(6)
    a = random.integers(-5, 5, (40, 3000)).astype(dtype)
    a[random.random(a.shape) < 0.01] = np.nan
    a[random.random(a.shape) < 0.01] = -np.nan
    a[random.random(a.shape) < 0.01] = -0.0
    order = np.argsort(a, kind="stable")
    for k in (1, 10, 2990, 3000):
        np.testing.assert_array_equal(ordosort.top_k(a, k, largest=False)[1], order[:, :k])
        np.testing.assert_array_equal(ordosort.top_k(a[0], k, largest=False)[1], order[0, :k])
        best, index = ordosort.top_k(a, k)
        greatest = np.argsort(np.where(np.isnan(a), -np.inf, -a), kind="stable")[:, :k]
        np.testing.assert_array_equal(index, greatest)
        np.testing.assert_array_equal(best, np.take_along_axis(a, greatest, 1))
        offsets = np.arange(41) * 3000
        np.testing.assert_array_equal(
            ordosort.segmented_top_k(a.reshape(-1), offsets, k)[1] - offsets[:-1, None], greatest
        )
