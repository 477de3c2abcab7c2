"""Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU (HPC 2014)."""

import math

import papers
from page import Page, against_best, by_size, losses, ours, rate, rivals_of
from plot import Axis, Series, power_of_two

# Why rows lose, by their names; the first that matches counts.
WHY = [
    (
        "product 2\\^2[5-9]",
        (
            "Indices of a matrix product, from 2^25 items on: Ordo begins with the most significant digit there, and the sample"
            " of the keys that chooses the way does not tell that CUB's passes would be quicker"
        ),
    ),
    (
        " told|^u8",
        (
            "An odd number of passes. CUB's passes sort here, and leave the result in the second copy, where CUB's own time "
            "ends; Ordo brings it back to the caller's array, which takes a `copy` more"
        ),
    ),
    (
        "^f32",
        (
            "Floats: the exponents of such numbers are few, so CUB's passes sort them, and one pass before and one behind make"
            " codes of floats and floats of codes"
        ),
    ),
    (
        ".",
        (
            "What is small (fewer than 2^25 keys of 32 bits, say) or uneven goes through CUB's passes, too. Ordo looks at a"
            " sample of the keys before, which takes a wait of some microseconds and another kernel or two"
        ),
    ),
]


def radix_sort(page: Page) -> None:
    if not page.has("radix_sort"):
        return
    rows = page.rows("radix_sort")
    page.heading("Radix sort (Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU, HPC 2014)")
    page.say(
        "Table 2 of the paper, random 32-bit keys, and keys with 32-bit values, saturated, in millions a second, of 2^20 as the"
        " paper counts them; and the same of today, of 2^28 items:"
    )
    body = []
    for i, card in enumerate(papers.RADIX_CARDS):
        for library, (keys, pairs) in papers.RADIX_TABLE_2.items():
            body.append([card, library, f"{keys[i]:.0f}" if keys else "", f"{pairs[i]:.0f}"])
    both = [rows["u32 uniform 2^28"], rows["u32/u32 uniform 2^28"]]
    device = page.json("radix_sort")["machine"]["device"]
    for library in ("CUB", "Thrust"):
        body.append([device, library, *(f"{millions(row, rivals_of(row)[library]):,.0f}" for row in both)])
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
        series = [Series("Ordo", [(row["items"], rate(row["items"], ours(row))) for row in of])]
        for rival in ("CUB", "Thrust"):
            series.append(Series(rival, [(row["items"], rate(row["items"], rivals_of(row)[rival])) for row in of], dashed=True))
        ticks = [row["items"] for row in of]
        page.plot(
            name,
            title,
            Axis("items (logarithmic)", log=True, ticks=ticks),
            Axis("10⁹ items a second", low=0),
            series,
            tick_name=power_of_two,
        )
    page.say(
        "2^28 items by type and input, milliseconds. The floor of a sort by one digit of 8 bits after the other is a `copy` for"
        " each byte of the key, and a read more to count the digits; from the most significant digit on, two moves and a finish"
        " on chip do for any key. In rows named `told` the caller says which bits count."
    )
    chosen = [
        f"{t} {i} 2^28"
        for t in ("u32", "u32/u32", "u64", "u64/u32")
        for i in ("uniform", "gaussian", "sorted", "equal", "20-bit")
    ]
    against_best(page, [rows[name] for name in chosen if name in rows], ["CUB", "Thrust"])
    by_size(page, list(rows.values()))
    losses(page, list(rows.values()), WHY)
    page.source("radix_sort")


def millions(row: dict, ms: float) -> float:
    return 1e9 / 2**20 * rate(row["items"], ms)


def named(row: dict) -> bool:
    """Is it the plain row of its types, input and size?"""
    return row["name"] == f"{row['types']} {row['input']} 2^{round(math.log2(row['items']))}"
