#!/usr/bin/env python3
"""Measures ordosort.spectra beside PyTorch on peaks that are on a GPU: python bench/spectra/spectra_gpu.py. Needs a GPU, PyTorch, ordosort.

Keeps the 150 greatest peaks of each spectrum, in the order of m/z, compares the results, and prints milliseconds until the GPU is
done: the median, the shortest and the longest of 15 calls after two. PyTorch needs spectra of one length; ordosort does not.
"""

import statistics
import time

import torch
from ordosort import spectra

RUNS, TOP = 15, 150


def milliseconds(prepare, call):
    times = []
    for _ in range(RUNS + 2):
        arrays = prepare()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call(*arrays)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    times = times[2:]
    return f"{statistics.median(times):.2f} ({min(times):.2f} to {max(times):.2f})"


def top_of_rows(mz, intensity):
    kept = torch.topk(intensity, TOP, dim=1, sorted=False).indices.sort(dim=1).values
    return mz.gather(1, kept), intensity.gather(1, kept)


def by_ordosort(mz, intensity, offsets):
    return spectra.select(mz.view(-1), intensity.view(-1), offsets, top=TOP)


for count, peaks, wide in ((1_000_000, 500, False), (1_000_000, 500, True), (100_000, 5000, False), (1_000_000, 200, False)):
    mz = (torch.rand(count, peaks, device="cuda") * 1900 + 100).sort(dim=1).values
    mz = mz.double() if wide else mz
    intensity = torch.rand(count, peaks, device="cuda").pow(-0.5)
    offsets = torch.arange(0, count * peaks + 1, peaks, device="cuda")
    expected = top_of_rows(mz, intensity)
    kept_mz, kept_intensity, kept_offsets = by_ordosort(mz.clone(), intensity.clone(), offsets.clone())
    same = torch.equal(kept_intensity.view(count, TOP).sort(dim=1).values, expected[1].sort(dim=1).values)
    # Of equal intensities, torch.topk takes any.
    equal = (kept_mz.view(count, TOP) != expected[0]).any(dim=1).sum().item()
    if not same or equal > count / 20:
        raise SystemExit(f"{count} x {peaks}: the results differ, m/z in {equal} spectra")
    del expected, kept_mz, kept_intensity, kept_offsets
    ours = milliseconds(lambda: (mz.clone(), intensity.clone(), offsets.clone()), by_ordosort)
    theirs = milliseconds(lambda: (mz, intensity), top_of_rows)
    name = f"{count} spectra of {peaks} peaks, m/z of {64 if wide else 32} bits"
    print(f"{name:50} ordosort {ours}  torch {theirs}", flush=True)
    del mz, intensity, offsets
