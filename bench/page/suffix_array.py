"""Suffix arrays: Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017), section 5.1."""

from page import Results, Values, milliseconds, not_built, slower_values, table
from plot import Axis

STEPS = ("suffix_array", "suffix_array_3100m", "suffix_array_6200m")  # the last two need much memory
DNA = "suffix_array_dna"
OPTIONAL = {"libcubwt": "ORDO_LIBCUBWT", "libsais": "ORDO_LIBSAIS"}
REASONS = {"gpu": {"slower_proteins": ["proteins.fa"]}, "cpu": {"slower_periodic": ["fibonacci:63M"]}}
TEXTS = {  # files of --fasta that the page describes: name and number of residues, as other files may have the same name
    "text_chr20": ("chr20.fa", 63_025_520),
    "text_tb4": ("tb4.fa", 17_608_674),
    "text_proteins": ("proteins.fa", 9_055_569),
}


def values(results: Results) -> Values:
    found = kept_machines(results) | compare(results) | dna(results)
    there = {(row["input"], row["residues"]) for name in ("machines", *STEPS) for row in report_rows(results, name)}
    return found and found | {
        **{name: f"`{text[0]}`" for name, text in TEXTS.items() if text in there},
        "commands": results.commands("machines", *STEPS, DNA),
    }


def dna_ratios(results: Results) -> list[float]:
    """Returns best rival / Ordo on the GPU, of the sequences in the place of the paper's."""
    found = []
    for row in report_rows(results, DNA):
        rivals = [one["seconds"] for one in row["rivals"].values() if "seconds" in one]
        if row["machine"] == "gpu" and rivals and "seconds" in row:
            found.append(min(rivals) / row["seconds"])
    return found


def dna(results: Results) -> Values:
    """Returns figure 13: milliseconds for the sequences, by the GPU, by libcubwt and by the CPU's builders."""
    rows = report_rows(results, DNA)
    if not rows:
        return {}
    rivals = list(dict.fromkeys(name for row in rows for name in row["rivals"]))
    body, ratios = [], []
    for row in rows:
        if row["machine"] != "gpu" or "seconds" not in row:
            continue
        cpu = next((one for one in rows if one["machine"] == "cpu" and one["input"] == row["input"]), {})
        others = {name: one["seconds"] for name, one in row["rivals"].items() if "seconds" in one}
        best = min(others, key=lambda name: others[name], default="")
        if best:
            ratios.append((row["input"], best, others[best] / row["seconds"]))
        body.append(
            [row["input"], f"{row['residues'] / 1e6:.3g}", f"**{milliseconds(1e3 * row['seconds'])}**"]
            + [milliseconds(1e3 * cpu["seconds"]) if "seconds" in cpu else ""]
            + [milliseconds(1e3 * others[name]) if name in others else "" for name in rivals]
            + [f"{ratios[-1][2]:.2f}" if best else "", f"{row['residues'] / row['seconds'] / 1e6:,.0f}"]
        )
    results.compare(ratios, "GPU, DNA", of_paper=True)
    head = ["input", "10^6 residues", "Ordo, GPU", "Ordo, CPU", *rivals, "best rival / GPU", "10^6 a second"]
    return {"dna": table(head, body), "dna_machine": results.where(results.json(DNA))}


def report_rows(results: Results, name: str) -> list[dict]:
    return results.json(name)["rows"] if results.has(name) else []


def kept_machines(results: Results) -> Values:
    if not results.has("machines"):
        return {}
    report = results.json("machines")
    body = [
        [
            row["input"],
            f"{row['residues'] / 1e6:.3g}",
            f"**{milliseconds(row['kept_ms'])}**",
            milliseconds(row["own_ms"]),
            f"{row['residues'] / row['kept_ms'] / 1e3:,.0f}",
            f"{row['device_memory'] / 1e9:.2f}",
            milliseconds(row["two_builds_one_by_one_ms"]),
            milliseconds(row["two_builds_two_threads_ms"]),
        ]
        for row in report["rows"]
    ]
    head = ["input", "10^6 residues", "kept", "default", "10^6 a second", "GPU, GB", "two, in turn", "two at once"]
    return {"kept": table(head, body), "kept_machine": results.where(report)}


def compare(results: Results) -> Values:
    """Returns the values of Ordo beside its rivals."""
    if not results.has("suffix_array"):
        return {}
    report = results.json("suffix_array")
    rows = [row for step in STEPS for row in report_rows(results, step)]
    rivals = list(dict.fromkeys(name for row in rows for name in row["rivals"]))
    machines = [name for name in ("gpu", "cpu") if any(row["machine"] == name for row in rows)]
    body, times = [], {}
    ratios: dict[str, list[tuple[str, str, float]]] = {name: [] for name in machines}
    by_text: dict[tuple[str, int], dict[str, dict]] = {}
    for row in rows:  # machine "gpu, 40 bits": the same text with narrower entries, in a row of its own
        machine, _, width = row["machine"].partition(", ")
        by_text.setdefault((row["input"] + f", {width}" * bool(width), row["residues"]), {})[machine] = row
    for (text, residues), found in by_text.items():
        own = {name: 1e3 * found[name]["seconds"] for name in machines if "seconds" in found.get(name, {})}
        others = [(name, one) for row in found.values() for name, one in row["rivals"].items() if "seconds" in one]
        others = {name: 1e3 * one["seconds"] for name, one in others}
        memory = found.get("gpu", {}).get("device_memory")
        cells = [f"**{milliseconds(own[name])}**" if name in own else "" for name in machines]
        cells += [f"{memory / 1e9:.2f}" if memory else ""] * ("gpu" in machines)
        cells += [milliseconds(others[name]) if name in others else "" for name in rivals]
        for name in machines:
            best = min(((ms, rival) for rival, ms in others.items() if name == "gpu" or rival != "libcubwt"), default=None)
            if best and name in own:
                ratios[name].append((text, best[1], best[0] / own[name]))
            cells.append(f"{best[0] / own[name]:.2f}" if best and name in own else "")
        body.append([text, f"{residues / 1e6:.4g}", *cells])
        times[text] = {f"Ordo, {name.upper()}": ms for name, ms in own.items()} | others
    head = ["input", "10^6 residues", *(f"Ordo, {name.upper()}" for name in machines)]
    head += [*["GPU, GB"] * ("gpu" in machines), *rivals]
    optional = {name: option for name, option in OPTIONAL.items() if "gpu" in machines or name != "libcubwt"}
    values = {
        "runs": str(report["runs"]),
        "machine": results.where(report),
        "texts": table([*head, *(f"best rival / {name.upper()}" for name in machines)], body),
        "plot": results.dots(
            "suffix_arrays",
            "Suffix arrays",
            Axis("milliseconds (logarithmic)", log=True),
            {text: found for text, found in times.items() if found},
        ),
        "not_built": not_built(rivals, optional),
    }
    for name in machines:
        found = results.compare(ratios[name], name.upper() + f", {report['threads']} threads" * (name == "cpu"))
        values |= slower_values(found, f"{name}_", REASONS[name])
    return values
