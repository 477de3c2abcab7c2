"""What the sections of the page share: words, tables, plots, where the figures are, and who is faster."""

import json
import math
import pathlib
import re
import statistics
import textwrap
from collections.abc import Callable, Iterable

from plot import Axis, Series, dots, line_plot, panels
from steps import BY_NAME

PLOTS = "bench/plots"
LOST = 0.995  # of best rival / ours: half a per cent is noise
BUILT = {"bb_segsort": "ORDO_BB_SEGSORT", "ModernGPU": "ORDO_MODERNGPU"}  # rivals that are there if they were built in
FIGURES = ("rows", "sweeps", "capacity")  # of a JSON
HOST = "2_cores"  # of figures of a host without a GPU, beside those of the card


class Page:
    """A page of the files NAME_CARD.json in a folder. Sections ask what is there (has), and are left out if it is not."""

    def __init__(self, results: pathlib.Path, card: str, links: str):
        self.results, self.card, self.links = results, card, links
        self.lines: list[str] = []
        self.plots: dict[str, str] = {}
        self.used: set[str] = set()
        self.glance: list[list[str]] = []  # title, rows, median, slower: of each section that has rivals
        self.title, self.device = "", ""

    def file(self, name: str, card: str = "") -> str:
        return f"{name}_{card or self.card}.json"

    def has(self, *names: str, card: str = "") -> bool:
        """Are there figures of all of these?"""
        files = [self.results / self.file(name, card) for name in names]
        return all(file.exists() and any(json.loads(file.read_text()).get(key) for key in FIGURES) for file in files)

    def json(self, name: str, card: str = "") -> dict:
        self.used.add(self.file(name, card))
        return json.loads((self.results / self.file(name, card)).read_text())

    def rows(self, name: str) -> dict[str, dict]:
        return {row["name"]: row for row in self.json(name)["rows"]}

    def cards(self, name: str) -> list[str]:
        """The card and the host without one, as far as there are figures of them."""
        return [card for card in dict.fromkeys((self.card, HOST)) if self.has(name, card=card)]

    def heading(self, title: str) -> None:
        self.title = title.split(" (")[0]
        self.lines += [f"## {title}", ""]

    def say(self, text: str) -> None:
        self.lines += [*textwrap.wrap(text, 128, break_long_words=False, break_on_hyphens=False), ""]

    def table(self, head: list[str], rows: list[list[str]]) -> None:
        self.lines += ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)] + [""]

    def link(self, name: str, card: str = "") -> str:
        file = self.file(name, card)
        self.used.add(file)
        return f"[{file}]({self.links}/{file})"

    def source(self, *names: str, card: str = "") -> None:
        """The commands of these steps, those that are there, and links to what they left."""
        there = [name for name in names if self.has(name, card=card)]
        if not there:
            return
        self.lines += ["Commands, and what they left:", ""]
        self.lines += [f"- `{BY_NAME[name].command}`: {self.link(name, card)}" for name in there] + [""]

    def plot(self, name: str, title: str, x: Axis, y: Axis, series: list[Series] | dict[str, list[Series]], **how) -> None:
        """One frame, or a panel for each of several names. Of the card, as its title says."""
        title = self.on_card(title)
        self.show(name, title, (panels if isinstance(series, dict) else line_plot)(title, x, y, series, **how))

    def dots(self, name: str, title: str, x: Axis, of: dict[str, dict[str, float]]) -> None:
        self.show(name, title, dots(title, x, of))

    def on_card(self, title: str) -> str:
        return title + f" ({self.device})" * bool(self.device)

    def show(self, name: str, title: str, svg: str) -> None:
        self.plots[name] = svg
        self.say(f"![{title}]({PLOTS}/{name}.svg)")

    def where(self, report: dict, card: str = "") -> str:
        """On what a report was measured, in words."""
        machine = report.get("machine", {})
        processor = machine.get("processor", "")
        gpu = machine.get("device") or machine.get("gpu", "")
        threads = machine.get("threads") or report.get("threads")
        host = f"{threads} threads" * bool(threads) + f" of {processor}" * bool(processor and threads)
        if not gpu and not processor:
            return f"{host}; measured before these files named their device: `{card or self.card}`"
        return ", ".join(filter(None, (gpu, host)))


def milliseconds(ms: float) -> str:
    return f"{ms:.3g}" if ms < 1000 else f"{ms:.0f}"


def rate(items: int, ms: float) -> float:
    """Billions of items a second."""
    return items / ms / 1e6


def ours(row: dict) -> float:
    return row["ours"]["ms"] if "ours" in row else row["headline_ms"]


def rivals_of(row: dict) -> dict[str, float]:
    return {name: one["ms"] for name, one in row["rivals"].items() if one["right"] and one["runs"]}


def best(row: dict) -> tuple[str, float]:
    return min(rivals_of(row).items(), key=lambda one: one[1])


def size_of(row: dict) -> str:
    return f"2^{round(math.log2(row['items']))}"


def of_largest(rows: dict[str, dict], names: list[str]) -> tuple[str, list[dict]]:
    """The rows "NAME 2^n" that are there, of the largest n that was measured."""
    size = size_of(max(rows.values(), key=lambda row: row["items"]))
    return size, [rows[f"{name} {size}"] for name in names if f"{name} {size}" in rows]


