"""What ordosort.jax and ordosort.torch are made of, without JAX and PyTorch: sorts by addresses, and code that is compiled on
first use."""

import concurrent.futures
import ctypes
import os
import shutil
import threading

import numpy as np
import pytest

from ordosort import _native
from ordosort import _ordosort as core

INT64, FLOAT32 = 4, 11  # of ordo_type


class Memory:
    """Temporary memory as a framework has it: blocks that are freed after the call, all at once."""

    def __init__(self, max_blocks=1000):
        self.blocks, self.max_blocks = [], max_blocks

    def allocate(self, size):
        if len(self.blocks) == self.max_blocks:
            raise BufferError("no more blocks")
        self.blocks.append(ctypes.create_string_buffer(size + 256))
        return (ctypes.addressof(self.blocks[-1]) + 255) // 256 * 256


def argsorted(place, keys, descending=False):
    index = np.empty(keys.shape, np.int64)
    kind = FLOAT32 if keys.dtype == np.float32 else INT64
    rows, length = keys.size // keys.shape[-1], keys.shape[-1]
    place.argsort(kind, keys.ctypes.data, index.ctypes.data, rows, length, descending)
    return index


@pytest.mark.parametrize("shape", [(1,), (50_000,), (200, 300), (3, 20_000)])
def test_memory_of_the_caller(shape):
    keys = np.random.default_rng(1).normal(size=shape).astype("f4")
    sizes = []
    for _ in range(2):
        memory = Memory()
        index = argsorted(core.Place(-1, 0, 1, memory.allocate), keys)
        np.testing.assert_array_equal(index, np.argsort(keys, kind="stable"))
        sizes.append(len(memory.blocks))
    assert sizes[0] == sizes[1], "memory of a call was used by another call"
    assert sizes[0] > 0 or keys.size == 1


