"""Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU (HPC 2014)."""

import statistics

import papers
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
    size_of,
    slower_values,
    table,
)
from plot import Axis, Series, power_of_two

RIVALS = ["CUB", "Thrust"]
TYPES = ("u32", "u32/u32", "u64", "u64/u32")
INPUTS = ("uniform", "gaussian", "sorted", "equal", "20-bit")
FIGURES = [  # plot, types, input, title
    ("radix_keys", "u32", "uniform", "Polok et al., Figure 3: random 32-bit keys"),
    ("radix_pairs", "u32/u32", "uniform", "Polok et al., Figure 4: random 32-bit keys with 32-bit values"),
    ("radix_products", "u32/u32", "product", "Polok et al., Figure 5: keys of a sparse matrix product, with values"),
]


RATES = "Figures 3 to 5: rates"
SORTS = ("Ordo", "CUB")


def values(results: Results) -> Values:
    rows = results.rows("radix_sort")
    if not rows:
        return {}
    products = list(results.rows("product_sorts").values())
    by_range = [min_ratio(row, "range_ms") for row in products]
    figures = [
        Figure("Figure 1", "phases of a sparse product", "Figure 1: phases of a product", ("product_sorts",)),
        Figure("Table 2", "saturated rates", "Table 2: saturated rates", ("radix_sort",), of_figure(rows, "u32", "u32/u32")),
        Figure("Table 2, CLOGS, CLpp, libCL", "OpenCL libraries", why_not="OpenCL is not part of this build"),
        Figure("Figure 3", "rates of 32-bit keys", RATES, ("radix_sort",), of_figure(rows, "u32")),
        Figure("Figure 4", "rates of 32-bit keys with values", RATES, ("radix_sort",), of_figure(rows, "u32/u32")),
        Figure("Figure 5", "keys of sparse products", "Figure 5: keys of 42 products", ("product_sorts",), by_range),
        Figure(
            *("Section 1", "the range of the keys is known"),
            *("The range of the keys", ("key_ranges",)),
            [min_ratio(row, "range_ms") for row in largest_ranges(results)],
        ),
    ]
    size, chosen = of_largest(rows, [f"{types} {input_name}" for types in TYPES for input_name in INPUTS])
    return {
        "figures": results.list_figures(figures),
        **phases(results, products),
        **product_keys(results, products),
        **ranges(results),
        "size": size,
        "paper": paper_table(results, of_largest(rows, ["u32 uniform", "u32/u32 uniform"])[1]),
        **{figure[0]: rate_plot(results, list(rows.values()), *figure) for figure in FIGURES},
        "types": against_best(chosen, RIVALS),
        "sizes": by_size(results, list(rows.values())),
        **slower_values(results.compare_rows(rows.values())),
        "commands": results.commands("radix_sort", "product_sorts", "key_ranges"),
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


def of_figure(rows: dict[str, dict], *types: str) -> list[float]:
    """Returns best rival / Ordo of uniform keys, of 2^24 items and more."""
    some = [row for row in rows.values() if row["types"] in types and row["input"] == "uniform" and row["items"] >= 1 << 24]
    return ratios(row for row in some if "argsort" not in row["name"])


def min_ratio(row: dict, what: str) -> float:
    return row[what]["CUB"] / row[what]["Ordo"]


def phases(results: Results, rows: list[dict]) -> Values:
    """Returns figure 1: the shares of expansion, sort and compression, by kind of matrix, of the largest of each."""
    if not rows:
        return {}
    largest: dict[str, dict] = {}
    for row in rows:
        largest[row["name"].rpartition(" ")[0]] = row  # they come in ascending order
    body = []
    for row in largest.values():
        cells = [row["name"], f"{row['products'] / 1e6:.3g}"]
        for who in reversed(SORTS):
            parts = [row["expand_ms"], row["range_ms"][who], row["compress_ms"]]
            cells += [milliseconds(sum(parts)), " / ".join(f"{100 * part / sum(parts):.0f}" for part in parts)]
        body.append([*cells, f"**{milliseconds(row['Ordo_product_ms'])}**"])
    head = ["matrix", "10^6 products", "ESC with CUB", "shares, %", "ESC with Ordo's sort", "shares, %", "Ordo's product"]
    return {"phases": table(head, body)}


def product_keys(results: Results, rows: list[dict]) -> Values:
    """Returns figure 5: rates over the number of products, and the ratios by number of products."""
    if not rows:
        return {}
    ordered = sorted(rows, key=lambda row: row["products"])
    series = [
        Series(f"{who}, {name}", [(row["products"], rate(row["products"], row[what][who])) for row in ordered], who != "Ordo")
        for who in SORTS
        for what, name in (("range_ms", "range given"), ("all_bits_ms", "all bits"))
    ]
    plot = results.plot(
        "radix_many_products",
        "Polok et al., Figure 5: keys of 42 products, with values",
        Axis("products (logarithmic)", log=True),
        Axis("10⁹ pairs a second", low=0),
        series,
    )
    body = []
    for name, low, high in (("below 1 million", 0, 1e6), ("1 to 10 million", 1e6, 1e7), ("10 million and more", 1e7, 1e12)):
        some = [row for row in rows if low <= row["products"] < high]
        if not some:
            continue
        medians = [statistics.median(min_ratio(row, what) for row in some) for what in ("all_bits_ms", "range_ms")]
        gains = [statistics.median(row["all_bits_ms"][who] / row["range_ms"][who] for row in some) for who in SORTS]
        body.append([name, str(len(some)), *(f"{x:.2f}" for x in (*medians, *gains))])
    named = [(f"{row['name']} products", "CUB", min_ratio(row, "range_ms")) for row in rows]
    results.compare(named, "keys of products", of_paper=True)
    head = ["products", "matrices", "CUB / Ordo, all bits", "CUB / Ordo, range given", "gain of the range, Ordo", "gain, CUB"]
    return {"products_plot": plot, "products": table(head, body)}


def largest_ranges(results: Results) -> list[dict]:
    rows = results.rows("key_ranges").values()
    return [row for row in rows if row["items"] == max(one["items"] for one in rows)]


def ranges(results: Results) -> Values:
    rows = list(results.rows("key_ranges").values())
    if not rows:
        return {}
    body = []
    for row in rows:
        times = [row[what][who] for who in SORTS for what in ("all_bits_ms", "range_ms")]
        gains = [row["all_bits_ms"][who] / row["range_ms"][who] for who in SORTS]
        body.append(
            [row["name"], str(row["bits"]), milliseconds(row["copy_ms"])]
            + [f"{milliseconds(times[0])}", f"**{milliseconds(times[1])}**", *map(milliseconds, times[2:])]
            + [f"{x:.2f}" for x in (*gains, min_ratio(row, "range_ms"))]
        )
    named = [(row["name"], "CUB", min_ratio(row, "range_ms")) for row in rows]
    results.compare(named, "range of the keys given", of_paper=True)
    times_of = [f"{who}, {what}" for who in SORTS for what in ("all bits", "range")]
    return {"ranges": table(["", "bits", "copy", *times_of, "gain, Ordo", "gain, CUB", "CUB / Ordo, range"], body)}
