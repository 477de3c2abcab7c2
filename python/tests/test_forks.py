"""Processes that are forked while other threads sort, as PyTorch's DataLoader and multiprocessing fork them."""

import os
import subprocess
import sys

import pytest

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
