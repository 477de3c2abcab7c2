"""Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU (HPC 2014)."""

import papers
from page import (
    Results,
    Values,
    against_best,
    by_size,
    curves,
    items_of,
    of_largest,
    ours,
    rate,
    rate_of,
    rivals_of,
    size_of,
    slower_values,
    table,
)
from plot import Axis, power_of_two

RIVALS = ["CUB", "Thrust"]
TYPES = ("u32", "u32/u32", "u64", "u64/u32")
INPUTS = ("uniform", "gaussian", "sorted", "equal", "20-bit")
FIGURES = [  # plot, types, input, title
    ("radix_keys", "u32", "uniform", "Polok et al., Figure 3: random 32-bit keys"),
    ("radix_pairs", "u32/u32", "uniform", "Polok et al., Figure 4: random 32-bit keys with 32-bit values"),
    ("radix_products", "u32/u32", "product", "Polok et al., Figure 5: keys of a sparse matrix product, with values"),
]


def values(results: Results) -> Values:
    rows = results.rows("radix_sort")
    if not rows:
        return {}
    size, chosen = of_largest(rows, [f"{types} {input_name}" for types in TYPES for input_name in INPUTS])
    return {
        "size": size,
        "paper": paper_table(results, of_largest(rows, ["u32 uniform", "u32/u32 uniform"])[1]),
        **{figure[0]: rate_plot(results, list(rows.values()), *figure) for figure in FIGURES},
        "types": against_best(chosen, RIVALS),
        "sizes": by_size(results, list(rows.values())),
        **slower_values(results.compare_rows(rows.values())),
        "commands": results.commands("radix_sort"),
    }


def paper_table(results: Results, rows: list[dict]) -> str:
    """Returns the paper's table 2, and the same rates of these rows: of keys and of pairs."""
    body = []
    for i, gpu in enumerate(papers.RADIX_CARDS):
        for library, (keys, pairs) in papers.RADIX_TABLE_2.items():
            body.append([gpu, library, f"{keys[i]:.0f}" if keys else "", f"{pairs[i]:.0f}"])
    gpu = results.json("radix_sort")["machine"]["device"]
    for library in RIVALS:
        times = [rivals_of(row).get(library) for row in rows]
        body.append([gpu, library, *(f"{millions(row, ms):,.0f}" if ms else "" for row, ms in zip(rows, times))])
    body.append([gpu, "**Ordo**", *(f"**{millions(row, ours(row)):,.0f}**" for row in rows)])
    return table(["GPU", "library", "keys", "pairs"], body)


def rate_plot(results: Results, rows: list[dict], name: str, types: str, input_name: str, title: str) -> str:
    of = [row for row in rows if row["name"] == f"{types} {input_name} {size_of(row)}"]
    return results.plot(
        name,
        title,
        Axis("items (logarithmic)", log=True, ticks=[row["items"] for row in of]),
        Axis("10⁹ items a second", low=0),
        curves(of, items_of, rate_of, RIVALS),
        tick_name=power_of_two,
    )


def millions(row: dict, ms: float) -> float:
    return 1e9 / 2**20 * rate(row["items"], ms)
