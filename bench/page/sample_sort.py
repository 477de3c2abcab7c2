"""Leischner, Osipov, Sanders: GPU Sample Sort (IPDPS 2010)."""

import statistics

from page import (
    Figure,
    Results,
    Values,
    against_best,
    by_size,
    curves,
    items_of,
    milliseconds,
    of_largest,
    ours,
    rate,
    rate_of,
    ratios,
    rivals_of,
    slower_values,
    table,
)
from plot import Axis, power_of_two

RIVALS = ["CUB"]
INPUTS = ["uniform", "gaussian", "bucket sorted", "staggered", "duplicates", "sorted"]
FIGURES = [  # types, plot, title
    ("u32/u32", "sample_pairs", "Leischner et al., Figure 3: pairs of 32 bits by a comparator"),
    ("u64", "sample_u64", "Leischner et al., Figure 4: 64-bit keys by a comparator"),
    ("u32", "sample_u32", "Leischner et al., Figure 5: 32-bit keys by a comparator"),
]


HEADINGS = {
    "u32/u32": "Figure 3: pairs of a 32-bit key and value",
    "u64": "Figure 4: 64-bit keys",
    "u32": "Figure 5: 32-bit keys",
}
SHOWS = {"u32/u32": "key-value pairs", "u64": "64-bit keys", "u32": "32-bit keys"}


def values(results: Results) -> Values:
    rows = results.rows("comparator_sort")
    if not rows:
        return {}
    radix = [row for row in results.rows("comparator_radix").values() if rivals_of(row)]
    largest = [row for row in radix if row["items"] == max(one["items"] for one in radix)]
    figures = []
    for number, (types, shows) in enumerate(SHOWS.items(), 3):
        largest_rows = of_largest(rows, [f"{types} {one}" for one in INPUTS])[1]
        figures.append(Figure(f"Figure {number}", shows, HEADINGS[types], ("comparator_sort",), ratios(largest_rows)))
    figures[2:2] = [
        Figure(
            *("Figure 4, headline", "64-bit keys by a comparator beside a radix sort"),
            *("Figure 4: beside a radix sort", ("comparator_radix",)),
            ratios(largest),
        )
    ]
    cards = two_cards(results)
    figures.append(Figure("Figure 5, quicksort, hybrid sort, bbsort", "other sorts", why_not="their code is of CUDA 2"))
    section = "Figure 6: two bandwidths" if cards else ""
    figures.append(Figure("Figure 6", "the same chip with another bandwidth", section, ("comparator_sort",)))
    found = {"size": of_largest(rows, [])[0], "others": rows_of(rows, "record", "pair")}
    for types, name, title in FIGURES:
        by_input = {one: [row for row in rows.values() if row["types"] == types and row["input"] == one] for one in INPUTS}
        found[name] = rows_of(rows, types)
        found[f"{name}_plot"] = results.plot(
            name,
            title,
            Axis("items (logarithmic)", log=True, ticks=[row["items"] for row in by_input["uniform"]]),
            Axis("10⁹ items a second (logarithmic)", log=True),
            {one: curves(some, items_of, rate_of, RIVALS) for one, some in by_input.items()},
            tick_name=power_of_two,
        )
    return {
        **found,
        "figures": results.list_figures(figures),
        **beside_radix(results, radix),
        **cards,
        "sizes": by_size(results, list(rows.values())),
        **slower_values(results.compare_rows(rows.values())),
        "commands": results.commands("comparator_sort", "comparator_radix"),
    }


def rows_of(rows: dict[str, dict], *types: str) -> str:
    return against_best(of_largest(rows, [f"{one} {input_name}" for one in types for input_name in INPUTS])[1], RIVALS)


def beside_radix(results: Results, rows: list[dict]) -> Values:
    """Returns the sort by a comparator beside CUB's radix sort of the same keys, by input and size."""
    if not rows:
        return {}
    body = []
    for row in rows:
        radix = rivals_of(row)["CUB radix"]
        body.append(
            [row["name"], f"**{milliseconds(ours(row))}**", milliseconds(radix), f"{radix / ours(row):.2f}"]
            + [f"{rate(row['items'], ms):.2f}" for ms in (ours(row), radix)]
        )
    results.compare_rows(rows, "64-bit keys beside a radix sort", of_paper=True)
    head = ["", "Ordo, by a comparator", "CUB, radix sort", "CUB / Ordo", "Ordo, 10^9 a second", "CUB, 10^9 a second"]
    return {"radix": table(head, body)}


def two_cards(results: Results) -> Values:
    """Returns the rates of uniform keys on this card divided by those on the second one, beside the ratio of the copies."""
    other = results.second_card("comparator_sort")
    if not other:
        return {}
    first, second = results.rows("comparator_sort"), other.rows("comparator_sort")
    if not second:
        return {}
    results.used |= other.used
    body = []
    for name, row in first.items():
        if name not in second or row["input"] != "uniform" or not rivals_of(row) or not rivals_of(second[name]):
            continue
        there = second[name]
        times = [(one["copy"]["ms"], ours(one), rivals_of(one)["CUB"]) for one in (there, row)]
        body.append([name, *(f"{a / b:.2f}" for a, b in zip(*times))])
    devices = [one.json("comparator_sort")["machine"]["device"] for one in (results, other)]
    gains = [float(cells[2]) for cells in body]
    return body and {
        "cards": table(["", "copy", "Ordo", "CUB"], body),
        "first_card": devices[0],
        "second_card": devices[1],
        "card_gain": f"{statistics.median(gains):.2f}",
        "second_file": other.link("comparator_sort"),
    } or {}
