"""Squares of sparse matrices: the use of the sorts of Hou et al. (section 5.2) and of Polok, Ila and Smrz."""

from page import Results, Values, milliseconds, slower_values, table
from plot import Axis

STEPS = ("spgemm", "spgemm_matrices")  # generated matrices, and the user's own
COLLECTION = "spgemm_collection"  # generated with the sizes of the paper's


def values(results: Results) -> Values:
    if not results.has("spgemm") and not results.has(COLLECTION):
        return {}
    rows = [row for name in STEPS for row in rows_of(results, name)]
    return {
        **squares(results, rows),
        **collection(results),
        "commands": results.commands(*STEPS, COLLECTION),
    }


def rows_of(results: Results, name: str) -> list[dict]:
    return results.json(name)["rows"] if results.has(name) else []


def contenders(row: dict) -> tuple[dict | None, dict[str, dict]]:
    """Returns Ordo's figures, and those of the rivals that made the product."""
    there = {name: one for name, one in row["contenders"].items() if one["right"] and one["runs"]}
    return there.pop("Ordo", None), there


def ratios_of(rows: list[dict]) -> list[tuple[str, str, float]]:
    found = []
    for row in rows:
        own, there = contenders(row)
        if own and there:
            rival = min(there, key=lambda name, there=there: there[name]["ms"])
            found.append((title_of(row), rival, there[rival]["ms"] / own["ms"]))
    return found


def title_of(row: dict) -> str:
    return f"{row['name']} {row['type']}"


def collection_ratios(results: Results) -> list[float]:
    """Returns best rival / Ordo of the matrices in the place of the paper's."""
    return [ratio for _, _, ratio in ratios_of(rows_of(results, COLLECTION))]


def collection(results: Results) -> Values:
    rows = rows_of(results, COLLECTION)
    if not rows:
        return {}
    results.compare(ratios_of(rows), "Figure 14", of_paper=True)
    return {"collection": squares_table(results, rows), "collection_machine": results.where(results.json(COLLECTION))}


def squares(results: Results, rows: list[dict]) -> Values:
    if not rows:
        return {}
    times = {}
    for row in rows:
        own, there = contenders(row)
        times[title_of(row)] = ({"Ordo": own["ms"]} if own else {}) | {name: one["ms"] for name, one in there.items()}
    return {
        "squares": squares_table(results, rows),
        "copy": "`copy`" if copied_bytes_a_millisecond(results) else "",
        "plot": results.dots(
            "spgemm",
            "Squares of sparse matrices",
            Axis("milliseconds (logarithmic)", log=True),
            {title: one for title, one in times.items() if one},
        ),
        "machine": results.where(results.json("spgemm")),
        **slower_values(results.compare(ratios_of(rows))),
    }


def squares_table(results: Results, rows: list[dict]) -> str:
    copy_rate = copied_bytes_a_millisecond(results)
    names = list(dict.fromkeys(name for row in rows for name in row["contenders"] if name != "Ordo"))
    ratios = {title: ratio for title, _, ratio in ratios_of(rows)}
    body = []
    for row in rows:
        own, there = contenders(row)
        product_bytes = row["products"] * (4 + int(row["type"][1:]) // 8)
        body.append(
            [
                title_of(row),
                f"{row['rows'] / 1e6:.3g}",
                f"{row['entries'] / 1e6:.3g}",
                f"{row['products'] / 1e6:.4g}",
                f"{row['products'] / max(1, row['result_entries']):.1f}" if own else "",
                *([milliseconds(product_bytes / copy_rate)] if copy_rate else []),
                time_and_memory(own, "**") if own else "",
                *(time_and_memory(there[name]) if name in there else "" for name in names),
                f"{ratios[title_of(row)]:.2f}" if title_of(row) in ratios else "",
            ]
        )
    head = ["matrix", "10^6 rows", "10^6 entries", "10^6 products", "products / entry"]
    return table([*head, *["copy"] * bool(copy_rate), "Ordo", *names, "best rival / Ordo"], body)


def copied_bytes_a_millisecond(results: Results) -> float:
    """Returns the rate of the copy in the benchmark of pairs in segments, or 0."""
    rows = results.rows("segmented_sort").values()
    return next((8 * row["items"] / row["copy"]["ms"] for row in rows if row["name"].startswith("u32/u32 ")), 0)


def time_and_memory(one: dict, mark: str = "") -> str:
    return f"{mark}{milliseconds(one['ms'])}{mark} ({one['bytes'] / 1e9:.2f})"
