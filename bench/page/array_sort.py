"""Awan, Saeed: GPU-ArraySort, a parallel, in-place algorithm for sorting large number of arrays (ICPPW 2016)."""

import math

import papers
from page import (
    Figure,
    Results,
    Values,
    against_best,
    curves,
    longest_of,
    milliseconds,
    not_built,
    ours,
    ratios,
    rivals_of,
    slower_values,
    table,
    time_of,
    with_optional,
)
from plot import Axis, Series

RIVALS = ["STA", "CUB seg", "seg radix", "packed"]
LENGTHS = "Figure 2: theory and practice"
TIME = Axis("milliseconds (logarithmic)", log=True)
OTHERS = [
    *("f32 10", "f32 100", "f64 1000", "f64 4000", "f32/u32 1000", "f32/u32 4000"),
    *("f32 20000", "f32 200000", "f32/u32 20000", "f32/u32 200000"),
]


def values(results: Results) -> Values:
    rows = results.rows("array_sort")
    by_number = list(results.rows("array_sort_sweep").values()) if rows else []
    names = with_optional(rows.values(), RIVALS)
    return (gpu_values(results, rows, by_number, names) if rows else {}) | stream(results)


def gpu_values(results: Results, rows: dict[str, dict], by_number: list[dict], names: list[str]) -> Values:
    arrays = [rows[f"f32 {n}"] for n in papers.ARRAY_TABLE_1 if f"f32 {n}" in rows]
    by_length = results.rows("array_sort_lengths")
    figures = [Figure("Figure 2", "theory and practice", LENGTHS, ("array_sort_lengths",), ratios(by_length.values()))]
    for number, length in enumerate(papers.ARRAY_TABLE_1, 4):
        some = [row for row in by_number if row["longest"] == length]
        figures.append(
            Figure(
                *(f"Figure {number}", f"time over the number of arrays of {length:,}"),
                *("Figures 4 to 7: by number of arrays", ("array_sort_sweep",)),
                ratios(some),
            )
        )
    figures.append(
        Figure(*("Table 1", "how many arrays fit"), *("Table 1: how many arrays fit", ("array_fit",)), fit_ratios(results))
    )
    return {
        "figures": results.list_figures(figures),
        **theory(results, by_length),
        **fit(results),
        "arrays": against_best(arrays, names),
        "arrays_plot": results.plot(
            "arrays",
            "Awan and Saeed, Figures 4 to 7: 200,000 arrays of floats",
            Axis("floats in an array", ticks=list(papers.ARRAY_TABLE_1)),
            TIME,
            curves(arrays, longest_of, time_of, names, copy=True),
        ),
        **sweep(results, by_number),
        **capacity(results),
        "others": against_best([rows[name] for name in OTHERS if name in rows], names),
        "not_built": not_built(names),
        **slower_values(results.compare_rows([*rows.values(), *by_number]), "", {"slower_few": ["f32 1000 few"]}),
        "commands": results.commands(
            *("array_sort", "array_sort_lengths", "array_sort_sweep", "array_sort_capacity", "array_fit"),
        ),
    }


def theory(results: Results, rows: dict[str, dict]) -> Values:
    """Returns figure 2: times over the length of the arrays, beside the paper's formula through the last point."""
    if not rows:
        return {}

    def formula(n: float) -> float:
        """Equation 2 with buckets of 20 items and samples of a tenth of an array, as in the paper."""
        buckets, sampling = max(n / 20, 1), 0.1
        return n + buckets + (buckets * sampling + 1) / buckets * n * math.log2(n)

    some = list(rows.values())
    scale = ours(some[-1]) / formula(some[-1]["longest"])
    names = with_optional(some, RIVALS)
    series = curves(some, longest_of, time_of, names, copy=True)
    series.insert(1, Series("equation 2", [(row["longest"], scale * formula(row["longest"])) for row in some], dashed=True))
    plot = results.plot(
        "arrays_by_length",
        "Awan and Saeed, Figure 2: 50,000 arrays of floats, over their length",
        Axis("floats in an array", ticks=[200, 1000, 2000, 3000, 4000]),
        TIME,
        series,
    )
    off = [ours(row) / (scale * formula(row["longest"])) for row in some]
    results.compare_rows(some, "by length", of_paper=True)
    return {
        "theory_plot": plot,
        "theory_low": f"{min(off):.2f}",
        "theory_high": f"{max(off):.2f}",
        "by_length": against_best([row for row in some if row["longest"] % 1000 == 0], names),
    }


def fit_rows(results: Results) -> list[dict]:
    return list(results.rows("array_fit").values())


