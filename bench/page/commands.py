"""Whole commands, from file to file."""

from page import Results, Values, table

FILES = ("files", "files_genome_64m", "files_fasta", "files_1000m", "files_3100m")
RIVALS = ("GNU sort", "libdivsufsort")
COLUMNS = {"cp": "`cp`", **{name: name for name in RIVALS}, "auto": "Ordo, `auto`", "cpu": "CPU", "gpu": "GPU"}


def values(results: Results) -> Values:
    return with_gpu(results) | without_gpu(results) | where_a_gpu_pays(results) | similar_pairs(results)


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


def where_a_gpu_pays(results: Results) -> Values:
    """Returns the times of a start, and the sizes from which a command is faster on the GPU."""
    if not results.has("crossing"):
        return {}
    report = results.json("crossing")
    lines = lines_of(report)
    starts: dict[str, dict[str, float]] = {}
    for row in report["starts"]:
        starts.setdefault(row["name"], {})[row["visible"]] = row["seconds"]
    machines = list(dict.fromkeys(row["machine"] for row in report["rows"] if row["machine"] != "gpu"))
    body = []
    for command, by_machine in lines.items():
        cells = [f"{1e-6 / by_machine['gpu'][1]:.0f}"]
        for machine in machines:
            cells += [f"{1e-6 / by_machine[machine][1]:.0f}", pays_from(by_machine, machine) or "never"]
        body.append([f"`{command}`", *cells])
    heads = [head for machine in machines for head in (f"{machine.split()[1]} threads, MB/s", "GPU from, MB")]
    return {
        "starts": table(
            ["seconds", "all GPUs of the host visible", "one visible"],
            [[name, *(f"{took[which]:.3f}" for which in ("all", "one"))] for name, took in starts.items()],
        ),
        "pays": table(["", "GPU, MB/s", *heads], body),
        "pays_machine": results.where(report),
        "pays_commands": results.commands("crossing"),
    }


def similar_pairs(results: Results) -> Values:
    """Returns the times of all pairs of similar spectra, by machine and beside other programs."""
    found: Values = {}
    for name, values in (("similar_pairs", "pairs"), ("similar_pairs_rivals", "pairs_rivals")):
        if not results.has(name):
            continue
        report = results.json(name)
        took = [{one["name"]: one for one in row["commands"] if "failed" not in one} for row in report["rows"]]
        columns = list(dict.fromkeys(column for one in took for column in one))
        heads = [column if column.startswith("matchms") else machine_named(column) for column in columns]
        body = []
        for row, one in zip(report["rows"], took):
            seconds = [f"{one[column]['seconds']:.3g} ({one[column]['cpu']:.3g})" if column in one else "" for column in columns]
            memory = max(command["memory"] for command in one.values()) / 1e9
            body.append([row["name"], f"{row['bytes'] / 1e6:.0f}", f"{row['pairs']:,}", *seconds, f"{memory:.1f}"])
        found[values] = table(["spectra, precursors", "MB", "pairs", *heads, "GB of memory"], body)
        found[f"{values}_machine"] = results.where(report)
    return found and found | {"pairs_commands": results.commands("similar_pairs", "similar_pairs_rivals")}


def machine_named(name: str) -> str:
    """Returns "CPU, 16 threads" for "cpu 16"."""
    device, threads = name.split()
    return f"{device.upper()}, {threads} threads"


def lines_of(report: dict) -> dict[str, dict[str, tuple[float, float]]]:
    """Returns the seconds of a start and the seconds per byte of each command on each machine."""
    lines: dict[str, dict[str, tuple[float, float]]] = {}
    for row in report["rows"]:
        lines.setdefault(row["command"], {})[row["machine"]] = line_through(row["points"])
    return lines


def pays_from(by_machine: dict[str, tuple[float, float]], machine: str) -> str:
    """Returns the MB of input from which a GPU is faster than this machine, or an empty string if it never is."""
    gpu_start, gpu_slope = by_machine["gpu"]
    start, slope = by_machine[machine]
    return f"{float(f'{max((gpu_start - start) / (slope - gpu_slope), 0) / 1e6:.2g}'):g}" if slope > gpu_slope else ""


def line_through(points: list[list[float]]) -> tuple[float, float]:
    """Returns the seconds of a start and the seconds per byte, by the smallest and the largest size; of one size no start."""
    (least, first), (most, last) = points[0], points[-1]
    slope = (last - first) / (most - least) if most > least else first / most
    return max(0.0, first - slope * least), slope
