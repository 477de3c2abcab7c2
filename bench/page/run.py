#!/usr/bin/env python3
"""Measures this machine and writes the pages of its benchmarks.

Builds the benchmarks, runs one after the other, and writes BENCHMARKS.md and docs/benchmarks from their results. Each leaves
NAME_GPU.json in --results; without a GPU, only those run that need none, and GPU is the number of cores ("16_cores").
Benchmarks that have left their file already are skipped, so that a run that was stopped continues. --results bench/results
replaces the files and pages of the repository. The matrices of the papers are in the SuiteSparse collection.

Needs what the build needs (README.md) or, with --programs, Python alone, and 4 GB for temporary files (TMPDIR). Rows that do
not fit the GPU's memory are left out with a message. A benchmark that fails leaves NAME_GPU.json.part; the others go on, and
the exit status is 1."""

import argparse
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from steps import BY_NAME, STEPS, Step

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/benchmarks"
WORK = ROOT / "build/page"
# The part of the GPU's memory that array_sort --capacity fills, 34 G floats of an H200's 150.1 GB, and the GB that it leaves
# free: on a small GPU the driver's context and a screen need more than the rest.
CAPACITY, LEFT_FREE = 0.907, 3.0
# The part of the host's memory that array_stream fills, and the largest number of GB.
OF_HOST, MAX_OF_HOST = 0.65, 80


