#!/usr/bin/env python3
"""files.py: measures whole commands, from file to file, beside the programs that people use today and beside cp.

    bench/files.py --tools build/release/bin [--scale small|medium|full] [--runs N] [--cache hot|cold|both] [--json FILE]
                   [--work DIR] [--only REGEX] [--devices auto,cpu,gpu] [--threads N]
                   [--paths FILE] [--urls FILE] [--mgf FILE]... [--fasta FILE]... [FILE...]

Each row is one input. Its commands run in turn, once without being timed and then --runs times, so that other load on the
machine affects all of them. Seconds are medians of wall-clock time from the start of a process to its end; memory is the
largest resident set of any process of any run, or that of Python if it is larger. CPU seconds are those of all its processes.
ordo_generate makes the inputs in the work folder (default: a new folder in TMPDIR, removed at the end), which should be on the
file system to be measured. Real files are measured instead if any are named: --paths and --urls for strsort, --mgf, --fasta,
and FILEs by their names: .fa .fna .faa .fasta for sufsort, .mgf for specsort, all others for strsort.
Hot inputs are in the page cache. Cold inputs are dropped from it before each run, by posix_fadvise or, if that fails and root
runs this, by /proc/sys/vm/drop_caches; the JSON file names the method ("cold").
Outputs are compared: strsort's with GNU sort's, sufsort's of one record with libdivsufsort's, and those of different devices
with each other. The JSON file has the SHA-256 of each, to compare different hosts. The exit status is 1 if outputs differ.
Programs that are not installed are left out: GNU sort, OpenMS (topp), libdivsufsort (which gets the residues, not FASTA).
"""
import argparse
import ctypes
import ctypes.util
import hashlib
import json
import os
import platform
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SCALES = {  # paths, urls, rows of a table, spectra, letters of genomes
    "small": (200_000, 200_000, 200_000, 2_000, [4_000_000]),
    "medium": (5_500_000, 10_000_000, 5_000_000, 100_000, [64_000_000]),
    "full": (5_500_000, 96_000_000, 20_000_000, 100_000, [64_000_000, 1_000_000_000, 3_100_000_000]),
}
# Keys of rows "number TAB host TAB length".
ORDERS = ["-n", "-t '\t' -k2,2 -k3,3nr", "-V", "-h", "-f", "-u -k1,1"]
PR_SET_CHILD_SUBREAPER = 36  # orphans of commands become children of this process
FASTA = (".fa", ".fna", ".faa", ".fasta")

# A program with arguments LIBRARY RESIDUES OUT
DIVSUFSORT = """
import ctypes, sys
with open(sys.argv[2], "rb") as file:
    text = file.read()
array = (ctypes.c_int32 * len(text))()
if ctypes.CDLL(sys.argv[1]).divsufsort(text, array, ctypes.c_int32(len(text))) != 0:
    sys.exit("divsufsort failed")
with open(sys.argv[3], "wb") as file:
    file.write(memoryview(array).cast("B"))
"""


class Command:
    """One program on one input. Outputs of several commands with the same key are compared."""

    def __init__(self, name, arguments, outputs, stdout=None, reads=None):
        self.name, self.arguments, self.outputs, self.stdout = name, arguments, outputs, stdout
        self.reads = reads  # its input, if that is not the row's
        self.seconds, self.cpu, self.memory, self.failed, self.sums = [], [], 0, "", {}

    def run(self, timed):
        for path in self.outputs.values():
            if os.path.exists(path):
                os.unlink(path)
        log = tempfile.TemporaryFile()
        out = open(self.stdout, "wb") if self.stdout else log
        begin = time.monotonic()
        process = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                                   env=dict(os.environ, LC_ALL="C"))
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        cpu = used.ru_utime + used.ru_stime + self.cpu_of_orphans()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            lines = log.read().decode(errors="replace").splitlines()
            self.failed = lines[-1] if lines else f"exit status {process.returncode}"
        if timed:
            self.seconds.append(seconds)
            self.cpu.append(cpu)
        self.memory = max(self.memory, used.ru_maxrss * 1024)

    def cpu_of_orphans(self):
        """Returns the CPU seconds of processes whose parents did not wait for them, as those of parsort do not."""
        sum_of_cpu = 0
        try:
            while (ended := os.wait4(-1, os.WNOHANG))[0] != 0:
                sum_of_cpu += ended[2].ru_utime + ended[2].ru_stime
                self.memory = max(self.memory, ended[2].ru_maxrss * 1024)
        except ChildProcessError:
            pass
        return sum_of_cpu

    def row(self):
        if self.failed:
            return {"name": self.name, "failed": self.failed}
        return {"name": self.name, "seconds": round(statistics.median(self.seconds), 4),
                "all": [round(s, 4) for s in self.seconds], "cpu": round(statistics.median(self.cpu), 4),
                "memory": self.memory, "sha256": self.sums}


