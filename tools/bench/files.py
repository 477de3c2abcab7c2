#!/usr/bin/env python3
"""files.py: whole commands, from file to file, beside the programs that people use today and beside cp.

    tools/bench/files.py --tools build/release/bin [--scale small|medium|full] [--runs 5] [--cold] [--json FILE]
                         [--work DIR] [--only REGEX] [--devices auto,cpu,gpu] [--threads N] [FILE...]

Every row is one input; its commands run in turn, once without being timed and then --runs times, so that whatever else the
machine does falls on all of them. Seconds are wall-clock medians from the start of a process to its end; memory is the
greatest resident set of any run, or what Python itself takes if that is more. Inputs are made by ordo_generate in the work
folder (default: a new one under TMPDIR, removed at the end), which should lie on the file system that is to be measured; or
they are FILEs, by their names: .fa .fna .faa .fasta for sufsort, .mgf for specsort, all else for strsort. Hot: inputs are in
the page cache. --cold: their pages are dropped before each run. Outputs are compared: strsort's with GNU sort's, those of
different machines with each other. Exit status 1: one differed. Peers that are not installed are left out: GNU sort, OpenMS
(topp). Beside libdivsufsort, a library: sufsort_vs_divsufsort.
"""
import argparse
import filecmp
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SCALES = {  # paths, urls, spectra, letters of genomes
    "small": (200_000, 200_000, 2_000, [4_000_000]),
    "medium": (5_500_000, 10_000_000, 100_000, [64_000_000]),
    "full": (5_500_000, 96_000_000, 100_000, [64_000_000, 1_000_000_000, 3_100_000_000]),
}
FASTA = (".fa", ".fna", ".faa", ".fasta")


class Command:
    """One program on one input: what it runs, and which files it leaves."""

    def __init__(self, name, arguments, outputs, stdout=None):
        self.name, self.arguments, self.outputs, self.stdout = name, arguments, outputs, stdout
        self.seconds, self.memory, self.failed = [], 0, ""

    def run(self, timed):
        for path in self.outputs:
            if os.path.exists(path):
                os.unlink(path)
        log = tempfile.TemporaryFile()
        out = open(self.stdout, "wb") if self.stdout else log
        begin = time.monotonic()
        process = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                                   env=dict(os.environ, LC_ALL="C"))
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            lines = log.read().decode(errors="replace").splitlines()
            self.failed = lines[-1] if lines else f"exit status {process.returncode}"
        if timed:
            self.seconds.append(seconds)
        self.memory = max(self.memory, used.ru_maxrss * 1024)

    def row(self):
        if self.failed:
            return {"name": self.name, "failed": self.failed}
        return {"name": self.name, "seconds": round(statistics.median(self.seconds), 4),
                "all": [round(s, 4) for s in self.seconds], "memory": self.memory}


