"""Products of sparse matrices."""

import sys

import numpy as np

from . import _machines
from . import _ordosort as core
from ._libraries import CuPy, NumPy, library_of, one_dimension

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_MAX_INT32 = 2**31 - 1


def _checked(name, matrix):
    """Returns the library, the shape, and the arrays of a matrix in rows."""
    kind = type(matrix).__name__
    if getattr(matrix, "format", "csr") != "csr":
        raise TypeError(f"{name}: {kind}, where a matrix of CSR is expected: {name}.tocsr() makes one")
    arrays = [getattr(matrix, part, None) for part in ("indptr", "indices", "data", "shape")]
    if any(array is None for array in arrays):
        raise TypeError(f"{name}: {kind}, where a matrix of CSR is expected: scipy.sparse.csr_array({name}) makes one")
    indptr, indices, data, shape = arrays
    if len(shape) != 2:
        raise ValueError(f"{name}: {len(shape)} dimensions, where two are expected")
    rows, columns = (int(length) for length in shape)
    library, data = library_of(data, f"{name}.data")
    if library not in (NumPy, CuPy):
        raise TypeError(f"{name}.data: {type(data).__module__}, where arrays of NumPy or CuPy are expected")
    one_dimension(f"{name}.data", data)
    indptr, indices = (
        _integers(library, f"{name}.{part}", array) for part, array in (("indptr", indptr), ("indices", indices))
    )
    # SciPy allows items behind the last row.
    end = int(indptr[-1]) if indptr.shape[0] != 0 else 0
    if 0 <= end < indices.shape[0]:
        indices, data = indices[:end], data[:end]
    if indices.dtype.itemsize == 8:
        if indices.shape[0] != 0 and not 0 <= int(indices.min()) <= int(indices.max()) < columns:
            raise ValueError(f"{name}.indices: a column that is none of {columns}")
        indices = indices.astype(np.uint32)
    return library, (rows, columns), indptr, indices, data


def _integers(library, name, array):
    of_array, array = library_of(array, name)
    if of_array is not library:
        raise TypeError(f"{name}: not in the library of the data")
    if array.dtype.kind not in "iu" or array.dtype.itemsize not in (4, 8):
        raise TypeError(f"{name}: dtype {array.dtype}, where int32 or int64 are expected")
    one_dimension(name, array)
    return array


def _native(library, array, dtype):
    """Returns an array that the core reads: contiguous, aligned, in the byte order of the machine."""
    return library.contiguous(array if array.dtype == dtype else array.astype(dtype))


def spgemm(a, b, *, machine=None):
    """Returns the product of two sparse matrices in rows: csr_array and csr_matrix of SciPy, csr_matrix of CuPy, and other
    objects with `indptr`, `indices`, `data` and `shape`. The result is of the class of `a`, with columns that ascend in each
    row and occur once.

    Values are float32 or float64; if the two differ, they are multiplied as float64. Rows of the arguments may have their
    columns in any order and more than once. The result has an entry wherever two entries meet, also if its value is 0. Products
    of one row and column are added in the order of the entries of `a`, so that the result is the same on every machine.

    machine: an ordosort.Machine; by default the module's.

    >>> import ordosort, scipy.sparse
    >>> a = scipy.sparse.csr_array([[2.0, 0.0, 3.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    >>> ordosort.spgemm(a, a).toarray()
    array([[ 4.,  0.,  6.],
           [ 0., 16.,  0.],
           [ 0.,  0.,  0.]])
    """
    library, shape, *arrays = _checked("a", a)
    other_library, other_shape, *other_arrays = _checked("b", b)
    if other_library is not library:
        raise TypeError("b: not in the library of a")
    dtypes = arrays[2].dtype, other_arrays[2].dtype
    for name, dtype in zip("ab", dtypes):
        if dtype.newbyteorder("=") not in _FLOATS:
            raise TypeError(f"{name}: dtype {dtype}, where float32 or float64 is expected: {name}.astype(float) converts it")
    dtype = np.result_type(*dtypes)
    xp = np if library is NumPy else sys.modules["cupy"]
    first, second = (
        tuple(_native(library, array, kind) for array, kind in zip(parts, _types(parts, dtype)))
        for parts in (arrays, other_arrays)
    )

    def allocate(num_offsets, num_entries):
        return xp.empty(num_offsets, np.uint64), xp.empty(num_entries, np.uint32), xp.empty(num_entries, dtype)

    stream = library.stream(first[2])
    indptr, indices, data = core.spgemm(
        _machines.chosen(machine), shape, first, other_shape, second, allocate, stream
    )
    columns = other_shape[1]
    if max(data.shape[0], columns) <= _MAX_INT32:
        indptr, indices = indptr.astype(np.int32), indices.view(np.int32)
    else:
        indptr, indices = indptr.view(np.int64), indices.astype(np.int64)
    return type(a)((data, indices, indptr), shape=(shape[0], columns))


def _types(arrays, dtype):
    """Returns the types as which indptr, indices and data are passed to the core."""
    return [array.dtype.newbyteorder("=") for array in arrays[:2]] + [dtype]
