"""The programs of the package: python -m ordosort, what pip makes of project.scripts, and what an import loads."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import ordosort
from ordosort import _programs

ROOT = pathlib.Path(__file__).parents[2]


def run(*words, **options):
    return subprocess.run([sys.executable, "-m", "ordosort", *words], capture_output=True, **options)


def test_lines(tmp_path):
    done = run("strsort", "-r", input=b"b\na\xff\nc")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"c\nb\na\xff\n", b"")
    name = os.fsencode(tmp_path) + b"/\xff \xc3\xa9"  # a name is bytes
    with open(name, "wb") as file:
        file.write(b"2\n1\n")
    assert run("strsort", name).stdout == b"1\n2\n"
    assert run("strsort", input=b"").stdout == b""


def test_status_and_messages(tmp_path):
    (tmp_path / "lines").write_text("b\na\n")
    done = run("strsort", "-c", str(tmp_path / "lines"))
    assert done.returncode == 1 and b"lines:2: disorder: a" in done.stderr
    done = run("sufsort", "info", str(tmp_path / "none"))
    assert done.returncode == 2 and done.stderr.startswith(b"sufsort: ") and done.stderr.count(b"\n") == 1
    done = run("specsort", "--nonsense")
    assert done.returncode == 2 and b"nonsense" in done.stderr
    for words in [], ["ls"], ["--help"]:
        done = run(*words)
        assert done.returncode == 1 and done.stderr.startswith(b"usage: python -m ordosort {sufsort,specsort,strsort}")


def test_versions():
    for name in _programs.NAMES:
        assert run(name, "--version").stdout.split()[2].decode() == ordosort.__version__
        done = subprocess.run([*_programs.command(name), "--version"], capture_output=True, cwd="/")
        assert done.stdout.split()[2].decode() == ordosort.__version__, done.stderr


def test_scripts():
    scripts = re.findall(r'^(\w+) = "ordosort\._programs:(\w+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert [name for name, _ in scripts] == [function for _, function in scripts] == list(_programs.NAMES)
    assert all(callable(getattr(_programs, name)) for name in _programs.NAMES)


def test_reader_that_ends_first():
    words = [sys.executable, "-m", "ordosort", "strsort"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    process.stdin.write(b"line\n" * 100_000)
    process.stdin.close()
    assert process.wait() == -signal.SIGPIPE and process.stderr.read() == b""
    process.stderr.close()


def test_interrupt(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        words = [sys.executable, "-m", "ordosort", "strsort", "-o", str(tmp_path / "out"), str(tmp_path / "pipe")]
        process = subprocess.Popen(words, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    writer = os.open(tmp_path / "pipe", os.O_WRONLY)  # waits until the program reads
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == -signal.SIGINT
    process.stderr.close()
    os.close(writer)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe"]


def test_unknown_program():
    with pytest.raises(ValueError, match="bad program: ls"):
        ordosort._ordosort.run_program("ls", [])


def test_without_an_executable(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")  # Python inside another program
    with pytest.raises(RuntimeError, match="strsort: sys.executable names no Python"):
        ordosort.run_tool("strsort", ["--version"])


def test_package_and_module_in_two_folders(tmp_path):
    # As an editable installation has them.
    package = pathlib.Path(_programs.__file__).parent
    (tmp_path / "ordosort").mkdir()
    for file in package.glob("*.py"):
        (tmp_path / "ordosort" / file.name).write_bytes(file.read_bytes())
    program = (
        "import importlib.util as u, sys\n"
        f"spec = u.spec_from_file_location('ordosort._ordosort', {ordosort._ordosort.__file__!r})\n"
        "core = u.module_from_spec(spec); sys.modules['ordosort._ordosort'] = core; spec.loader.exec_module(core)\n"
        "import ordosort; ordosort._ordosort = core\n"
        "assert ordosort.run_tool('strsort', ['--version']) == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True)
    assert done.returncode == 0, done.stderr


def run_text(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


def test_numpy_is_loaded_when_it_is_used():
    done = run_text(
        "import sys, ordosort\n"
        "assert 'numpy' not in sys.modules\n"
        "ordosort.Machine('cpu'), ordosort.gpus(), ordosort.InputError, ordosort.tool_path\n"
        "assert 'numpy' not in sys.modules\n"
        "assert ordosort.sort([2, 1]).tolist() == [1, 2]\n"
        "assert 'numpy' in sys.modules and 'ordosort.spectra' not in sys.modules\n"
        "assert ordosort.spectra.sort is not ordosort.sort\n"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("nm"), reason="needs nm of binutils")
def test_the_module_shows_its_entry_alone():  # two versions of Ordo can be in one process
    module = sys.modules["ordosort._ordosort"].__file__
    done = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True)
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["PyInit__ordosort"]


def test_names():
    done = run_text("from ordosort import *\nprint(sort([2, 1]), spectra.__name__, Index.__name__)")
    assert done.stdout == "[1 2] ordosort.spectra Index\n", done.stderr
    assert set(ordosort.__all__) <= set(dir(ordosort))
    assert ordosort.sort is ordosort.sort
    with pytest.raises(AttributeError, match="'ordosort' has no attribute 'sorted'"):
        ordosort.sorted
