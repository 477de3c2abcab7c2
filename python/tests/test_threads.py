"""Many threads at a time, which a Python without a GIL runs at the same time; and processes that are forked while other threads
sort, as PyTorch's DataLoader and multiprocessing fork them."""

import os
import random
import subprocess
import sys
import sysconfig
import threading

import numpy as np
import pytest

import ordosort

PROGRAM = """
import os, signal, threading, time, warnings
import numpy as np, ordosort
warnings.simplefilter("ignore")
keys = np.random.default_rng(1).random(300_000)
strings = [str(x) for x in keys[:20_000]]
mine = ordosort.Machine("cpu", threads=2)
def work():
    ordosort.sort(keys); ordosort.argsort(keys, machine=mine)
    ordosort.sort_strings(strings); ordosort.suffix_array(b"banana" * 3000)
stop = False
def run():
    while not stop: work()
threads = [threading.Thread(target=run, daemon=True) for _ in range(2)] if BUSY else []
if USED: work()
for thread in threads: thread.start()
for round in range(ROUNDS):
    time.sleep(0.003 * (round % 5))
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        work()
        right = np.all(np.diff(ordosort.sort(keys)) >= 0) and ordosort.sort_strings(strings) == sorted(strings)
        others = threading.Thread(target=work); others.start(); work(); others.join()
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0, (round, status)
stop = True
for thread in threads: thread.join()
work()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("used, busy", [(False, False), (True, False), (True, True)])
def test_children_sort(used, busy):
    program = PROGRAM.replace("BUSY", str(busy)).replace("USED", str(used)).replace("ROUNDS", "3")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "done\n", done.stderr


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
    program = (
        "import threading, ordosort\n"
        "names = [n for n in ordosort.__all__ if n not in ('corpus', 'spectra')] * 2\n"
        "threads = [threading.Thread(target=getattr, args=(ordosort, n)) for n in names]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "assert all(callable(getattr(ordosort, n)) or n in ('__version__', 'built_with_cuda') for n in names)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