def sum_of(path):
    checksum = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 22):
            checksum.update(block)
    return checksum.hexdigest()


class Cache:
    """The pages of an input in the page cache."""

    DROP = "/proc/sys/vm/drop_caches"

    def __init__(self):
        self.dropped_by = set()

    @staticmethod
    def holds(fd, size):
        """Returns true if any page of a sample is in the cache."""
        for k in range(64):
            try:
                if os.preadv(fd, [bytearray(1)], size * k // 64, os.RWF_NOWAIT) == 1:
                    return True
            except BlockingIOError:
                pass
        return False

    def drop(self, path):
        with open(path, "rb") as file:
            size = os.path.getsize(path)
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            if not self.holds(file.fileno(), size):
                self.dropped_by.add("posix_fadvise")
                return
        try:
            os.sync()
            with open(self.DROP, "w") as file:
                file.write("1\n")
            self.dropped_by.add("drop_caches")
        except OSError:
            self.dropped_by.add("nothing: the pages stay")

    @staticmethod
    def fill(path):
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass


class Bench:
    def __init__(self, options):
        self.options, self.rows, self.wrong, self.cache = options, [], 0, Cache()
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.threads = options.threads or len(os.sched_getaffinity(0))

    def tool(self, name):
        path = os.path.join(self.options.tools, name) if self.options.tools else shutil.which(name)
        if not path or not os.path.exists(path):
            sys.exit(f"files.py: {name} not found: name the folder of Ordo's programs with --tools")
        return os.path.abspath(path)

    def make(self, name, *arguments):
        path = os.path.join(self.options.work, name)
        if not os.path.exists(path):
            subprocess.run([self.tool("ordo_generate"), "-q", "-o", path, *arguments], check=True)
        return path

    def devices(self):
        return self.options.devices.split(",")

    def ours(self, tool, device, *arguments):
        return [self.tool(tool), "--device", device, "--threads", str(self.threads), "--quiet", *arguments]

    def out(self, name):
        return os.path.join(self.options.work, "out." + name)

    def cp(self, path):
        return Command("cp", ["cp", path, self.out("cp")], {"copy": self.out("cp")})

    def strsort(self, title, path):
        commands = [self.cp(path)]
        if shutil.which("sort"):
            to = self.out("sort")
            commands.append(Command("GNU sort", ["sort", f"--parallel={self.threads}", "-S", "60%", path, "-o", to],
                                    {"lines": to}))
        for device in self.devices():
            to = self.out("strsort." + device)
            commands.append(Command("strsort " + device, self.ours("strsort", device, path, "-o", to), {"lines": to}))
        self.measure(title, path, commands)

    def ordered(self, title, path, order):
        """Measures strsort by keys, beside GNU sort."""
        words = shlex.split(order)
        commands, to = [], self.out("sort")
        if shutil.which("sort"):
            commands.append(Command("GNU sort", ["sort", f"--parallel={self.threads}", "-S", "60%", *words, path, "-o", to],
                                    {"lines": to}))
        for device in self.devices():
            to = self.out("strsort." + device)
            commands.append(Command("strsort " + device, self.ours("strsort", device, *words, path, "-o", to), {"lines": to}))
        self.measure(f"{title} {order}".replace("\t", "\\t"), path, commands)

    def counted(self, title, path):
        """Measures the ten most frequent lines."""
        commands, to = [], self.out("sort")
        if shutil.which("sort"):
            steps = f"sort --parallel={self.threads} -S 60% '{path}' | uniq -c | sort -rn | head > '{to}'"
            commands.append(Command("sort | uniq -c | sort -rn | head", ["sh", "-c", steps], {"lines": to}))
        for device in self.devices():
            to = self.out("strsort." + device)
            ours = self.ours("strsort", device, "--by-count", "--head=10", path, "-o", to)
            commands.append(Command("strsort " + device, ours, {"lines": to}))
        self.measure(title + " --by-count --head=10", path, commands)

    def specsort(self, title, path):
        commands = [self.cp(path), Command("cat", ["cat", path], {"copy": self.out("cat")}, self.out("cat"))]
        for device in self.devices():
            to = self.out(f"specsort.{device}.mgf")
            commands.append(Command("specsort " + device, self.ours("specsort", device, path, "-o", to), {"mgf": to}))
        self.measure(title, path, commands)
        if self.options.scale != "small" and all(shutil.which(p) for p in ("FileConverter", "FileFilter")):
            a, b, to = self.out("a.mzML"), self.out("b.mzML"), self.out("openms.mgf")
            threads = f"-threads {self.threads}"
            steps = (f"FileConverter {threads} -in '{path}' -out {a} && "
                     f"FileFilter {threads} -in {a} -out {b} -peak_options:sort_peaks && "
                     f"FileConverter {threads} -in {b} -out {to}")
            files = {"mzML": a, "sorted mzML": b, "printed anew": to}
            self.measure(title + ", OpenMS", path, [Command("OpenMS", ["sh", "-c", steps], files)])

    def sufsort(self, title, path):
        commands = [self.cp(path)]
        for device in self.devices():
            prefix = self.out("sufsort." + device)
            commands.append(Command("sufsort " + device, self.ours("sufsort", device, "build", path, "-o", prefix),
                                    {end: prefix + "." + end for end in ("sa", "seq", "json")}))
        library = ctypes.util.find_library("divsufsort")
        if library and re.search(self.options.only, title):
            residues, records = self.residues(path)
            if os.path.getsize(residues) < 2**31:
                to = self.out("divsufsort.sa")
                commands.append(Command("libdivsufsort", [sys.executable, "-c", DIVSUFSORT, library, residues, to],
                                        {"sa" if records == 1 else "sa of one text": to}, reads=residues))
        self.measure(title, path, commands)

    def residues(self, path):
        """Returns a file with the residues of a FASTA file, and its number of records."""
        prefix = self.out("residues")
        subprocess.run(self.ours("sufsort", "auto", "build", path, "-o", prefix), check=True)
        os.unlink(prefix + ".sa")
        with open(prefix + ".json") as file:
            return prefix + ".seq", len(json.load(file)["records"])

    def measure(self, title, path, commands):
        for cache in ("hot", "cold") if self.options.cache == "both" else (self.options.cache,):
            self.measure_row(title if cache == "hot" else title + ", cold", path, commands, cache)
            for command in commands:
                command.seconds, command.cpu, command.memory = [], [], 0

    def measure_row(self, title, path, commands, cache):
        if not re.search(self.options.only, title):
            return
        for timed in [False] + [True] * self.options.runs:
            for command in commands:
                if command.failed:
                    continue
                if cache == "cold":
                    self.cache.drop(command.reads or path)
                elif not timed:
                    self.cache.fill(command.reads or path)
                command.run(timed)
        wrong, first = [], {}
        for command in commands:
            command.sums = {} if command.failed else {name: sum_of(file) for name, file in command.outputs.items()}
            for name, checksum in command.sums.items():
                if name != "json" and checksum != first.setdefault(name, (checksum, command.name))[0]:
                    wrong.append(f"{name} of {first[name][1]} and {command.name} differ")
            for output in command.outputs.values():
                if os.path.exists(output):
                    os.unlink(output)
        self.rows.append({"name": title, "bytes": os.path.getsize(path), "commands": [c.row() for c in commands],
                          "wrong": wrong})
        self.wrong += len(wrong)
        self.show(self.rows[-1])

    def show(self, row):
        print(f"{row['name']}, {row['bytes'] / 1e6:.1f} MB")
        for c in row["commands"]:
            if "failed" in c:
                print(f"  {c['name']:<16} {c['failed']}")
            else:
                print(f"  {c['name']:<16} {c['seconds']:8.3f} s {row['bytes'] / 1e6 / c['seconds']:9.1f} MB/s"
                      f" {c['cpu']:8.3f} s of CPU {c['memory'] / 1e6:9.1f} MB of memory")
        for text in row["wrong"]:
            print("  WRONG: " + text)
        sys.stdout.flush()


def machine(bench):
    gpu = ""
    if shutil.which("nvidia-smi"):
        gpus = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                              text=True).stdout.splitlines()
        gpu = f"{len(gpus)} {gpus[0]}" if len(gpus) > 1 else "".join(gpus)
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
    parser.add_argument("--paths", default="")
    parser.add_argument("--urls", default="")
    parser.add_argument("--mgf", action="append", default=[])
    parser.add_argument("--fasta", action="append", default=[])
    parser.add_argument("--tools", default="")
    parser.add_argument("--scale", choices=sorted(SCALES), default="medium")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--devices", default="auto,cpu,gpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", choices=("hot", "cold", "both"), default="hot")
    parser.add_argument("--work", default="")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    is_temporary = not options.work
    options.work = os.path.abspath(options.work or tempfile.mkdtemp(prefix="ordo-files-"))
    os.makedirs(options.work, exist_ok=True)
    bench = Bench(options)
    try:
        real = real_files(bench)
        for kind, title, path in real:
            kind(title, os.path.abspath(path))
        if not real:
            generated(bench, *SCALES[options.scale])
    finally:
        if is_temporary:
            shutil.rmtree(options.work)
    if options.json:
        write_report(options.json, {"benchmark": "files", "machine": machine(bench), "cache": options.cache,
                                    "cold": sorted(bench.cache.dropped_by), "runs": options.runs, "rows": bench.rows})
    sys.exit(1 if bench.wrong else 0)


