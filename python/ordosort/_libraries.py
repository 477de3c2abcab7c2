"""What differs between the libraries of arrays: copies, ranges of numbers, streams."""

import sys

import numpy as np


class NumPy:
    """Arrays of NumPy, and everything that numpy.asarray accepts."""

    @staticmethod
    def copy(a):
        return a.copy() if type(a) is np.ndarray else np.array(a, order="C", copy=True)

    @staticmethod
    def contiguous(a):
        return np.ascontiguousarray(a)

    @staticmethod
    def is_contiguous(a):
        return a.flags.c_contiguous and a.flags.writeable

    @staticmethod
    def same_device(a, b):
        return True

    @staticmethod
    def move_axis(a, source, destination):
        return np.moveaxis(a, source, destination)

    @staticmethod
    def index(like):
        """An array of int64 with the shape of `like`."""
        return np.empty(like.shape, np.int64)

    @staticmethod
    def numbered(like):
        """The same, which counts from 0 along the last axis."""
        row = np.arange(like.shape[-1])
        return row if like.ndim == 1 else np.array(np.broadcast_to(row, like.shape), order="C")

    @staticmethod
    def results(like, shape):
        """Zeros of the type of `like`, and an array of int64 of the same shape that holds -1."""
        return np.zeros(shape, like.dtype), np.full(shape, -1, np.int64)

    @staticmethod
    def stream(a):
        return 0


class CuPy:
    """Arrays of CuPy."""

    @staticmethod
    def copy(a):
        copied = sys.modules["cupy"].empty(a.shape, a.dtype)
        copied[...] = a  # in less than half of the time that a.copy() takes
        return copied

    @staticmethod
    def contiguous(a):
        return sys.modules["cupy"].ascontiguousarray(a)

    @staticmethod
    def is_contiguous(a):
        return a.flags.c_contiguous

    @staticmethod
    def same_device(a, b):
        return a.device == b.device

    @staticmethod
    def move_axis(a, source, destination):
        return sys.modules["cupy"].moveaxis(a, source, destination)

    @staticmethod
    def index(like):
        cupy = sys.modules["cupy"]
        return cupy.empty(like.shape, cupy.int64)

    @staticmethod
    def numbered(like):
        cupy = sys.modules["cupy"]
        return cupy.array(cupy.broadcast_to(cupy.arange(like.shape[-1]), like.shape), order="C")

    @staticmethod
    def results(like, shape):
        cupy = sys.modules["cupy"]
        return cupy.zeros(shape, like.dtype), cupy.full(shape, -1, cupy.int64)

    @staticmethod
    def stream(a):
        return sys.modules["cupy"].cuda.get_current_stream().ptr or 1


class Torch:
    """Tensors of PyTorch, on a CPU or on a GPU."""

    @staticmethod
    def copy(a):
        torch = sys.modules["torch"]
        return a.detach().clone(memory_format=torch.contiguous_format)

    @staticmethod
    def contiguous(a):
        return a.detach().contiguous()

    @staticmethod
    def is_contiguous(a):
        return a.is_contiguous() and not a.requires_grad

    @staticmethod
    def same_device(a, b):
        return a.device == b.device

    @staticmethod
    def move_axis(a, source, destination):
        return a.movedim(source, destination)

    @staticmethod
    def index(like):
        torch = sys.modules["torch"]
        return torch.empty(tuple(like.shape), dtype=torch.int64, device=like.device)

    @staticmethod
    def numbered(like):
        torch = sys.modules["torch"]
        row = torch.arange(like.shape[-1], device=like.device)
        return row.expand(tuple(like.shape)).clone(memory_format=torch.contiguous_format)

    @staticmethod
    def results(like, shape):
        torch = sys.modules["torch"]
        index = torch.full(shape, -1, dtype=torch.int64, device=like.device)
        return torch.zeros(shape, dtype=like.dtype, device=like.device), index

    @staticmethod
    def stream(a):
        if not a.is_cuda:
            return 0
        return sys.modules["torch"].cuda.current_stream(a.device).cuda_stream or 1


class Jax:
    """Arrays of JAX. Results are new arrays, which nothing else refers to while they are written."""

    @staticmethod
    def copy(a):
        return sys.modules["jax"].numpy.array(a, copy=True).block_until_ready()

    @staticmethod
    def contiguous(a):
        return a.block_until_ready()

    @staticmethod
    def is_contiguous(a):
        return False  # arrays do not change

    @staticmethod
    def move_axis(a, source, destination):
        return sys.modules["jax"].numpy.moveaxis(a, source, destination)

    @staticmethod
    def index(like):
        return Jax.numbered(like)

    @staticmethod
    def numbered(like):
        jnp = sys.modules["jax"].numpy
        index = jnp.broadcast_to(jnp.arange(like.shape[-1]), like.shape)  # of 32 bits, unless JAX has 64-bit types
        return jnp.array(index, copy=True).block_until_ready()

    @staticmethod
    def results(like, shape):
        jnp = sys.modules["jax"].numpy
        return jnp.zeros(shape, like.dtype).block_until_ready(), jnp.full(shape, -1).block_until_ready()

    @staticmethod
    def stream(a):
        return 0  # JAX reads a finished array on streams of its own, which wait for nobody: the call waits


_libraries = {"cupy": CuPy, "torch": Torch, "jax": Jax, "jaxlib": Jax}


def library_of(a):
    """Returns the library of an array, and the array; anything that is not an array becomes one of NumPy."""
    if isinstance(a, np.ndarray):
        return NumPy, a
    library = _libraries.get(type(a).__module__.partition(".")[0])
    if library is not None:
        return library, a
    return NumPy, np.asarray(a)
