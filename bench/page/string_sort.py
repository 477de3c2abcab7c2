"""Deshpande, Narayanan: Can GPUs sort strings efficiently? (HiPC 2013)."""

import papers
from page import Page, milliseconds, tell_losses
from plot import Axis

RIVAL = "tlx"


def string_sort(page: Page) -> None:
    cards = page.cards("string_sort")
    if not cards:
        return
    page.heading("Strings (Deshpande, Narayanan: Can GPUs sort strings efficiently?, HiPC 2013)")
    page.say(
        "The ten sets of the paper's Table I, and what its Tables II, VII and VIII say, milliseconds, memory and transfers of"
        " the card counted, reading files not: Thrust's sort by a comparator and the paper's sort on a GTX 580, the paper's on"
        " a Tesla K20c, Burstsort and MSD radix sort on a Core 2 Duo E7500. `prefix` is the mean number of characters that a"
        " string shares with its neighbours in order."
    )
    body = []
    for name, ((size, prefix), (thrust, own), kepler, cpu) in papers.STRING_TABLES.items():
        figures = (size, prefix, thrust, own, kepler, *cpu)
        body.append([name] + ["" if x is None else f"{x:,}" for x in figures])
    page.table(["set", "MB", "prefix", "Thrust", "the paper's", "on a K20c", "Burstsort", "MSD radix sort"], body)
    page.say(
        "The same sets, made anew with as many lines of such lengths and prefixes, by `strings::sort`, from text in the host's"
        f" memory to the order in the host's memory, on machines that are kept; on a GPU both transfers count. `{RIVAL}` is"
        " tlx's parallel string sample sort, of pointers to the strings, with as many threads. Milliseconds, and GB of text a"
        " second:"
    )
    for card in cards:
        measured(page, card)


def transfer_rates(page: Page, card: str) -> tuple[float, float] | None:
    """GB a second between the host's pageable memory and the card, up and down, where they were measured."""
    if not page.has("array_stream", card=card):
        return None
    row = page.json("array_stream", card)["rows"][0]
    return row["up_gbs"], row["down_gbs"]


def measured(page: Page, card: str) -> None:
    report = page.json("string_sort", card)
    rows = report["rows"]
    machines = [(key, name) for key, name in (("gpu_ms", "GPU"), ("cpu_ms", "CPU")) if any(key in row for row in rows)]
    raced = any(RIVAL in row for row in rows)
    rates = transfer_rates(page, card) if machines and machines[0][1] == "GPU" else None
    floor = ""
    if rates:
        floor = (
            " `transfers` is the floor of the GPU: the text up and four bytes a line down, one after the other, at the rates that"
            " the section 'Arrays larger than the card' has measured"
        )
    page.say(f"On {page.where(report, card)}.{floor}:" if floor else f"On {page.where(report, card)}:")
    body = []
    for row in rows:
        times = [row.get(key) for key, _ in machines]
        theirs = row.get(RIVAL)
        body.append(
            [row["set"], f"{row['lines'] / 1e6:.3g}", f"{row['bytes'] / 1e6:.3g}"]
            + ([milliseconds(row["bytes"] / 1e6 / rates[0] + 4 * row["lines"] / 1e6 / rates[1])] if rates else [])
            + [f"**{milliseconds(ms)}**" if ms else "" for ms in times]
            + [f"{row['bytes'] / 1e6 / times[0]:.2f}" if times[0] else ""]
            + ([milliseconds(theirs) if theirs else ""] + [f"{theirs / ms:.2f}" if theirs and ms else "" for ms in times])
            * raced
        )
    page.table(
        [
            "set",
            "10^6 lines",
            "MB",
            *["transfers"] * bool(rates),
            *(f"Ordo, {name}" for _, name in machines),
            f"{machines[0][1]}, GB/s",
            *[RIVAL, *(f"{RIVAL} / {name}" for _, name in machines)] * raced,
        ],
        body,
    )
    of = {}
    for row in rows:
        paper = {"the paper's, GTX 580": papers.STRING_TABLES[row["set"]][1][1]} if row["set"] in papers.STRING_TABLES else {}
        own = {f"Ordo, {name}": row[key] for key, name in machines if key in row}
        of[row["set"]] = own | ({RIVAL: row[RIVAL]} if RIVAL in row else {}) | paper
    title = "Deshpande and Narayanan, Tables I and II"
    title = page.on_card(title) if card == page.card else f"{title}, {page.where(report, card)}"
    page.dots("strings" if card == page.card else f"strings_{card}", title, Axis("milliseconds (logarithmic)", log=True), of)
    for key, name in machines:
        results = [(row["set"], RIVAL, row[RIVAL] / row[key]) for row in rows if RIVAL in row and key in row]
        if results:
            tell_losses(page, results, (), f", {name}" + f", {report['threads']} threads" * (name == "CPU"))
    if not raced:
        page.say(f"`{RIVAL}` was not in this build (`-Dtlx_DIR=...`).")
    page.source("string_sort", card=card)
