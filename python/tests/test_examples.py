"""The programs of python/examples, as their readers run them."""

import collections
import gzip
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


def output_of(name, *arguments):
    program = ROOT / "python" / "examples" / f"{name}.py"
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_are_tested():
    names = ["clean_run", "corpus_engines", "dask_workers", "deduplicate_lines", "notebooks", "ray_workers", "reads_against_genome"]
    assert [example.stem for example in EXAMPLES] == names


def test_reads_against_genome():
    text = output_of("reads_against_genome")
    assert "48,502 letters" in text
    found = re.search(r"reads found: (\d+) of 100, once: (\d+)", text)
    assert found[1] == "100" and int(found[2]) >= 95
    assert "on the reverse strand: 50" in text
    parts = [float(part) for part in re.findall(r"letters: +([\d.]+) %", text)]
    genome = "".join((ROOT / "datasets" / "samples" / "lambda.fa").read_text().split("\n")[1:]).upper()
    words = collections.Counter(genome[i : i + 8] for i in range(len(genome) - 7))
    assert parts[0] == round(100 * sum(n == 1 for n in words.values()) / len(genome), 1)
    assert len(parts) == 9 and max(parts) > 99


@pytest.mark.parametrize("name, library", [("dask_workers", "distributed"), ("ray_workers", "ray")])
def test_workers(name, library):
    pytest.importorskip(library)
    assert output_of(name) == "sorted\n"


@pytest.mark.parametrize("engine, library", [("datatrove", "datatrove"), ("ray", "ray.data"), ("dask", "dask.bag")])
def test_corpus_engines(engine, library):
    pytest.importorskip("ordosort.corpus")
    pytest.importorskip(library)
    if engine == "ray":
        pytest.importorskip("pyarrow")
    texts = ["All work and no play makes Jack a dull boy.", "He wrote: a The end.", "Nothing of this is said elsewhere."]
    assert output_of("corpus_engines", engine).splitlines() == texts


def test_clean_run(tmp_path):
    text = output_of("clean_run")
    peaks = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) peaks, +[\d.]+ %", text)]
    assert len(peaks) == 5 and peaks[-1] == min(peaks) and peaks[0] == max(peaks)
    assert f"{peaks[0]:,} peaks\n" in text and f"spectra, {peaks[-1]:,} peaks" in text.splitlines()[-2] + text.splitlines()[-1]
    (tmp_path / "broken.mgf").write_text("BEGIN IONS\n1 x\n")
    with pytest.raises(AssertionError, match="InputError"):
        output_of("clean_run", tmp_path / "broken.mgf")


def test_deduplicate_lines():
    lines = gzip.decompress((ROOT / "datasets" / "samples" / "urls.txt.gz").read_bytes()).splitlines()
    hosts = collections.Counter(line.split(b"/")[2] for line in lines if line.count(b"/") >= 2)
    host, count = hosts.most_common(1)[0]
    text = output_of("deduplicate_lines")
    assert f"{len(hosts):,} different hosts" in text
    assert f"{count:6} {host.decode()}" in text
    assert f"['{count}', '{host.decode()}']" in text
    shared = int(re.search(r"occurs twice has (\d+) letters", text)[1])
    suffixes = sorted(line[i:] for line in lines[:2000] for i in range(len(line)))
    assert shared == max(len(os.path.commonprefix(pair)) for pair in zip(suffixes, suffixes[1:]))
    passage = re.search(r"letters:\n(.*)", text)[1].encode()
    assert len(passage) == shared and sum(line.count(passage) for line in lines[:2000]) >= 2


def test_notebooks(tmp_path):
    # They look for the samples above their folder, as a reader of the repository has it.
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    folder = tmp_path / "notebooks"
    can_run = all(importlib.util.find_spec(module) for module in ("nbclient", "ipykernel", "matplotlib"))
    names = [pathlib.Path(line).stem for line in output_of("notebooks", *(["--run"] if can_run else []), folder).split()]
    assert names == ["clean_run", "deduplicate_lines", "reads_against_genome"]
    for name in names:
        notebook = json.loads((folder / f"{name}.ipynb").read_text())
        program = (ROOT / "python" / "examples" / f"{name}.py").read_text()
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert len(code) == program.count("\n# %%") and len(notebook["cells"]) == 1 + 2 * len(code)
        sources = ["".join(cell["source"]) for cell in code]
        assert all(source in program for source in sources) and "# %%" not in "".join(sources)
        if can_run:
            shown = [output.get("data", {}) for output in code[-1]["outputs"]]
            assert any("image/png" in data for data in shown), f"{name}: no plot"
        else:
            done = subprocess.run([sys.executable, "-c", "\n".join(sources)], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


def test_notebooks_of_a_wrong_call():
    for arguments in [], ["--run"], ["--fast"], ["a", "b"]:
        with pytest.raises(AssertionError, match="usage: notebooks.py"):
            output_of("notebooks", *arguments)
