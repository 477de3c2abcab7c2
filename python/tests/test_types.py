"""The type stubs, by mypy's stubtest and on a small program."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import ordosort

PROGRAM = """
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import ordosort
from ordosort import spectra

a: NDArray[np.float64] = np.ones(3)
assert_type(ordosort.sort(a, descending=True), NDArray[np.float64])
assert_type(ordosort.sort([3, 1]), NDArray[Any])
assert_type(ordosort.argsort([3, 1]), NDArray[np.int64])
assert_type(ordosort.segmented_argsort(a, [0, 3]), NDArray[np.int64])
assert_type(ordosort.argsort_rows([a, a]), NDArray[np.int64])
assert_type(ordosort.sort_pairs(a, a), tuple[NDArray[np.float64], NDArray[np.float64]])
assert_type(ordosort.top_k(a, 1), tuple[NDArray[np.float64], NDArray[np.int64]])
assert_type(ordosort.sort_strings(["b", "a"]), list[str])
assert_type(ordosort.sort_strings(s for s in [b"b"]), list[bytes])
assert_type(ordosort.suffix_array("banana"), NDArray[Any])
assert_type(ordosort.suffix_array("banana", lcp=True), ordosort.SuffixArray)
assert_type(spectra.read_mgf(b"").titles, list[str])
assert_type(ordosort.spectra.read_mgf(b""), spectra.Spectra)
assert_type(ordosort.Machine("cpu", threads=2).threads, int)


class Tensor:
    device: str

    def __dlpack__(self, *, stream: Any = None) -> Any: ...


assert_type(ordosort.sort(Tensor()), Tensor)
assert_type(ordosort.top_k(Tensor(), 2), tuple[Tensor, Tensor])
ordosort.sort(a, machine=0)  # type: ignore[call-overload]
"""

needs_mypy = pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="no mypy")
FOLDER = str(pathlib.Path(ordosort.__file__).parents[1])


def run(*command, **options):
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join([FOLDER, os.environ.get("PYTHONPATH", "")]), MYPYPATH=FOLDER
    )
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_mypy
def test_program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    run("mypy", "--strict", "program.py", cwd=tmp_path)


@needs_mypy
def test_stubs_describe_the_package(tmp_path):
    """But for the modules of frameworks that are not installed."""
    missing = [framework for framework in ("jax", "torch") if not importlib.util.find_spec(framework)]
    (tmp_path / "missing").write_text("".join(f"ordosort.{framework}\n" for framework in missing))
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-jax.*,torch.*]\nignore_missing_imports = true\n")
    options = ["--allowlist", "missing", "--ignore-unused-allowlist", "--mypy-config-file", "mypy.ini"]
    run("mypy.stubtest", *options, "ordosort", cwd=tmp_path)


@pytest.mark.skipif(not importlib.util.find_spec("pyright"), reason="no pyright")
def test_program_by_pyright(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM.replace("  # type: ignore[call-overload]", "  # pyright: ignore"))
    (tmp_path / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{FOLDER}"], "typeCheckingMode": "strict"}}')
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
