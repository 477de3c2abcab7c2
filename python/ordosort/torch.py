"""Sorts as operators of PyTorch: inside ``torch.compile``, ``torch.func`` and CUDA graphs, with gradients, on CPUs and GPUs.

The order is that of ``torch.sort(stable=True)``: every NaN is greater than all numbers, so that NaNs come last in ascending and
first in descending order, and -0.0 equals 0.0. Keys are bools, integers and floating-point numbers of 8 to 64 bits; positions
are int64. On a CPU the operators use as many threads as ``torch.get_num_threads()`` says; on a GPU they queue work on the
current stream, with temporary memory of PyTorch.

The first import compiles the operators for this PyTorch with the C++ compiler of the system, in some seconds, into the folder
``ordosort`` of the user's cache. Without a compiler, and on GPUs, they are Python's, and a call takes some microseconds more.

>>> import torch, ordosort.torch
>>> ordosort.torch.sort(torch.tensor([3.0, 1.0, 2.0])).indices
tensor([1, 2, 0])
"""

import ctypes
import pathlib
import warnings
from typing import NamedTuple

import torch

from . import _native
from . import _ordosort as core

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"ordosort.torch: PyTorch {torch.__version__}: 2.5 or newer is needed")

__all__ = ["Sorted", "argsort", "segmented_argsort", "segmented_sort", "segmented_top_k", "sort", "top_k"]

_TYPES = {  # the numbers of ordo_type
    torch.int8: 1,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.uint8: 5,
    torch.bool: 5,
    torch.uint16: 6,
    torch.uint32: 7,
    torch.uint64: 8,
    torch.float16: 9,
    torch.bfloat16: 10,
    torch.float32: 11,
    torch.float64: 12,
}
_OFFSETS = (torch.int32, torch.int64, torch.uint32, torch.uint64)


class Sorted(NamedTuple):
    """Sorted items, and their positions before the sort."""

    values: torch.Tensor
    indices: torch.Tensor


# The operators. Keys have any leading dimensions, and their last one is sorted; positions count from the begin of the row. Each
# has a kernel, here and in native/torch_kernels.cpp, and a function that torch.compile calls for the shape of the result.


def _check_keys(keys):
    if keys.dtype not in _TYPES:
        raise TypeError(f"{keys.dtype}: keys are bools, integers and floating-point numbers of 8 to 64 bits")


def _check_k(keys, k):
    _check_keys(keys)
    if keys.dim() == 0:
        raise ValueError("keys: no dimensions, where at least one is expected")
    # By a check that torch.compile can leave to the run, where a size depends on data.
    torch._check_value(k >= 0, lambda: f"k: {k}")
    torch._check_value(k <= keys.shape[-1], lambda: f"k: {k} of {keys.shape[-1]} items")


def _check_segments(keys, offsets, k=0):
    _check_keys(keys)
    if keys.dim() == 0 or offsets.dim() != keys.dim() or offsets.shape[:-1] != keys.shape[:-1]:
        raise ValueError(f"offsets: shape {tuple(offsets.shape)}, where the keys have {tuple(keys.shape)}")
    if offsets.shape[-1] == 0:
        raise ValueError("offsets: none, where there is one more than segments")
    if offsets.dtype not in _OFFSETS:
        raise TypeError(f"offsets: {offsets.dtype}, where integers of 32 or 64 bits are expected")
    if offsets.device != keys.device:
        raise ValueError(f"offsets: on {offsets.device}, where the keys are on {keys.device}")
    if k < 0:
        raise ValueError(f"k: {k}")


def _place(keys):
    """Returns where a sort of the keys works. On a GPU its temporary memory is tensors, which PyTorch frees in the order of the
    stream when the place is no longer used."""
    if not keys.is_cuda:
        return core.Place(-1, 0, torch.get_num_threads(), None)
    blocks = []

    def allocate(size):
        blocks.append(torch.empty(size, dtype=torch.uint8, device=keys.device))
        return blocks[-1].data_ptr()

    return core.Place(keys.device.index, torch.cuda.current_stream(keys.device).cuda_stream, 0, allocate)


def _plain(a):
    """Returns a tensor as one array that is aligned to its items."""
    a = a.contiguous()
    return a if a.data_ptr() % a.element_size() == 0 else a.clone()


def _shape(keys):
    """Returns the number of rows and their length."""
    length = keys.shape[-1] if keys.dim() else 1
    return keys.numel() // length if length else 0, length


def _positions(keys):
    return torch.empty_like(keys, dtype=torch.int64, memory_format=torch.contiguous_format)


def _argsort(keys, descending=False):
    _check_keys(keys)
    index = _positions(keys)
    if index.numel():
        keys = _plain(keys)
        _place(keys).argsort(_TYPES[keys.dtype], keys.data_ptr(), index.data_ptr(), *_shape(keys), descending)
    return index


def _fake_argsort(keys, descending=False):
    _check_keys(keys)
    return _positions(keys)


