"""Squares of sparse matrices: the use of the sorts of Hou et al. (section 5.2) and of Polok, Ila and Smrz."""

from page import Results, Values, milliseconds, slower_values, table
from plot import Axis

STEPS = ("spgemm", "spgemm_matrices")  # generated matrices, and the user's own


def values(results: Results) -> Values:
    if not results.has("spgemm"):
        return {}
    rows = [row for name in STEPS if results.has(name) for row in results.json(name)["rows"]]
    copy_rate = copied_bytes_a_millisecond(results)
    names = list(rows[0]["contenders"])[1:]
    body, ratios, times = [], [], {}
    for row in rows:
        title = f"{row['name']} {row['type']}"
        there = {name: one for name, one in row["contenders"].items() if one["right"] and one["runs"]}
        own = there.pop("Ordo", None)
        rival = min(there, key=lambda name: there[name]["ms"], default="")
        if own and rival:
            ratios.append((title, rival, there[rival]["ms"] / own["ms"]))
        product_bytes = row["products"] * (4 + int(row["type"][1:]) // 8)
        body.append(
            [
                title,
                f"{row['rows'] / 1e6:.3g}",
                f"{row['entries'] / 1e6:.3g}",
                f"{row['products'] / 1e6:.4g}",
                f"{row['products'] / max(1, row['result_entries']):.1f}" if own else "",
                *([milliseconds(product_bytes / copy_rate)] if copy_rate else []),
                time_and_memory(own, "**") if own else "",
                *(time_and_memory(there[name]) if name in there else "" for name in names),
                f"{ratios[-1][2]:.2f}" if own and rival else "",
            ]
        )
        times[title] = ({"Ordo": own["ms"]} if own else {}) | {name: one["ms"] for name, one in there.items()}
    head = ["matrix", "10^6 rows", "10^6 entries", "10^6 products", "products / entry"]
    return {
        "squares": table([*head, *["copy"] * bool(copy_rate), "Ordo", *names, "best rival / Ordo"], body),
        "copy": "`copy`" if copy_rate else "",
        "plot": results.dots(
            "spgemm",
            "Squares of sparse matrices",
            Axis("milliseconds (logarithmic)", log=True),
            {title: one for title, one in times.items() if one},
        ),
        "machine": results.where(results.json("spgemm")),
        **slower_values(results.compare(ratios)),
        "commands": results.commands(*STEPS),
    }


def copied_bytes_a_millisecond(results: Results) -> float:
    """Returns the rate of the copy in the benchmark of pairs in segments, or 0."""
    rows = results.rows("segmented_sort").values()
    return next((8 * row["items"] / row["copy"]["ms"] for row in rows if row["name"].startswith("u32/u32 ")), 0)


def time_and_memory(one: dict, mark: str = "") -> str:
    return f"{mark}{milliseconds(one['ms'])}{mark} ({one['bytes'] / 1e9:.2f})"
