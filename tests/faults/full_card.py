#!/usr/bin/env python3
"""Runs the tools two at a time on a GPU whose memory another process holds, and checks how they end.

full_card.py BIN [--left MB,...] [--megabytes N] [--parallel N] [--only TEXT]

A process takes the memory of the first GPU, but for so many MB. The jobs are those of every_call.py, and three of N MB each:
lines, letters and spectra. Each has to end within a minute, without a signal, with the bytes of the CPU, or with status 2 and
one line, its output whole or absent. In the last round nothing holds memory but the jobs themselves, of which each may take
all. Prints a row for each round, with what the errors say; the exit status is 1 if a run failed.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import every_call

BLOCK = 16 << 20


def hold(left):
    """Takes memory until so many bytes are left, says how many there are, and waits for the end of its input."""
    driver = ctypes.CDLL("libcuda.so.1")

    def must(result, what):
        if result != 0:
            sys.exit(f"full_card.py: {what}: {result}")

    device, context, block = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    must(driver.cuInit(0), "cuInit")
    must(driver.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    must(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    must(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    take = 1 << 30
    while take >= BLOCK:
        must(driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)), "cuMemGetInfo")
        if free.value < left + take or driver.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(take)) != 0:
            take //= 2
    must(driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)), "cuMemGetInfo")
    print(free.value, flush=True)
    sys.stdin.read()


def large_jobs(bench, megabytes):
    made = random.Random(5)
    size = megabytes * 1_000_000
    lines, letters = bytearray(), bytearray(b">a\n")
    while len(lines) < size:
        lines += b"https://example.org/%d/%d\n" % (made.getrandbits(10), made.getrandbits(40))
        lines += made.randbytes(6).hex().encode() + b"\n"
    of_letters = bytes(b"ACGT"[value & 3] for value in range(256))
    while len(letters) < size:
        letters += made.randbytes(1_000_000).translate(of_letters) + b"\n"
    (bench.inputs / "large.lines").write_bytes(lines)
    (bench.inputs / "large.fa").write_bytes(letters)
    few = every_call.mgf(2000)
    (bench.inputs / "large.mgf").write_bytes(few * (size // len(few) + 1))
    return [every_call.Job("large lines", ["strsort", "IN/large.lines", "-o", "out"]),
            every_call.Job("large text", ["sufsort", "build", "-q", "IN/large.fa", "-o", "y", "--lcp"]),
            every_call.Job("large MGF", ["specsort", "IN/large.mgf", "-o", "out"])]


class GpuBench(every_call.Bench):
    device = "gpu"


def main():
    if sys.argv[1:2] == ["hold"]:
        hold(int(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("--left", default="200,600,1200,2500,6000")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        bench = GpuBench(options.tools.resolve(), None, pathlib.Path(folder))
        jobs = [job for job in every_call.jobs_of(bench) + large_jobs(bench, options.megabytes) if options.only in job.name]
        bench.device = "cpu"
        right = {job.name: bench.run(job) for job in jobs}
        bench.device = "gpu"
        for name, result in right.items():
            if result[0] != 0:
                sys.exit(f"{name}: status {result[0]} on the CPU: {result[2]}")
        print("MB left\truns\tclean errors\tfailures\tthe most frequent errors", flush=True)
        for left in [int(word) for word in options.left.split(",") if word] + [None]:
            holder = free = None
            if left is not None:
                holder = subprocess.Popen([sys.executable, __file__, "hold", str(left << 20)], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True)
                free = holder.stdout.readline().strip()
                if not free:
                    sys.exit("full_card.py: no memory of a GPU can be held")
            # Neighbours in time are of all kinds; without a holder the large ones run beside each other.
            order = list(jobs) if left is not None else [job for job in jobs if job.name.startswith("large")] * options.parallel
            random.Random(left or 1).shuffle(order)
            said, errors, wrong = collections.Counter(), 0, 0
            for job, result in zip(order, pool.map(bench.run, order)):
                why = every_call.complaint(bench, job, right[job.name], result)
                if why:
                    wrong += 1
                    print(f"FAILED: {left} MB left: {job.name}: {why}: {result[2][:300]!r}", file=sys.stderr, flush=True)
                elif result[0] == 2:
                    errors += 1
                    said[re.sub(r"[0-9.]+", "N", result[2].strip().splitlines()[-1])[:90]] += 1
            if holder:
                holder.stdin.close()
                holder.wait()
            failures += wrong
            frequent = "; ".join(f"{count} x {text}" for text, count in said.most_common(3))
            print("all" if left is None else left, len(order), errors, wrong, frequent, sep="\t", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
