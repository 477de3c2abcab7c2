#!/usr/bin/env python3
"""Makes BENCHMARKS.md, docs/benchmarks and the README's table from the results of the benchmarks.

make.py [--results DIR] [--card NAME] [--out DIR]

Reads DIR/*_NAME.json and fills the templates in bench/page/templates: the words are there, the figures in the JSON files.
Writes DIR/BENCHMARKS.md, a page for each subject and the plots in DIR/docs/benchmarks, and the part of DIR/README.md between
its marks, if it has any. Parts without results are left out. run.py measures and then calls this."""

import argparse
import os
import pathlib
import re
import sys

import array_sort
import commands
import cpu_python
import cpu_sorts
import paper_figures
import programs
import radix_sort
import readme
import sample_sort
import segmented_sort
import several_gpus
import small_sorts
import sparse_matrices
import string_sort
import suffix_array
from page import HEADER, HOST, SECOND_CARD, Comparison, Results, Values, fill, table, totals, wrapped
from plot import Axis

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "bench/page/templates"
SUBJECTS = [  # in the order of the summary
    *(segmented_sort, radix_sort, array_sort, sample_sort, small_sorts, string_sort),
    *(sparse_matrices, several_gpus, suffix_array, cpu_sorts, cpu_python, commands, programs),
    paper_figures,  # the last, of what the others list
]
GPU_FILES = ["segmented_sort", "radix_sort", "array_sort", "comparator_sort", "spgemm"]  # the first names the GPU


def template(name: str) -> str:
    return (TEMPLATES / f"{name}.md").read_text()


def title_of(name: str) -> str:
    return template(name).split("\n", 1)[0].removeprefix("# ")


def linked(text: str, pages: Values) -> str:
    """Returns the text without the links to pages that are left out."""
    return re.sub(r"\[([^]]*)\]\((\w+)\.md[^)]*\)", lambda m: m[0] if m[2] in pages else m[1], text)


def of_second_card(results: Results) -> Results | None:
    """Returns the results of the other card, if the folder has any, with all comparisons."""
    if results.card == SECOND_CARD or not results.device or not any(results.folder.glob(f"*_{SECOND_CARD}.json")):
        return None
    other = Results(results.folder, SECOND_CARD, results.links)
    for subject in SUBJECTS:
        other.page = subject.__name__
        subject.values(other)
    return other


def named_comparisons(results: Results) -> list[tuple[str, str, Comparison]]:
    """Returns page, title and comparison of each line of the summary."""
    named: list[tuple[str, str, Comparison]] = []
    of_papers: list[Comparison] = []
    for page, comparisons in results.comparisons.items():
        named += [(page, ", ".join(filter(None, (title_of(page), one.title))), one) for one in comparisons if not one.of_paper]
        of_papers += [one for one in comparisons if one.of_paper and not one.part]
    if of_papers:
        ratios = [ratio for one in of_papers for ratio in one.ratios]
        uncertain = frozenset(name for one in of_papers for name in one.uncertain)
        page = paper_figures.__name__
        named.append((page, title_of(page), Comparison("", ratios, uncertain=uncertain, page=page)))
    return named


def of_one_card(results: Results) -> str:
    """Returns a list of the results that only the first of the two cards has, with links."""
    names = [
        file.name.removesuffix(f"_{results.card}.json")
        for file in sorted(results.folder.glob(f"*_{results.card}.json"))
        if not file.with_name(file.name.replace(f"_{results.card}.", f"_{SECOND_CARD}.")).exists()
    ]
    return "\n".join(f"- [{name}]({results.links}/{name}_{results.card}.json)" for name in names)


def summary(results: Results, pages: list[str], other: Results | None) -> Values:
    """Returns the values of BENCHMARKS.md that are about several pages."""
    named = [one for one in named_comparisons(results) if one[0] in pages]
    if named:
        spread = {
            title: {"minimum": one.ratios[0][2], "median": one.median, "maximum": one.ratios[-1][2]} for _, title, one in named
        }
        results.device = ""  # the rows are of several machines
        axis = Axis("time of the best rival / time of Ordo (logarithmic)", log=True)
        results.dots("ratios", "Speedup over the best rival: above 1, Ordo is faster", axis, spread)
    rows = [[f"[{title}](docs/benchmarks/{page}.md)", *one.cells()] for page, title, one in named]
    header = HEADER
    if other:  # its median beside that of the card
        medians = {title: f"{one.median:.2f}" for _, title, one in named_comparisons(other)}
        second = ["" if one.of_cpu else medians.get(title, "not run") for _, title, one in named]
        rows = [[*row[:3], median, *row[3:]] for row, median in zip(rows, second)]
        header = [*HEADER[:2], f"median, {SECOND_CARD.upper()}", *HEADER[2:]]
    values = {f"{name}_plot": image for name, image in results.images.items()} | {
        "summary": table(["", *header], rows),
        "local_pages": ", ".join(f"[{title_of(page)}]({page}.md)" for page in pages),
    }
    values |= totals(one for _, _, one in named)
    return {name: value.replace("](plots/", "](docs/benchmarks/plots/") for name, value in values.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results", metavar="DIR")
    parser.add_argument("--card", default="h200", metavar="NAME", help="the end of the names of the JSON files")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT, metavar="DIR")
    options = parser.parse_args()
    folder = options.out / "docs/benchmarks"
    results = Results(options.results, options.card, os.path.relpath(options.results, folder))
    machine = next((results.json(name)["machine"] for name in GPU_FILES if results.has(name)), {})
    results.device = machine.get("device", "")

    results.other = other = of_second_card(results)
    pages: Values = {}
    top: Values = {name: machine.get(name, "") for name in ("device", "cuda", "cccl")}
    for subject in SUBJECTS:
        results.page = name = subject.__name__
        if values := subject.values(results):
            pages[name] = fill(template(name), values)
            top |= {f"{name}_{key}": value for key, value in values.items()}
    if other:
        top["one_card"] = of_one_card(results)
        names = sorted(file.name for file in options.results.glob(f"*_{SECOND_CARD}.json"))
        top["second_card"] = "\n".join(f"- [{name}]({results.links}/{name})" for name in names)
    top |= summary(results, list(pages), other)
    pages["README"] = fill(template("README"), top | {"root": os.path.relpath(ROOT, folder)})

    (folder / "plots").mkdir(parents=True, exist_ok=True)
    (options.out / "BENCHMARKS.md").write_text(wrapped(fill(template("BENCHMARKS"), top)))
    for name in ("README", *(subject.__name__ for subject in SUBJECTS)):
        if name in pages:
            (folder / f"{name}.md").write_text(wrapped(linked(pages[name], pages)))
        else:
            (folder / f"{name}.md").unlink(missing_ok=True)  # of other results
    for name, svg in results.plots.items():
        (folder / f"plots/{name}.svg").write_text(svg)
    if (file := options.out / "README.md").exists():
        comparisons = [one for some in results.comparisons.values() for one in some]
        values = readme.values(results, comparisons)
        file.write_text(readme.put(file.read_text(), wrapped(fill(template("readme_table"), values)) if values else ""))
    for name in sorted(path.name for path in options.results.glob("*.json")):
        if name not in results.used and name.endswith((f"_{options.card}.json", f"_{HOST}.json")):
            print(f"make.py: not on any page: {name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
