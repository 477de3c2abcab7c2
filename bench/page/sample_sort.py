"""Leischner, Osipov, Sanders: GPU Sample Sort (IPDPS 2010)."""

from page import (
    Results,
    Values,
    against_best,
    by_size,
    curves,
    items_of,
    of_largest,
    rate_of,
    slower_values,
)
from plot import Axis, power_of_two

RIVALS = ["CUB"]
INPUTS = ["uniform", "gaussian", "bucket sorted", "staggered", "duplicates", "sorted"]
FIGURES = [  # types, plot, title
    ("u32/u32", "sample_pairs", "Leischner et al., Figure 3: pairs of 32 bits by a comparator"),
    ("u64", "sample_u64", "Leischner et al., Figure 4: 64-bit keys by a comparator"),
    ("u32", "sample_u32", "Leischner et al., Figure 5: 32-bit keys by a comparator"),
]


def values(results: Results) -> Values:
    rows = results.rows("comparator_sort")
    if not rows:
        return {}
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
        "sizes": by_size(results, list(rows.values())),
        **slower_values(results.compare_rows(rows.values())),
        "commands": results.commands("comparator_sort"),
    }


def rows_of(rows: dict[str, dict], *types: str) -> str:
    return against_best(of_largest(rows, [f"{one} {input_name}" for one in types for input_name in INPUTS])[1], RIVALS)
