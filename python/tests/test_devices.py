"""Arrays of other libraries, and of a GPU where there is one."""

import numpy as np
import pytest

import ordosort


class Exported:
    """An array that speaks DLPack alone, as those of other libraries do."""

    def __init__(self, a):
        self.a = a
        self.shape = a.shape
        self.dtype = a.dtype

    def __dlpack__(self, **arguments):
        return self.a.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


class Interface:
    """An array in the memory of the first GPU, with __cuda_array_interface__ alone. The pointer is that of the host, so that it
    can be described, but not sorted."""

    def __init__(self, a, **changes):
        self.__cuda_array_interface__ = {
            "shape": a.shape,
            "typestr": a.dtype.str,
            "data": (a.ctypes.data, False),
            "version": 3,
            **changes,
        }


def test_dlpack():
    from ordosort import _ordosort as core

    machine = ordosort.default_machine()
    keys = np.random.default_rng(0).random(1000)
    expected = np.sort(keys)
    core.sort(machine, Exported(keys), 1000, 0, 0)
    np.testing.assert_array_equal(keys, expected)
    index = np.empty(1000, np.int64)
    core.argsort(machine, Exported(keys[::-1].copy()), Exported(index), 1000, 0, 0)
    np.testing.assert_array_equal(index, np.arange(1000)[::-1])
    with pytest.raises(ValueError):
        core.sort(machine, Exported(keys[::2]), 500, 0, 0)


@pytest.mark.skipif(bool(ordosort.gpus()), reason="there is a GPU, which would read the host's memory")
def test_interface():
    from ordosort import _ordosort as core

    keys = np.arange(10.0)
    cpu = ordosort.Machine("cpu")
    for wrong in [
        Interface(keys),  # on a GPU
        Interface(keys, data=(keys.ctypes.data, True)),
        Interface(keys, typestr=">f8"),
        Interface(keys, strides=(16,)),
    ]:
        with pytest.raises((ValueError, TypeError)):
            core.sort(cpu, wrong, 10, 0, 0)


def test_torch():
    torch = pytest.importorskip("torch")
    keys = torch.rand(500)
    result = ordosort.sort(keys)
    assert isinstance(result, torch.Tensor)
    assert torch.equal(result, torch.sort(keys).values)
    assert torch.equal(ordosort.argsort(keys), torch.argsort(keys, stable=True))
    rows = torch.rand(20, 30)
    for axis in [0, 1]:
        assert torch.equal(ordosort.sort(rows, axis=axis), torch.sort(rows, dim=axis).values)
    half = torch.rand(100).to(torch.bfloat16)
    assert torch.equal(ordosort.sort(half), torch.sort(half).values)
    sorted_keys, moved = ordosort.segmented_sort(keys, torch.tensor([0, 100, 500]), torch.arange(500))
    assert torch.equal(keys[moved], sorted_keys)


def test_jax():
    jax = pytest.importorskip("jax")
    keys = jax.numpy.asarray(np.random.default_rng(0).random(500, np.float32))
    before = np.array(keys)
    result = ordosort.sort(keys)
    assert isinstance(result, jax.Array)
    np.testing.assert_array_equal(np.asarray(result), np.sort(before))
    np.testing.assert_array_equal(np.asarray(keys), before)
    np.testing.assert_array_equal(np.asarray(ordosort.argsort(keys)), np.argsort(before, kind="stable"))


def gpu_library():
    if not (ordosort.gpus() and ordosort.built_with_cuda):
        pytest.skip("no GPU")
    return pytest.importorskip("cupy")


def test_cupy():
    cupy = gpu_library()
    random = np.random.default_rng(0)
    for dtype in [np.float32, np.int64, np.uint16]:
        host = (random.random((50, 200)) * 1000).astype(dtype)
        keys = cupy.asarray(host)
        for axis in [0, 1, None]:
            result = ordosort.sort(keys, axis=axis)
            assert isinstance(result, cupy.ndarray)
            np.testing.assert_array_equal(result.get(), np.sort(host, axis=axis))
            np.testing.assert_array_equal(ordosort.argsort(keys, axis=axis).get(), np.argsort(host, axis=axis, kind="stable"))
    keys = cupy.random.random(10000, dtype=cupy.float32)
    offsets = cupy.asarray([0, 100, 5000, 10000])
    with cupy.cuda.Stream(non_blocking=True) as stream:
        values = cupy.arange(10000)
        result, moved = ordosort.segmented_sort(keys, offsets, values)
        assert bool((keys[moved] == result).all())
        stream.synchronize()
    with pytest.raises(ValueError):
        ordosort.sort(keys, machine=ordosort.Machine("cpu"))


def test_torch_on_gpu():
    gpu_library()
    torch = pytest.importorskip("torch")
    keys = torch.rand(1000, device="cuda")
    assert torch.equal(ordosort.sort(keys), torch.sort(keys).values)
    assert torch.equal(ordosort.argsort(keys), torch.argsort(keys, stable=True))
