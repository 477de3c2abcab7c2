"""Calls of the Python package on a CPU, beside NumPy, pandas, pyarrow, polars and PyTorch."""

import math

from page import Results, Values, slower_values, table

NAME = "python_libraries"
HEADS = {"numpy": "NumPy", "numpy stable": "NumPy, stable", "pandas": "pandas", "pyarrow": "Arrow", "polars": "polars"}
HEADS |= {"torch": "PyTorch", "sorted": "`sorted`"}
LEVELS = ("AVX2", "baseline")  # of NumPy, where it has more
SMALL = 1000  # items, up to which the time is that of the call


def values(results: Results) -> Values:
    if not results.has(NAME):
        return {}
    report = results.json(NAME)
    rows, level = report["rows"], report["numpy"]
    found: Values = {}
    for operation in dict.fromkeys(row["operation"] for row in rows):
        key = "".join(c if c.isalnum() else "_" for c in operation)
        found[key] = table_of([row for row in rows if row["operation"] == operation], level)
    ratios = [(name_of(row), *best(row)) for row in rows if len(row["microseconds"]) > 1]
    small = [name_of(row) for row in rows if row["size"] <= SMALL]
    machine, load = report["machine"], report["machine"]["load"]
    versions = ", ".join(f"{HEADS.get(name, name.capitalize())} {version}" for name, version in report["versions"].items())
    return found | {
        "machine": f"one thread of {machine['cores']} of {machine['processor']}",
        "load": f"{min(load):.1f} to {max(load):.1f}",
        "level": level,
        "versions": versions,
        **slower_values(results.compare(ratios), "", {"slower_small": small}),
        "commands": results.commands(NAME),
    }


def name_of(row: dict) -> str:
    return f"{row['operation']}, {row['items']} 10^{round(math.log10(row['size']))}"


def best(row: dict) -> tuple[str, float]:
    """Returns the fastest rival, and its time divided by that of ordosort."""
    name, time = min(((n, t) for n, t in row["microseconds"].items() if n != "ordosort"), key=lambda one: one[1])
    head, _, level = name.rpartition(" ") if name.endswith(LEVELS) else (name, "", "")
    return ", ".join(filter(None, (HEADS[head], level))), time / row["microseconds"]["ordosort"]


def digits(microseconds: float) -> str:
    return f"{microseconds:.3g}" if microseconds < 1000 else f"{microseconds:,.0f}"


def table_of(rows: list[dict], level: str) -> str:
    """Returns a table of microseconds, with a column for each library and for NumPy with fewer instructions."""
    names = list(dict.fromkeys(name for row in rows for name in row["microseconds"] if name != "ordosort"))
    names.sort(key=lambda name: not name.startswith("numpy"))  # its columns side by side
    several = any(name.endswith(LEVELS) for name in names)
    older = any("before" in row for row in rows)

    def head(name: str) -> str:
        if name in HEADS:
            return HEADS[name] + f", {level}" * (several and name.startswith("numpy"))
        library, _, other = name.rpartition(" ")
        return f"{HEADS[library]}, {other}"

    body = [
        [
            row["items"],
            f"{row['size']:,}",
            f"**{digits(row['microseconds']['ordosort'])}**",
            *[digits(row["before"]) if "before" in row else ""] * older,
            *(digits(row["microseconds"][name]) if name in row["microseconds"] else "" for name in names),
            f"{best(row)[1]:.2f}" if len(row["microseconds"]) > 1 else "",
        ]
        for row in rows
    ]
    return table(["items", "number", "ordosort", *["before"] * older, *map(head, names), "best / ordosort"], body)
