"""What an import of the package loads."""

import shutil
import subprocess
import sys

import pytest

import ordosort


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


def test_numpy_is_loaded_when_it_is_used():
    done = run(
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
    done = run("from ordosort import *\nprint(sort([2, 1]), spectra.__name__, Index.__name__)")
    assert done.stdout == "[1 2] ordosort.spectra Index\n", done.stderr
    assert set(ordosort.__all__) <= set(dir(ordosort))
    assert ordosort.sort is ordosort.sort
    with pytest.raises(AttributeError, match="'ordosort' has no attribute 'sorted'"):
        ordosort.sorted