def write_report(path, report):
    """Writes a report as JSON: a member a line, and a row a line, so that a change of one row is a change of one line."""
    def text(value):
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(json.dumps(row) for row in value) + "\n ]"
        return json.dumps(value)

    with open(path, "w") as file:
        file.write("{\n " + ",\n ".join(f"{json.dumps(name)}: {text(value)}" for name, value in report.items()) + "\n}\n")


def real_files(bench):
    """Returns the files of the command line: the method that measures each, its title, its path."""
    options = bench.options
    lines = (("paths", options.paths), ("urls", options.urls))
    rows = [(bench.strsort, "strsort real " + kind, path) for kind, path in lines if path]
    named = [(bench.specsort, path) for path in options.mgf] + [(bench.sufsort, path) for path in options.fasta]
    for path in options.files:
        kind = bench.sufsort if path.endswith(FASTA) else bench.specsort if path.endswith(".mgf") else bench.strsort
        named.append((kind, path))
    return rows + [(kind, f"{kind.__name__} {os.path.basename(path)}", path) for kind, path in named]


def write_rows(path, hosts_path, rows):
    """Writes a table of numbers, hosts (few of which are frequent) and lengths, and the hosts alone."""
    draw = random.Random(7)
    hosts = ["www.%s%d.%s" % ("".join(draw.choices("abcdefghijklmnop", k=draw.randrange(3, 9))), i,
                              ("com", "org", "de", "net")[i % 4]) for i in range(50_000)]
    with open(path, "w") as file, open(hosts_path, "w") as hosts_file:
        for begin in range(0, rows, 100_000):
            some = [hosts[min(int(3 * (draw.paretovariate(0.7) - 1)), len(hosts) - 1)]
                    for _ in range(min(100_000, rows - begin))]
            file.write("".join(f"{draw.randrange(10**9)}\t{host}\t{draw.randrange(100_000)}\n" for host in some))
            hosts_file.write("\n".join(some) + "\n")