class Bench:
    def __init__(self, how):
        self.how, self.rows, self.wrong = how, [], 0
        self.threads = how.threads or len(os.sched_getaffinity(0))

    def tool(self, name):
        path = os.path.join(self.how.tools, name) if self.how.tools else shutil.which(name)
        if not path or not os.path.exists(path):
            sys.exit(f"files.py: no {name}: name the folder of Ordo's programs with --tools")
        return os.path.abspath(path)

    def make(self, name, *arguments):
        path = os.path.join(self.how.work, name)
        if not os.path.exists(path):
            subprocess.run([self.tool("ordo_generate"), "-q", "-o", path, *arguments], check=True)
        return path

    def devices(self):
        return self.how.devices.split(",")

    def ours(self, tool, device, *arguments):
        return [self.tool(tool), "--device", device, "--threads", str(self.threads), "--quiet", *arguments]

    def out(self, name):
        return os.path.join(self.how.work, "out." + name)

    def cp(self, path):
        return Command("cp", ["cp", path, self.out("cp")], [self.out("cp")])

    def strsort(self, title, path):
        commands = [self.cp(path)]
        if shutil.which("sort"):
            commands.append(Command("GNU sort", ["sort", f"--parallel={self.threads}", "-S", "60%", path, "-o",
                                                 self.out("sort")], [self.out("sort")]))
        for device in self.devices():
            to = self.out("strsort." + device)
            commands.append(Command("strsort " + device, self.ours("strsort", device, path, "-o", to), [to]))
        self.measure(title, path, commands, lambda c: c.name != "cp")

    def specsort(self, title, path):
        commands = [self.cp(path), Command("cat", ["cat", path], [self.out("cat")], self.out("cat"))]
        for device in self.devices():
            to = self.out(f"specsort.{device}.mgf")
            commands.append(Command("specsort " + device, self.ours("specsort", device, path, "-o", to), [to]))
        self.measure(title, path, commands, lambda c: c.name.startswith("specsort"))
        if self.how.scale != "small" and all(shutil.which(p) for p in ("FileConverter", "FileFilter")):
            a, b, to = self.out("a.mzML"), self.out("b.mzML"), self.out("openms.mgf")
            steps = (f"FileConverter -in {path} -out {a} && FileFilter -in {a} -out {b} -peak_options:sort_peaks && "
                     f"FileConverter -in {b} -out {to}")
            self.measure(title + ", OpenMS", path, [Command("OpenMS", ["sh", "-c", steps], [a, b, to])], lambda c: False)

    def sufsort(self, title, path):
        commands = [self.cp(path)]
        for device in self.devices():
            prefix = self.out("sufsort." + device)
            files = [prefix + "." + end for end in ("sa", "seq", "json")]
            commands.append(Command("sufsort " + device, self.ours("sufsort", device, "build", path, "-o", prefix), files))
        self.measure(title, path, commands, lambda c: c.name.startswith("sufsort"))

    def measure(self, title, path, commands, compared):
        if not re.search(self.how.only, title):
            return
        size = os.path.getsize(path)
        for timed in [False] + [True] * self.how.runs:
            for command in commands:
                if command.failed:
                    continue
                with open(path, "rb") as file:
                    if self.how.cold:
                        os.fsync(file.fileno())
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                    elif not timed:
                        while file.read(1 << 24):
                            pass
                command.run(timed)
        same = [c for c in commands if compared(c) and not c.failed]
        wrong = [f"{a} and {b} differ" for c in same[1:] for a, b in zip(same[0].outputs, c.outputs)
                 if not a.endswith(".json") and not filecmp.cmp(a, b, shallow=False)]
        for command in commands:
            for output in command.outputs:
                if os.path.exists(output):
                    os.unlink(output)
        self.rows.append({"name": title, "bytes": size, "commands": [c.row() for c in commands], "wrong": wrong})
        self.wrong += len(wrong)
        self.show(self.rows[-1])

    def show(self, row):
        print(f"{row['name']}, {row['bytes'] / 1e6:.1f} MB")
        for c in row["commands"]:
            if "failed" in c:
                print(f"  {c['name']:<16} {c['failed']}")
            else:
                print(f"  {c['name']:<16} {c['seconds']:8.3f} s {row['bytes'] / 1e6 / c['seconds']:9.1f} MB/s"
                      f" {c['memory'] / 1e6:9.1f} MB of memory")
        for text in row["wrong"]:
            print("  WRONG: " + text)
        sys.stdout.flush()


def machine(bench):
    gpu = ""
    if shutil.which("nvidia-smi"):
        gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                             text=True).stdout.strip()
    processor = ""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    version = subprocess.run([bench.tool("strsort"), "--version"], capture_output=True, text=True).stdout.splitlines()
    return {"processor": processor, "threads": bench.threads, "kernel": platform.release(), "gpu": gpu, "version": version}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tools", default="")
    parser.add_argument("--scale", choices=sorted(SCALES), default="medium")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--devices", default="auto,cpu,gpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--work", default="")
    parser.add_argument("--json", default="")
    how = parser.parse_args()
    made = not how.work
    how.work = os.path.abspath(how.work or tempfile.mkdtemp(prefix="ordo-files-"))
    os.makedirs(how.work, exist_ok=True)
    bench = Bench(how)
    try:
        for path in how.files:
            kind = bench.sufsort if path.endswith(FASTA) else bench.specsort if path.endswith(".mgf") else bench.strsort
            kind(f"{kind.__name__} {os.path.basename(path)}", os.path.abspath(path))
        if not how.files:
            generated(bench, *SCALES[how.scale])
    finally:
        if made:
            shutil.rmtree(how.work)
    if how.json:
        with open(how.json, "w") as file:
            json.dump({"benchmark": "files", "machine": machine(bench), "cold": how.cold, "runs": how.runs, "rows": bench.rows},
                      file)
            file.write("\n")
    sys.exit(1 if bench.wrong else 0)


def generated(bench, paths, urls, spectra, genomes):
    def wanted(title):
        return re.search(bench.how.only, title)

    for title, name, *arguments in (("strsort paths", "paths", "strings", "--set", "filelist", "--scale", str(paths / 10e6)),
                                    ("strsort urls", "urls", "strings", "--set", "url", "--scale", str(urls / 10e6))):
        if wanted(title):
            bench.strsort(title, bench.make(name, *arguments))
    for title, order in (("specsort unsorted", "random"), ("specsort sorted", "mz")):
        if wanted(title):
            bench.specsort(title, bench.make(order + ".mgf", "spectra", "--count", str(spectra), "--order", order))
    for letters in genomes:
        title = f"sufsort genome {letters / 1e6:g} M"
        if wanted(title):
            bench.sufsort(title, bench.make(f"genome{letters}.fa", "genome", "--length", str(letters)))


if __name__ == "__main__":
    main()
