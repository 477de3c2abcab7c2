#!/usr/bin/env python3
"""Makes BENCHMARKS.md and its plots from what the benchmarks printed.

make.py [--results DIR] [--card NAME] [--out DIR]: reads DIR/*_NAME.json, writes DIR/BENCHMARKS.md and DIR/tools/bench/plots.
Nothing on the page is written by hand but its words: a figure that has no JSON is not there."""

import argparse
import json
import math
import pathlib
import sys
import textwrap

import papers
from plot import Axis, Series, line_plot

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PLOTS = "tools/bench/plots"


class Page:
    def __init__(self, results: pathlib.Path, card: str):
        self.results, self.card = results, card
        self.lines: list[str] = []
        self.plots: dict[str, str] = {}

    def json(self, name: str) -> dict:
        return json.loads((self.results / f"{name}_{self.card}.json").read_text())

    def rows(self, name: str) -> dict[str, dict]:
        return {row["name"]: row for row in self.json(name)["rows"]}

    def say(self, text: str) -> None:
        self.lines += [*textwrap.wrap(text, 128, break_long_words=False, break_on_hyphens=False), ""]

    def table(self, head: list[str], rows: list[list[str]]) -> None:
        self.lines += ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)] + [""]

    def source(self, program: str, *names: str) -> None:
        files = ", ".join(f"[{name}_{self.card}.json](tools/bench/results/{name}_{self.card}.json)" for name in names)
        self.say(f"Command: `{program}`. Data: {files}.")

    def plot(self, name: str, title: str, x: Axis, y: Axis, series: list[Series], **how) -> None:
        self.plots[name] = line_plot(title, x, y, series, **how)
        self.say(f"![{title}]({PLOTS}/{name}.svg)")


def milliseconds(ms: float) -> str:
    return f"{ms:.3g}"


def rate(items: int, ms: float) -> float:
    """Billions of items a second."""
    return items / ms / 1e6


def ours(row: dict) -> float:
    return row["ours"]["ms"] if "ours" in row else row["headline_ms"]


def rivals_of(row: dict) -> dict[str, float]:
    return {name: one["ms"] for name, one in row["rivals"].items() if one["right"]}


def best(row: dict) -> tuple[str, float]:
    return min(rivals_of(row).items(), key=lambda one: one[1])


def ratio(row: dict) -> float:
    return best(row)[1] / ours(row)


def power(exponent: float) -> str:
    return f"2^{round(math.log2(exponent))}"


def against_best(page: Page, rows: list[dict], names: list[str]) -> None:
    """A table of what a row takes, the floor, and each rival."""
    body = []
    for row in rows:
        others = rivals_of(row)
        body.append(
            [row["name"], milliseconds(row["copy"]["ms"]), f"**{milliseconds(ours(row))}**"]
            + [milliseconds(others[name]) if name in others else "" for name in names]
            + [f"{ratio(row):.2f}"]
        )
    page.table(["", "copy", "Ordo", *names, "best rival / Ordo"], body)


def losses(page: Page, rows: list[dict], why: str = "") -> None:
    """Where we lose: rows that are slower than the best rival by half a per cent or more."""
    lost = sorted((row for row in rows if ratio(row) < 0.995), key=ratio)
    named = ", ".join(f"{row['name']} {ratio(row):.2f} ({best(row)[0]})" for row in lost[:6])
    slower = ["none is", "one is"][len(lost)] if len(lost) < 2 else f"{len(lost)} are"
    page.say(f"Of {len(rows)} rows measured {slower} slower than the best rival{': ' * bool(lost)}{named}"
             f"{' and less so others' * (len(lost) > 6)}. {why}")


def begin(page: Page) -> None:
    machine = page.json("segmented_sort")["machine"]
    page.say("# Benchmarks")
    page.say(
        f"Ordo beside what else there is, on one {machine['device']}, CUDA {machine['cuda']}, CCCL {machine['cccl']}. Rivals run in the "
        "same program and the same run as Ordo; what they return is compared with what Ordo returns, and a rival that is wrong is left "
        "out. Times are medians of kernels on data in the card's memory, unless a section says otherwise. `copy` is a copy of the same "
        "bytes from memory to memory: nothing that reads and writes all of them once can be faster."
    )
    page.say(
        f"Made by [tools/bench/page/make.py](tools/bench/page/make.py) from the JSON that the benchmarks print. For another card: run the "
        "commands named in the sections with `--json`, then `make.py --results DIR --card NAME --out DIR`."
    )