class Run:
    def __init__(self, options: argparse.Namespace):
        self.options, self.results, self.begun = options, options.results.resolve(), time.monotonic()
        self.is_plan = options.dry_run and not options.programs  # a dry run builds nothing
        built = BUILD / "bin" if options.dry_run else None
        self.programs = options.programs.resolve() if options.programs else built or build(options.define)
        self.gpu, self.memory = self.find_gpu()
        self.card = name_of(self.gpu) if self.gpu else f"{len(os.sched_getaffinity(0))}_cores"
        self.failed: list[str] = []

    def find_gpu(self) -> tuple[str, float]:
        """Returns the name and the GB of the first GPU, by Ordo or, before the build, by the driver; "" without one."""
        if (self.programs / "strsort").exists():
            command = [self.programs / "strsort", "--version"]
            text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            found = re.search(r"^GPU: (.+), compute capability .*, ([0-9.]+) GB$", text, re.MULTILINE)
            return (found[1], float(found[2])) if found else ("", 0.0)
        if not shutil.which("nvidia-smi"):
            return "", 0.0
        command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
        text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        found = re.match(r"(.+), ([0-9]+)$", text, re.MULTILINE)
        return (found[1], float(found[2]) * 2**20 / 1e9) if found else ("", 0.0)

    def file(self, name: str) -> pathlib.Path:
        return self.results / f"{name}_{self.card}.json"

    def why_not(self, step: Step) -> str:
        """Returns the reason to skip a step, or an empty string."""
        if step.name in self.options.skip:
            return "skipped by --skip"
        program = ROOT / step.program if "/" in step.program else self.programs / step.program
        if step.gpu and not self.gpu:
            return "needs a GPU"
        if not program.exists() and not self.is_plan:
            return f"no {step.program} in {self.programs}"
        if step.own and not getattr(self.options, step.own.lower()):
            return f"needs --{step.own.lower()}"
        if step.host and self.gpu and step.name not in self.options.only:
            return f"for machines without a GPU: only with --only {step.name}"
        if step.large and step.name not in self.options.only:
            return f"large: only with --only {step.name}"
        if self.file(step.name).exists() and not self.options.again:
            return "has its results already"
        return ""

    def genome(self) -> pathlib.Path:
        """Returns the file of the generated genome: in the folder of the results, unless that is the repository's."""
        return (WORK if self.results == ROOT / "bench/results" else self.results) / "genome.fa"

    def arguments(self, step: Step, to: pathlib.Path) -> tuple[dict[str, str], list[str]]:
        """Returns the variables of the environment, and the command."""
        floats = max(0.1, min(self.memory * CAPACITY, self.memory - LEFT_FREE) / 4)
        host = max(2, min(MAX_OF_HOST, int(OF_HOST * free_memory())))
        half = min(host / 2, self.memory * 0.8)  # a limit on a small GPU, too
        words = {
            "FILE": [str(to)],
            "PROGRAMS": [str(self.programs)],
            "DEVICES": ["auto,cpu,gpu" if self.gpu else "cpu"],
            "G": [f"{int(floats * 10) / 10:g}"],
            "S": [str(host)],
            "HALF": [f"{int(half * 1e9) >> 20}M"],
            "MATRIX": [str(file) for file in self.options.matrix],
        }
        variables, (program, *rest) = step.words()
        begin = [sys.executable, str(ROOT / program)] if program.endswith(".py") else [str(self.programs / program)]
        if "FASTA" in rest:
            fasta = self.options.fasta or [self.genome()]
            option = ["--fasta"] if "--fasta" in rest else []  # files.py takes it before each file
            rest = [word for word in rest if word != "--fasta"]
            words["FASTA"] = [word for file in fasta for word in [*option, str(file)]]
        variables = {name: words.get(value, [value])[0] for name, value in variables.items()}
        return variables, begin + [word for name in rest for word in words.get(name, [name])]

    def line(self, step: Step) -> str:
        variables, command = self.arguments(step, self.file(step.name))
        return " ".join([*(f"{name}={value}" for name, value in variables.items()), shlex.join(command)])

    def make_genome(self) -> None:
        genome = self.genome()
        if not genome.exists():
            genome.parent.mkdir(parents=True, exist_ok=True)
            command = [self.programs / "ordo_generate", "-q", "-o", genome, "genome", "--length", "64000000"]
            subprocess.run(command, check=True)

    def run(self, step: Step) -> None:
        part = self.file(step.name).with_suffix(".json.part")
        part.unlink(missing_ok=True)  # of an earlier run
        begin = time.monotonic()
        try:
            if "FASTA" in step.words()[1] and not self.options.fasta:
                self.make_genome()
            variables, command = self.arguments(step, part)
            status = subprocess.run(command, env=os.environ | variables, check=False).returncode
            error = f"exit status {status}" if status != 0 else "" if part.exists() else "no results"
        except (OSError, subprocess.CalledProcessError) as e:  # no such program, or no genome
            error = str(e)
        seconds = time.monotonic() - begin
        if not error:
            part.rename(self.file(step.name))
            say(f"  took {seconds:.0f} s")
        else:
            self.failed.append(step.name)
            say(f"  FAILED after {seconds:.0f} s: {error}" + (f"; partial results: {part}" if part.exists() else ""))

    def minutes_left(self) -> float:
        return self.options.minutes - (time.monotonic() - self.begun) / 60

    def all(self) -> int:
        chosen = [BY_NAME[name] for name in self.options.only] or STEPS
        left_out = {step.name: self.why_not(step) for step in chosen}
        to_run = [step for step in chosen if not left_out[step.name]]
        say(f"{self.gpu or 'no GPU'}: results in {self.results}/NAME_{self.card}.json")
        if not self.gpu and shutil.which("nvidia-smi"):
            say(f"nvidia-smi is installed, but the programs find no GPU: {self.programs}/strsort --version")
        for step in chosen:
            if left_out[step.name]:
                say(f"{step.name}: {left_out[step.name]}")
        late = []
        for i, step in enumerate(to_run, 1):
            if not self.options.dry_run and self.minutes_left() < step.minutes:
                late.append(step.name)
                continue
            say(f"[{i}/{len(to_run)}] {step.name}, about {step.minutes:g} min: {self.line(step)}")
            if not self.options.dry_run:
                self.run(step)
        if self.options.dry_run:
            say(f"total: about {sum(step.minutes for step in to_run):.0f} min")
            return 0
        out = ROOT if self.results == ROOT / "bench/results" else self.results
        command = [sys.executable, HERE / "make.py", "--results", self.results, "--card", self.card, "--out", out]
        is_made = subprocess.run(command, check=False).returncode == 0
        if is_made:
            say(f"summary: {out}/BENCHMARKS.md")
        if late:
            say(f"no time left for (the same command continues): {', '.join(late)}")
        if self.failed:
            say(f"FAILED: {', '.join(self.failed)}")
        return 1 if self.failed or not is_made else 0


