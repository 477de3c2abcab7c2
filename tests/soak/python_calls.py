#!/usr/bin/env python3
"""Calls the Python module for some time, with checks, among them calls that must fail, and watches its memory.

PYTHONPATH=... python_calls.py [SECONDS] [SEED] [CALLS]

Ends after so many seconds or calls. Most calls are small, as in a loop. Four threads call at a time: sorts of arrays, pairs,
segments, rows and strings, groups, suffix arrays, indexes and spectra. The GIL is released inside. Prints memory, open files
and threads as it goes on. The exit status is 1 if a result is wrong, or if the second half has more of any of the three than the
first one.
"""
import os
import pathlib
import random
import sys
import threading
import time

import numpy as np

import ordosort
from ordosort import spectra

SIZES, SHARES = [0, 1, 100, 3000, 40000], [0.1, 0.2, 0.4, 0.25, 0.05]
GROWTH = 8 << 20  # of memory, between the largest value of the first half and that of the second


def sorts(chosen, n):
    keys = chosen.integers(-1000, 1000, n).astype(chosen.choice(["i2", "i4", "i8", "f4", "f8"]))
    np.testing.assert_array_equal(ordosort.sort(keys), np.sort(keys))
    np.testing.assert_array_equal(ordosort.argsort(keys), np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(ordosort.sort_pairs(keys, np.arange(n))[1], np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(ordosort.unique(keys), np.unique(keys))
    if n >= 5:
        np.testing.assert_array_equal(ordosort.top_k(keys, 5)[0], np.sort(keys)[::-1][:5])


def segments(chosen, n):
    offsets = np.concatenate([[0], np.cumsum(chosen.integers(0, 30, n // 10))])
    keys = chosen.random(offsets[-1])
    expected = np.concatenate([np.zeros(0), *(np.sort(part) for part in np.split(keys, offsets[1:-1]))])
    np.testing.assert_array_equal(ordosort.segmented_sort(keys, offsets), expected[-len(keys):] if len(keys) else keys)


def strings(chosen, n):
    words = ["".join(chosen.choice(list("abcé\n"), chosen.integers(0, 9))) for _ in range(n // 20)]
    assert ordosort.sort_strings(words) == sorted(words)


def suffixes(chosen, n):
    text = bytes(chosen.integers(97, 99, n // 50, dtype=np.uint8))
    expected = sorted(range(len(text)), key=lambda k: text[k:])
    assert ordosort.suffix_array(text, lcp=True, bwt=True).sa.tolist() == expected


def peaks(chosen, n):
    offsets = np.concatenate([[0], np.cumsum(chosen.integers(0, 30, n // 50))])
    mz, intensity = chosen.random(offsets[-1]), chosen.random(offsets[-1]).astype("f4")
    result = spectra.sort(mz, intensity, offsets)
    for begin, end in zip(offsets[:-1], offsets[1:]):
        np.testing.assert_array_equal(result[0][begin:end], np.sort(mz[begin:end]))


def failures(chosen, n):
    for call in (lambda: ordosort.sort(np.array([object()])), lambda: ordosort.segmented_sort(np.zeros(3), np.array([0, 9])),
                 lambda: ordosort.sort_pairs(np.zeros(3), np.zeros(4)), lambda: ordosort.top_k(np.zeros(3), -1),
                 lambda: ordosort.Index("/nothing/x"), lambda: ordosort.suffix_array(5)):
        try:
            call()
        except (ValueError, TypeError, IndexError, ordosort.InputError, OSError):
            continue
        raise AssertionError("a wrong call succeeded")


def memory():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    ordosort.set_default_machine(ordosort.Machine("cpu"))
    calls = int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize
    begin = time.monotonic()
    end = begin + seconds
    counts, wrong = [0] * 4, []

    def work(number):
        kinds, chosen = random.Random(seed + number), np.random.default_rng(seed + number)
        try:
            while time.monotonic() < end and sum(counts) < calls and not wrong:
                kind = kinds.choice([sorts, segments, strings, suffixes, peaks, failures])
                kind(chosen, int(chosen.choice(SIZES, p=SHARES)))
                counts[number] += 1
        except BaseException as failure:
            wrong.append(f"seed {seed}, thread {number}, after {counts[number]} calls: {failure!r}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(counts))]
    for thread in threads:
        thread.start()
    rows = []
    print("seconds\tcalls\tmemory, MB\topen files\tthreads")
    while any(thread.is_alive() for thread in threads):
        time.sleep(min(seconds / 100, 3, max(0.01, end - time.monotonic())))
        rows.append((memory(), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))))
        if len(rows) % 10 == 0 or len(rows) < 3:
            print(round(time.monotonic() - begin), sum(counts), f"{rows[-1][0] / 1e6:.1f}", *rows[-1][1:], sep="\t", flush=True)
    for why in wrong:
        print(f"FAILED: {why}", file=sys.stderr)
    # Threads of the pool come and go; the first tenth fills caches.
    rows = rows[len(rows) // 10 : -len(threads)] or rows
    half = len(rows) // 2
    for what, k, slack in (("memory", 0, GROWTH), ("open files", 1, 2), ("threads", 2, 2)):
        first, second = max(row[k] for row in rows[:half]), max(row[k] for row in rows[half:])
        if second > first + slack:
            wrong.append(what)
            print(f"FAILED: {what}: {first} in the first half, {second} in the second", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
