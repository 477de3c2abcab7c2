"""Whole commands, from file to file."""

from page import Results, Values, table

FILES = ("files", "files_genome_64m", "files_fasta", "files_3100m")
RIVALS = ("GNU sort", "libdivsufsort")
COLUMNS = {"cp": "`cp`", **{name: name for name in RIVALS}, "auto": "Ordo, `auto`", "cpu": "CPU", "gpu": "GPU"}


def values(results: Results) -> Values:
    return with_gpu(results) | without_gpu(results)


def with_gpu(results: Results) -> Values:
    there = [name for name in FILES if results.has(name)]
    if not there:
        return {}
    machine = results.json(there[0])["machine"]
    rows: dict[str, dict] = {}
    for row in (row for name in there for row in results.json(name)["rows"]):
        rows.setdefault(row["name"], row)  # of two files with a row of one name the first counts
    times = {name: seconds_of(row) for name, row in rows.items()}
    columns = [key for key in COLUMNS if any(key in one for one in times.values())]
    body, ratios, auto, gpu = [], [], [], []
    for name, took in times.items():
        rival = min((took[key], key) for key in RIVALS if key in took) if any(key in took for key in RIVALS) else None
        own = next((took[key] for key in ("auto", "cpu", "gpu") if key in took), None)
        if rival and own:
            ratios.append((name, rival[1], rival[0] / own))
        if {"auto", "cpu", "gpu"} <= took.keys():
            auto.append((name, took["auto"] / min(took["cpu"], took["gpu"])))
            gpu.append(took["gpu"] > took["cpu"])
        body.append(
            [
                f"`{name}`",
                f"{rows[name]['bytes'] / 1e6:.3g}",
                *(f"{took[key]:.3g}" if key in took else "" for key in columns),
                f"{rival[0] / own:.2f}" if rival and own else "",
            ]
        )
    results.compare(ratios)
    return {
        "threads": str(machine["threads"]),
        "gpu": f", {machine['gpu']}" if machine["gpu"] else " without a GPU",
        "files": table(["", "MB", *(COLUMNS[key] for key in columns), "rival / Ordo"], body),
        "auto_slower": ", ".join(f"`{name}` {ratio:.2f}" for name, ratio in auto if ratio > 1.1),
        "gpu_slower": str(sum(gpu)) if any(gpu) else "",
        "gpu_rows": str(len(gpu)),
        "commands": results.commands(*there),
    }


def seconds_of(row: dict) -> dict[str, float]:
    """Returns the seconds by device, or by name of the other program."""
    took = {}
    for command in (one for one in row["commands"] if "failed" not in one):
        name = "GNU sort" if "uniq" in command["name"] or command["name"] == "GNU sort" else command["name"].split()[-1]
        took[name] = command["seconds"]
    return took


def without_gpu(results: Results) -> Values:
    if not results.has("files_rows"):
        return {}
    report = results.json("files_rows")
    body, ratios = [], []
    for row in report["rows"]:
        rival, own = (row["commands"][at]["seconds"] for at in (0, -1))
        body.append([f"`{row['name']}`", f"{row['bytes'] / 1e6:.0f}", f"{rival:.3g}", f"**{own:.3g}**", f"{rival / own:.1f}"])
        ratios.append((row["name"], "GNU sort", rival / own))
    results.compare(ratios, f"CPU, {report['machine']['threads']} threads")
    return {
        "cpu_machine": f"{report['machine']['threads']} threads of {report['machine']['processor']}",
        "cpu_files": table(["", "MB", "GNU sort", "Ordo", "GNU sort / Ordo"], body),
        "cpu_file": results.link("files_rows"),
    }
