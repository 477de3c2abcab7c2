"""Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017)."""

import statistics

import papers
import sparse_matrices
import suffix_array
from page import (
    SLOWER,
    Figure,
    Results,
    Values,
    against_best,
    curves,
    longest_of,
    not_built,
    rate,
    rate_of,
    ratios,
    rivals_of,
    slower_values,
    table,
    with_optional,
)
from plot import Axis, Series, heat_map

LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 16384, 131072, 1048576)
RIVALS = ["CUB seg", "seg radix", "packed"]
EQUAL = "Figure 11: segments of equal length"
SHOWN_LETTERS = (8, 16, 64, 1024)  # of the numbers of letters in the file
GRIDS = {  # of the rows of segmented_grid: beginning of their names, and whether the number of segments is fixed
    "2^26 pairs, 32-bit values": ("u32/u32", False),
    "2^26 pairs, 64-bit values": ("u32/u64", False),
    "65,535 segments, 32-bit values": ("u32/u32", True),
    "65,535 segments, 64-bit values": ("u32/u64", True),
}


def values(results: Results) -> Values:
    rows = results.rows("segmented_sort")
    if not rows:
        return {}
    names = with_optional(rows.values(), RIVALS)
    equal = [rows[f"u32/u32 {n}"] for n in LENGTHS if f"u32/u32 {n}" in rows]
    mixes = {name: row for name, row in rows.items() if name.startswith("u32/u32 zipf") and name.count(" ") == 4}
    grid = grid_ratios(results)
    figures = [
        Figure("Figure 2", "lengths of segments in real inputs", "Figure 2: lengths in real inputs", ("segment_lengths",)),
        Figure("Figure 9", "kernels of a warp", "Figures 9 and 10: kernel by kernel", ("segment_kernels",)),
        Figure("Figure 9, `orig` and `strd`", "two ways to write back", why_not="a kernel here has one way to write"),
        Figure("Figure 10", "kernels of a block", "Figures 9 and 10: kernel by kernel", ("segment_kernels",)),
        Figure("Figure 11", "segments of one length", EQUAL, ("segmented_sort",), ratios(equal)),
        Figure(
            *("Figure 12", "lengths by a power law: 640 points"),
            *("Figure 12: the whole grid", ("segmented_grid",)),
            [one for name in grid for one in grid[name]],
        ),
        Figure(
            *("Figure 13", "suffix arrays of six DNA sequences"),
            *("suffix_array#Figure 13 of Hou et al", ("suffix_array_dna",)),
            suffix_array.dna_ratios(results),
        ),
        Figure("Figure 13, CUDPP", "the skew algorithm", why_not="PTX for GPUs from 7.0 on lacks its shuffles"),
        Figure(
            *("Figure 14", "squares of six sparse matrices"),
            *("sparse_matrices#Figure 14 of Hou et al", ("spgemm_collection",)),
            sparse_matrices.collection_ratios(results),
        ),
        Figure("Figure 14, bhSPARSE", "the third rival", why_not="it has no version for today's CUDA; ESC is rebuilt"),
    ]
    paper = [
        [name, *(" and ".join(map(str, x)) for x in (*papers.SEGMENT_UNIFORM[name], maximum))]
        for name, maximum in papers.SEGMENT_POWER_LAW.items()
    ]
    return {
        "figures": results.list_figures(figures),
        **lengths_of_inputs(results),
        **kernels(results),
        **whole_grid(results, grid),
        "equal": against_best(equal, names),
        **sweep(results, [row for row in equal if row["longest"] <= 16384], names),
        "power_law": against_best(list(mixes.values()), names),
        "power_law_plot": power_law_plot(results, mixes, names),
        "wide_values": against_best([row for name, row in rows.items() if name.startswith("u32/u64 ")], names),
        "holes": against_best([row for name, row in rows.items() if name.endswith(" holes")], names),
        "not_built": not_built(names),
        **slower_values(results.compare_rows(rows.values()), "", {"slower_doubles": ["f64/u32 32"]}),
        "paper": table(["rival", "short", "longer", "power law, maximum"], paper),
        "commands": results.commands(
            *("segment_lengths", "segment_kernels", "segmented_sort", "segmented_sort_sweep_pairs"),
            *("segmented_sort_sweep_keys", "segmented_grid"),
        ),
    }


