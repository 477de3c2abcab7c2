"""The parts that the pages share: result files, templates, tables, plots, and comparisons with the fastest rival."""

import json
import math
import pathlib
import re
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from plot import Axis, Series, dots, line_plot, panels
from steps import BY_NAME

SLOWER = 0.995  # a rival is faster if best rival / Ordo is below this, and if the times of the runs do not overlap
AHEAD = 1.05  # Ordo is ahead where the median of best rival / Ordo is this or more, and behind below the reciprocal
SECOND_CARD = "h100"  # its files stand in for those that another card has none of,
HOST = "2_cores"  # and then those of this host
FIGURES = ("rows", "sweeps", "capacity", "widths", "starts")  # of a JSON file
OPTIONAL_RIVALS = {"bb_segsort": "ORDO_BB_SEGSORT", "ModernGPU": "ORDO_MODERNGPU"}  # and the option that builds them
MAX_LINE = 128  # of a document; tables excepted
HEADER = ["rows", "median", "Ordo slower in", "slowest row"]

Values = dict[str, str]  # of the placeholders of a template


@dataclass
class Comparison:
    """The ratios best rival / Ordo of some rows."""

    title: str
    ratios: list[tuple[str, str, float]]  # row, best rival, ratio; ascending
    part: bool = False  # its rows are rows of another comparison, too
    uncertain: frozenset[str] = frozenset()  # rows in which the times of Ordo's runs and of the rival's overlap
    page: str = ""
    of_paper: bool = False  # a figure of a paper, which the summary has on one line with all others

    def __post_init__(self):
        self.ratios = sorted(self.ratios, key=lambda one: one[2])
        self.slower = [one for one in self.ratios if one[2] < SLOWER and one[0] not in self.uncertain]
        self.median = statistics.median(ratio for _, _, ratio in self.ratios)

    @property
    def of_cpu(self) -> bool:
        return "cpu" in f"{self.page} {self.title}".lower()

    def cells(self) -> list[str]:
        """Returns the cells under HEADER."""
        row, rival, ratio = self.ratios[0]
        return [str(len(self.ratios)), f"{self.median:.2f}", str(len(self.slower)), f"{ratio:.2f}: {row} ({rival})"]


@dataclass
class Figure:
    """A table or a figure of a paper, and where it is repeated.

    section: heading of a page, or "page#heading" of another one. steps: the results that it needs. ratios: best rival / Ordo.
    why_not: the reason that it is not repeated."""

    name: str
    shows: str
    section: str = ""
    steps: tuple[str, ...] = ()
    ratios: list[float] = field(default_factory=list)
    why_not: str = ""

    def link(self, page: str) -> str:
        """Returns a link to the section, from the page itself if `page` is empty."""
        where, _, heading = self.section.rpartition("#")
        slug = re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
        there = f"{where or page}.md" if where or page else ""
        return f"[{self.name}]({there}#{slug})"

    def verdict(self) -> str:
        if not self.ratios:
            return "no rival"
        median = statistics.median(self.ratios)
        word = "ahead" if median >= AHEAD else "behind" if median < 1 / AHEAD else "level"
        return f"{word}: {median:.2f}"


