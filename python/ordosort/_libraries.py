"""The differences between the libraries of arrays: copies, ranges of numbers, streams."""

import sys

import numpy as np

from . import _arrow


class NumPy:
    """Arrays of NumPy, and everything that numpy.asarray accepts."""

    @staticmethod
    def copy(a):
        return a.copy() if type(a) is np.ndarray else np.array(a, order="C", copy=True)

    @staticmethod
    def contiguous(a):
        if type(a) is np.ndarray and a.ndim != 0 and a.size != 0 and a.flags.carray:  # almost all are
            return a
        a = np.ascontiguousarray(a)
        return a if a.flags.aligned and a.size != 0 else a.copy()  # an empty array is aligned at any address

    @staticmethod
    def is_contiguous(a):
        return a.flags.c_contiguous and a.flags.writeable and a.flags.aligned

    @staticmethod
    def same_device(a, b):
        return True

    @staticmethod
    def move_axis(a, source, destination):
        return np.moveaxis(a, source, destination)

    @staticmethod
    def index(like):
        """Returns an array of int64 with the shape of `like`."""
        return np.empty(like.shape, np.int64)

    @staticmethod
    def numbered(like):
        """Returns such an array that counts from 0 along the last axis."""
        row = np.arange(like.shape[-1])
        return row if like.ndim == 1 else np.array(np.broadcast_to(row, like.shape), order="C")

    @staticmethod
    def results(like, shape):
        """Returns zeros of the type of `like`, and an array of int64 of the same shape that holds -1."""
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
        a = a.detach().contiguous()
        return a if Torch._is_aligned(a) else a.clone()

    @staticmethod
    def is_contiguous(a):
        return a.is_contiguous() and not a.requires_grad and Torch._is_aligned(a)

    @staticmethod
    def _is_aligned(a):
        return a.data_ptr() % a.element_size() == 0

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


def _of_column(a, name="array"):
    """Returns the values of a column with Arrow's C data interface, and its nulls."""
    column = _arrow.read(_arrow.import_column(a), name)
    if isinstance(column, _arrow.Strings):
        raise TypeError(f"{name}: a column of strings: argsort_strings, sort_strings and argsort_rows take it")
    if isinstance(column, _arrow.Dictionary):
        raise TypeError(f"{name}: a column of categories: sort, argsort and argsort_rows take it")
    if column.dtype is None:
        raise TypeError(f"{name}: a column of decimals: sort, argsort, argsort_rows, unique and rank take it")
    values = column.to_numpy()
    return values, None if column.validity is None else ~column.validity.valid(len(column))


_PANDAS_HINTS = {
    "CategoricalDtype": "sort, argsort and argsort_rows take categories",
    "StringDtype": "argsort_strings, sort_strings and argsort_rows take strings",
    "PeriodDtype": "convert periods by to_timestamp()",
    "IntervalDtype": "sort by the columns of the left and right ends",
    "SparseDtype": "convert it by sparse.to_dense()",
}


def _of_pandas(a):
    """Returns the values of a series, an index or an array of pandas, and its nulls. NaNs of NumPy's types are no nulls. Times
    with a zone are those of UTC."""
    dtype = getattr(a, "dtype", None)
    kind = type(dtype).__name__
    if kind == "ArrowDtype":
        return _of_column(getattr(a, "array", a).__arrow_array__())
    if kind == "DatetimeTZDtype":
        return a.to_numpy(dtype=f"M8[{dtype.unit}]"), None
    if kind in _PANDAS_HINTS:
        raise TypeError(f"array: dtype {dtype}: {_PANDAS_HINTS[kind]}")
    dtype = getattr(dtype, "numpy_dtype", None)  # of a type that has nulls
    if dtype is None or np.dtype(dtype).kind not in "biuf":
        return np.asarray(a), None
    nulls = np.asarray(a.isna())
    if not nulls.any():
        return a.to_numpy(dtype=dtype), None
    return a.to_numpy(dtype=dtype, na_value=0), nulls


def _of_others(a):
    if isinstance(a, (list, tuple)) or not _arrow.has_interface(a):
        return np.asarray(a), None
    return (np.asarray(a), None) if _arrow.is_table(_arrow.import_column(a)) else _of_column(a)


def is_column(a):
    """Returns true for a column that is read by Arrow's C data interface, or a column of categories."""
    if isinstance(a, (np.ndarray, list, tuple)):
        return False
    root = type(a).__module__.partition(".")[0]
    if root == "pandas":
        kind = type(getattr(a, "dtype", None)).__name__
        of_arrow = kind == "StringDtype" and hasattr(getattr(a, "array", a), "__arrow_array__")
        return of_arrow or kind in ("ArrowDtype", "CategoricalDtype")
    if root in _libraries or not _arrow.has_interface(a):
        return False
    return root in ("pyarrow", "polars") and hasattr(a, "null_count") or not _arrow.is_table(_arrow.import_column(a))


def is_column_of_strings(a):
    """Returns true for such a column of strings or bytes."""
    if not is_column(a):
        return False
    if type(a).__module__.partition(".")[0] == "pandas":
        a = getattr(a, "array", a)
        if not hasattr(a, "__arrow_array__"):  # categories
            return False
        a = a.__arrow_array__()
    return isinstance(_arrow.read(_arrow.import_column(a)), _arrow.Strings)


def with_nulls(a, fill=True):
    """Returns the library of an array, the array, and its nulls: an array of bool of the same shape, or None if it has no place
    for nulls, or none. Anything that is not an array becomes one of NumPy. The masked items of numpy.ma are its nulls.

    fill: whether the array is a copy in which nulls are equal; else it may be the caller's, with any items in their place.
    """
    if isinstance(a, np.ndarray):
        if not isinstance(a, np.ma.MaskedArray):
            return NumPy, a, None
        nulls = np.ma.getmaskarray(a)
        values = np.array(a.data, order="C", copy=True) if fill else a.data
    else:
        root = type(a).__module__.partition(".")[0]
        if root in _libraries:
            return _libraries[root], a, None
        if root == "pandas":  # or a table
            values, nulls = _of_pandas(a) if hasattr(a, "dtype") else (np.asarray(a), None)
        else:
            values, nulls = _of_others(a)
        if nulls is None:
            return NumPy, values, None
        values = np.array(values) if fill else values
    if fill and nulls.dtype == np.bool_:  # so that nulls are equal
        values[nulls] = np.array("NaT" if values.dtype.kind in "Mm" else 0).astype(values.dtype)
    return NumPy, values, nulls


def library_of(a, name="array"):
    """Returns the library of an array, and the array; anything that is not an array becomes one of NumPy. Refuses nulls."""
    library, a, nulls = with_nulls(a)
    if nulls is not None and nulls.any():
        raise ValueError(f"{name}: {np.count_nonzero(nulls)} nulls or masked items, where none are expected: fill or drop them")
    return library, a


def one_dimension(name, a):
    """Refuses an array of another number of dimensions."""
    if len(a.shape) != 1:
        raise ValueError(f"{name}: {len(a.shape)} dimensions, where one is expected")


def offsets_array(name, a):
    """Returns the library of segment offsets, and the offsets: integers of 32 or 64 bits, of one dimension."""
    library, a = library_of(a, name)
    if library is NumPy:
        is_integer = a.dtype.kind in "iu"
        if not is_integer and a.size != 0:
            raise TypeError(f"{name}: dtype {a.dtype}, where integers are expected")
        if not is_integer or a.dtype.itemsize < 4 or not a.dtype.isnative:
            a = a.astype(np.int64)
    one_dimension(name, a)
    return library, a
