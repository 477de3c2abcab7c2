"""The sorts of the core on a CPU, beside oneTBB and the standard library."""

import math

from page import Results, Values, milliseconds, slower_values, table

SHOWN = {"segmented_sort": ("8", "32", "128", "1000"), "array_sort": ("1000", "20000")}  # lengths


def values(results: Results) -> Values:
    whole, segments = (
        [row for name in names if results.has(name) for row in results.json(name)["rows"]]
        for names in (("host_sorts", "host_sorts_2_26"), ("host_segments",))
    )
    there = [name for name in ("host_sorts", "host_segments") if results.has(name)]
    if not there:
        return {}
    largest = max((row["items"] for row in whole), default=0)
    chosen = [(row, row["keys"]) for row in whole if row["keys"] == "uniform" and row["items"] == largest]
    chosen += [
        (row, f"segments of {row['length']}")
        for row in segments
        if row["types"] in ("u32", "u32/u32") and row["length"] in SHOWN[row["verb"]]
    ]
    body = [
        [
            row["verb"].replace("_", " "),
            row["types"],
            f"{row['items']:,}",
            keys,
            f"**{milliseconds(1e3 * row['seconds'])}**",
            milliseconds(1e3 * row["rival_seconds"]),
            f"{row['times']:.2f}",
        ]
        for row, keys in chosen
    ]
    names = [(f"{row['verb']} {row['types']} {row['keys']} 2^{round(math.log2(row['items']))}", row) for row in whole]
    names += [(f"{row['verb']} {row['types']} {row['length']}", row) for row in segments]
    ratios = [(name.replace("_", " "), row["rival"], row["times"]) for name, row in names]
    in_order = [name for name, _, _ in ratios if "sorted" in name or "equal" in name]
    return {
        "machine": results.where(results.json(there[0])),
        "sorts": table(["sort", "type", "items", "", "Ordo", "rival", "rival / Ordo"], body),
        **slower_values(results.compare(ratios), "", {"slower_in_order": in_order}),
        "commands": results.commands(*there),
        "large_file": results.link("host_sorts_2_26"),
    }
