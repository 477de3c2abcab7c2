"""The sorts of the core on a CPU, beside oneTBB and the standard library."""

import math
import statistics

from page import SLOWER, Results, Values, milliseconds, slower_values, table

ONE_THREAD = "host_sorts_one_thread"
AVX512 = "host_sorts_avx512"  # the same as host_sorts, on a processor that has it
SHOWN = {"segmented_sort": ("8", "32", "128", "1000"), "array_sort": ("1000", "20000")}  # lengths


def values(results: Results) -> Values:
    whole, segments = (
        [row for name in names if results.has(name) for row in results.json(name)["rows"]]
        for names in (("host_sorts", "host_sorts_2_26"), ("host_segments",))
    )
    there = [name for name in ("host_sorts", ONE_THREAD, "host_segments") if results.has(name)]
    if not there:
        return {}
    one_thread, avx512 = (results.json(name)["rows"] if results.has(name) else [] for name in (ONE_THREAD, AVX512))
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
    names = [(name_of(row), row) for row in whole]
    names += [(f"{row['verb']} {row['types']} {row['length']}", row) for row in segments]
    names += [(f"{name_of(row)}, one thread", row) for row in one_thread]
    names += [(f"{name_of(row)}, AVX-512", row) for row in avx512]
    ratios = [(name.replace("_", " "), row["rival"], row["times"]) for name, row in names]
    in_order = [name for name, rival, _ in ratios if rival.startswith("tbb") and ("sorted" in name or "equal" in name)]
    pairs = [name for name, rival, _ in ratios if rival.startswith("x86-simd-sort") and "/" in name]
    return {
        "machine": results.where(results.json(there[0])),
        "rivals": by_rival([("all threads", whole), ("one thread", one_thread), ("AVX-512", avx512)]),
        "sorts": table(["sort", "type", "items", "", "Ordo", "rival", "rival / Ordo"], body),
        **slower_values(results.compare(ratios), "", {"slower_in_order": in_order, "slower_pairs": pairs}),
        "commands": results.commands(*there),
        "large_file": results.link("host_sorts_2_26"),
        "avx512_machine": results.where(results.json(AVX512)) if avx512 else "no machine yet",
        "avx512_file": results.link(AVX512),
    }


def name_of(row: dict) -> str:
    return f"{row['verb']} {row['types']} {row['keys']} 2^{round(math.log2(row['items']))}"


def by_rival(groups: list[tuple[str, list[dict]]]) -> str:
    """Returns a table of rival / Ordo for each sort of keys and each rival that the rows name."""
    body = []
    for group, rows in groups:
        for verb, title in (("radix_sort", "radix sort"), ("sample_sort", "sample sort")):
            some = [row for row in rows if row["verb"] == verb]
            for name in dict.fromkeys(name for row in some for name in row.get("rivals", {})):
                ratios = sorted(row["rivals"][name] / row["seconds"] for row in some if name in row.get("rivals", {}))
                slower = sum(ratio < SLOWER for ratio in ratios)
                spread = [f"{x:.2f}" for x in (ratios[0], statistics.median(ratios), ratios[-1])]
                body.append([f"{title}, {group}", name, str(len(ratios)), *spread, str(slower)])
    return table(["sort", "rival", "rows", "minimum", "median", "maximum", "Ordo slower in"], body)
