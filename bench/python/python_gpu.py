#!/usr/bin/env python3
"""Measures ordosort beside CuPy and PyTorch on arrays of a GPU: python bench/python/python_gpu.py. Needs a GPU, CuPy, PyTorch and ordosort.

Compares the results, and prints milliseconds of a call until the GPU is done: the median, the shortest and the longest of 15
calls after two.
"""

import statistics
import time

import cupy as cp
import ordosort
import torch

RUNS = 15


def milliseconds(call):
    times = []
    for _ in range(RUNS + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    times = times[2:]
    return f"{statistics.median(times):.3f} ({min(times):.3f} to {max(times):.3f})"


def row(name, equal, **calls):
    if not equal:
        raise SystemExit(f"{name}: the results differ")
    print(f"{name:34}", "  ".join(f"{what} {milliseconds(call)}" for what, call in calls.items()), flush=True)


for count, length in ((200_000, 1000), (1_000_000, 128), (10_000, 20_000)):
    rows = cp.random.random((count, length), dtype=cp.float32)
    keys, offsets, out = rows.ravel(), cp.arange(0, count * length + 1, length), cp.empty(count * length, cp.float32)
    tensor = torch.as_tensor(rows, device="cuda")
    row(f"segmented_sort {count} x {length}",
        cp.array_equal(ordosort.segmented_sort(keys, offsets).reshape(rows.shape), cp.sort(rows, axis=1)),
        ordosort=lambda: ordosort.segmented_sort(keys, offsets),
        with_out=lambda: ordosort.segmented_sort(keys, offsets, out=out),
        with_bound=lambda: ordosort.segmented_sort(keys, offsets, out=out, max_length=length),
        cupy=lambda: cp.sort(rows, axis=1), torch=lambda: torch.sort(tensor, dim=1))
    del rows, keys, offsets, out, tensor

for count, length, k in ((1, 1 << 26, 100), (1, 1 << 20, 16)):
    keys = torch.randn(length, device="cuda")
    row(f"top_k {length}, {k}", torch.equal(ordosort.top_k(keys, k)[0], torch.topk(keys, k).values),
        ordosort=lambda: ordosort.top_k(keys, k), torch=lambda: torch.topk(keys, k))

for count, length, k in ((16, 1 << 20, 16), (64, 1 << 17, 50), (1000, 128_000, 50), (10_000, 10_000, 100), (16_384, 2048, 64),
                         (100_000, 500, 150), (1_000_000, 64, 8)):
    rows = torch.randn(count, length, device="cuda")
    keys, offsets = rows.reshape(-1), torch.arange(0, count * length + 1, length, device="cuda")
    row(f"segmented_top_k {count} x {length}, {k}",
        torch.equal(ordosort.segmented_top_k(keys, offsets, k)[0].reshape(count, k), torch.topk(rows, k, dim=1).values),
        ordosort=lambda: ordosort.segmented_top_k(keys, offsets, k),
        with_bound=lambda: ordosort.segmented_top_k(keys, offsets, k, max_length=length),
        torch=lambda: torch.topk(rows, k, dim=1))
    del rows, keys, offsets

for size in (1000, 100_000, 100_000_000):
    for kind in (cp.float32, cp.uint32):
        keys = cp.random.random(size, dtype=cp.float32) if kind == cp.float32 else cp.random.randint(0, 2**32, size, dtype=kind)
        name = cp.dtype(kind).name
        row(f"sort {size} {name}", cp.array_equal(ordosort.sort(keys), cp.sort(keys)),
            ordosort=lambda: ordosort.sort(keys), cupy=lambda: cp.sort(keys))
        row(f"argsort {size} {name}", cp.array_equal(keys[ordosort.argsort(keys)], cp.sort(keys)),
            ordosort=lambda: ordosort.argsort(keys), cupy=lambda: cp.argsort(keys))

columns = [cp.random.randint(0, n, 10_000_000, dtype=cp.int32) for n in (100, 1000, 2**30)]
row("argsort_rows 10000000 x 3", cp.array_equal(ordosort.argsort_rows(columns), cp.lexsort(cp.stack(columns[::-1]))),
    ordosort=lambda: ordosort.argsort_rows(columns), cupy=lambda: cp.lexsort(cp.stack(columns[::-1])))