def segmented_sort(page: Page) -> None:
    rows = page.rows("segmented_sort")
    page.say("## Segmented sort (Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs, ICS 2017)")
    page.say(
        "Many segments, each sorted by itself: 2^28 pairs of a 32-bit key and a 32-bit value. The paper sorts them on a Tesla K80 and a "
        "Titan X (Pascal), and was on average, for segments of one length below and above 256 or 512 items, so many times as fast as "
        + "; ".join(
            f"{name}: {k80[0]} and {k80[1]} (K80), {titan[0]} and {titan[1]} (Titan X)"
            for name, (k80, titan) in papers.SEGMENT_UNIFORM.items()
        )
        + "; for power laws at most "
        + ", ".join(f"{a} and {b} times ({name})" for name, (a, b) in papers.SEGMENT_POWER_LAW.items())
        + "."
    )
    page.say(
        "Segments of one length, milliseconds. `CUB seg` is `DeviceSegmentedSort`, `packed` CUB's radix sort of segment number and key "
        "in one 64-bit key."
    )
    fixed = [rows[f"u32/u32 {n}"] for n in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 16384, 131072, 1048576)]
    against_best(page, fixed, ["CUB seg", "packed"])
    series = []
    for what, name in (("pairs", "pairs u32/u32"), ("keys", "keys u32")):
        sweep = page.json(f"segmented_sort_sweep_{what}")["sweeps"][0]
        lengths = sorted({round(10 ** (i / 80)) for i in range(338)} & set(range(1, len(sweep["rates"]) + 1)))
        series.append(Series(name, [(n, sweep["rates"][n - sweep["from"]]) for n in lengths]))
    for name, colour in (("CUB seg", False), ("packed", True)):
        series.append(Series(f"{name}, pairs", [(row["longest"], rate(row["items"], rivals_of(row)[name])) for row in fixed[:13]], colour))
    page.plot(
        "segments",
        "Segments of one length: rate over length",
        Axis("items a segment", log=True, ticks=[1, 4, 16, 64, 256, 1024, 4096, 16384]),
        Axis("10^9 items a second", low=0),
        series,
    )
    page.say(
        "Every length from 1 to 16384 was measured; the steps are where a segment gets one thread, some threads, a warp or a block more."
    )
    page.say("Lengths by a power law (P(l) proportional to l^-a, l at most `max`), milliseconds:")
    against_best(page, [row for name, row in rows.items() if name.startswith("u32/u32 zipf") and name.count(" ") == 4], ["CUB seg", "packed"])
    losses(page, list(rows.values()))
    page.source("segmented_sort --json FILE`, and `segmented_sort --sweep --pairs --keys --json FILE", "segmented_sort",
                "segmented_sort_sweep_pairs", "segmented_sort_sweep_keys")


