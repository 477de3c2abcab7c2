"""What an import of the package loads."""

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


def test_names():
    done = run("from ordosort import *\nprint(sort([2, 1]), spectra.__name__, Index.__name__)")
    assert done.stdout == "[1 2] ordosort.spectra Index\n", done.stderr
    assert set(ordosort.__all__) <= set(dir(ordosort))
    assert ordosort.sort is ordosort.sort
    with pytest.raises(AttributeError, match="'ordosort' has no attribute 'sorted'"):
        ordosort.sorted