def _top_k(keys, k, largest=True):
    _check_k(keys, k)
    index = keys.new_empty((*keys.shape[:-1], k), dtype=torch.int64)
    if index.numel():
        keys = _plain(keys)
        _place(keys).top_k(_TYPES[keys.dtype], keys.data_ptr(), index.data_ptr(), *_shape(keys), k, largest)
    return index


def _fake_top_k(keys, k, largest=True):
    _check_k(keys, k)
    return keys.new_empty((*keys.shape[:-1], k), dtype=torch.int64)


def _segments(keys, offsets):
    """Returns the arguments of a segmented call before and after the result."""
    rows = offsets.numel() // offsets.shape[-1]
    arrays = (_TYPES[keys.dtype], keys.data_ptr(), _TYPES[offsets.dtype], offsets.data_ptr())
    return arrays, (rows, keys.shape[-1], offsets.shape[-1] - 1)


def _segmented_argsort(keys, offsets, descending=False):
    _check_segments(keys, offsets)
    index = _positions(keys)
    keys, offsets = _plain(keys), _plain(offsets)
    arrays, shape = _segments(keys, offsets)
    _place(keys).segmented_argsort(*arrays, index.data_ptr(), *shape, descending)
    return index


def _fake_segmented_argsort(keys, offsets, descending=False):
    _check_segments(keys, offsets)
    return _positions(keys)


def _segmented_top_k(keys, offsets, k, largest=True):
    _check_segments(keys, offsets, k)
    index = keys.new_full((*offsets.shape[:-1], offsets.shape[-1] - 1, k), -1, dtype=torch.int64)
    keys, offsets = _plain(keys), _plain(offsets)
    arrays, shape = _segments(keys, offsets)
    _place(keys).segmented_top_k(*arrays, index.data_ptr(), *shape, k, largest)
    return index


def _fake_segmented_top_k(keys, offsets, k, largest=True):
    _check_segments(keys, offsets, k)
    return keys.new_empty((*offsets.shape[:-1], offsets.shape[-1] - 1, k), dtype=torch.int64)


def _batch(info, a, dim):
    return a.unsqueeze(0).expand(info.batch_size, *a.shape) if dim is None else a.movedim(dim, 0)


def _vmap_rows(operator, info, dims, keys, *rest):
    keys = _batch(info, keys, dims[0])
    if keys.dim() == 1:  # scalars would become a row
        return operator(keys.unsqueeze(-1), *rest).squeeze(-1), 0
    return operator(keys, *rest), 0


def _vmap_segments(operator, info, dims, keys, offsets, *rest):
    return operator(_batch(info, keys, dims[0]), _batch(info, offsets, dims[1]), *rest), 0


_library = torch.library.Library("ordosort", "DEF")


_kernels = {}


