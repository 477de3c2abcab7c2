"""Sorts of few items, where launches and the host take most of the time."""

from page import Results, Values, slower_values, table

HEAD = ["", "device", "caller waits", "CUDA graph", "best rival", "its device", "its caller waits", "its graph", "best rival / Ordo"]


def values(results: Results) -> Values:
    if not results.has("small_sorts"):
        return {}
    report = results.json("small_sorts")
    tables: dict[str, list[list[str]]] = {"whole": [], "segments": []}
    ratios = []
    for row in report["rows"]:
        whole = "sort" in row
        own = row["sort" if whole else "offsets"]
        rivals = {name: row[name] for name in ("CUB", "CUB radix", "bb_segsort", "ModernGPU") if name in row}
        rival = min(rivals, key=lambda name: rivals[name]["device_us"])
        ratios.append((row["name"], rival, rivals[rival]["device_us"] / own["device_us"]))
        cells = [f"**{own['device_us']:.1f}**", *(micros(own, name) for name in ("wait_us", "graph_us"))]
        cells += [rival, *(micros(rivals[rival], name) for name in ("device_us", "wait_us", "graph_us"))]
        tables["whole" if whole else "segments"].append([row["name"], *cells, f"{ratios[-1][2]:.2f}"])
    return {
        "whole": table(HEAD, tables["whole"]),
        "segments": table(HEAD, tables["segments"]),
        "machine": results.where(report),
        **slower_values(results.compare(ratios)),
        "commands": results.commands("small_sorts"),
    }


def micros(one: dict, name: str) -> str:
    return f"{one[name]:.1f}" if one[name] > 0 else ""
