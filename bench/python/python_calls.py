#!/usr/bin/env python3
"""Measures what small calls of ordosort cost beside NumPy, and an import: python bench/python/python_calls.py. Needs NumPy and ordosort.

Prints microseconds of a call, the shortest of seven rounds of 10,000 calls, and milliseconds of an import beyond those of Python
itself, the shortest of 20.
"""

import subprocess
import sys
import time

import numpy as np
import ordosort

CALLS, ROUNDS = 10_000, 7


def of_call(call):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, time.perf_counter() - begin)
    return best / CALLS * 1e6


def of_program(program):
    best = float("inf")
    for _ in range(20):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


python = of_program("pass")
for program in ("import numpy", "import ordosort", "import ordosort; ordosort.sort"):
    print(f"{program:32} {of_program(program) - python:6.1f} ms")

print(f"{'items':>8} {'numpy.sort':>10} {'sort':>7} {'argsort':>8} {'sort_pairs':>10} {'segmented_sort':>14} {'top_k':>6}")
for size in (1, 10, 100, 1000):
    keys = np.random.default_rng(1).random(size)
    values, offsets = np.arange(size), np.array([0, size // 2, size])
    times = [
        of_call(lambda: np.sort(keys)),
        of_call(lambda: ordosort.sort(keys)),
        of_call(lambda: ordosort.argsort(keys)),
        of_call(lambda: ordosort.sort_pairs(keys, values)),
        of_call(lambda: ordosort.segmented_sort(keys, offsets)),
        of_call(lambda: ordosort.top_k(keys, min(size, 3))),
    ]
    print(f"{size:8}", *(f"{t:{w}.2f}" for t, w in zip(times, (10, 7, 8, 10, 14, 6))))
