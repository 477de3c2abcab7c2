"""Sorts inside programs of JAX: under ``jax.jit``, ``jax.vmap``, ``jax.grad`` and ``jax.shard_map``, on CPUs and GPUs.

The order is that of ``jnp.sort``: every NaN is greater than all numbers, so that NaNs come last in ascending and first in
descending order, and all sorts are stable. Keys are bools, integers and floating-point numbers of 8 to 64 bits. Positions are
int32, or int64 if JAX has 64-bit types, as those of ``jnp.argsort``.

The first sort compiles handlers for XLA with the C++ compiler of the system, in some seconds, into the folder ``ordosort`` of
the user's cache.

>>> import jax, jax.numpy as jnp, ordosort.jax
>>> jax.jit(ordosort.jax.sort)(jnp.array([3.0, 1.0, 2.0]))
Array([1., 2., 3.], dtype=float32)
"""

import ctypes
import functools
import threading
from operator import index as as_index

import jax
import jax.numpy as jnp
import jaxlib

from . import _native
from . import _ordosort as core

if jax.__version_info__ < (0, 6):
    raise ImportError(f"ordosort.jax: JAX {jax.__version__}: 0.6 or newer is needed")

__all__ = ["argsort", "segmented_argsort", "segmented_sort", "segmented_top_k", "sort", "top_k"]

_KEYS = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()
)
_OFFSETS = frozenset(("int32", "int64", "uint32", "uint64"))
_lock = threading.Lock()
_library = None


def _register():
    """Registers the handlers with XLA, once."""
    global _library
    with _lock:
        if _library is not None:
            return
        path = _native.library("jax_handlers.cpp", f"jaxlib-{jaxlib.__version__}", jax.ffi.include_dir())
        library = ctypes.CDLL(str(path))
        if library.ordosort_bind(ctypes.c_void_p(core.calls())) != 0:
            raise RuntimeError("ordosort: the compiled handlers of JAX are of another version")
        for name in ("sort", "argsort", "segmented_argsort", "top_k", "segmented_top_k"):
            for platform, suffix in (("cpu", "cpu"), ("CUDA", "gpu")):
                handler = jax.ffi.pycapsule(getattr(library, f"ordosort_{name}_{suffix}"))
                jax.ffi.register_ffi_target(f"ordosort_{name}", handler, platform=platform)
        _library = library


def _call(name, shape, dtype, *arrays, **options):
    _register()
    aliases = options.pop("aliases", None)
    call = jax.ffi.ffi_call(
        f"ordosort_{name}",
        jax.ShapeDtypeStruct(shape, dtype),
        vmap_method="broadcast_all",  # further dimensions in front are rows
        input_output_aliases=aliases,
    )
    return call(*arrays, **options)


def _index_dtype():
    return jnp.int64 if jax.config.jax_enable_x64 else jnp.int32


def _keys(a):
    a = jnp.asarray(a)
    if a.dtype.name not in _KEYS:
        raise TypeError(f"dtype {a.dtype}: keys are bools, integers and floating-point numbers of 8 to 64 bits")
    return a


def _along(f, a, axis):
    """Returns f of keys whose last axis is the one to sort, with that axis back in its place."""
    a, axis = _keys(a), as_index(axis)
    if a.ndim == 0:
        raise ValueError("a: no dimensions, where at least one is expected")
    return jax.tree.map(lambda moved: jnp.moveaxis(moved, -1, axis), f(jnp.moveaxis(a, axis, -1)))


def _argsort_rows(a, descending):
    # Positions have no gradients, and calls of the FFI cannot be differentiated.
    return _call("argsort", a.shape, _index_dtype(), jax.lax.stop_gradient(a), descending=descending)


def _taken(a, index):
    return jnp.take_along_axis(a, index, -1, mode="promise_in_bounds")


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _sort_rows(a, descending):
    return _call("sort", a.shape, a.dtype, a, descending=descending, aliases={0: 0})


@_sort_rows.defjvp
def _sort_rows_jvp(descending, primals, tangents):
    index = _argsort_rows(primals[0], descending)
    return _taken(primals[0], index), _taken(tangents[0], index)


@functools.partial(jax.jit, static_argnames=("axis", "descending"))
def sort(a, axis=-1, *, descending=False):
    """Returns a sorted copy of an array. -0.0 comes before 0.0.

    >>> import jax.numpy as jnp, ordosort.jax
    >>> ordosort.jax.sort(jnp.array([2.0, jnp.nan, 3.0]), descending=True)
    Array([nan,  3.,  2.], dtype=float32)
    """
    return _along(lambda rows: _sort_rows(rows, bool(descending)), a, axis)


