#!/usr/bin/env python3
"""Makes BENCHMARKS.md and its plots from what the benchmarks printed.

make.py [--results DIR] [--card NAME] [--out DIR] [--links DIR] [--root DIR]: reads DIR/*_NAME.json, writes DIR/BENCHMARKS.md
and DIR/bench/plots, and the table of DIR/README.md, if there is one with marks for it. Nothing on the page is written by
hand but its words: a figure that has no JSON is not there, and a section without any is left out. --links, --root: where the
page is to say that the JSON and the repository are. run.py measures, and then calls this."""

import argparse
import os
import pathlib
import re
import sys

import awan
import commands
import deshpande
import hou
import leischner
import polok
import readme
import suffix
from page import HOST, PLOTS, Page

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTIONS = [
    hou.segmented_sort,
    polok.radix_sort,
    awan.array_sort,
    awan.array_stream,
    leischner.sample_sort,
    deshpande.string_sort,
    hou.spgemm,
    suffix.suffix_arrays,
    commands.host_sorts,
    commands.files,
]
RIVALS = {
    "ORDO_LIBSAIS": "IlyaGrebnov/libsais",
    "ORDO_LIBCUBWT": "IlyaGrebnov/libcubwt",
    "ORDO_BB_SEGSORT": "Funatiq/bb_segsort",
    "ORDO_MODERNGPU": "moderngpu/moderngpu",
}
FIRST = ["segmented_sort", "radix_sort", "array_sort", "comparator_sort", "spgemm"]  # whose machine is the page's


def begin(page: Page) -> None:
    machine = next((page.json(name)["machine"] for name in FIRST if page.has(name)), None)
    where = f", on one {machine['device']}, CUDA {machine['cuda']}, CCCL {machine['cccl']}" if machine else ""
    gpu = not page.card.endswith("_cores")  # run.py's name of a machine without one
    page.device = machine["device"] if machine else ""
    page.lines += ["# Benchmarks", ""]
    page.say(
        f"Ordo beside what else there is{where}: a section for each of the five papers whose methods it has, with the paper's"
        " own figures on its own card, as far as it prints them as numbers, and then the same experiment here. How to read it:"
        if gpu
        else "Ordo beside what else there is, on a machine without a GPU: of the papers whose methods it has the experiments"
        " that a CPU can do, and whole commands. How to read it:"
    )
    page.lines += [
        (
            "- Rivals run in the same program and the same run as Ordo. What they return is compared with what Ordo returns;"
            " one that is wrong,"
        ),
        "  or was not possible, has no figure.",
        (
            "- Times are medians of kernels on data in the card's memory, unless a section says otherwise. Less is better in"
            " tables of times,"
            if gpu
            else "- Times are medians, unless a section says otherwise. Less is better in tables of times,"
        ),
        "  more in plots of rates.",
        (
            "- `copy` is the floor: a copy of the same bytes from memory to memory in the same run. Nothing that reads and"
            " writes all of them"
        ),
        "  once can be faster, and `Ordo / copy` says how far from it we are.",
        "- `best rival / Ordo` above 1: Ordo is faster. Where there are rivals, the section says where it loses, and",
        "  why as far as that is known.",
        "- Rates drift from one run and machine to the next: compare figures of one table.",
        "",
    ]


def at_a_glance(page: Page) -> list[str]:
    """The table of sections, with links to them."""
    lines = ["| section | rows | best rival / Ordo, median | rows where a rival is faster |", "| --- | --- | --- | --- |"]
    for title, *figures in page.glance:
        section = title.split(",")[0]  # a part of one
        heading = next(line[3:] for line in page.lines if line.startswith(f"## {section}"))
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        lines.append(f"| [{title}](#{anchor}) | " + " | ".join(figures) + " |")
    return [*lines, ""] if page.glance else []


def end(page: Page, scripts: str) -> None:
    page.heading("For another card")
    page.say(
        f"[bench/page/run.py]({scripts}/run.py) builds the benchmarks, runs the commands named above, and makes"
        " this page for the card that it finds; without one, what a CPU can do. It says what it runs and about how long it"
        " takes (`--dry-run`: that alone), goes on where it was stopped, and takes `--only NAME`, `--skip NAME`, `--minutes N`,"
        " `--programs DIR` (built already), `--fasta FILE` and `--matrix FILE` (genomes and sparse matrices of your own). What"
        " a smaller card has no memory for is left out. In the commands FILE is `--results`/NAME_CARD.json, PROGRAMS the folder"
        " of programs, FASTA the genomes or a made one, MATRIX the matrices, G the 10^9 floats that nearly fill the card, S the"
        " 10^9 bytes that the host has room for (80 at most), HALF half of them or, on a card that has less, four fifths of it,"
        " DEVICES the machines there are."
        f" [make.py]({scripts}/make.py) makes the page alone, from the JSON."
    )
    page.say(
        "Rivals that are in no package are beside where their sources are named. Clone them, and name the folders to `run.py`,"
        " or to `cmake` with `-DORDO_BENCH=ON`:"
    )
    page.lines += [
        "```",
        *(f"git clone https://github.com/{repository}" for repository in RIVALS.values()),
        "bench/page/run.py " + " \\\n  ".join(f"-D{option}=$PWD/{of.split('/')[1]}" for option, of in RIVALS.items()),
        "```",
        "",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument("--card", default="h200", help="the end of the names of the JSON files")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT)
    parser.add_argument("--links", default="bench/results")
    parser.add_argument("--root", default=".")
    how = parser.parse_args()
    page = Page(how.results, how.card, how.links)
    scripts = os.path.normpath(f"{how.root}/bench/page")
    begin(page)
    intro = len(page.lines)
    for section in SECTIONS:
        section(page)
    page.lines[intro:intro] = at_a_glance(page)
    end(page, scripts)
    (how.out / PLOTS).mkdir(parents=True, exist_ok=True)
    (how.out / "BENCHMARKS.md").write_text("\n".join(page.lines).rstrip() + "\n")
    if (file := how.out / "README.md").exists():
        part = Page(how.results, how.card, how.links)
        readme.table(part, page.glance)
        file.write_text(readme.put(file.read_text(), part.lines))
    for name, svg in page.plots.items():
        (how.out / PLOTS / f"{name}.svg").write_text(svg)
    for name in sorted(path.name for path in how.results.glob("*.json")):
        if name not in page.used and name.endswith((f"_{how.card}.json", f"_{HOST}.json")):
            print(f"make.py: not on the page: {name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
