"""Awan, Saeed: GPU-ArraySort, a parallel, in-place algorithm for sorting large number of arrays (ICPPW 2016)."""

import papers
from page import (
    Page,
    against_best,
    curves,
    longest_of,
    losses,
    milliseconds,
    ours,
    rivals_of,
    say_not_built,
    time_of_row,
    with_built,
)
from plot import Axis

RIVALS = ["STA", "CUB seg", "seg radix", "packed"]
TIME = Axis("milliseconds (logarithmic)", log=True)
OTHERS = [
    "f32 10",
    "f32 100",
    "f64 1000",
    "f64 4000",
    "f32/u32 1000",
    "f32/u32 4000",
    "f32 20000",
    "f32 200000",
    "f32/u32 20000",
    "f32/u32 200000",
]


def array_sort(page: Page) -> None:
    if not page.has("array_sort"):
        return
    rows = page.rows("array_sort")
    page.heading("Arrays in place (Awan, Saeed: GPU-ArraySort, ICPPW 2016)")
    page.say(
        "Figures 4 to 7 of the paper: up to 200,000 arrays of 1000, 2000, 3000 and 4000 floats, in place, on a Tesla K40c; time"
        " over the number of arrays, printed as curves without numbers. Here are the right ends of those curves, 200,000"
        " arrays. `STA` is what the paper compares with, two stable sorts of values and tags, here by today's Thrust; `CUB seg`"
        " is `DeviceSegmentedSort`, `seg radix` `DeviceSegmentedRadixSort`, `packed` CUB's radix sort of array number and key"
        " in one 64-bit key. All of these take a second copy of the data, Ordo at most a window of 128 MiB and lists."
        " Milliseconds:"
    )
    of = [rows[name] for name in (f"f32 {n}" for n in papers.ARRAY_TABLE_1) if name in rows]
    names = with_built(rows.values(), RIVALS)
    against_best(page, of, names)
    page.plot(
        "arrays",
        "Awan and Saeed, Figures 4 to 7: 200,000 arrays of floats",
        Axis("floats in an array", ticks=list(papers.ARRAY_TABLE_1)),
        TIME,
        curves(of, longest_of, time_of_row, names, copy=True),
    )
    by_number = list(page.rows("array_sort_sweep").values()) if page.has("array_sort_sweep") else []
    if by_number:
        sweep(page, by_number)
    if page.has("array_sort_capacity"):
        capacity(page)
    page.say("Other lengths and types, milliseconds:")
    against_best(page, [rows[name] for name in OTHERS if name in rows], names)
    say_not_built(page, names)
    losses(page, [*rows.values(), *by_number])
    page.source("array_sort", "array_sort_sweep", "array_sort_capacity")


def arrays_of(row: dict) -> float:
    return row["segments"]


def sweep(page: Page, rows: list[dict]) -> None:
    """A curve for each length, over the number of arrays."""
    of = {length: [row for row in rows if row["longest"] == length] for length in sorted({row["longest"] for row in rows})}
    numbers, names = sorted({row["segments"] for row in rows}), with_built(rows, RIVALS)
    page.say("The whole curves, milliseconds by the number of arrays, and how many times as long STA takes:")
    body = []
    for number in numbers:
        cells = []
        for measured in of.values():
            row = next((row for row in measured if row["segments"] == number), None)
            sta = rivals_of(row).get("STA") if row else None
            cells += [f"**{milliseconds(ours(row))}**" if row else "", f"{sta / ours(row):.1f}" if sta else ""]
        body.append([f"{number:,}", *cells])
    page.table(["arrays", *(cell for length in of for cell in (f"of {length}", "STA / Ordo"))], body)
    page.plot(
        "arrays_by_number",
        "Awan and Saeed, Figures 4 to 7: time over the number of arrays",
        Axis("thousands of arrays", ticks=[number for number in numbers if number % 50_000 == 0] or numbers),
        TIME,
        {f"arrays of {length}": curves(measured, arrays_of, time_of_row, names, copy=True) for length, measured in of.items()},
        tick_name=lambda number: f"{number / 1000:g}",
    )


def capacity(page: Page) -> None:
    page.say("Table 1 of the paper: how many arrays a card takes at most, one copy of the data being all that fits:")
    most = page.json("array_sort_capacity")
    full = most["capacity"]
    body = [["Tesla K40c, 11.5 GB", f"{n}", f"{a:,}", f"{b:,}"] for n, (a, b) in papers.ARRAY_TABLE_1.items()]
    memory = int(most["machine"]["memory"]) / 1e9
    for one in full:
        body.append(
            [
                f"{most['machine']['device']}, {memory:.0f} GB",
                f"{one['length']}",
                f"**{one['arrays']:,}** in {one['ms']:.0f} ms",
                "",
            ]
        )
    page.table(["card", "length", "in place", "STA"], body)
    beside = max(one["pool_peak_bytes"] for one in full)
    rates = [f"{8e-6 * one['floats'] / one['ms']:.0f}" for one in full]
    page.say(
        f"That is {4e-9 * full[0]['floats']:.0f} GB of floats, each array checked afterwards, and"
        f" {f'at most {beside / 1e6:g} MB' if beside else 'nothing'} beside them; {', '.join(rates)} GB/s read and written."
    )


def array_stream(page: Page) -> None:
    if not page.has("array_stream"):
        return
    report = page.json("array_stream")
    page.heading("Arrays larger than the card (Awan, Saeed, section 9: their future work)")
    page.say(
        "From the memory of the host through the card and back, by parts: while one is sorted the next goes up and the one"
        " before comes down. The sort is one run, not the median of some, and the host's clock counts. The floor is the slower"
        " of the two transfers, `up` and `down`, measured in the same run; `share` is how much of its rate the whole keeps. The"
        f" paper's largest is 8.4 GB, on a card of 11.5. Here: {page.where(report)}{told_limit(report)}."
    )
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
    page.table(["", "GB", "seconds", "up, GB/s", "down, GB/s", "Ordo, GB/s", "share"], body)
    page.source("array_stream")


def told_limit(report: dict) -> str:
    limit = max(row.get("memory_limit", 0) for row in report["rows"])
    return f", {limit / 1e9:.0f} GB of whose memory Ordo may take (`ORDO_GPU_MEMORY`)" if limit else ""
