"""The README's table of the sort core alone: some rows of the page, from the same files."""

import re

from page import LOST, Page, best, milliseconds, ours, rivals_of

BEGIN, END = "<!-- make.py writes from here -->", "<!-- to here -->"
# What a rival is called on the page, and in CUB.
OF_CUB = {
    "segmented_sort": {"CUB seg": "DeviceSegmentedSort", "seg radix": "DeviceSegmentedRadixSort"},
    "array_sort": {"CUB seg": "DeviceSegmentedSort", "seg radix": "DeviceSegmentedRadixSort"},
    "radix_sort": {"CUB": "DeviceRadixSort"},
    "comparator_sort": {"CUB": "DeviceMergeSort"},
}
ROWS = [  # what it is called here, the file, the row
    ("segments of 8 pairs u32/u32", "segmented_sort", "u32/u32 8"),
    ("segments of 8 with holes between them", "segmented_sort", "u32/u32 8 holes"),
    ("segments of 128", "segmented_sort", "u32/u32 128"),
    ("segments of 1000", "segmented_sort", "u32/u32 1000"),
    ("segments of 131,072", "segmented_sort", "u32/u32 131072"),
    ("segments of 1 to 500, Zipf 0.8", "segmented_sort", "u32/u32 zipf 0.8 max 500"),
    ("segments of 1000 pairs u64/u32", "segmented_sort", "u64/u32 1000"),
    ("200,000 arrays of 1000 floats, in place", "array_sort", "f32 1000"),
    ("1000 arrays of 200,000 floats, in place", "array_sort", "f32 200000"),
    ("all keys u32", "radix_sort", "u32 uniform 2^28"),
    ("all keys u64", "radix_sort", "u64 uniform 2^28"),
    ("all keys u64 by a comparator", "comparator_sort", "u64 uniform 2^28"),
]


def table(page: Page, glance: list[list[str]]) -> None:
    """Into a page of its own, which stays empty where no GPU was measured. glance: of the page of benchmarks."""
    measured = {name: page.rows(name) for name in OF_CUB if page.has(name)}
    if not measured:
        return
    body = []
    for title, name, of in ROWS:
        row = measured.get(name, {}).get(of)
        if not row or not rivals_of(row):
            continue
        cub = {one: ms for one, ms in rivals_of(row).items() if one in OF_CUB[name]}
        quickest = min(cub, key=cub.get, default="")
        rival, ms = best(row)
        cells = [milliseconds(cub[quickest]), f"`{OF_CUB[name][quickest]}`"] if cub else ["", ""]
        cells += [milliseconds(ms), "CUB" if rival == quickest else f"`{rival}`"]
        body.append([title, f"**{milliseconds(ours(row))}**", *cells])
    machine = page.json(next(iter(measured)))["machine"]
    page.say(
        f"Measured on one {machine['device']}, 2^28 items of random bits (arrays: 2 * 10^8), milliseconds, rivals in"
        f" the same run: the quickest sort of CUB (CUDA {machine['cuda']}) made for this, and the quickest of all rivals."
        " `packed` is CUB's radix sort of segment number and key in one."
    )
    page.table(["sort", "Ordo", "CUB", "by", "best rival", "which"], body)
    if page.has("array_stream"):
        row = page.json("array_stream")["rows"][0]
        limit = row.get("memory_limit", 0)
        page.say(
            "Arrays need not fit the card, nor the host's memory (`ordo/array_stream.hpp`):"
            f" {row['bytes'] / 1e9:.0f} GB of floats in arrays of {row['length']}, in a host's memory, went through"
            f" {f'{limit / 1e9:.0f} GB of ' if limit else ''}a card and back in {row['seconds']:.1f} s, at {row['share']:.2f}"
            " of the slower transfer's rate."
        )
    whole = [line for line in glance if not re.search(r", 2\^[0-9]+ items$", line[0])]  # those are among the others
    rows, slower = (sum(int(line[at]) for line in whole) for at in (1, 3))
    page.say(
        f"It is not always ahead: of {rows} rows with rivals on the page of all benchmarks {slower} are slower than the best of"
        f" them, by {100 * (1 - LOST):.1f} % or more. It says where, and why as far as that is known."
    )


def put(text: str, lines: list[str]) -> str:
    """The README with these lines between its marks; as it is, if there are none of either."""
    if not lines or BEGIN not in text or END not in text:
        return text
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + "\n" + "\n".join(lines).strip() + "\n" + END + rest.split(END, 1)[1]
