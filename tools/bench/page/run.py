#!/usr/bin/env python3
"""Measures this machine and makes the page of its benchmarks.

    tools/bench/page/run.py [-D NAME=VALUE]... [--programs DIR] [--results DIR] [--only NAME]... [--fasta FILE]... [--again]
                            [--dry-run]

Builds the benchmarks (or takes those of --programs, a folder with them and Ordo's tools), runs one after the other, each with
--json into --results (default: build/page), under a name of the card that is here ("h200"; without one "16_cores", and then
only what needs none), and makes BENCHMARKS.md and its plots there, or, of --results tools/bench/results, those of the
repository. What has left its JSON already is not run again, so a run that was stopped goes on where it was, unless --again.
--only NAME, as often as you like: these alone. --dry-run: says what would be run, and about how long it takes. --fasta: genomes
to build suffix arrays of, instead of a made one. -D: for CMake, as -DORDO_LIBSAIS=DIR, the folder of a rival's sources.

A step that fails is told, leaves NAME_CARD.json.part, and the others go on; the exit status is 1 then."""

import argparse
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
ROOT = HERE.parents[2]
BUILD = ROOT / "build/benchmarks"
WORK = ROOT / "build/page"
GENOME = WORK / "genome.fa"
# How much of the card array_sort --capacity fills: 34 G floats of an H200's 150.1 GB.
CAPACITY = 0.907


class Run:
    def __init__(self, how: argparse.Namespace):
        self.how, self.results = how, how.results.resolve()
        self.planned = how.dry_run and not how.programs  # nothing is built to say what would be run
        self.programs = how.programs.resolve() if how.programs else BUILD / "bin" if how.dry_run else build(how.define)
        self.gpu, self.memory = self.find_gpu()
        self.card = name_of(self.gpu) if self.gpu else f"{len(os.sched_getaffinity(0))}_cores"
        self.failed: list[str] = []

    def find_gpu(self) -> tuple[str, float]:
        """The first card, and its GB, as Ordo sees it, or the driver where nothing is built yet; "" without one."""
        if (self.programs / "strsort").exists():
            said = subprocess.run([self.programs / "strsort", "--version"], capture_output=True, text=True, check=True).stdout
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
        program = ROOT / step.program if "/" in step.program else self.programs / step.program
        if step.gpu and not self.gpu:
            return "needs a GPU"
        if not program.exists() and not self.planned:
            return f"no {step.program} in {self.programs}"
        if step.own_fasta and not self.how.fasta:
            return "needs --fasta"
        if step.large and step.name not in self.how.only:
            return f"large: only with --only {step.name}"
        if self.file(step.name).exists() and not self.how.again:
            return "is there"
        return ""

    def arguments(self, step: Step, to: pathlib.Path) -> list[str]:
        words = {
            "FILE": [str(to)],
            "PROGRAMS": [str(self.programs)],
            "DEVICES": ["auto,cpu,gpu" if self.gpu else "cpu"],
            "G": [f"{int(self.memory * CAPACITY / 4 * 10) / 10:g}"],
        }
        program, *rest = shlex.split(step.command)
        begin = [sys.executable, str(ROOT / program)] if program.endswith(".py") else [str(self.programs / program)]
        if "FASTA" in rest:
            fasta = self.how.fasta or [GENOME]
            option = ["--fasta"] if step.own_fasta else []  # files.py wants it before each
            rest = [word for word in rest if word != "--fasta"]
            words["FASTA"] = [word for file in fasta for word in [*option, str(file)]]
        return begin + [word for given in rest for word in words.get(given, [given])]

    def make_genome(self) -> None:
        if not GENOME.exists():
            WORK.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.programs / "ordo_generate", "-q", "-o", GENOME, "genome", "--length", "64000000"], check=True)

    def run(self, step: Step) -> None:
        part = self.file(step.name).with_suffix(".json.part")
        if "FASTA" in shlex.split(step.command) and not self.how.fasta:
            self.make_genome()
        begin = time.monotonic()
        status = subprocess.run(self.arguments(step, part), check=False).returncode
        took = time.monotonic() - begin
        if status == 0 and part.exists():
            part.rename(self.file(step.name))
            say(f"  took {took:.0f} s")
        else:
            self.failed.append(step.name)
            say(f"  FAILED after {took:.0f} s: exit status {status}; what there is of its figures: {part}")

    def all(self) -> int:
        chosen = [BY_NAME[name] for name in self.how.only] or STEPS
        left_out = {step.name: self.why_not(step) for step in chosen}
        to_run = [step for step in chosen if not left_out[step.name]]
        say(f"{self.gpu or 'no GPU'}: files {self.results}/NAME_{self.card}.json")
        for step in chosen:
            if left_out[step.name]:
                say(f"{step.name}: {left_out[step.name]}")
        for i, step in enumerate(to_run, 1):
            command = shlex.join(self.arguments(step, self.file(step.name)))
            say(f"[{i}/{len(to_run)}] {step.name}, about {step.minutes:g} min: {command}")
            if not self.how.dry_run:
                self.run(step)
        if self.how.dry_run:
            say(f"in all about {sum(step.minutes for step in to_run):g} min")
            return 0
        page = self.results if self.results != ROOT / "tools/bench/results" else ROOT  # the repository's own
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
        ]
        subprocess.run(make, check=True)
        say(f"the page: {page}/BENCHMARKS.md")
        if self.failed:
            say(f"FAILED: {', '.join(self.failed)}")
        return 1 if self.failed else 0


def say(text: str) -> None:
    print(text, flush=True)


def name_of(gpu: str) -> str:
    """'NVIDIA H200' is h200, 'NVIDIA GeForce RTX 4090' is rtx_4090."""
    words = [word for word in re.findall(r"[a-z0-9]+", gpu.lower()) if word not in ("nvidia", "geforce", "tesla", "graphics")]
    return "_".join(words) or "gpu"


def build(define: list[str]) -> pathlib.Path:
    """The folder of programs that are built for this."""
    say(f"building {BUILD}")
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DORDO_BENCH=ON", "-DORDO_TESTS=OFF", *(f"-D{one}" for one in define)]
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD, *options], stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["cmake", "--build", BUILD], check=True)
    return BUILD / "bin"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="for CMake")
    parser.add_argument("--programs", type=pathlib.Path, help="a folder of them, instead of building")
    parser.add_argument("--results", type=pathlib.Path, default=WORK)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", choices=list(BY_NAME), help=", ".join(BY_NAME))
    parser.add_argument("--fasta", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    how = parser.parse_args()
    if how.programs and not (how.programs / "strsort").exists():
        parser.error(f"no strsort in {how.programs}: the folder needs Ordo's tools and the benchmarks")
    how.fasta = [file.resolve() for file in how.fasta]
    if not how.dry_run:
        how.results.mkdir(parents=True, exist_ok=True)
    return Run(how).all()


if __name__ == "__main__":
    sys.exit(main())