class Results:
    """The files NAME_GPU.json of a folder, and what was made of them."""

    def __init__(self, folder: pathlib.Path, card: str, links: str):
        self.folder, self.card, self.links = folder, card, links
        self.used: set[str] = set()
        self.plots: dict[str, str] = {}
        self.images: dict[str, str] = {}  # links to the plots
        self.comparisons: dict[str, list[Comparison]] = {}  # by page
        self.figures: dict[str, list[Figure]] = {}  # of the paper of a page
        self.page = self.device = ""
        self.other: Results | None = None  # the results of the second card, with what was made of them

    def file(self, name: str) -> pathlib.Path:
        others = [HOST] if self.card.endswith("_cores") else [SECOND_CARD, HOST]
        files = [self.folder / f"{name}_{which}.json" for which in (self.card, *others)]
        return next((file for file in files if file.exists()), files[-1])

    def has(self, *names: str) -> bool:
        """Returns true if all of these files have figures."""
        files = [self.file(name) for name in names]
        return all(file.exists() and any(json.loads(file.read_text()).get(key) for key in FIGURES) for file in files)

    def json(self, name: str) -> dict:
        self.used.add(self.file(name).name)
        return json.loads(self.file(name).read_text())

    def rows(self, name: str) -> dict[str, dict]:
        return {row["name"]: row for row in self.json(name)["rows"]} if self.has(name) else {}

    def commands(self, *names: str) -> str:
        """Returns a list of the commands of these steps, with links to their files."""
        there = [name for name in names if self.has(name)]
        return "\n".join(f"- `{BY_NAME[name].command}`: {self.link(name)}" for name in there)

    def link(self, name: str) -> str:
        """Returns a link to a file, or an empty string if there is none."""
        if not self.has(name):
            return ""
        file = self.file(name).name
        self.used.add(file)
        return f"[{file}]({self.links}/{file})"

    def plot(self, name: str, title: str, x: Axis, y: Axis, series: list[Series] | dict[str, list[Series]], **options) -> str:
        """Draws one frame, or a panel for each name of a dictionary. Returns the link."""
        draw = panels if isinstance(series, dict) else line_plot
        return self.show(name, title, lambda full_title: draw(full_title, x, y, series, **options))

    def dots(self, name: str, title: str, x: Axis, values: dict[str, dict[str, float]]) -> str:
        return self.show(name, title, lambda full_title: dots(full_title, x, values))

    def show(self, name: str, title: str, draw: Callable[[str], str]) -> str:
        title += f" ({self.device})" * bool(self.device)
        self.plots[name] = draw(title)
        self.images[name] = f"![{title}](plots/{name}.svg)"
        return self.images[name]

    def compare(
        self,
        ratios: list[tuple[str, str, float]],
        title: str = "",
        part: bool = False,
        uncertain: frozenset[str] = frozenset(),
        of_paper: bool = False,
    ) -> Comparison | None:
        """Adds a comparison to the summary; title: of a page that has several."""
        if not ratios:
            return None
        self.comparisons.setdefault(self.page, []).append(Comparison(title, ratios, part, uncertain, self.page, of_paper))
        return self.comparisons[self.page][-1]

    def compare_rows(
        self, rows: Iterable[dict], title: str = "", part: bool = False, of_paper: bool = False
    ) -> Comparison | None:
        rows = [row for row in rows if rivals_of(row)]
        uncertain = frozenset(row["name"] for row in rows if overlap(row))
        return self.compare([(row["name"], best(row)[0], ratio(row)) for row in rows], title, part, uncertain, of_paper)

    def list_figures(self, figures: list[Figure]) -> str:
        """Returns the table of a paper's tables and figures, and keeps them for the page of all papers."""
        self.figures[self.page] = figures
        return table(["", "shows", "here"], [self.of_figure(one, "") for one in figures])

    def of_figure(self, one: Figure, page: str) -> list[str]:
        there = bool(one.steps) and all(self.has(name) for name in one.steps)
        return [one.link(page) if there and one.section else one.name, one.shows, self.verdict(one)]

    def verdict(self, one: Figure) -> str:
        missing = [name for name in one.steps if not self.has(name)]
        if one.why_not:
            return f"cannot be repeated: {one.why_not}"
        return "not measured: " + ", ".join(f"`run.py --only {name}`" for name in missing) if missing else one.verdict()

    def verdict_on_second_card(self, one: Figure, page: str) -> str:
        """Returns the verdict of the second card; an empty string for what does not depend on a card."""
        on_card = [name for name in one.steps if self.file(name).name == f"{name}_{self.card}.json"]
        if one.why_not or not on_card or not self.other:
            return ""
        if not all((self.folder / f"{name}_{SECOND_CARD}.json").exists() for name in on_card):
            return "not run"
        return next((x.verdict() for x in self.other.figures.get(page, []) if (x.name, x.shows) == (one.name, one.shows)), "")

    def second_card(self, name: str) -> "Results | None":
        """Returns the results of the other card, if it has this file."""
        if self.card == SECOND_CARD or not self.device or not (self.folder / f"{name}_{SECOND_CARD}.json").exists():
            return None
        return Results(self.folder, SECOND_CARD, self.links)

    def where(self, report: dict) -> str:
        """Returns the machine that a report was measured on, in words."""
        machine = report.get("machine", {})
        processor = machine.get("processor", "")
        gpu = machine.get("device") or machine.get("gpu", "")
        threads = machine.get("threads") or report.get("threads")
        host = f"{threads} threads" * bool(threads) + f" of {processor}" * bool(processor and threads)
        return ", ".join(filter(None, (gpu, host))) + " of a CPU that the file does not name" * (not gpu and not processor)