def curves(
    rows: list[dict],
    at: Callable[[dict], float],
    of: Callable[[dict, float], float],
    rivals: list[str],
    copy: bool = False,
) -> list[Series]:
    """Ordo's and those of its rivals, as far as they were measured: of(row, milliseconds) over at(row). And of the copy."""
    series = [Series("Ordo", [(at(row), of(row, ours(row))) for row in rows])]
    for rival in rivals:
        points = [(at(row), of(row, rivals_of(row)[rival])) for row in rows if rival in rivals_of(row)]
        series += [Series(rival, points, dashed=True)] if points else []
    if copy:
        series.append(Series("copy", [(at(row), of(row, row["copy"]["ms"])) for row in rows], dashed=True))
    return series


def items_in_row(row: dict) -> float:
    return row["items"]


def longest_of(row: dict) -> float:
    return row["longest"]


def rate_of_row(row: dict, ms: float) -> float:
    return rate(row["items"], ms)


def time_of_row(_row: dict, ms: float) -> float:
    return ms


def ratio(row: dict) -> float:
    return best(row)[1] / ours(row)


def against_best(page: Page, rows: list[dict], names: list[str]) -> None:
    """A table of what a row takes, the floor, and each rival that any row has."""
    names = [name for name in names if any(name in rivals_of(row) for row in rows)]
    body = []
    for row in rows:
        others = rivals_of(row)
        body.append(
            [row["name"], milliseconds(row["copy"]["ms"]), f"**{milliseconds(ours(row))}**"]
            + [milliseconds(others[name]) if name in others else "" for name in names]
            + [f"{ours(row) / row['copy']['ms']:.1f}", f"{ratio(row):.2f}" if others else ""]
        )
    if body:
        page.table(["", "copy", "Ordo", *names, "Ordo / copy", "best rival / Ordo"], body)


def with_built(rows: Iterable[dict], names: list[str]) -> list[str]:
    """The names, and those of rivals that were built in when these rows were measured."""
    there = {name for row in rows for name in row["rivals"]}
    return names + [name for name in BUILT if name in there]


def say_not_built(page: Page, names: list[str], built: dict[str, str] = BUILT) -> None:
    missing = [f"`{name}` (`-D{option}=...`)" for name, option in built.items() if name not in names]
    if missing:
        page.say(f"Not in this build: {', '.join(missing)}.")


def by_size(page: Page, rows: list[dict]) -> None:
    """How the ratio to the best rival spreads, for each number of items."""
    rows = [row for row in rows if rivals_of(row)]
    if not rows:
        return
    sizes = sorted({row["items"] for row in rows})
    body = []
    for size in sizes:
        ratios = sorted(ratio(row) for row in rows if row["items"] == size)
        slower = sum(1 for one in ratios if one < LOST)
        body.append(
            [
                f"2^{round(math.log2(size))}",
                str(len(ratios)),
                *(f"{x:.2f}" for x in (ratios[0], statistics.median(ratios), ratios[-1])),
                str(slower),
            ]
        )
    page.glance.append([f"{page.title}, {body[-1][0]} items", body[-1][1], body[-1][3], body[-1][5]])
    page.say("All types and inputs, by the number of items: best rival / Ordo at least, in the middle and at most.")
    page.table(["items", "rows", "least", "median", "most", "rows where a rival is faster"], body)


def losses(page: Page, rows: list[dict], why: list[tuple[str, str]] = ()) -> None:
    """Where we lose: rows that are slower than the best rival by half a per cent or more, and why, for those whose names
    match. The first reason that matches a row is its own."""
    tell_losses(page, [(row["name"], best(row)[0], ratio(row)) for row in rows if rivals_of(row)], why)


def tell_losses(page: Page, results: list[tuple[str, str, float]], why: list[tuple[str, str]] = (), part: str = "") -> None:
    """The same of (name, best rival, its time / ours); part: of the section, if it has several."""
    if not results:
        return
    lost = sorted((one for one in results if one[2] < LOST), key=lambda one: one[2])
    median = statistics.median(times for _, _, times in results)
    page.glance.append([page.title + part, str(len(results)), f"{median:.2f}", str(len(lost))])
    page.say(
        f"**Where it loses{part}.** Of {len(results)} row{'s' * (len(results) != 1)} measured {how_many(len(lost))} slower than"
        f" the best rival. The median of best rival / Ordo is {median:.2f}."
    )
    left, told = lost, []
    for pattern, reason in why:
        of = [one for one in left if re.search(pattern, one[0])]
        left = [one for one in left if one not in of]
        if of:
            told.append(f"- {reason}: {listed(of)}.")
    if left and told:
        told.append(f"- Others: {listed(left)}.")
    if lost and not told:
        page.say(f"{'They are' if len(lost) > 1 else 'It is'} {listed(lost)}.")
    for line in told:
        page.lines += textwrap.wrap(line, 128, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    if told:
        page.lines.append("")


def how_many(count: int) -> str:
    return ("none is", "one is")[count] if count < 2 else f"{count} are"


def listed(lost: list[tuple[str, str, float]], most: int = 4) -> str:
    """The worst by name, and how many more there are."""
    named = ", ".join(f"{name} {times:.2f} ({rival})" for name, rival, times in lost[:most])
    more = len(lost) - most
    return named + (f", and {more} more, from {lost[most][2]:.2f} on" if more > 0 else "")
