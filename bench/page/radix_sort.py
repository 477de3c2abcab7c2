"""Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU (HPC 2014)."""

import re

import papers
from page import (
    Page,
    against_best,
    best,
    by_size,
    curves,
    items_in_row,
    losses,
    of_largest,
    ours,
    rate,
    rate_of_row,
    rivals_of,
    size_of,
)
from plot import Axis, power_of_two

RIVALS = ["CUB", "Thrust"]
# One digit of 8 bits, or three.
ODD_PASSES = re.compile(" 20-bit told|^u8 ")


def why(rows: list[dict]) -> list[tuple[str, str]]:
    """Rows of an odd number of passes lose what a copy takes. That is the reason of a row only if its own figures say so."""
    of = [
        row["name"]
        for row in rows
        if rivals_of(row) and ODD_PASSES.search(row["name"]) and 0.5 <= (ours(row) - best(row)[1]) / row["copy"]["ms"] <= 1.5
    ]
    reason = (
        "An odd number of passes. CUB's passes sort here, and leave the result in the second copy, where CUB's own time ends;"
        " Ordo copies it to the caller's array. In each of these rows the difference is a `copy`, or differs from it by half at"
        " most"
    )
    return [(f"^({'|'.join(map(re.escape, of))})$", reason)] if of else []


def radix_sort(page: Page) -> None:
    if not page.has("radix_sort"):
        return
    rows = page.rows("radix_sort")
    page.heading("Radix sort (Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU, HPC 2014)")
    size, both = of_largest(rows, ["u32 uniform", "u32/u32 uniform"])
    page.say(
        "Table 2 of the paper, random 32-bit keys, and keys with 32-bit values, saturated, in millions a second, of 2^20 as the"
        f" paper counts them; and the same of today, of {size} items:"
    )
    body = []
    for i, card in enumerate(papers.RADIX_CARDS):
        for library, (keys, pairs) in papers.RADIX_TABLE_2.items():
            body.append([card, library, f"{keys[i]:.0f}" if keys else "", f"{pairs[i]:.0f}"])
    device = page.json("radix_sort")["machine"]["device"]
    for library in RIVALS:
        theirs = [rivals_of(row).get(library) for row in both]
        body.append([device, library, *(f"{millions(row, ms):,.0f}" if ms else "" for row, ms in zip(both, theirs))])
    body.append([device, "**Ordo**", *(f"**{millions(row, ours(row)):,.0f}**" for row in both)])
    page.table(["card", "library", "keys", "pairs"], body)
    page.say(
        "Figures 3 to 5 of the paper are curves of this rate over the number of items. The same axes, our card. Figure 5 takes"
        " the keys from products of matrices and their transposes: the average over 160 matrices of a collection there, one"
        " made matrix here, with eight entries near the diagonal in each column."
    )
    for name, types, input_name, title in (
        ("radix_keys", "u32", "uniform", "Polok et al., Figure 3: random 32-bit keys"),
        ("radix_pairs", "u32/u32", "uniform", "Polok et al., Figure 4: random 32-bit keys with 32-bit values"),
        ("radix_products", "u32/u32", "product", "Polok et al., Figure 5: keys of a sparse matrix product, with values"),
    ):
        of = [row for row in rows.values() if row["types"] == types and row["input"] == input_name and named(row)]
        page.plot(
            name,
            title,
            Axis("items (logarithmic)", log=True, ticks=[row["items"] for row in of]),
            Axis("10⁹ items a second", low=0),
            curves(of, items_in_row, rate_of_row, RIVALS),
            tick_name=power_of_two,
        )
    page.say(
        f"{size} items by type and input, milliseconds. The floor of a sort by one digit of 8 bits after the other is a `copy`"
        " for each byte of the key, and a read more to count the digits; from the most significant digit on, two moves and a"
        " finish on chip do for any key. In rows named `told` the caller says which bits count."
    )
    chosen = [
        f"{t} {i}" for t in ("u32", "u32/u32", "u64", "u64/u32") for i in ("uniform", "gaussian", "sorted", "equal", "20-bit")
    ]
    against_best(page, of_largest(rows, chosen)[1], RIVALS)
    by_size(page, list(rows.values()))
    losses(page, list(rows.values()), why(list(rows.values())))
    page.source("radix_sort")


def millions(row: dict, ms: float) -> float:
    return 1e9 / 2**20 * rate(row["items"], ms)


def named(row: dict) -> bool:
    """Is it the plain row of its types, input and size?"""
    return row["name"] == f"{row['types']} {row['input']} {size_of(row)}"
