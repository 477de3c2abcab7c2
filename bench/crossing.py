#!/usr/bin/env python3
"""crossing.py: measures from which size on a whole command is faster on a GPU.

    bench/crossing.py --tools build/release/bin [--threads 2,16,64] [--runs N] [--scale F] [--json FILE]

Each command runs at several sizes on the GPU and on the CPU with each number of threads that this host has, in turn: once
without being timed and then --runs times. Seconds are medians of wall-clock time, from the start of a process to its end, with
a hot page cache. ordo_generate makes the inputs in TMPDIR; --scale multiplies their sizes. Also measured: a program that does
nothing but start CUDA (start_gpu), and two lines, with all GPUs of the host visible and with one."""
import argparse
import os
import shutil
import statistics
import sys
import tempfile

from files import Bench, Command, machine, write_report

# The arguments of ordo_generate for `n` bytes of input, about; the sizes; the arguments of the command, before the file.
COMMANDS = {
    "strsort urls": (lambda n: ["strings", "--set", "url", "--scale", f"{n / 317e6:.6f}"], (60e6, 300e6, 1000e6), []),
    "strsort -t/ -k3,3 -k4,4 urls": (None, (60e6, 300e6, 1000e6), ["-t", "/", "-k3,3", "-k4,4"]),
    "specsort": (lambda n: ["spectra", "--count", str(int(n / 3530)), "--order", "random"], (100e6, 400e6, 1000e6), []),
    "sufsort build": (lambda n: ["genome", "--length", str(int(n))], (4e6, 64e6, 256e6), []),
}
SLOW = 100e6  # few threads take long for more


def run(bench, command, arguments, title, where, path):
    tool = command.split()[0]
    out = bench.out("file")
    if command == "sufsort build":
        arguments = ["build", *arguments]
    outputs = {end: f"{out}.{end}" for end in ("sa", "seq", "json")} if command == "sufsort build" else {"file": out}
    made = Command(title, [bench.tool(tool), *where, "--quiet", *arguments, path, "-o", out], outputs)
    for timed in [False] + [True] * bench.options.runs:
        bench.cache.fill(path)
        made.run(timed)
    if made.failed:
        sys.exit(f"crossing.py: {title}: {made.failed}")
    return round(statistics.median(made.seconds), 4)


def starts(bench):
    """Measures what a GPU costs before and after all work."""
    two = os.path.join(bench.options.work, "two")
    with open(two, "w") as file:
        file.write("b\na\n")
    rows = []
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    for visible in ("all", "one"):
        if visible == "one":
            os.environ["CUDA_VISIBLE_DEVICES"] = (given or "0").split(",")[0]
        program = Command("start", [bench.tool("start_gpu")], {})
        for timed in [False] + [True] * bench.options.runs:
            program.run(timed)
        rows.append({"name": "a program that starts CUDA", "visible": visible, "seconds": program.row()["seconds"]})
        for device in ("gpu", "cpu", "auto"):
            seconds = run(bench, "strsort", [], "two lines", ["--device", device], two)
            rows.append({"name": f"two lines, --device {device}", "visible": visible, "seconds": seconds})
    if given is None:
        del os.environ["CUDA_VISIBLE_DEVICES"]
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = given
    for row in rows:
        print(f"{row['name']}, {row['visible']} visible: {row['seconds']:.3f} s", flush=True)
    return rows


def crossings(bench, threads):
    rows, path = [], ""
    for command, (generate, sizes, arguments) in COMMANDS.items():
        points = {}
        for k, size in enumerate(int(size * bench.options.scale) for size in sizes):
            name = f"{command.split()[0]}{k}"
            path = bench.make(name, *generate(size)) if generate else os.path.join(bench.options.work, name)
            bytes_here = os.path.getsize(path)
            for where in [["--device", "gpu"]] + [["--device", "cpu", "--threads", str(n)] for n in threads]:
                name = "gpu" if len(where) == 2 else f"cpu {where[3]}"
                if name == "cpu 2" and size > SLOW * bench.options.scale:
                    continue
                seconds = run(bench, command, arguments, f"{command} {name}", where, path)
                points.setdefault(name, []).append([bytes_here, seconds])
                print(f"{command}, {bytes_here / 1e6:.0f} MB, {name}: {seconds:.3f} s", flush=True)
        rows += [{"command": command, "machine": name, "points": all_points} for name, all_points in points.items()]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--threads", default="2,16,64")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    options.work = tempfile.mkdtemp(prefix="ordo-crossing-")
    counts = [int(n) for n in options.threads.split(",")]
    bench = Bench(argparse.Namespace(tools=options.tools, runs=options.runs, work=options.work, scale=options.scale, threads=0))
    here = len(os.sched_getaffinity(0))
    threads = [n for n in counts if n <= here]
    try:
        report = {"benchmark": "crossing", "machine": machine(bench), "runs": options.runs, "starts": starts(bench),
                  "rows": crossings(bench, threads)}
    finally:
        shutil.rmtree(options.work)
    if options.json:
        write_report(options.json, report)


if __name__ == "__main__":
    main()