def generated(bench, paths, urls, rows, spectra, genomes):
    def is_selected(title):
        return re.search(bench.options.only, title)

    for title, name, *arguments in (("strsort paths", "paths", "strings", "--set", "filelist", "--scale", str(paths / 10e6)),
                                    ("strsort urls", "urls", "strings", "--set", "url", "--scale", str(urls / 10e6))):
        if is_selected(title):
            bench.strsort(title, bench.make(name, *arguments))
    table, hosts = (os.path.join(bench.options.work, name) for name in ("rows", "hosts"))
    titles = [f"strsort rows {order}" for order in ORDERS] + ["strsort hosts --by-count --head=10"]
    if any(is_selected(title) for title in titles) and not os.path.exists(table):
        write_rows(table, hosts, rows)
    for order in ORDERS:
        bench.ordered("strsort rows", table, order)
    bench.counted("strsort hosts", hosts)
    for title, order in (("specsort unsorted", "random"), ("specsort sorted", "mz")):
        if is_selected(title):
            bench.specsort(title, bench.make(order + ".mgf", "spectra", "--count", str(spectra), "--order", order))
    for letters in genomes:
        title = f"sufsort genome {letters / 1e6:g} M"
        if is_selected(title):
            bench.sufsort(title, bench.make(f"genome{letters}.fa", "genome", "--length", str(letters)))


if __name__ == "__main__":
    main()