def _define(name, arguments, kernel, fake, vmap):
    _library.define(f"{name}({arguments}) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))
    _kernels[name] = kernel
    torch.library.register_fake(f"ordosort::{name}", fake, lib=_library)
    operator = getattr(torch.ops.ordosort, name).default

    def rule(info, dims, *given):
        return vmap(operator, info, dims, *given)

    torch.library.register_vmap(f"ordosort::{name}", rule, lib=_library)


_define("argsort", "Tensor keys, bool descending=False", _argsort, _fake_argsort, _vmap_rows)
_define("top_k", "Tensor keys, SymInt k, bool largest=True", _top_k, _fake_top_k, _vmap_rows)
_define(
    "segmented_argsort",
    "Tensor keys, Tensor offsets, bool descending=False",
    _segmented_argsort,
    _fake_segmented_argsort,
    _vmap_segments,
)
_define(
    "segmented_top_k",
    "Tensor keys, Tensor offsets, SymInt k, bool largest=True",
    _segmented_top_k,
    _fake_segmented_top_k,
    _vmap_segments,
)


def _stream_function(folder):
    """Returns the address of PyTorch's function for the current stream of a GPU, or None if this PyTorch has no GPUs or not the
    function: then only the kernels of CPUs are compiled."""
    path = folder / "libtorch_cuda.so"
    if not path.exists():
        return None
    function = getattr(ctypes.CDLL(str(path)), "aoti_torch_get_current_cuda_stream", None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p)


def _register_compiled():
    """Registers compiled kernels. Returns the devices that have them now."""
    folder = pathlib.Path(torch.__file__).parent
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    links = (abi, f"-L{folder / 'lib'}", "-ltorch_cpu", "-lc10")
    path = _native.library("torch_kernels.cpp", f"torch-{torch.__version__}", str(folder / "include"), links, 20)
    streams = _stream_function(folder / "lib")
    if ctypes.CDLL(str(path)).ordosort_register(ctypes.c_void_p(core.calls()), streams) != 0:
        raise RuntimeError("ordosort: the compiled kernels of PyTorch are of another version")
    return ("CPU",) if streams is None else ("CPU", "CUDA")


def _register():
    """Registers a kernel of each operator for each device: compiled ones if there is a compiler."""
    compiled = ()
    try:
        compiled = _register_compiled()
    except (RuntimeError, OSError, AttributeError) as error:
        if _native.has_compiler():
            warnings.warn(f"{error}: calls of ordosort.torch take longer", RuntimeWarning, stacklevel=3)
    for device in {"CPU", "CUDA"}.difference(compiled):
        for name, kernel in _kernels.items():
            _library.impl(name, kernel, device)
    return compiled


_compiled = _register()


# The functions: positions by an operator, and values by gather, which has gradients of every order.

_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def _gather(a, dim, indices):
    """Gathers items of any type: PyTorch has no kernels of GPUs for unsigned integers of more than 8 bits."""
    if a.dtype in _SIGNED:
        return a.view(_SIGNED[a.dtype]).gather(dim, indices).view(a.dtype)
    return a.gather(dim, indices)


def sort(input, dim=-1, descending=False):
    """Returns sorted items along a dimension, and their positions.

    >>> import torch, ordosort.torch
    >>> ordosort.torch.sort(torch.tensor([2.0, torch.nan, 3.0]), descending=True).values
    tensor([nan, 3., 2.])
    """
    indices = argsort(input, dim, descending)
    return Sorted(_gather(input, dim, indices), indices)


def argsort(input, dim=-1, descending=False):
    """Returns the positions that sort the items along a dimension.

    >>> import torch, ordosort.torch
    >>> ordosort.torch.argsort(torch.tensor([3, 1, 2]))
    tensor([1, 2, 0])
    """
    keys = input.detach()
    if keys.dim() == 0 or dim in (-1, keys.dim() - 1):
        return torch.ops.ordosort.argsort(keys, bool(descending))
    return torch.ops.ordosort.argsort(keys.movedim(dim, -1), bool(descending)).movedim(-1, dim)


def top_k(input, k, dim=-1, largest=True):
    """Returns the k greatest or smallest items along a dimension, and their positions: the first k of a stable sort.

    >>> import torch, ordosort.torch
    >>> ordosort.torch.top_k(torch.tensor([3, 1, 2, 3]), 2).indices
    tensor([0, 3])
    """
    if input.dim() == 0:
        raise ValueError("input: no dimensions, where at least one is expected")
    indices = torch.ops.ordosort.top_k(input.detach().movedim(dim, -1), k, bool(largest)).movedim(-1, dim)
    return Sorted(_gather(input, dim, indices), indices)


def _check_dimensions(keys, offsets):
    for name, tensor in (("keys", keys), ("offsets", offsets)):
        if tensor.dim() != 1:
            raise ValueError(f"{name}: {tensor.dim()} dimensions, where one is expected")


def segmented_sort(keys, offsets, descending=False):
    """Returns items of which each segment keys[offsets[s]:offsets[s + 1]] is sorted by itself, and their positions in `keys`.

    >>> import torch, ordosort.torch
    >>> ordosort.torch.segmented_sort(torch.tensor([3, 1, 2, 9, 7]), torch.tensor([0, 3, 5])).values
    tensor([1, 2, 3, 7, 9])
    """
    indices = segmented_argsort(keys, offsets, descending)
    return Sorted(_gather(keys, 0, indices), indices)


def segmented_argsort(keys, offsets, descending=False):
    """Returns the positions in `keys` that sort each segment by itself. What is outside of all segments stays where it is.
    Wrong offsets are a ValueError on a CPU; on a GPU they are not checked.

    >>> import torch, ordosort.torch
    >>> ordosort.torch.segmented_argsort(torch.tensor([3, 1, 2, 9, 7]), torch.tensor([0, 3, 5]))
    tensor([1, 2, 0, 4, 3])
    """
    _check_dimensions(keys, offsets)
    return torch.ops.ordosort.segmented_argsort(keys.detach(), offsets, bool(descending))


def segmented_top_k(keys, offsets, k, largest=True):
    """Returns the k greatest or smallest keys of each segment and their positions in `keys`, as tensors of one row for each
    segment. After the keys of a segment that has fewer, there are zeros and the position -1.

    >>> import torch, ordosort.torch
    >>> ordosort.torch.segmented_top_k(torch.tensor([3, 1, 2, 9]), torch.tensor([0, 3, 4]), 2).indices
    tensor([[ 0,  2],
            [ 3, -1]])
    """
    _check_dimensions(keys, offsets)
    indices = torch.ops.ordosort.segmented_top_k(keys.detach(), offsets, k, bool(largest))
    if keys.shape[0] == 0:
        return Sorted(keys.new_zeros(indices.shape), indices)
    values = _gather(keys, 0, indices.clamp(min=0).flatten()).reshape(indices.shape)
    if keys.dtype in _SIGNED:  # other types are not viewed, because views by type have no gradients and no batches
        signed = values.view(_SIGNED[keys.dtype])
        return Sorted(torch.where(indices < 0, signed.new_zeros(()), signed).view(keys.dtype), indices)
    return Sorted(torch.where(indices < 0, values.new_zeros(()), values), indices)