@functools.partial(jax.jit, static_argnames=("axis", "descending"))
def argsort(a, axis=-1, *, descending=False):
    """Returns the positions that sort an array. -0.0 equals 0.0, and NaNs are equal.

    >>> import jax.numpy as jnp, ordosort.jax
    >>> ordosort.jax.argsort(jnp.array([3, 1, 2]))
    Array([1, 2, 0], dtype=int32)
    """
    return _along(lambda rows: _argsort_rows(rows, bool(descending)), a, axis)


@functools.partial(jax.jit, static_argnames=("k", "axis", "largest"))
def top_k(a, k, axis=-1, *, largest=True):
    """Returns the k greatest or smallest items along an axis, and their positions: the first k of a stable sort.

    >>> import jax.numpy as jnp, ordosort.jax
    >>> ordosort.jax.top_k(jnp.array([3, 1, 2, 3]), 2)[1]
    Array([0, 3], dtype=int32)
    """
    k = as_index(k)

    def of_rows(rows):
        if not 0 <= k <= rows.shape[-1]:
            raise ValueError(f"k: {k} of {rows.shape[-1]} items")
        index = _call(
            "top_k", (*rows.shape[:-1], k), _index_dtype(), jax.lax.stop_gradient(rows), largest=bool(largest)
        )
        return _taken(rows, index), index

    return _along(of_rows, a, axis)


def _segments(keys, offsets):
    """Returns keys and offsets of one dimension."""
    keys, offsets = _keys(keys), jnp.asarray(offsets)
    for name, array in (("keys", keys), ("offsets", offsets)):
        if array.ndim != 1:
            raise ValueError(f"{name}: {array.ndim} dimensions, where one is expected")
    if offsets.shape[0] == 0:
        raise ValueError("offsets: none, where there is one more than segments")
    if not jnp.issubdtype(offsets.dtype, jnp.integer):
        raise TypeError(f"offsets: dtype {offsets.dtype}, where integers are expected")
    return keys, offsets if offsets.dtype.name in _OFFSETS else offsets.astype(jnp.int32)


@functools.partial(jax.jit, static_argnames=("descending",))
def segmented_argsort(keys, offsets, *, descending=False):
    """Returns the positions in `keys` that sort each segment keys[offsets[s]:offsets[s + 1]] by itself. What is outside of all
    segments stays where it is. Wrong offsets are an error of the run on a CPU; on a GPU they are not checked.

    >>> import jax.numpy as jnp, ordosort.jax
    >>> ordosort.jax.segmented_argsort(jnp.array([3, 1, 2, 9, 7]), jnp.array([0, 3, 5]))
    Array([1, 2, 0, 4, 3], dtype=int32)
    """
    keys, offsets = _segments(keys, offsets)
    keys = jax.lax.stop_gradient(keys)
    return _call("segmented_argsort", keys.shape, _index_dtype(), keys, offsets, descending=bool(descending))


@functools.partial(jax.jit, static_argnames=("descending",))
def segmented_sort(keys, offsets, *, descending=False):
    """Returns a copy of `keys` with each segment sorted by itself, as segmented_argsort orders them.

    >>> import jax.numpy as jnp, ordosort.jax
    >>> ordosort.jax.segmented_sort(jnp.array([3, 1, 2, 9, 7]), jnp.array([0, 3, 5]))
    Array([1, 2, 3, 7, 9], dtype=int32)
    """
    return _taken(_keys(keys), segmented_argsort(keys, offsets, descending=descending))


@functools.partial(jax.jit, static_argnames=("k", "largest"))
def segmented_top_k(keys, offsets, k, *, largest=True):
    """Returns the k greatest or smallest keys of each segment and their positions in `keys`, as arrays of one row for each
    segment. After the keys of a segment that has fewer, there are zeros and the position -1.

    >>> import jax.numpy as jnp, ordosort.jax
    >>> ordosort.jax.segmented_top_k(jnp.array([3, 1, 2, 9]), jnp.array([0, 3, 4]), 2)[1]
    Array([[ 0,  2],
           [ 3, -1]], dtype=int32)
    """
    keys, offsets = _segments(keys, offsets)
    k = as_index(k)
    if k < 0:
        raise ValueError(f"k: {k}")
    shape = (offsets.shape[0] - 1, k)
    if 0 in shape or keys.shape[0] == 0:
        return jnp.zeros(shape, keys.dtype), jnp.full(shape, -1, _index_dtype())
    index = _call(
        "segmented_top_k",
        shape,
        _index_dtype(),
        jax.lax.stop_gradient(keys),
        offsets,
        jnp.full(shape, -1, _index_dtype()),
        largest=bool(largest),
        aliases={2: 0},
    )
    best = jnp.where(index < 0, jnp.zeros((), keys.dtype), keys[jnp.maximum(index, 0)])
    return best, index
