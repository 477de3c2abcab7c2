#!/usr/bin/env python3
"""Measures this machine and makes the page of its benchmarks.

    bench/page/run.py [-D NAME=VALUE]... [--programs DIR] [--results DIR] [--only NAME]... [--skip NAME]...
                            [--fasta FILE]... [--matrix FILE]... [--minutes N] [--again] [--dry-run]

Builds the benchmarks (or takes those of --programs, a folder with them and Ordo's tools), runs one after the other, each with
--json into --results (default: build/page), under a name of the card that is here ("h200"; without one "16_cores", and then
only what needs none), and makes BENCHMARKS.md and its plots there, or, of --results bench/results, those of the
repository. What has left its JSON already is not run again, so a run that was stopped goes on where it was, unless --again.
--only and --skip NAME, as often as you like: these alone, or all but these. --minutes: begins nothing that would take longer
than what is left of them; the page is made of what there is, and the same command goes on later. --dry-run: says what would be
run, and about how long it takes. --fasta: genomes to build suffix arrays of, instead of a made one. --matrix: Matrix Market
files to square, beside made ones; those of the papers are in the SuiteSparse collection. -D: for CMake, as -DORDO_LIBSAIS=DIR,
the folder of a rival's sources.

Needs what the build needs (README.md) or, with --programs, Python alone, and some 4 GB where temporary files go (TMPDIR). What
does not fit the card's memory a benchmark leaves out, and tells. A step that fails is told, leaves NAME_CARD.json.part, and the
others go on; the exit status is 1 then."""

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
# How much of the card array_sort --capacity fills: 34 G floats of an H200's 150.1 GB. A small card needs more than the rest of
# it for what else is there: the driver's context, a screen.
CAPACITY, LEFT_FREE = 0.907, 3.0  # of GB
# How much of the host's memory array_stream fills, and how many GB are enough.
OF_HOST, MOST_OF_HOST = 0.65, 80


class Run:
    def __init__(self, how: argparse.Namespace):
        self.how, self.results, self.begun = how, how.results.resolve(), time.monotonic()
        self.planned = how.dry_run and not how.programs  # nothing is built to say what would be run
        self.programs = how.programs.resolve() if how.programs else BUILD / "bin" if how.dry_run else build(how.define)
        self.gpu, self.memory = self.find_gpu()
        self.card = name_of(self.gpu) if self.gpu else f"{len(os.sched_getaffinity(0))}_cores"
        self.failed: list[str] = []

    def find_gpu(self) -> tuple[str, float]:
        """The first card, and its GB, as Ordo sees it, or the driver where nothing is built yet; "" without one."""
        if (self.programs / "strsort").exists():
            ask = [self.programs / "strsort", "--version"]
            said = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=True).stdout
            found = re.search(r"^GPU: (.+), compute capability .*, ([0-9.]+) GB$", said, re.MULTILINE)
            return (found[1], float(found[2])) if found else ("", 0.0)
        if not shutil.which("nvidia-smi"):
            return "", 0.0
        ask = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
        found = re.match(
            r"(.+), ([0-9]+)$", subprocess.run(ask, capture_output=True, text=True, check=False).stdout, re.MULTILINE
        )
        return (found[1], float(found[2]) * 2**20 / 1e9) if found else ("", 0.0)

    def file(self, name: str) -> pathlib.Path:
        return self.results / f"{name}_{self.card}.json"

    def why_not(self, step: Step) -> str:
        """Why a step is left out; '' if it is not."""
        if step.name in self.how.skip:
            return "not wanted"
        program = ROOT / step.program if "/" in step.program else self.programs / step.program
        if step.gpu and not self.gpu:
            return "needs a GPU"
        if not program.exists() and not self.planned:
            return f"no {step.program} in {self.programs}"
        if step.own and not getattr(self.how, step.own.lower()):
            return f"needs --{step.own.lower()}"
        if step.host and self.gpu and step.name not in self.how.only:
            return f"for machines without a GPU: only with --only {step.name}"
        if step.large and step.name not in self.how.only:
            return f"large: only with --only {step.name}"
        if self.file(step.name).exists() and not self.how.again:
            return "is there"
        return ""

    def genome(self) -> pathlib.Path:
        """The made one, which is no result: beside them all the same, unless these are the repository's."""
        return (WORK if self.results == ROOT / "bench/results" else self.results) / "genome.fa"

    def arguments(self, step: Step, to: pathlib.Path) -> tuple[dict[str, str], list[str]]:
        """Variables of the environment, and the command."""
        floats = max(0.1, min(self.memory * CAPACITY, self.memory - LEFT_FREE) / 4)
        host = max(2, min(MOST_OF_HOST, int(OF_HOST * free_memory())))
        half = min(host / 2, self.memory * 0.8)  # so that it is a limit on a small card, too
        words = {
            "FILE": [str(to)],
            "PROGRAMS": [str(self.programs)],
            "DEVICES": ["auto,cpu,gpu" if self.gpu else "cpu"],
            "G": [f"{int(floats * 10) / 10:g}"],
            "S": [str(host)],
            "HALF": [f"{int(half * 1e9) >> 20}M"],
            "MATRIX": [str(file) for file in self.how.matrix],
        }
        variables, (program, *rest) = step.words()
        begin = [sys.executable, str(ROOT / program)] if program.endswith(".py") else [str(self.programs / program)]
        if "FASTA" in rest:
            fasta = self.how.fasta or [self.genome()]
            option = ["--fasta"] if step.own else []  # files.py wants it before each
            rest = [word for word in rest if word != "--fasta"]
            words["FASTA"] = [word for file in fasta for word in [*option, str(file)]]
        variables = {name: words.get(value, [value])[0] for name, value in variables.items()}
        return variables, begin + [word for given in rest for word in words.get(given, [given])]

    def line(self, step: Step) -> str:
        variables, command = self.arguments(step, self.file(step.name))
        return " ".join([*(f"{name}={value}" for name, value in variables.items()), shlex.join(command)])

    def make_genome(self) -> None:
        genome = self.genome()
        if not genome.exists():
            genome.parent.mkdir(parents=True, exist_ok=True)
            made = [self.programs / "ordo_generate", "-q", "-o", genome, "genome", "--length", "64000000"]
            subprocess.run(made, check=True)

    def run(self, step: Step) -> None:
        part = self.file(step.name).with_suffix(".json.part")
        part.unlink(missing_ok=True)  # of a run before this
        begin = time.monotonic()
        try:
            if "FASTA" in step.words()[1] and not self.how.fasta:
                self.make_genome()
            variables, command = self.arguments(step, part)
            status = subprocess.run(command, env=os.environ | variables, check=False).returncode
            wrong = f"exit status {status}" if status != 0 else "" if part.exists() else "it left no figures"
        except (OSError, subprocess.CalledProcessError) as e:  # no such program, or no genome
            wrong = str(e)
        took = time.monotonic() - begin
        if not wrong:
            part.rename(self.file(step.name))
            say(f"  took {took:.0f} s")
        else:
            self.failed.append(step.name)
            kept = f"; what there is of its figures: {part}" if part.exists() else ""
            say(f"  FAILED after {took:.0f} s: {wrong}{kept}")

    def minutes_left(self) -> float:
        return self.how.minutes - (time.monotonic() - self.begun) / 60

    def all(self) -> int:
        chosen = [BY_NAME[name] for name in self.how.only] or STEPS
        left_out = {step.name: self.why_not(step) for step in chosen}
        to_run = [step for step in chosen if not left_out[step.name]]
        say(f"{self.gpu or 'no GPU'}: files {self.results}/NAME_{self.card}.json")
        if not self.gpu and shutil.which("nvidia-smi"):
            say(f"there is an nvidia-smi, but these programs see no GPU: {self.programs}/strsort --version")
        for step in chosen:
            if left_out[step.name]:
                say(f"{step.name}: {left_out[step.name]}")
        late = []
        for i, step in enumerate(to_run, 1):
            if not self.how.dry_run and self.minutes_left() < step.minutes:
                late.append(step.name)
                continue
            say(f"[{i}/{len(to_run)}] {step.name}, about {step.minutes:g} min: {self.line(step)}")
            if not self.how.dry_run:
                self.run(step)
        if self.how.dry_run:
            say(f"in all about {sum(step.minutes for step in to_run):.0f} min")
            return 0
        page = self.results if self.results != ROOT / "bench/results" else ROOT  # the repository's own
        links = os.path.relpath(self.results, page)
        make = [
            sys.executable,
            HERE / "make.py",
            "--results",
            self.results,
            "--card",
            self.card,
            "--out",
            page,
            "--links",
            links,
            "--root",
            os.path.relpath(ROOT, page),
        ]
        made = subprocess.run(make, check=False).returncode == 0
        if made:
            say(f"the page: {page}/BENCHMARKS.md")
        if late:
            say(f"no time left, the same command goes on: {', '.join(late)}")
        if self.failed:
            say(f"FAILED: {', '.join(self.failed)}")
        return 1 if self.failed or not made else 0


