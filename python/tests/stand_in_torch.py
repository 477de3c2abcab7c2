"""What the package uses of PyTorch's tensors on a CPU, over NumPy, for tests where there is no PyTorch."""

import types

import numpy as np


class Tensor:
    is_cuda = requires_grad = False
    device = "cpu"

    def __init__(self, a):
        self.a = a

    shape = property(lambda self: self.a.shape)
    dtype = property(lambda self: self.a.dtype.name)

    def detach(self):
        return self

    def clone(self, memory_format=None):
        return Tensor(self.a.copy())

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.a))

    def is_contiguous(self):
        return self.a.flags.c_contiguous

    def movedim(self, source, destination):
        return Tensor(np.moveaxis(self.a, source, destination))

    def reshape(self, *shape):
        return Tensor(self.a.reshape(*shape))

    def expand(self, shape):
        return Tensor(np.broadcast_to(self.a, shape))

    def data_ptr(self):
        return self.a.ctypes.data

    def element_size(self):
        return self.a.itemsize

    def tolist(self):
        return self.a.tolist()

    def __getitem__(self, index):
        return Tensor(self.a[index.a if isinstance(index, Tensor) else index])

    def __setitem__(self, index, value):
        self.a[index] = value.a

    def __array__(self, dtype=None, copy=None):
        return self.a

    def __len__(self):
        return len(self.a)

    def __dlpack__(self, **arguments):
        return self.a.__dlpack__()

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


Tensor.__module__ = "torch"


def module():
    torch = types.ModuleType("torch")
    torch.Tensor, torch.int64, torch.contiguous_format = Tensor, "int64", None
    torch.tensor = lambda values, dtype=None: Tensor(
        np.array(values, dtype or ("float32" if "." in str(values) or "nan" in str(values) else "int64"))
    )
    torch.empty = lambda shape, dtype, device=None: Tensor(np.empty(shape, dtype))
    torch.zeros = lambda shape, dtype, device=None: Tensor(np.zeros(shape, dtype))
    torch.full = lambda shape, value, dtype, device=None: Tensor(np.full(shape, value, dtype))
    torch.arange = lambda n, device=None: Tensor(np.arange(n))
    return torch
