"""Deshpande, Narayanan: Can GPUs sort strings efficiently? (HiPC 2013)."""

import papers
import string_steps
from page import Results, Values, milliseconds, slower_values, table
from plot import Axis

RIVAL = "tlx"
STEPS = ("string_sort", "key_lengths", "string_steps")


def values(results: Results) -> Values:
    steps = string_steps.values(results)
    if not results.has("string_sort"):
        figures = results.list_figures(string_steps.figures(results, [])) if steps else ""
        return steps and steps | {"figures": figures, "commands": results.commands(*STEPS)}
    report = results.json("string_sort")
    rows = report["rows"]
    machines = [(key, name) for key, name in (("gpu_ms", "GPU"), ("cpu_ms", "CPU")) if any(key in row for row in rows)]
    has_rival = any(RIVAL in row for row in rows)
    transfer = transfer_rates(results) if machines[0][1] == "GPU" else None
    body, times = [], {}
    for row in rows:
        own = [row.get(key) for key, _ in machines]
        rival = row.get(RIVAL)
        body.append(
            [row["set"], f"{row['lines'] / 1e6:.3g}", f"{row['bytes'] / 1e6:.3g}"]
            + ([milliseconds(row["bytes"] / 1e6 / transfer[0] + 4 * row["lines"] / 1e6 / transfer[1])] if transfer else [])
            + [f"**{milliseconds(ms)}**" if ms else "" for ms in own]
            + [f"{row['bytes'] / 1e6 / own[0]:.2f}" if own[0] else ""]
            + ([milliseconds(rival) if rival else ""] + [f"{rival / ms:.2f}" if rival and ms else "" for ms in own]) * has_rival
        )
        times[row["set"]] = {f"Ordo, {name}": ms for (_, name), ms in zip(machines, own) if ms}
        times[row["set"]] |= {RIVAL: rival} if rival else {}
        if row["set"] in papers.STRING_TABLES:
            times[row["set"]]["the paper's, GTX 580"] = papers.STRING_TABLES[row["set"]][1][1]
    head = ["set", "10^6 lines", "MB", *["transfers"] * bool(transfer)]
    own_names = [f"Ordo, {name}" for _, name in machines]
    rival_names = [RIVAL, *(f"{RIVAL} / {name}" for _, name in machines)] * has_rival
    found = {
        "machine": results.where(report),
        "sets": table([*head, *own_names, f"{machines[0][1]}, GB/s", *rival_names], body),
        "transfers": "`transfers`" if transfer else "",
        "plot": results.dots(
            "strings", "Deshpande and Narayanan, Tables I and II", Axis("milliseconds (logarithmic)", log=True), times
        ),
        "not_built": "" if has_rival else f"`{RIVAL}` (`-Dtlx_DIR=...`)",
        "paper": paper_table(),
        "commands": results.commands(*STEPS),
    } | steps
    key = machines[0][0]
    own = [row[RIVAL] / row[key] for row in rows if RIVAL in row and key in row]
    found["figures"] = results.list_figures(string_steps.figures(results, own))
    for key, name in machines:
        ratios = [(row["set"], RIVAL, row[RIVAL] / row[key]) for row in rows if RIVAL in row and key in row]
        title = name + f", {report['threads']} threads" * (name == "CPU")
        found |= slower_values(results.compare(ratios, title), f"{name.lower()}_")
    return found


def transfer_rates(results: Results) -> tuple[float, float] | None:
    """Returns GB a second from pageable memory of the host to the GPU, and back."""
    row = results.json("array_stream")["rows"][0] if results.has("array_stream") else None
    return (row["up_gbs"], row["down_gbs"]) if row else None


def paper_table() -> str:
    body = []
    for name, ((size, prefix), (thrust, own), kepler, cpu) in papers.STRING_TABLES.items():
        figures = (size, prefix, thrust, own, kepler, *cpu)
        body.append([name] + ["" if x is None else f"{x:,}" for x in figures])
    return table(["set", "MB", "prefix", "Thrust", "the paper's", "on a K20c", "Burstsort", "MSD radix sort"], body)