def sweep(results: Results, equal: list[dict], names: list[str]) -> Values:
    if not results.has("segmented_sort_sweep_pairs", "segmented_sort_sweep_keys"):
        return {}
    series = []
    for items, name in (("keys", "Ordo, keys alone"), ("pairs", "Ordo, pairs")):
        found = results.json(f"segmented_sort_sweep_{items}")["sweeps"][0]
        lengths = sorted({round(10 ** (i / 80)) for i in range(338)} & set(range(1, len(found["rates"]) + 1)))
        series.insert(0, Series(name, [(n, found["rates"][n - found["from"]]) for n in lengths]))
    for name in names:
        points = [(row["longest"], rate(row["items"], rivals_of(row)[name])) for row in equal if name in rivals_of(row)]
        series += [Series(f"{name}, pairs", points, dashed=True)] if points else []
    if equal:
        copy = max(rate(row["items"], row["copy"]["ms"]) for row in equal)
        series.append(Series("copy, of pairs", [(1, copy), (16384, copy)], dashed=True))
    plot = results.plot(
        "segments",
        "Hou et al., Figure 11: segments of one length",
        Axis("items in a segment (logarithmic)", log=True, ticks=[1, 4, 16, 64, 256, 1024, 4096, 16384]),
        Axis("10⁹ items a second", low=0),
        series,
    )
    return {"sweep_plot": plot, "sweep_items": f"{found['items'] / 1e6:.0f}"}


def power_law_plot(results: Results, mixes: dict[str, dict], names: list[str]) -> str:
    by_exponent: dict[str, list[dict]] = {}
    for name, row in mixes.items():
        by_exponent.setdefault(name.split()[2], []).append(row)
    return mixes and results.plot(
        "segments_power_law",
        "Hou et al., Figure 12: lengths by a power law",
        Axis("longest segment (logarithmic)", log=True, ticks=[50, 500, 2000, 100_000]),
        Axis("10⁹ items a second (logarithmic)", log=True),
        {f"exponent {a}": curves(rows, longest_of, rate_of, names, copy=True) for a, rows in by_exponent.items()},
        tick_name=lambda length: f"{length:,.0f}" if length < 1e5 else f"{length / 1e3:.0f} k",
    )


def lengths_of_inputs(results: Results) -> Values:
    """Returns figure 2: segments of prefix doubling and of products of matrices."""
    rows = results.rows("segment_lengths")
    if not rows:
        return {}
    body = [
        [name, f"{row['segments']:,}", f"{row['items']:,}", f"{row['longest']:,}"]
        + [f"{100 * row['below_2000'] / row['segments']:.2f} %", f"{100 * row['items_below_2000'] / row['items']:.2f} %"]
        for name, row in rows.items()
        if row["segments"] and (" letters" not in name or int(name.split()[-2]) in SHOWN_LETTERS)
    ]
    shown = [name for name in rows if name.startswith("square") or name.endswith(" 16 letters")]
    points = {name: [(2**b, n) for b, n in enumerate(rows[name]["counts"]) if n] for name in shown}
    results.device, device = "", results.device  # counts are of no machine
    plot = results.plot(
        "segment_lengths",
        "Hou et al., Figure 2: lengths of segments",
        Axis("length, from this to below its double (logarithmic)", log=True),
        Axis("segments (logarithmic)", log=True),
        [Series(name, some) for name, some in points.items() if some],
    )
    results.device = device
    head = ["", "segments", "items", "longest", "segments below 2000", "items in those"]
    return {"input_lengths": table(head, body), "input_lengths_plot": plot}


