"""Leischner, Osipov, Sanders: GPU Sample Sort (IPDPS 2010)."""

from page import Page, against_best, by_size, curves, items_in_row, losses, of_largest, rate_of_row
from plot import Axis, power_of_two

RIVALS = ["CUB"]
INPUTS = ["uniform", "gaussian", "bucket sorted", "staggered", "duplicates", "sorted"]
FIGURES = [
    (
        "u32/u32",
        "sample_pairs",
        "Leischner et al., Figure 3: pairs of 32 bits by a comparator",
        (
            "Of uniform pairs the paper's sort is at least 25 %, on average 68 % faster than Thrust's merge sort; of sorted"
            " ones, its worst, at least as fast, on average 30 % faster"
        ),
    ),
    (
        "u64",
        "sample_u64",
        "Leischner et al., Figure 4: 64-bit keys by a comparator",
        (
            "Of uniform keys the paper's sort is at least 63 % faster than Thrust's radix sort of the time, on average twice as"
            " fast"
        ),
    ),
    (
        "u32",
        "sample_u32",
        "Leischner et al., Figure 5: 32-bit keys by a comparator",
        (
            "Of uniform keys the paper's sort is on average more than twice as fast as quicksort and hybrid sort; radix sorts"
            " are faster"
        ),
    ),
]


def sample_sort(page: Page) -> None:
    if not page.has("comparator_sort"):
        return
    rows = page.rows("comparator_sort")
    page.heading("Sorting by a comparator (Leischner, Osipov, Sanders: GPU Sample Sort, IPDPS 2010)")
    page.say(
        "The six inputs of the paper, after Helman, Bader and JáJá: uniform, Gaussian, bucket sorted, staggered (of 240"
        " blocks), deterministic duplicates and sorted. The paper prints rates over the number of items as curves (figures 3 to"
        " 5), of a Tesla C1060 with 4 GB; what its text says in numbers is quoted. The rival is CUB's merge sort, with `<` for"
        " both. "
        f"{of_largest(rows, [])[0]} items, milliseconds:"
    )
    for types, name, title, said in FIGURES:
        page.say(f"{title.split(', ')[1]}. {said}.")
        against_best(page, of_largest(rows, [f"{types} {one}" for one in INPUTS])[1], RIVALS)
        of = {one: [row for row in rows.values() if row["types"] == types and row["input"] == one] for one in INPUTS}
        page.plot(
            name,
            title,
            Axis("items (logarithmic)", log=True, ticks=[row["items"] for row in of["uniform"]]),
            Axis("10⁹ items a second (logarithmic)", log=True),
            {one: curves(measured, items_in_row, rate_of_row, RIVALS) for one, measured in of.items()},
            tick_name=power_of_two,
        )
    page.say("Records of 16 bytes by a key in them, and pairs of 64-bit numbers in lexicographic order:")
    others = [f"{types} {one}" for types in ("record", "pair") for one in INPUTS]
    against_best(page, of_largest(rows, others)[1], RIVALS)
    by_size(page, list(rows.values()))
    losses(page, list(rows.values()))
    page.source("comparator_sort")
