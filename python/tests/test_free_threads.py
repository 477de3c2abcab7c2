"""Many threads at a time, which a Python without a GIL runs at the same time."""

import random
import sys
import sysconfig
import threading

import numpy as np
import pytest

import ordosort


def run_in_threads(call, count=8):
    """Calls call(number) in threads that begin together. Raises what the first of them raised."""
    begin, errors = threading.Barrier(count), []

    def run(number):
        try:
            begin.wait()
            call(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_gil_stays_off():
    ordosort.sort(np.arange(3))
    assert not sys._is_gil_enabled()


def test_one_machine():
    machine = ordosort.Machine("cpu")

    def sort(number):
        rng = np.random.default_rng(number)
        for size in (5, 300, 20_000):
            keys = rng.integers(0, 99, size)
            np.testing.assert_array_equal(ordosort.sort(keys, machine=machine), np.sort(keys))
            np.testing.assert_array_equal(ordosort.argsort(keys, machine=machine), np.argsort(keys, kind="stable"))
            np.testing.assert_array_equal(ordosort.unique(keys), np.unique(keys))

    run_in_threads(sort)


def test_shared_array_is_read():
    keys = np.random.default_rng(1).random(30_000)
    expected = np.sort(keys)
    run_in_threads(lambda _: np.testing.assert_array_equal(ordosort.sort(keys), expected))


def test_list_that_changes():
    """Strings of a list to which other threads add and from which they remove, are some of them, in order."""
    words = [str(random.Random(1).random()) for _ in range(300)]

    def work(number):
        for i in range(100):
            if number % 2:
                words.append(f"word {number} {i}")
                words.pop(i)
            else:
                got = ordosort.sort_strings(words)
                assert got == sorted(got)

    run_in_threads(work, 4)


def test_index(tmp_path):
    genome = "".join(random.Random(2).choices("ACGT", k=20_000))
    (tmp_path / "a.fa").write_text(f">a\n{genome}\n")
    index = ordosort.Index.build(tmp_path / "a.fa", tmp_path / "a")

    def search(number):
        query = genome[number * 100 : number * 100 + 900]
        assert index.mem(query).length.max() == 900 and index.ms(query)[0] == 900
        assert index.locate(query[:40]).offset.tolist() == [number * 100]

    run_in_threads(search)


def test_imports():
    """Names that are loaded when they are first used."""
    import subprocess

    program = (
        "import threading, ordosort\n"
        "names = [n for n in ordosort.__all__ if n != 'spectra'] * 2\n"
        "threads = [threading.Thread(target=getattr, args=(ordosort, n)) for n in names]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "assert all(callable(getattr(ordosort, n)) or n in ('__version__', 'built_with_cuda') for n in names)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