def kernels(results: Results) -> Values:
    """Returns figures 9 and 10: the rates of kernels whose segments fill them."""
    if not results.has("segment_kernels"):
        return {}
    width = results.json("segment_kernels")["widths"][0]
    found: dict[str, dict[int, list[tuple[float, str]]]] = {"network": {}, "buckets": {}}
    for one in width["shapes"]:
        method, shape, _ = one["shape"].split()
        threads, items = map(int, shape.split("x"))
        name = f"{threads if method == 'network' else threads // 32} x {items}"
        if str(threads * items) in one["ps_per_item"]:
            found[method].setdefault(threads * items, []).append((1000 / one["ps_per_item"][str(threads * items)], name))

    def listed_kernels(of: dict[int, list[tuple[float, str]]]) -> str:
        body = []
        for length, some in sorted(of.items()):
            some = sorted(some, reverse=True)
            first, *others = [f"{name}: {x:.0f}" for x, name in some]
            body.append([str(length), f"**{first}**", "; ".join(others)])
        return table(["pairs in a segment", "fastest", "others"], body)

    return {
        "warp_kernels": listed_kernels(found["network"]),
        "block_kernels": listed_kernels(found["buckets"]),
        "kernel_copy": f"{1000 / width['copy_ps_per_item']:.0f}",
    }


def grid_rows(results: Results, types: str, fixed: bool) -> list[dict]:
    rows = results.rows("segmented_grid").values()
    return [row for row in rows if row["name"].startswith(types) and bool(row["segments"]) == fixed]


def grid_ratios(results: Results) -> dict[str, list[float]]:
    """Returns best rival / Ordo of each point, by grid."""
    found = {}
    for name, (types, fixed) in GRIDS.items():
        points = [one for row in grid_rows(results, types, fixed) for one in row_ratios(row)]
        if points:
            found[name] = points
    return found


def row_ratios(row: dict) -> list[float]:
    rivals = [times for name, times in row["ms"].items() if name != "Ordo"]
    return [min(times[i] for times in rivals if len(times) > i and times[i]) / own for i, own in enumerate(row["ms"]["Ordo"])]


def whole_grid(results: Results, grid: dict[str, list[float]]) -> Values:
    """Returns figure 12: over all rivals the smallest, median and largest ratio, and the map of the best rival's."""
    if not grid:
        return {}
    body = []
    for name, (types, fixed) in GRIDS.items():
        rows = grid_rows(results, types, fixed)
        for rival in dict.fromkeys(one for row in rows for one in row["ms"] if one != "Ordo"):
            of_rival = [b / a for row in rows for a, b in zip(row["ms"]["Ordo"], row["ms"].get(rival, [])) if b]
            if of_rival:
                body.append([name, rival, *spread(of_rival)])
        if rows:
            body.append([name, "best rival", *spread(grid[name])])
    points = [
        (f"{row['name']} max {longest}", "best rival", one)
        for row in results.rows("segmented_grid").values()
        for longest, one in zip(row["longest"], row_ratios(row))
    ]
    results.compare(points, "Figure 12", part=True, of_paper=True)  # so many points would outnumber all other rows
    maps = {}
    for fixed, name, title in ((False, "grid", "2^26 pairs"), (True, "grid_65535", "65,535 segments")):
        rows = grid_rows(results, "u32/u32", fixed)
        if rows:
            maps[f"{name}_plot"] = results.show(
                f"segments_{name}",
                f"Hou et al., Figure 12: best rival / Ordo, {title}, 32-bit values",
                lambda full, rows=rows: heat_map(
                    *(full, "longest segment", "exponent"),
                    [str(x) for x in rows[0]["longest"]],
                    {f"{row['exponent']:.1f}": row_ratios(row) for row in rows},
                ),
            )
    return {"grid": table(["points", "rival", "number", "minimum", "median", "maximum", "Ordo slower in"], body), **maps}


def spread(of: list[float]) -> list[str]:
    low = sum(one < SLOWER for one in of)
    return [str(len(of)), *(f"{one:.2f}" for one in (min(of), statistics.median(of), max(of))), str(low)]