def say(text: str) -> None:
    print(text, flush=True)


def free_memory() -> float:
    """Returns the GB of the host's memory that are free and that the control group may use."""
    found = re.search(r"^MemAvailable: +([0-9]+) kB$", read("/proc/meminfo"), re.MULTILINE)
    limit = read("/sys/fs/cgroup/memory.max").strip()
    bounds = ([int(found[1]) * 1024] if found else []) + ([int(limit)] if limit.isdigit() else [])
    return min(bounds, default=0) / 1e9


def read(file: str) -> str:
    try:
        return pathlib.Path(file).read_text()
    except OSError:
        return ""


def name_of(gpu: str) -> str:
    """Returns the name for files: 'h200' for 'NVIDIA H200', 'rtx_4090' for 'NVIDIA GeForce RTX 4090'."""
    words = [word for word in re.findall(r"[a-z0-9]+", gpu.lower()) if word not in ("nvidia", "geforce", "tesla", "graphics")]
    return "_".join(words) or "gpu"


def build(define: list[str]) -> pathlib.Path:
    """Builds the benchmarks and the tools. Returns the folder of the programs."""
    say(f"building {BUILD}")
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DORDO_BENCH=ON", "-DORDO_TESTS=OFF", *(f"-D{value}" for value in define)]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", *generator, "-S", ROOT, "-B", BUILD, *options], stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["cmake", "--build", BUILD, "--parallel", str(len(os.sched_getaffinity(0)))], check=True)
    return BUILD / "bin"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    files = {"type": pathlib.Path, "action": "append", "default": [], "metavar": "FILE"}
    names = {"action": "append", "default": [], "metavar": "NAME", "choices": list(BY_NAME)}
    option = parser.add_argument
    option("-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="for CMake: ORDO_LIBSAIS=DIR, ...")
    option("--programs", type=pathlib.Path, metavar="DIR", help="use the benchmarks and tools in DIR instead of building them")
    option("--results", type=pathlib.Path, default=WORK, metavar="DIR", help="folder of the results and pages [build/page]")
    option("--only", **names, help=f"run this benchmark only; may be repeated: {', '.join(BY_NAME)}")
    option("--skip", **names, help="skip this benchmark; may be repeated")
    option("--minutes", type=float, default=math.inf, metavar="N", help="begin nothing that would not end within N minutes")
    option("--fasta", **files, help="genome to build suffix arrays of, instead of a generated one; may be repeated")
    option("--matrix", **files, help="Matrix Market file to square, beside generated matrices; may be repeated")
    option("--again", action="store_true", help="run benchmarks again that have their results already")
    option("--dry-run", action="store_true", help="print the commands and about how long they take, and run nothing")
    options = parser.parse_args()
    if options.programs and not (options.programs / "strsort").exists():
        parser.error(f"no strsort in {options.programs}: the folder needs Ordo's tools and the benchmarks")
    options.fasta, options.matrix = ([file.resolve() for file in files] for files in (options.fasta, options.matrix))
    if missing := [str(file) for file in options.fasta + options.matrix if not file.is_file()]:
        parser.error(f"no such file: {', '.join(missing)}")
    try:
        if not options.dry_run:
            options.results.mkdir(parents=True, exist_ok=True)
        return Run(options).all()
    except (OSError, subprocess.CalledProcessError) as e:
        print(f"run.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
