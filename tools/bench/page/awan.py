"""Awan, Saeed: GPU-ArraySort, a parallel, in-place algorithm for sorting large number of arrays (ICPPW 2016)."""

import papers
from page import Page, against_best, losses, milliseconds, ours, rivals_of, say_not_built, with_built
from plot import Axis, Series

RIVALS = ["STA", "CUB seg", "seg radix", "packed"]
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
WHY = [
    (
        "00000|20000",
        (
            "Arrays that no block holds: the rivals sort from one copy of the data to another, Ordo a part at a time in a window "
            "of 128 MiB"
        ),
    )
]


def array_sort(page: Page) -> None:
    if not page.has("array_sort"):
        return
    rows = page.rows("array_sort")
    page.heading("Arrays in place (Awan, Saeed: GPU-ArraySort, ICPPW 2016)")
    page.say(
        "Figures 4 to 7 of the paper: up to 200,000 arrays of 1000, 2000, 3000 and 4000 floats, in place, on a Tesla K40c; time"
        " over the number of arrays, printed as curves. Here are the right ends of those curves, 200,000 arrays. `STA` is what"
        " the paper compares with, two stable sorts of values and tags, here by today's Thrust; `CUB seg` is"
        " `DeviceSegmentedSort`, `seg radix` `DeviceSegmentedRadixSort`, `packed` CUB's radix sort of array number and key in"
        " one 64-bit key. All of these take a second copy of the data, Ordo at most a window of 128 MiB and lists. Milliseconds:"
    )
    of = [rows[f"f32 {n}"] for n in papers.ARRAY_TABLE_1]
    names = with_built(rows.values(), RIVALS)
    against_best(page, of, names)
    series = [Series("Ordo", [(row["longest"], ours(row)) for row in of])]
    for rival in names:
        at = [(row["longest"], rivals_of(row)[rival]) for row in of if rival in rivals_of(row)]
        series += [Series(rival, at, dashed=True)] if at else []
    series.append(Series("copy", [(row["longest"], row["copy"]["ms"]) for row in of], dashed=True))
    page.plot(
        "arrays",
        "Awan and Saeed, Figures 4 to 7: 200,000 arrays of floats",
        Axis("floats in an array", ticks=list(papers.ARRAY_TABLE_1)),
        Axis("milliseconds (logarithmic)", log=True),
        series,
    )
    if page.has("array_sort_capacity"):
        capacity(page)
    page.say("Other lengths and types, milliseconds:")
    against_best(page, [rows[name] for name in OTHERS if name in rows], names)
    say_not_built(page, names)
    losses(page, list(rows.values()), WHY)
    page.source("array_sort", "array_sort_capacity")


def capacity(page: Page) -> None:
    page.say("Table 1 of the paper: how many arrays a card takes at most, one copy of the data being all that fits:")
    most = page.json("array_sort_capacity")
    full = most["capacity"][0]
    body = [["Tesla K40c, 11.5 GB", f"{n}", f"{a:,}", f"{b:,}"] for n, (a, b) in papers.ARRAY_TABLE_1.items()]
    memory = int(most["machine"]["memory"]) / 1e9
    body.append(
        [
            f"{most['machine']['device']}, {memory:.0f} GB",
            f"{full['length']}",
            f"**{full['arrays']:,}** in {full['ms']:.0f} ms",
            "",
        ]
    )
    page.table(["card", "length", "in place", "STA"], body)
    beside = f"{full['pool_peak_bytes'] / 1e6:g} MB" if full["pool_peak_bytes"] else "nothing"
    page.say(
        f"That is {4e-9 * full['floats']:.0f} GB of floats, each array checked afterwards, and "
        f"{beside} beside them; {8e-6 * full['floats'] / full['ms']:.0f} GB/s read and written."
    )


def array_stream(page: Page) -> None:
    if not page.has("array_stream"):
        return
    report = page.json("array_stream")
    page.heading("Arrays larger than the card (Awan, Saeed, section 9: their future work)")
    page.say(
        "From the memory of the host, or from a file, through the card and back, by parts: while one is sorted the next goes"
        " up and the one before comes down. The floor is the slower of the two transfers, `up` and `down`, measured in the"
        " same run; `share` is how much of its rate the whole keeps. The paper's largest is 8.4 GB, on a card of 11.5. Here:"
        f" {page.where(report)}."
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