def radix_sort(page: Page) -> None:
    rows = page.rows("radix_sort")
    page.say("## Radix sort (Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU, HPC 2014)")
    page.say("Table 2 of the paper, 32-bit keys, and keys with 32-bit values, in millions a second, and the same of today, of 2^28:")
    body = []
    for library, (keys, pairs) in papers.RADIX_TABLE_2.items():
        for i, card in enumerate(papers.RADIX_CARDS):
            body.append([card, library, f"{keys[i]:.0f}" if keys else "", f"{pairs[i]:.0f}"])
    keys, pairs = rows["u32 uniform 2^28"], rows["u32/u32 uniform 2^28"]
    device = page.json("radix_sort")["machine"]["device"]
    for library in ("CUB", "Thrust"):
        body.append([device, library, *(f"{1000 * rate(row['items'], rivals_of(row)[library]):.0f}" for row in (keys, pairs))])
    body.append([device, "**Ordo**", *(f"**{1000 * rate(row['items'], ours(row)):.0f}**" for row in (keys, pairs))])
    page.table(["card", "library", "keys", "pairs"], sorted(body, key=lambda row: row[0]))
    sizes = [2**16, 2**20, 2**24, 2**26, 2**28]
    for name, types, input_name, title in (
        ("radix_keys", "u32", "uniform", "Figure 3 of the paper: random 32-bit keys"),
        ("radix_pairs", "u32/u32", "uniform", "Figure 4: random 32-bit keys with values"),
        ("radix_products", "u32/u32", "product", "Figure 5: rows and columns of a sparse matrix product"),
    ):
        of = [rows[f"{types} {input_name} {power(n)}"] for n in sizes]
        series = [Series("Ordo", [(row["items"], rate(row["items"], ours(row))) for row in of])]
        for rival in ("CUB", "Thrust"):
            series.append(Series(rival, [(row["items"], rate(row["items"], rivals_of(row)[rival])) for row in of]))
        page.plot(name, title, Axis("items", log=True, ticks=sizes), Axis("10^9 items a second", low=0), series, tick_name=power)
    page.say("2^28 items by type and input, milliseconds:")
    chosen = [f"{t} {i} 2^28" for t in ("u32", "u32/u32", "u64", "u64/u32") for i in ("uniform", "gaussian", "sorted", "equal", "20-bit")]
    against_best(page, [rows[name] for name in chosen], ["CUB", "Thrust"])
    losses(
        page,
        list(rows.values()),
        "Ours begins with the most significant digit where that pays; keys whose leading digits are few or uneven (products, 20 bits) gain "
        "nothing from it. Small inputs are launches, whoever sorts them.",
    )
    page.source("radix_sort --json FILE", "radix_sort")


def array_sort(page: Page) -> None:
    rows = page.rows("array_sort")
    page.say("## Arrays in place (Awan, Saeed: GPU-ArraySort, ICPPW 2016)")
    page.say(
        "Figures 4 to 7 of the paper: 200,000 arrays of 1000 to 4000 floats, in place; it prints them as curves, on a Tesla K40c. `STA` is "
        "what it compares with, two stable sorts of values and tags, here by today's Thrust. Milliseconds:"
    )
    against_best(page, [rows[f"f32 {n}"] for n in (1000, 2000, 3000, 4000)], ["STA", "CUB seg", "seg radix", "packed"])
    page.say("Table 1: how many arrays a card takes at most, one copy of the data being all that fits:")
    most = page.json("array_sort_34g")
    full = most["capacity"][0]
    body = [["Tesla K40c, 12 GB", f"{n}", f"{a:,}", f"{b:,}"] for n, (a, b) in papers.ARRAY_TABLE_1.items()]
    memory = int(most["machine"]["memory"]) / 1e9
    body.append([f"{most['machine']['device']}, {memory:.0f} GB", f"{full['length']}", f"**{full['arrays']:,}** in {full['ms']:.0f} ms", ""])
    page.table(["card", "length", "in place", "STA"], body)
    page.say("Other lengths and types, milliseconds:")
    others = ["f32 10", "f32 100", "f64 1000", "f64 4000", "f32/u32 1000", "f32/u32 4000", "f32 20000", "f32 200000", "f32/u32 200000"]
    against_best(page, [rows[name] for name in others], ["STA", "CUB seg", "seg radix", "packed"])
    losses(page, list(rows.values()), "Arrays that no block holds are sorted in place by bitonic passes; the rivals take a second copy.")
    page.source("array_sort --json FILE`, and `array_sort --capacity 34 --json FILE", "array_sort", "array_sort_34g")