def fit_ratios(results: Results) -> list[float]:
    """Returns Ordo's number of floats divided by the largest of a rival, by length."""
    found = []
    for length in sorted({row["length"] for row in fit_rows(results)}):
        floats = {row["sort"]: row.get("floats", 0) for row in fit_rows(results) if row["length"] == length}
        own = floats.pop("Ordo", 0)
        if own and any(floats.values()):
            found.append(own / max(floats.values()))
    return found


def fit(results: Results) -> Values:
    body = []
    cards = [results, results.second_card("array_fit")] if fit_rows(results) else []
    for card in filter(None, cards):
        rows = fit_rows(card)
        machine = card.json("array_fit")["machine"]
        gpu = f"{machine['device']}, {int(machine['memory']) / 1e9:.0f} GB"
        for row in rows:
            if not row.get("floats"):
                continue
            own = next((one["floats"] for one in rows if one["sort"] == "Ordo" and one["length"] == row["length"]), 0)
            wrong = f"{row['wrong_arrays']:,} arrays out of order" if row["wrong_arrays"] else ""
            body.append(
                [gpu, row["sort"], f"{row['length']}", f"{row['arrays']:,}", f"{row['floats'] / 1e9:.2f}", f"{row['ms']:.0f}"]
                + [wrong or row["limit"], f"{own / row['floats']:.2f}" if row["sort"] != "Ordo" else ""]
            )
    head = ["GPU", "sort", "length", "arrays", "10^9 floats", "ms", "limited by", "Ordo's / its floats"]
    return {"fit": table(head, body)}


def sweep(results: Results, rows: list[dict]) -> Values:
    """Returns the times over the number of arrays, by length."""
    if not rows:
        return {}
    lengths, counts = (sorted({row[key] for row in rows}) for key in ("longest", "segments"))
    by_length = {length: [row for row in rows if row["longest"] == length] for length in lengths}
    body = []
    for count in counts:
        cells = []
        for some in by_length.values():
            row = next((row for row in some if row["segments"] == count), None)
            sta = rivals_of(row).get("STA") if row else None
            cells += [f"**{milliseconds(ours(row))}**" if row else "", f"{sta / ours(row):.1f}" if sta else ""]
        body.append([f"{count:,}", *cells])
    names = with_optional(rows, RIVALS)
    return {
        "by_number": table(["arrays", *(cell for length in lengths for cell in (f"of {length}", "STA / Ordo"))], body),
        "by_number_plot": results.plot(
            "arrays_by_number",
            "Awan and Saeed, Figures 4 to 7: time over the number of arrays",
            Axis("thousands of arrays", ticks=[count for count in counts if count % 50_000 == 0] or counts),
            TIME,
            {
                f"arrays of {length}": curves(some, lambda row: row["segments"], time_of, names, copy=True)
                for length, some in by_length.items()
            },
            tick_name=lambda count: f"{count / 1000:g}",
        ),
    }


def capacity(results: Results) -> Values:
    if not results.has("array_sort_capacity"):
        return {}
    report = results.json("array_sort_capacity")
    found = report["capacity"]
    gpu = f"{report['machine']['device']}, {int(report['machine']['memory']) / 1e9:.0f} GB"
    body = [["Tesla K40c, 11.5 GB", f"{n}", f"{a:,}", f"{b:,}"] for n, (a, b) in papers.ARRAY_TABLE_1.items()]
    body += [[gpu, f"{one['length']}", f"**{one['arrays']:,}** in {one['ms']:.0f} ms", ""] for one in found]
    return {
        "capacity": table(["GPU", "length", "in place", "STA"], body),
        "capacity_bytes": f"{4e-9 * found[0]['floats']:.0f}",
        "capacity_temporary": f"{max(one['pool_peak_bytes'] for one in found) / 1e6:g}",
        "capacity_rates": ", ".join(f"{8e-6 * one['floats'] / one['ms']:.0f}" for one in found),
    }


def stream(results: Results) -> Values:
    if not results.has("array_stream"):
        return {}
    report = results.json("array_stream")
    body = [
        [
            row["name"],
            f"{row['bytes'] / 1e9:.3g}",
            f"{row['seconds']:.3g}",
            f"{row['up_gbs']:.1f}",
            f"{row['down_gbs']:.1f}",
            f"**{row['rate_gbs']:.1f}**",
            f"{100 * row['share']:.0f} %",
        ]
        for row in report["rows"]
    ]
    limit = max(row.get("memory_limit", 0) for row in report["rows"])
    return {
        "stream": table(["", "GB", "seconds", "up, GB/s", "down, GB/s", "Ordo, GB/s", "share"], body),
        "stream_machine": results.where(report),
        "stream_limit": f"{limit / 1e9:.0f}" if limit else "",
        "stream_commands": results.commands("array_stream"),
    }