def test_memory_runs_out():
    keys = np.random.default_rng(1).integers(-(2**62), 2**62, 200_000)
    with pytest.raises(BufferError, match="no more blocks"):
        argsorted(core.Place(-1, 0, 1, Memory(0).allocate), keys)
    with pytest.raises(TypeError):
        core.Place(-1, 0, 1, lambda size: "nowhere").argsort(INT64, keys.ctypes.data, keys.ctypes.data, 1, keys.size, False)
    place = core.Place(-1, 0, 1, lambda size: 0)
    with pytest.raises(MemoryError, match="the caller's allocator"):
        argsorted(place, keys)
    np.testing.assert_array_equal(argsorted(core.Place(-1, 0, 1, Memory().allocate), keys), np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("descending", [False, True])
def test_nans_are_the_greatest(descending):
    keys = np.array([1, np.nan, -np.inf, -np.nan, np.inf, -0.0, 0.0, np.nan], "f4")
    keys[3] = np.copysign(keys[3], -1)
    numbers = [4, 0, 5, 6, 2] if descending else [2, 5, 6, 0, 4]
    want = [1, 3, 7, *numbers] if descending else [*numbers, 1, 3, 7]
    place = core.Place(-1, 0, 1, None)
    assert argsorted(place, keys, descending).tolist() == want
    assert argsorted(place, np.array([keys, keys]), descending).tolist() == [want, want]
    offsets, index = np.array([0, 8]), np.empty(8, np.int64)
    place.segmented_argsort(FLOAT32, keys.ctypes.data, INT64, offsets.ctypes.data, index.ctypes.data, 1, 8, 1, descending)
    assert index.tolist() == want
    place.top_k(FLOAT32, keys.ctypes.data, index.ctypes.data, 1, 8, 8, descending)
    assert index.tolist() == want
    place.segmented_top_k(
        FLOAT32, keys.ctypes.data, INT64, offsets.ctypes.data, index.ctypes.data, 1, 8, 1, 8, descending
    )
    assert index.tolist() == want


def test_wrong_calls():
    keys, index = np.arange(8), np.zeros(8, np.int64)
    place, at, to = core.Place(-1, 0, 1, None), keys.ctypes.data, index.ctypes.data
    with pytest.raises(ValueError, match="unknown type"):
        place.argsort(0, at, to, 1, 8, False)
    with pytest.raises(ValueError, match="null pointer"):
        place.argsort(INT64, 0, to, 1, 8, False)
    with pytest.raises(ValueError, match="misaligned"):
        place.argsort(INT64, at + 4, to, 1, 7, False)
    with pytest.raises(ValueError, match="bad k"):
        place.top_k(INT64, at, to, 1, 4, 5, False)
    for wrong in ([0, 9], [5, 3], [-1, 3]):
        offsets = np.array(wrong)
        with pytest.raises(ValueError, match="bad segments"):
            place.segmented_argsort(INT64, at, INT64, offsets.ctypes.data, to, 1, 8, 1, False)
    if not core.built_with_cuda:
        with pytest.raises(ValueError, match="no GPU support"):
            core.Place(0, 0, 0, Memory().allocate).argsort(INT64, at, to, 1, 8, False)


def test_threads():
    rng = np.random.default_rng(2)
    keys = [rng.integers(0, 99, 20_000) for _ in range(32)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        places = [core.Place(-1, 0, 2, Memory().allocate if i % 2 else None) for i in range(len(keys))]
        for a, index in zip(keys, pool.map(argsorted, places, keys)):
            np.testing.assert_array_equal(index, np.argsort(a, kind="stable"))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_fork():
    keys = np.arange(1000)[::-1].copy()
    argsorted(core.Place(-1, 0, 2, None), keys)
    child = os.fork()
    if child == 0:
        os._exit(0 if argsorted(core.Place(-1, 0, 2, None), keys)[0] == 999 else 1)
    assert os.waitpid(child, 0)[1] == 0


# Code that is compiled on first use.

FUNCTION = 'extern "C" __attribute__((visibility("default"))) int number() {{ return {}; }}\n'
needs_compiler = pytest.mark.skipif(not shutil.which("c++"), reason="no c++")


@pytest.fixture
def sources(tmp_path, monkeypatch):
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "code.cpp").write_text("#include <framework.h>\n" + FUNCTION.format("NUMBER"))
    (tmp_path / "framework.h").write_text("#define NUMBER 7\n")
    monkeypatch.setattr(_native, "_FOLDER", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    return folder


def library(sources, version="framework-1"):
    return _native.library("code.cpp", version, str(sources.parent))


@needs_compiler
def test_compiled_once(sources, tmp_path, monkeypatch):
    first = library(sources)
    assert ctypes.CDLL(str(first)).number() == 7
    assert first.parent == tmp_path / "cache" / "ordosort" and os.listdir(first.parent) == [first.name]
    assert first.parent.stat().st_mode & 0o77 == 0
    other = library(sources, "framework-2")
    (sources / "code.cpp").write_text(FUNCTION.format(8))
    changed = library(sources)
    assert len({first, other, changed}) == 3 and ctypes.CDLL(str(changed)).number() == 8
    monkeypatch.setenv("PATH", "")
    assert library(sources) == changed


@needs_compiler
def test_compiled_by_many_at_a_time(sources):
    start = threading.Barrier(4)

    def compiled(_):
        start.wait()
        return library(sources)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(compiled, range(4)))
    (path,) = paths
    assert ctypes.CDLL(str(path)).number() == 7 and os.listdir(path.parent) == [path.name]


def test_no_compiler(sources, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"no C\+\+ compiler: code.cpp is compiled on first use, for framework-1: install"):
        library(sources)
    monkeypatch.setenv("CXX", "/nowhere/c++ -O1")
    with pytest.raises(RuntimeError, match="cannot run the C.. compiler: /nowhere/c..: No such file"):
        library(sources)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "framework.h"))
    with pytest.raises(RuntimeError, match="set XDG_CACHE_HOME"):
        library(sources)


def test_folder_of_another_user(sources, monkeypatch):
    folder = sources.parent / "cache" / "ordosort"
    folder.mkdir(parents=True)
    real = os.stat(folder)

    class Stat:
        st_uid, st_mode = real.st_uid + 1, real.st_mode

    monkeypatch.setattr(_native.pathlib.Path, "stat", lambda path, **options: Stat)
    with pytest.raises(RuntimeError, match="no folder for compiled code: .*: another user's: set XDG_CACHE_HOME"):
        library(sources)


@needs_compiler
def test_code_that_does_not_compile(sources):
    (sources / "code.cpp").write_text("no code\n")
    with pytest.raises(RuntimeError, match=r"cannot compile code.cpp for framework-1: c\+\+ .*: .*error"):
        library(sources)
    assert os.listdir(sources.parent / "cache" / "ordosort") == []
