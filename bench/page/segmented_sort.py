"""Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017)."""

import papers
from page import (
    Results,
    Values,
    against_best,
    curves,
    longest_of,
    not_built,
    rate,
    rate_of,
    rivals_of,
    slower_values,
    table,
    with_optional,
)
from plot import Axis, Series

LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 16384, 131072, 1048576)
RIVALS = ["CUB seg", "seg radix", "packed"]


def values(results: Results) -> Values:
    rows = results.rows("segmented_sort")
    if not rows:
        return {}
    names = with_optional(rows.values(), RIVALS)
    equal = [rows[f"u32/u32 {n}"] for n in LENGTHS if f"u32/u32 {n}" in rows]
    mixes = {name: row for name, row in rows.items() if name.startswith("u32/u32 zipf") and name.count(" ") == 4}
    paper = [
        [name, *(" and ".join(map(str, x)) for x in (*papers.SEGMENT_UNIFORM[name], maximum))]
        for name, maximum in papers.SEGMENT_POWER_LAW.items()
    ]
    return {
        "equal": against_best(equal, names),
        **sweep(results, [row for row in equal if row["longest"] <= 16384], names),
        "power_law": against_best(list(mixes.values()), names),
        "power_law_plot": power_law_plot(results, mixes, names),
        "wide_values": against_best([row for name, row in rows.items() if name.startswith("u32/u64 ")], names),
        "holes": against_best([row for name, row in rows.items() if name.endswith(" holes")], names),
        "not_built": not_built(names),
        **slower_values(results.compare_rows(rows.values())),
        "paper": table(["rival", "short", "longer", "power law, maximum"], paper),
        "commands": results.commands("segmented_sort", "segmented_sort_sweep_pairs", "segmented_sort_sweep_keys"),
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
