"""Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017), and what it is good for."""

import papers
from page import (
    Page,
    against_best,
    curves,
    longest_of,
    losses,
    milliseconds,
    rate,
    rate_of_row,
    rivals_of,
    say_not_built,
    tell_losses,
    with_built,
)
from plot import Axis, Series

LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 16384, 131072, 1048576)
RIVALS = ["CUB seg", "seg radix", "packed"]
SQUARES = ("spgemm", "spgemm_matrices")  # made, and the reader's own


def segmented_sort(page: Page) -> None:
    if not page.has("segmented_sort"):
        return
    rows = page.rows("segmented_sort")
    page.heading("Segmented sort (Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs, ICS 2017)")
    page.say(
        "Many segments, each sorted by itself: 2^28 pairs of a 32-bit key and a 32-bit value. Figures 11 and 12 of the paper,"
        " on a Tesla K80 and a Titan X (Pascal), are curves and maps of colours; in its text (section 4.2) it says how many"
        " times as fast as others it was, K80 and Titan X: on average for segments of one length, short (below 256 items on the"
        " K80, 512 on the Titan X) and longer; and at most for lengths by a power law (exponents 0.1 to 1.6, longest segments"
        " 50 to 2000):"
    )
    page.table(
        ["beside", "short", "longer", "power law, at most"],
        [
            [name, *(" and ".join(map(str, x)) for x in (*papers.SEGMENT_UNIFORM[name], most))]
            for name, most in papers.SEGMENT_POWER_LAW.items()
        ],
    )
    page.say(
        "CUB's figures by a power law are of 65,535 segments, the others' of 2^28 pairs: of more segments that CUB took several"
        " calls."
    )
    page.say(
        "Segments of one length, given by offsets, milliseconds. `CUB seg` is today's `DeviceSegmentedSort`, `seg radix` its"
        " `DeviceSegmentedRadixSort`, which is left out where segments are many and short, `packed` CUB's"
        " radix sort of segment number and key in one 64-bit key, as CUSP sorted by segment and key; `bb_segsort` is the"
        " paper's own code as Kobus keeps it, `ModernGPU` today's: see [below](#for-another-card)."
    )
    fixed = [rows[f"u32/u32 {n}"] for n in LENGTHS if f"u32/u32 {n}" in rows]
    names = with_built(rows.values(), RIVALS)
    against_best(page, fixed, names)
    if page.has("segmented_sort_sweep_pairs", "segmented_sort_sweep_keys"):
        sweep(page, [row for row in fixed if row["longest"] <= 16384], names)
    page.say("Lengths by a power law (P(l) proportional to l^-a, l at most `max`), milliseconds:")
    mixes = {name: row for name, row in rows.items() if name.startswith("u32/u32 zipf") and name.count(" ") == 4}
    against_best(page, list(mixes.values()), names)
    power_laws(page, mixes, names)
    wide = [row for name, row in rows.items() if name.startswith("u32/u64 ")]
    if wide:
        page.say("With values of 64 bits, which the paper's Figures 11 and 12 show too:")
        against_best(page, wide, names)
    holes = [row for name, row in rows.items() if name.endswith(" holes")]
    if holes:
        page.say("With holes between the segments, which keep what is in them; `CUB` is given begins and ends, too:")
        against_best(page, holes, names)
    say_not_built(page, names)
    losses(page, list(rows.values()), [])
    page.source("segmented_sort", "segmented_sort_sweep_pairs", "segmented_sort_sweep_keys")


def sweep(page: Page, fixed: list[dict], names: list[str]) -> None:
    series, sizes = [], []
    for what, name in (("pairs", "Ordo, pairs"), ("keys", "Ordo, keys alone")):
        one = page.json(f"segmented_sort_sweep_{what}")["sweeps"][0]
        sizes.append(one["items"])
        lengths = sorted({round(10 ** (i / 80)) for i in range(338)} & set(range(1, len(one["rates"]) + 1)))
        series.append(Series(name, [(n, one["rates"][n - one["from"]]) for n in lengths]))
    for name in names:
        at = [(row["longest"], rate(row["items"], rivals_of(row)[name])) for row in fixed if name in rivals_of(row)]
        series += [Series(f"{name}, pairs", at, dashed=True)] if at else []
    if fixed:
        copies = [rate(row["items"], row["copy"]["ms"]) for row in fixed]
        series.append(Series("copy, of pairs", [(1, max(copies)), (16384, max(copies))], dashed=True))
    page.plot(
        "segments",
        "Hou et al., Figure 11: segments of one length",
        Axis("items in a segment (logarithmic)", log=True, ticks=[1, 4, 16, 64, 256, 1024, 4096, 16384]),
        Axis("10⁹ items a second", low=0),
        series,
    )
    page.say(
        f"Every length from 1 to 16384 was measured, of about {sizes[0] / 1e6:.0f} million items each; a point in eighty a"
        " decade is drawn. The steps are where a segment gets one thread, some threads, a warp or a block more. Segments of"
        " one item stay where they are, which is quicker than a copy."
    )


