"""The README's table of the sort core: some rows of the pages, from the same files."""

from page import Comparison, Results, Values, best, milliseconds, ours, rivals_of, table, totals

BEGIN, END = "<!-- make.py writes from here -->", "<!-- to here -->"
CUB = {  # the algorithm of CUB after each of its names on the pages
    "segmented_sort": {"CUB seg": "DeviceSegmentedSort", "seg radix": "DeviceSegmentedRadixSort"},
    "array_sort": {"CUB seg": "DeviceSegmentedSort", "seg radix": "DeviceSegmentedRadixSort"},
    "radix_sort": {"CUB": "DeviceRadixSort"},
    "comparator_sort": {"CUB": "DeviceMergeSort"},
}
ROWS = [  # the title here, the file, the row
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


def values(results: Results, comparisons: list[Comparison]) -> Values:
    """Returns the values of the template, or nothing where no GPU was measured."""
    measured = {name: results.rows(name) for name in CUB if results.has(name)}
    if not measured:
        return {}
    body = []
    for title, file, name in ROWS:
        row = measured.get(file, {}).get(name)
        if not row or not rivals_of(row):
            continue
        cub = {rival: ms for rival, ms in rivals_of(row).items() if rival in CUB[file]}
        fastest = min(cub, key=cub.get, default="")
        rival, ms = best(row)
        cells = [milliseconds(cub[fastest]), f"`{CUB[file][fastest]}`"] if cub else ["", ""]
        cells += [milliseconds(ms), "CUB" if rival == fastest else f"`{rival}`"]
        body.append([title, f"**{milliseconds(ours(row))}**", *cells])
    machine = results.json(next(iter(measured)))["machine"]
    mistuned = "DeviceSegmentedSort" in "".join(row[3] for row in body if row[0] == "segments of 128")
    found = {
        "device": machine["device"],
        "cuda": machine["cuda"],
        "mistuned": "`DeviceSegmentedSort`" * mistuned,
        "table": table(["sort", "Ordo", "CUB", "algorithm", "best rival", "name"], body),
    } | totals(comparisons)
    if results.has("array_stream"):
        row = results.json("array_stream")["rows"][0]
        limit = row.get("memory_limit", 0)
        found |= {
            "stream_bytes": f"{row['bytes'] / 1e9:.0f}",
            "stream_length": str(row["length"]),
            "stream_memory": (f"{limit / 1e9:.0f} GB of " if limit else "") + "the GPU's memory",
            "stream_seconds": f"{row['seconds']:.1f}",
            "stream_share": f"{100 * row['share']:.0f}",
        }
    return found


def put(text: str, part: str) -> str:
    """Returns the README with this part between its marks, or unchanged if it has no marks or the part is empty."""
    if not part or BEGIN not in text or END not in text:
        return text
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + "\n" + part + END + rest.split(END, 1)[1]
