"""Whole commands beside those of other programs, measured once: the tables of a file, whose cells are as they are printed."""

from page import Results, Values, table

NAME = "programs"


def values(results: Results) -> Values:
    if not (tables := tables_of(results)):
        return {}
    found: Values = {}
    for name, one in tables.items():
        found[name] = table(one["head"], one["rows"])
        found[f"{name}_where"] = one["where"]
    return found | {"file": f"[{results.file(NAME).name}]({results.links}/{results.file(NAME).name})"}


def tables_of(results: Results) -> dict[str, dict]:
    """Returns the tables by name, or none if there is no file."""
    return results.json(NAME)["tables"] if results.file(NAME).exists() else {}