def sample_sort(page: Page) -> None:
    rows = page.rows("comparator_sort")
    page.say("## Sorting by a comparator (Leischner, Osipov, Sanders: GPU Sample Sort, IPDPS 2010)")
    page.say(
        "The six inputs of the paper, after Helman, Bader and JáJá: uniform, Gaussian, bucket sorted, staggered (of 240 blocks), deterministic "
        "duplicates and sorted. It prints rates as curves (figures 3 to 5), of a Tesla C1060. The rival is CUB's merge sort, the comparator "
        "`<` for both. 2^28 items, milliseconds:"
    )
    inputs = ["uniform", "gaussian", "bucket sorted", "staggered", "duplicates", "sorted"]
    for types, title in (("u32", "Figure 5: 32-bit keys"), ("u32/u32", "Figure 3: pairs"), ("u64", "Figure 4: 64-bit keys")):
        page.say(f"{title}.")
        against_best(page, [rows[f"{types} {name} 2^28"] for name in inputs], ["CUB"])
    sizes = [2**16, 2**20, 2**24, 2**28]
    series = []
    for name in inputs:
        of = [rows[f"u64 {name} {power(n)}"] for n in sizes]
        series.append(Series(name, [(row["items"], rate(row["items"], ours(row))) for row in of]))
    page.plot("sample_sort", "64-bit keys by a comparator, Ordo: the six inputs", Axis("items", log=True, ticks=sizes),
              Axis("10^9 items a second", low=0), series, tick_name=power)
    page.say("Records of 16 bytes by a key in them, and pairs of 64-bit numbers in lexicographic order:")
    against_best(page, [rows[f"{types} {name} 2^28"] for types in ("record", "pair") for name in inputs], ["CUB"])
    losses(page, list(rows.values()), "Below a million items both are launches.")
    page.source("comparator_sort --json FILE", "comparator_sort")


def commands(page: Page) -> None:
    page.say("## Whole commands, file to file")
    files = page.json("files")
    machine = files["machine"]
    page.say(
        f"From a file in the page cache to a file, the start and the end of the process counted, seconds; {machine['threads']} threads, "
        f"{machine['gpu']}. `cp` copies the input. The outputs of one row are the same bytes."
    )
    columns = ["cp", "GNU sort", "auto", "cpu", "gpu"]
    body = []
    for row in [row for name in ("files", "files_genome_64m", "files_chr20", "files_3100m") for row in page.json(name)["rows"]]:
        took = {command["name"].split()[-1] if command["name"] != "GNU sort" else "GNU sort": command["seconds"] for command in row["commands"]}
        by_count = next((c["seconds"] for c in row["commands"] if "|" in c["name"] or "uniq" in c["name"]), None)
        if by_count is not None:
            took["GNU sort"] = by_count
        body.append([f"`{row['name']}`", f"{row['bytes'] / 1e6:.0f}"] + [f"{took[name]:.3g}" if name in took else "" for name in columns])
    page.table(["", "MB", "`cp`", "GNU", "Ordo, `auto`", "CPU", "GPU"], body)
    page.source("tools/bench/files.py", "files", "files_genome_64m", "files_chr20", "files_3100m")
    two = json.loads((page.results / "files_rows_2_cores.json").read_text())
    page.say(f"The same without a GPU, {two['machine']['threads']} threads:")
    body = []
    for row in two["rows"]:
        theirs, own = row["commands"][0], row["commands"][-1]
        body.append([f"`{row['name']}`", f"{row['bytes'] / 1e6:.0f}", f"{theirs['seconds']:.3g}", f"{own['seconds']:.3g}",
                     f"{theirs['seconds'] / own['seconds']:.1f}"])
    page.table(["", "MB", "GNU", "Ordo", "times"], body)
    page.say("Data: [files_rows_2_cores.json](tools/bench/results/files_rows_2_cores.json).")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "tools/bench/results")
    parser.add_argument("--card", default="h200", help="the end of the names of the JSON files")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT)
    how = parser.parse_args()
    page = Page(how.results, how.card)
    for section in (begin, segmented_sort, radix_sort, array_sort, sample_sort, commands):
        section(page)
    (how.out / PLOTS).mkdir(parents=True, exist_ok=True)
    (how.out / "BENCHMARKS.md").write_text("\n".join(page.lines).rstrip() + "\n")
    for name, svg in page.plots.items():
        (how.out / PLOTS / f"{name}.svg").write_text(svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
