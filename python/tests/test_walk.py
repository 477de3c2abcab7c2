"""The Python examples of the documents: each says what it prints, or the tests look at what it made."""

import base64
import contextlib
import gzip
import importlib.util
import io
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zlib

import numpy as np
import pytest

import ordosort
from ordosort import spectra

ROOT = pathlib.Path(__file__).parents[2]
SAMPLE = ROOT / "datasets" / "samples" / "openms_ecoli_25.mzML.gz"
sys.path.insert(0, str(ROOT / "tests" / "reference"))

to_numpress = pytest.importorskip("mzml_documents").to_numpress


def in_numpress(text):
    """A document of mzML with its arrays in MS-Numpress and zlib: linear for m/z, short logged floats for intensities."""

    def coded(array):
        tags, data = array[1], base64.b64decode(array[2])
        if "MS:1000574" in tags:
            data = zlib.decompress(data)
        values = np.frombuffer(data, "<f4" if "MS:1000521" in tags else "<f8").tolist()
        is_mz = "MS:1000514" in tags
        if not is_mz and "MS:1000515" not in tags:
            return array[0]
        scale = 1e6 if is_mz else math.floor(65535 / math.log(max(values, default=1) + 1))
        packed = base64.b64encode(zlib.compress(to_numpress("linear" if is_mz else "slof", values, scale))).decode()
        tags = re.sub(r'<cvParam[^>]*accession="MS:10005(21|23|74|76)"[^>]*>', "", tags)
        tags = re.sub(r'encodedLength="\d*"', f'encodedLength="{len(packed)}"', tags)
        for accession, name in (
            ("MS:1000523", "64-bit float"),
            ("MS:1002746" if is_mz else "MS:1002748", "MS-Numpress followed by zlib compression"),
        ):
            tags += f'<cvParam cvRef="MS" accession="{accession}" name="{name}"/>'
        return f"{tags}<binary>{packed}</binary>"

    return re.sub(r"(<binaryDataArray [^>]*>(?:(?!</binaryDataArray>).)*?)<binary>([^<]*)</binary>", coded, text, flags=re.S)


def blocks():
    page = (ROOT / "docs" / "how-to" / "training-data.md").read_text()
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)


def test_walk(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    text = in_numpress(gzip.decompress(SAMPLE.read_bytes()).decode("latin-1"))
    assert text.count("MS:1002746") == 25 and "MS:1002748" in text
    (tmp_path / "run.mzML").write_text(text, encoding="latin-1")
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bin" / "specsort"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ordosort specsort "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(pathlib.Path(ordosort.__file__).parents[1]),
    }
    names = {}
    kinds = [kind for kind, _ in blocks()]
    assert kinds == ["console", "python", "python", "python"]
    for kind, code in blocks():
        if kind == "console":  # with the run in MS-Numpress in the place of the sample
            code = "\n".join(re.findall(r"^\$ (.*)", code.replace("datasets/samples/openms_ecoli_25.mzML.gz", "run.mzML"), re.M))
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            assert re.search(r"^spectra +25$", done.stdout, re.M), done.stdout
        elif "import torch" not in code or importlib.util.find_spec("torch"):
            exec(code, names)

    # The numbers are those of the sample, as exact as MS-Numpress is.
    source, run = spectra.read_mzml(str(SAMPLE)), spectra.read_mzml("filtered.mzML")
    assert 0 < len(run.mz) < len(source.mz) and np.all(np.diff(run.offsets) <= 150)
    for mz in run.mz[::50]:
        assert np.min(np.abs(source.mz - mz)) < 1e-6
    order = np.argsort(run.precursor_mz, kind="stable")
    seen = []
    for peaks, precursors in names["batches"]("train.parquet", spectra=7):
        assert peaks.shape[0] == 2 and peaks.shape[2] == 150 and peaks.dtype == np.float32
        for row, precursor in zip(np.moveaxis(peaks, 1, 0), precursors):
            mz, intensity = run.peaks(order[len(seen)])
            np.testing.assert_array_equal(row[0], np.pad(mz, (0, 150 - len(mz))).astype(np.float32))
            np.testing.assert_array_equal(row[1], np.pad(intensity, (0, 150 - len(mz))).astype(np.float32))
            assert precursor == run.precursor_mz[order[len(seen)]]
            seen.append(precursor)
    assert len(seen) == len(run) and seen == sorted(seen)


def run_examples(page, until=None, after=""):
    """Runs the Python examples of a page, between two texts. A comment after two blanks is what the expression is, or prints."""
    names, checked = {}, 0
    text = page.read_text().partition(until or "\0")[0]
    for code in re.findall(r"^```python\n(.*?)^```$", text.partition(after)[2] if after else text, re.M | re.S):
        for line in code.splitlines():
            source, _, expected = line.partition("  # ")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                if expected and not source.startswith("print("):
                    print(repr(eval(source, names)))
                else:
                    exec(source, names)
            if expected:
                assert printed.getvalue().strip() == expected.strip(), line
                checked += 1
    return checked


def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    assert run_examples(ROOT / "python" / "README.md", "## Share an array") == 8
    assert run_examples(ROOT / "docs" / "how-to" / "numpy.md") == 2


def test_tensors():
    pytest.importorskip("torch")
    assert run_examples(ROOT / "docs" / "how-to" / "pytorch.md") == 2
    if shutil.which("c++"):  # for torch.compile
        assert run_examples(ROOT / "python" / "README.md", "## Functions", after="`ordosort.torch` has") == 1


def test_programs_of_jax():
    pytest.importorskip("jax")
    if not shutil.which("c++"):
        pytest.skip("no C++ compiler, which the first sort needs")
    assert run_examples(ROOT / "python" / "README.md", "`ordosort.torch` has", after="`ordosort.jax` has") == 2


def test_folder_of_parquet(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "how-to" / "parquet-corpus.md"
    (code,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S)
    names = {}
    head, tail = code.split("\n\ncorpus.")
    exec(head, names)
    for line in ("corpus." + tail).splitlines():
        source, _, expected = line.partition("  # ")
        assert repr(eval(source, names)) == expected


def test_wide_entries(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entries = np.array([0, 1, 2**32, 2**40 - 1], "<u8")
    entries.view("u1").reshape(-1, 8)[:, :5].tofile("large.sa")
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "reference" / "sufsort.md").read_text(), re.M | re.S)
    names = {"numpy": np}
    exec(code, names)
    np.testing.assert_array_equal(names["positions"], entries)


def test_drafts(capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/how-to/speculative-decoding.md").read_text(), re.M | re.S)
    exec(code, {})
    assert capsys.readouterr().out == code.rpartition("  # ")[2]


def test_no_page_is_forgotten():
    pages = {str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md") if "\n```python\n" in page.read_text()}
    tested = ("how-to/numpy", "how-to/pytorch", "how-to/training-data", "how-to/parquet-corpus", "how-to/speculative-decoding",
              "reference/sufsort")
    assert pages == {f"docs/{name}.md" for name in tested}