def fill(template: str, values: Values) -> str:
    """Replaces each {{NAME}}.

    A block (lines without a blank line between them) is left out if one of its values is missing or empty, and so is a section
    if none of its blocks with values remains. Tables and lists get their blank lines here."""
    sections = []
    for section in re.split(r"\n(?=## )", template):
        blocks = []
        filled = missing = 0
        for block in section.strip().split("\n\n"):
            names = re.findall(r"\{\{(\w+)\}\}", block)
            if not all(values.get(name) for name in names):
                missing += 1
                continue
            filled += bool(names)
            blocks.append(re.sub(r"(?m)^\{\{(\w+)\}\}$", lambda m: f"\n{values[m[1]]}\n", block))
        if filled or not missing:
            sections.append("\n\n".join(blocks))
    text = re.sub(r"\{\{(\w+)\}\}", lambda m: values[m[1]], "\n\n".join(sections))
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = re.sub(r"(?m)^(- .*(?:\n  .*)*)\n\n(?=- )", r"\1\n", text)  # items are blocks in templates, one list in pages
    return text.strip() + "\n"


def wrapped(text: str) -> str:
    """Breaks paragraphs and items that have a line of more than MAX_LINE characters anew. Tables and code stay as they are."""
    out: list[str] = []
    block: list[str] = []
    in_code = False

    def end_block() -> None:
        if any(len(line) > MAX_LINE for line in block):
            indent = re.match(r"\s*(?:(?:-|\d+\.) )?", block[0])[0]
            words = re.findall(r"(?:`[^`]*`|[^\s`])+", " ".join([block[0][len(indent) :], *map(str.strip, block[1:])]))
            lines = [indent]
            for at, word in enumerate(words):
                begins_item = re.fullmatch(r"[-+*|>]|#+|\d+[.)]", word)  # at the start of a line it would begin an item
                if lines[-1].strip(" -") and len(lines[-1]) + len(word) > MAX_LINE and at and not begins_item:
                    lines[-1] = lines[-1].rstrip()
                    lines.append(" " * len(indent))
                lines[-1] += word + " "
            block[:] = [line.rstrip() for line in lines]
        out.extend(block)
        block.clear()

    for line in text.split("\n"):
        fence = line.startswith("```")
        if fence or in_code or not line.strip() or line.startswith(("|", "#", "![", "<!--")):
            end_block()
            out.append(line)
            in_code ^= fence
        else:
            if re.match(r"\s*(-|\d+\.) ", line):
                end_block()
            block.append(line)
    end_block()
    return "\n".join(out)


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)) if rows else ""


def three_digits(x: float) -> str:
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def milliseconds(ms: float) -> str:
    return three_digits(ms)


def rate(items: int, ms: float) -> float:
    """Returns billions of items a second."""
    return items / ms / 1e6


def ours(row: dict) -> float:
    return row["ours"]["ms"] if "ours" in row else row["headline_ms"]


def rivals_of(row: dict) -> dict[str, float]:
    return {name: one["ms"] for name, one in row["rivals"].items() if one["right"] and one["runs"]}


def best(row: dict) -> tuple[str, float]:
    return min(rivals_of(row).items(), key=lambda one: one[1])


def ratio(row: dict) -> float:
    return best(row)[1] / ours(row)


def ratios(rows: Iterable[dict]) -> list[float]:
    """Returns best rival / Ordo of the rows that have a rival."""
    return [ratio(row) for row in rows if rivals_of(row)]


def overlap(row: dict) -> bool:
    """Returns true if some run of Ordo took no longer than some run of the best rival, and the reverse, where the file says."""
    timings = [row[name] for name in ("ours", "offsets", "uniform") if name in row]
    own = next((one for one in timings if one["ms"] == ours(row)), {})
    rival = row["rivals"][best(row)[0]]
    if "min_ms" not in own or "min_ms" not in rival:
        return False
    return own["min_ms"] <= rival["max_ms"] and rival["min_ms"] <= own["max_ms"]


def size_of(row: dict) -> str:
    return f"2^{round(math.log2(row['items']))}"


def of_largest(rows: dict[str, dict], names: list[str]) -> tuple[str, list[dict]]:
    """Returns the largest size measured, as 2^n, and the rows "NAME 2^n" of it."""
    size = size_of(max(rows.values(), key=lambda row: row["items"]))
    return size, [rows[f"{name} {size}"] for name in names if f"{name} {size}" in rows]


def items_of(row: dict) -> float:
    return row["items"]


def longest_of(row: dict) -> float:
    return row["longest"]


def rate_of(row: dict, ms: float) -> float:
    return rate(row["items"], ms)


def time_of(_row: dict, ms: float) -> float:
    return ms


