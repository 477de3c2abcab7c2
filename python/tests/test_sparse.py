"""Products of sparse matrices, beside those of NumPy and SciPy."""

import importlib.util

import numpy as np
import pytest

import ordosort


class Csr:
    """A matrix in rows, with the attributes and the constructor of SciPy's."""

    def __init__(self, arrays, shape):
        self.data, self.indices, self.indptr = arrays
        self.shape = shape

    def toarray(self):
        dense = np.zeros(self.shape, self.data.dtype)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        np.add.at(dense, (rows, self.indices), self.data)
        return dense


def random_csr(rows, columns, entries, dtype=np.float64, index=np.int32, seed=1):
    """Returns a matrix of small integers, with empty rows, and with columns that repeat."""
    random = np.random.default_rng(seed)
    counts = np.bincount(random.integers(0, rows // 2 + 1, entries), minlength=rows)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    return Csr((random.integers(-3, 4, entries).astype(dtype), random.integers(0, columns, entries).astype(index), indptr),
               (rows, columns))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_product(dtype, index):
    a, b = random_csr(30, 20, 150, dtype, index), random_csr(20, 40, 120, dtype, index, 2)
    result = ordosort.spgemm(a, b)
    assert type(result) is Csr and result.shape == (30, 40) and result.data.dtype == dtype
    assert result.indptr.dtype == result.indices.dtype == np.int32
    np.testing.assert_array_equal(result.toarray(), a.toarray() @ b.toarray())
    for begin, end in zip(result.indptr, result.indptr[1:]):
        assert (np.diff(result.indices[begin:end]) > 0).all()


def test_arguments():
    a = random_csr(10, 10, 40)
    expected = a.toarray() @ a.toarray()
    narrow = Csr((a.data.astype("f4"), a.indices, a.indptr), a.shape)
    mixed = ordosort.spgemm(narrow, a, machine=ordosort.Machine("cpu", threads=1))
    assert mixed.data.dtype == np.float64
    np.testing.assert_array_equal(mixed.toarray(), expected)
    swapped = Csr((a.data.astype(">f8"), a.indices.astype(">i8"), a.indptr.astype(">i4")), a.shape)
    strided = Csr((np.repeat(a.data, 2)[::2], np.repeat(a.indices, 2)[::2], np.repeat(a.indptr, 2)[::2]), a.shape)
    longer = Csr((np.append(a.data, np.nan), np.append(a.indices, 99), a.indptr), a.shape)  # as SciPy allows it
    for other in swapped, strided, longer:
        np.testing.assert_array_equal(ordosort.spgemm(other, a).toarray(), expected)
        np.testing.assert_array_equal(ordosort.spgemm(a, other).toarray(), expected)
    empty = Csr((np.empty(0), np.empty(0, "i4"), np.zeros(1, "i4")), (0, 10))
    assert ordosort.spgemm(empty, a).indptr.tolist() == [0]
    cancelled = ordosort.spgemm(
        Csr((np.array([1.0, -1.0]), np.array([0, 1]), np.array([0, 2])), (1, 2)),
        Csr((np.array([5.0, 5.0]), np.array([2, 2]), np.array([0, 1, 2])), (2, 3)),
    )
    assert cancelled.indices.tolist() == [2] and cancelled.data.tolist() == [0]


def test_wrong_calls():
    a = random_csr(10, 20, 40)

    def changed(**changes):
        result = Csr((a.data, a.indices, a.indptr), a.shape)
        vars(result).update(changes)
        return result

    b = random_csr(20, 5, 40)
    for wrong, kind, message in [
        (a.toarray(), TypeError, r"a: ndarray, where a matrix of CSR is expected: scipy.sparse.csr_array\(a\) makes one"),
        (changed(format="csc"), TypeError, r"a: Csr, where a matrix of CSR is expected: a.tocsr\(\) makes one"),
        (changed(data=a.data.astype(int)), TypeError, r"a: dtype int64, where float32 or float64 is expected"),
        (changed(data=a.data[:, None]), ValueError, "a.data: 2 dimensions"),
        (changed(indptr=a.indptr.astype(float)), TypeError, "a.indptr: dtype float64"),
        (changed(indices=a.indices.astype(np.int16)), TypeError, "a.indices: dtype int16"),
        (changed(shape=(20,)), ValueError, "a: 1 dimensions"),
        (changed(shape=(11, 20)), ValueError, "bad a: multiply: 11 offsets for 11 rows, which have one more"),
        (changed(shape=(10, 21)), ValueError, "bad matrices: multiply: the first has 21 columns, the second 20 rows"),
        (changed(indices=a.indices - 20), ValueError, r"bad a: multiply: entry 0: column 42949672\d\d of 20"),
        (changed(indices=a.indices.astype(np.int64) + 2**32), ValueError, "a.indices: a column that is none of 20"),
        (changed(indptr=a.indptr[::-1]), ValueError, "bad a: multiply: "),
        (changed(data=a.data[1:]), ValueError, "bad a: multiply: 39 values for 40 column indices"),
    ]:
        with pytest.raises(kind, match=message):
            ordosort.spgemm(wrong, b)
    with pytest.raises(TypeError, match=r"b: dtype bool"):
        ordosort.spgemm(a, changed(data=a.data != 0))
    with pytest.raises(TypeError, match="machine"):
        ordosort.spgemm(a, b, machine=0)
    with pytest.raises(MemoryError):
        ordosort.spgemm(a, b, machine=ordosort.Machine("cpu", memory_limit=1000))


# The memory of a result is freed in a call, also if its arrays cannot be made.
def test_result_without_arrays():
    from ordosort import _ordosort as core

    machine = ordosort.Machine("cpu")
    a = random_csr(10, 10, 40)
    arrays = (a.indptr, a.indices, a.data)

    def refuse(num_offsets, num_entries):
        raise KeyError(num_offsets)

    with pytest.raises(KeyError):
        core.spgemm(machine, a.shape, arrays, a.shape, arrays, refuse, 0)
    machine.trim()
    machine.peak_memory()
    assert machine.peak_memory() == 0
    np.testing.assert_array_equal(ordosort.spgemm(a, a, machine=machine).toarray(), a.toarray() @ a.toarray())


@pytest.mark.skipif(not importlib.util.find_spec("scipy"), reason="no SciPy")
@pytest.mark.parametrize("name", ["csr_array", "csr_matrix"])
def test_scipy(name):
    import scipy.sparse

    kind = getattr(scipy.sparse, name)
    random = np.random.default_rng(7)
    for dtype in np.float32, np.float64:
        a = kind(scipy.sparse.random(300, 200, 0.03, "csr", dtype, random))
        b = kind(scipy.sparse.random(200, 250, 0.03, "csr", dtype, random))
        result, expected = ordosort.spgemm(a, b), a @ b
        assert type(result) is kind and result.dtype == dtype and result.shape == (300, 250)
        result.check_format()
        expected.sort_indices()
        np.testing.assert_array_equal(result.indptr, expected.indptr)
        np.testing.assert_array_equal(result.indices, expected.indices)
        np.testing.assert_allclose(result.data, expected.data, rtol=1e-5)
        assert result.indices.dtype == expected.indices.dtype
    for other in "csc", "coo", "bsr":
        with pytest.raises(TypeError, match=r"a: .* where a matrix of CSR is expected: a.tocsr\(\) makes one"):
            ordosort.spgemm(a.asformat(other), b)
    empty = kind((5, 200), dtype=np.float64)
    assert ordosort.spgemm(empty, b).nnz == 0


@pytest.mark.skipif(not importlib.util.find_spec("cupy") or not ordosort.gpus(), reason="no CuPy, or no GPU")
def test_cupy():
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    a = random_csr(300, 200, 3000, np.float32)
    there = csr_matrix((cupy.array(a.data), cupy.array(a.indices), cupy.array(a.indptr)), shape=a.shape)
    other = csr_matrix((there.data, there.indices, there.indptr), shape=(300, 300))
    result = ordosort.spgemm(other, there)
    assert type(result) is csr_matrix
    np.testing.assert_array_equal(result.toarray().get(), other.toarray().get() @ a.toarray())