def say(text: str) -> None:
    print(text, flush=True)


def free_memory() -> float:
    """GB of the host's memory that are free, or those that this group of processes may have."""
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
    """'NVIDIA H200' is h200, 'NVIDIA GeForce RTX 4090' is rtx_4090."""
    words = [word for word in re.findall(r"[a-z0-9]+", gpu.lower()) if word not in ("nvidia", "geforce", "tesla", "graphics")]
    return "_".join(words) or "gpu"


def build(define: list[str]) -> pathlib.Path:
    """The folder of programs that are built for this."""
    say(f"building {BUILD}")
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DORDO_BENCH=ON", "-DORDO_TESTS=OFF", *(f"-D{one}" for one in define)]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", *generator, "-S", ROOT, "-B", BUILD, *options], stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["cmake", "--build", BUILD, "--parallel", str(len(os.sched_getaffinity(0)))], check=True)
    return BUILD / "bin"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="for CMake")
    parser.add_argument("--programs", type=pathlib.Path, help="a folder of them, instead of building")
    parser.add_argument("--results", type=pathlib.Path, default=WORK)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", choices=list(BY_NAME), help=", ".join(BY_NAME))
    parser.add_argument("--skip", action="append", default=[], metavar="NAME", choices=list(BY_NAME))
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N")
    parser.add_argument("--fasta", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--matrix", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    how = parser.parse_args()
    if how.programs and not (how.programs / "strsort").exists():
        parser.error(f"no strsort in {how.programs}: the folder needs Ordo's tools and the benchmarks")
    how.fasta, how.matrix = ([file.resolve() for file in files] for files in (how.fasta, how.matrix))
    if missing := [str(file) for file in how.fasta + how.matrix if not file.is_file()]:
        parser.error(f"no such file: {', '.join(missing)}")
    try:
        if not how.dry_run:
            how.results.mkdir(parents=True, exist_ok=True)
        return Run(how).all()
    except (OSError, subprocess.CalledProcessError) as e:
        print(f"run.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