def curves(
    rows: list[dict],
    x: Callable[[dict], float],
    y: Callable[[dict, float], float],
    rivals: list[str],
    copy: bool = False,
) -> list[Series]:
    """Returns the curves of Ordo, of the rivals that were measured and, on request, of the copy: y(row, ms) over x(row)."""
    series = [Series("Ordo", [(x(row), y(row, ours(row))) for row in rows])]
    for rival in rivals:
        points = [(x(row), y(row, rivals_of(row)[rival])) for row in rows if rival in rivals_of(row)]
        series += [Series(rival, points, dashed=True)] if points else []
    if copy:
        series.append(Series("copy", [(x(row), y(row, row["copy"]["ms"])) for row in rows], dashed=True))
    return series


def against_best(rows: list[dict], names: list[str]) -> str:
    """Returns a table of the times of the copy, of Ordo, and of each rival that some row has."""
    names = [name for name in names if any(name in rivals_of(row) for row in rows)]
    body = []
    for row in rows:
        others = rivals_of(row)
        body.append(
            [row["name"], milliseconds(row["copy"]["ms"]), f"**{milliseconds(ours(row))}**"]
            + [milliseconds(others[name]) if name in others else "" for name in names]
            + [f"{ours(row) / row['copy']['ms']:.1f}", f"{ratio(row):.2f}" if others else "", three_digits(row["extra_bytes"] / 1e6)]
        )
    return table(["", "copy", "Ordo", *names, "Ordo / copy", "best rival / Ordo", "extra MB"], body)


def with_optional(rows: Iterable[dict], names: list[str]) -> list[str]:
    """Returns the names, and those of the optional rivals that these rows were measured with."""
    there = {name for row in rows for name in row["rivals"]}
    return names + [name for name in OPTIONAL_RIVALS if name in there]


def not_built(names: list[str], optional: dict[str, str] = OPTIONAL_RIVALS) -> str:
    return ", ".join(f"`{name}` (`-D{option}=...`)" for name, option in optional.items() if name not in names)


def by_size(results: Results, rows: list[dict]) -> str:
    """Returns a table of the ratios for each number of items, and adds the largest to the summary."""
    rows = [row for row in rows if rivals_of(row)]
    body = []
    for items in sorted({row["items"] for row in rows}):
        some = [row for row in rows if row["items"] == items]
        ratios = sorted(map(ratio, some))
        spread = [f"{x:.2f}" for x in (ratios[0], statistics.median(ratios), ratios[-1])]
        body.append([size_of(some[0]), str(len(some)), *spread, str(sum(ratio(row) < SLOWER and not overlap(row) for row in some))])
    if rows:
        results.compare_rows(some, f"{body[-1][0]} items", part=True)
    return table(["items", "rows", "minimum", "median", "maximum", "rows where a rival is faster"], body)


def totals(comparisons: Iterable[Comparison]) -> Values:
    """Returns the numbers of rows, and of those in which a rival is faster, of GPUs and of CPUs."""
    found = {"noise": f"{100 * (1 - SLOWER):.1f}"}
    comparisons = list(comparisons)
    for name in ("gpu", "cpu"):
        some = [one for one in comparisons if not one.part and one.of_cpu == (name == "cpu")]
        if some:
            found[f"{name}_rows"] = str(sum(len(one.ratios) for one in some))
            found[f"{name}_slower"] = str(sum(len(one.slower) for one in some))
    return found


def slower_values(found: Comparison | None, prefix: str = "", reasons: dict[str, list[str]] | None = None) -> Values:
    """Returns the values of a section about slower rows. reasons: names of rows, by the placeholder beside the reason; the
    other slower rows are `slower_others`."""
    if not found:
        return {}
    values = {"rows": str(len(found.ratios)), "slower": str(len(found.slower)), "median": f"{found.median:.2f}"}
    left = found.slower
    for name, rows in (reasons or {}).items():
        values[name] = listed([one for one in left if one[0] in rows])
        left = [one for one in left if one[0] not in rows]
    return {prefix + name: value for name, value in (values | {"slower_others": listed(left)}).items()}


def listed(rows: list[tuple[str, str, float]], limit: int = 4) -> str:
    """Returns the slowest rows by name, and the number of the others."""
    named = "; ".join(f"{name}: {ratio:.2f} ({rival})" for name, rival, ratio in rows[:limit])
    return named + (f"; and {len(rows) - limit} more from {rows[limit][2]:.2f} on" if len(rows) > limit else "")