def power_laws(page: Page, mixes: dict[str, dict], names: list[str]) -> None:
    of = {}
    for name, row in mixes.items():
        of.setdefault(name.split()[2], []).append(row)
    if not of:
        return
    page.plot(
        "segments_power_law",
        "Hou et al., Figure 12: lengths by a power law",
        Axis("longest segment (logarithmic)", log=True, ticks=[50, 500, 2000, 100_000]),
        Axis("10⁹ items a second (logarithmic)", log=True),
        {f"exponent {a}": curves(measured, longest_of, rate_of_row, names, copy=True) for a, measured in of.items()},
        tick_name=lambda length: f"{length:,.0f}" if length < 1e5 else f"{length / 1e3:.0f} k",
    )


def spgemm(page: Page) -> None:
    if not page.has("spgemm"):
        return
    report = page.json("spgemm")
    page.heading("Squares of sparse matrices (Hou et al., section 5.2; Polok, Ila, Smrz)")
    page.say(
        "What both papers sort for. A product by expansion, sorting and compression: every product of two entries is written"
        " down, those of a row are put in the order of their columns by the segmented sort, and equal columns added up. Hou et"
        " al. square six matrices (cit-Patents, email-Enron, rajat22, webbase-1M, web-Google, web-NotreDame) on a Tesla K80 and"
        " a Titan X (Pascal): 1.4 to 86.5 times as fast as cuSPARSE of that time, 1.5 to 2.3 times as CUSP, which sorts all"
        " products at once, 1.4 to 2.3 times as bhSPARSE; Figure 14 is bars without numbers. Polok et al. measure the sort"
        " alone."
    )
    rows = [row for name in SQUARES if page.has(name) for row in page.json(name)["rows"]]
    pairs = copied_a_millisecond(page)
    page.say(
        "Ours is `tools/examples/spgemm` on made matrices of the kinds of both papers (`--matrix FILE` of run.py: on those of"
        " a collection too), beside cuSPARSE's `SpGEMM`, by default"
        f" and by its algorithm 3, which takes less memory. {page.where(report)}. From CSR to CSR in the card's memory,"
        " allocation of the result counted. `/` is how many products fall on an entry of the result. Milliseconds, and behind"
        " them the GB of the card at most, the matrix not counted; a product that was not possible has none."
        + (" `copy` is the floor of this way: that of all products, a column and a value each, once, at the"
            " rate of the copy in the segmented sort's run." if pairs else "")
    )
    names = list(rows[0]["contenders"])[1:]
    body, results = [], []
    for row in rows:
        own = row["contenders"]["Ordo"]
        others = {name: one for name, one in row["contenders"].items() if name != "Ordo" and one["right"] and one["runs"]}
        title = f"{row['name']} {row['type']}"
        quickest = min(others, key=lambda name: others[name]["ms"], default="")
        floor = [milliseconds(row["products"] * (4 + int(row["type"][1:]) // 8) / pairs)] if pairs else []
        cells = floor + [time_and_memory(own, "**")] + [time_and_memory(others[name]) if name in others else "" for name in names]
        ahead = own["runs"] and quickest
        body.append(
            [
                title,
                f"{row['rows'] / 1e6:.3g}",
                f"{row['entries'] / 1e6:.3g}",
                f"{row['products'] / 1e6:.4g}",
                f"{row['products'] / max(1, row['result_entries']):.1f}" if own["runs"] else "",
                *cells,
                f"{others[quickest]['ms'] / own['ms']:.2f}" if ahead else "",
            ]
        )
        if ahead:
            results.append((title, quickest, others[quickest]["ms"] / own["ms"]))
    page.table(["matrix", "10^6 rows", "10^6 entries", "10^6 products", "/", *["copy"] * bool(pairs), "Ordo", *names, "best rival / Ordo"], body)
    of = {
        f"{row['name']} {row['type']}": {
            name: one["ms"] for name, one in row["contenders"].items() if one["right"] and one["runs"]
        }
        for row in rows
    }
    page.dots(
        "spgemm",
        page.on_card("Squares of sparse matrices"),
        Axis("milliseconds (logarithmic)", log=True),
        {k: v for k, v in of.items() if v},
    )
    if results:
        tell_losses(page, results)
    page.say(
        "Memory: the products of as many rows as fit are there at once, with a second copy; what does not fit goes by parts of"
        " rows."
    )
    page.source(*SQUARES)


def copied_a_millisecond(page: Page) -> float:
    """Bytes that the card copied in a millisecond where pairs were sorted, or 0."""
    rows = page.json("segmented_sort")["rows"] if page.has("segmented_sort") else []
    return next((8 * row["items"] / row["copy"]["ms"] for row in rows if row["name"].startswith("u32/u32 ")), 0)


def time_and_memory(one: dict, mark: str = "") -> str:
    return f"{mark}{milliseconds(one['ms'])}{mark} ({one['bytes'] / 1e9:.2f})" if one["runs"] else "none"
