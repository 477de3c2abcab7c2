#!/usr/bin/env python3
"""similar_pairs.py: measures specsort --pairs, all pairs of similar spectra, on CPU and GPU, and compares their files.

    bench/spectra/similar_pairs.py --tools build/release/bin [--devices cpu,gpu] [--threads 2,16] [--runs N] [--only REGEX]
                                   [--rivals] [--work DIR] [--json FILE]

ordo_generate makes the spectra of peptides (--preset peptides, seed 70); the 100 highest peaks of each are compared, from a
cosine of 0.7 on, with peaks within 0.02 Da. Precursors are within 20 ppm, or any. Commands run in turn, specsort once without
being timed, and all then --runs times; seconds are medians of wall-clock time, from a file in the page cache to a file. The
exit status is 1 if the files of two machines or numbers of threads differ. --rivals measures FlashSimilarity and BlinkCosine of
matchms, which has to be installed, on sets that they can compare: they score all pairs, into a matrix.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from files import Bench, Command, machine, sum_of, write_report  # noqa: E402

# Name, number of spectra, tolerance of precursors, and whether other programs can do it.
SETS = (("10^4, any", 10_000, "any", True), ("10^5, 20 ppm", 100_000, "20ppm", False), ("10^5, any", 100_000, "any", False),
        ("10^6, 20 ppm", 1_000_000, "20ppm", False))
FEW = 2  # threads that take long for more than
MANY = 200_000  # spectra

# Programs with arguments CLASS MGF THREADS OUT: the 100 highest peaks of each spectrum, all scores, the pairs from 0.7 on.
MATCHMS = """
import sys, numpy
from matchms.importing import load_from_mgf
from matchms.filtering import reduce_to_number_of_peaks
from matchms import similarity
name, path, threads, out = sys.argv[1:]
spectra = [reduce_to_number_of_peaks(one, n_max=100) for one in load_from_mgf(path)]
options = {"score_type": "cosine", "noise_cutoff": 0} if name == "FlashSimilarity" else {}
measure = getattr(similarity, name)(tolerance=0.02, **options)
scores = measure.matrix(spectra, spectra, **({"n_jobs": int(threads)} if name == "FlashSimilarity" else {}))
scores = scores["score"] if scores.dtype.names else scores
first, second = numpy.nonzero(numpy.triu(scores >= 0.7, 1))
numpy.savetxt(out, numpy.stack([first + 1, second + 1], 1), "%d")
"""


def commands_of(bench, options, path, count, precursor, has_rivals):
    made = []
    here = len(os.sched_getaffinity(0))
    for device in options.devices.split(","):
        for threads in sorted({min(int(n), here) for n in options.threads.split(",")}, reverse=True):
            if threads <= FEW < here and (count > MANY or device != "cpu"):
                continue
            out = bench.out(f"{device}.{threads}.tsv")
            made.append(Command(f"{device} {threads}", [
                bench.tool("specsort"), path, "--pairs=" + out, f"--similar={precursor},0.7,0.02", "--top=100", "--quiet",
                "--device", device, "--threads", str(threads), "--memory=16G"], {"pairs": out}))
    if options.rivals and has_rivals:
        for name in ("FlashSimilarity", "BlinkCosine"):
            out = bench.out(name)
            made.append(Command("matchms " + name, [sys.executable, "-c", MATCHMS, name, path, str(here), out], {name: out}))
    return made


def lines_of(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 22), b""))


def measure(bench, options, name, count, precursor, has_rivals):
    path = bench.make(f"{count}.mgf", "spectra", "--preset", "peptides", "--count", str(count), "--seed", "70")
    commands = commands_of(bench, options, path, count, precursor, has_rivals)
    bench.cache.fill(path)
    for timed in [False] + [True] * options.runs:
        for command in commands:
            if not command.failed and (timed or not command.name.startswith("matchms")):
                command.run(timed)
    pairs, rows, wrong = 0, [], []
    for command in (one for one in commands if not one.failed):
        for kind, out in command.outputs.items():
            found = lines_of(out) - (kind == "pairs")  # which has a header
            command.sums = {kind: sum_of(out)}
            rows.append(command.row() | {"pairs": found})
            if kind == "pairs":
                pairs = pairs or found
                if command.sums != commands[0].sums:
                    wrong.append(command.name)
            os.unlink(out)
    row = {"name": name, "spectra": count, "bytes": os.path.getsize(path), "precursor": precursor, "pairs": pairs,
           "commands": rows + [one.row() for one in commands if one.failed], "wrong": wrong}
    print(f"{name}: {row['bytes'] / 1e6:.0f} MB, {pairs} pairs" + f"; other files: {', '.join(wrong)}" * bool(wrong))
    for one in row["commands"]:
        print(f"  {one['name']:<24} {one['failed']}" if "failed" in one else
              f"  {one['name']:<24} {one['seconds']:8.2f} s {one['cpu']:8.2f} s of CPU {one['memory'] / 1e9:6.2f} GB"
              f" {one['pairs']:>10} pairs", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--devices", default="cpu,gpu")
    parser.add_argument("--threads", default="2,16")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--work", default="")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="ordo-pairs-", dir=options.work or None)
    bench = Bench(argparse.Namespace(tools=options.tools, runs=options.runs, work=work, threads=0))
    try:
        rows = [measure(bench, options, *one) for one in SETS if re.search(options.only, one[0])]
        report = {"benchmark": "similar_pairs", "machine": machine(bench), "runs": options.runs, "rows": rows}
    finally:
        shutil.rmtree(work)
    if options.json:
        write_report(options.json, report)
    sys.exit(1 if any(row["wrong"] for row in rows) else 0)


if __name__ == "__main__":
    main()
