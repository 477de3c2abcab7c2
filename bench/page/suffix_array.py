"""Suffix arrays: Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017), section 5.1."""

from page import HOST, Page, milliseconds, say_not_built, tell_losses
from plot import Axis

# What genomes of one's own (--fasta) were here, and how many residues they have: others may have such names, too.
TEXTS = {
    ("chr20.fa", 63_025_520): "`datasets/fetch.sh`'s human_chr20.fa",
    (
        "tb4.fa",
        17_608_674,
    ): "the *M. tuberculosis* genomes H37Rv, H37RvBD, H37RvMA2 and BCG of Debian's tnseq-transit, one behind the other",
    ("proteins.fa", 9_055_569): "the 20,000 proteins of DB.fasta in Debian's mmseqs2-examples",
}
STEPS = ("suffix_array", "suffix_array_3100m", "suffix_array_6200m")  # the last ones are of texts that few hosts have room for
BUILT = {"libcubwt": "ORDO_LIBCUBWT", "libsais": "ORDO_LIBSAIS"}
WHY = {
    "GPU": [],
    "CPU": [
        (
            "fibonacci",
            "Part of it: of texts of short periods groups of thousands are left, which go by ranks, another round whenever what is"
            " alike is three times as long; libsais's time is linear",
        )
    ],
}


def suffix_arrays(page: Page) -> None:
    beside = page.cards("suffix_array")
    if not page.has("machines") and not beside:
        return
    page.heading("Suffix arrays (Hou et al., section 5.1)")
    page.say(
        "The paper's prefix doubling by segmented sort, beside the skew algorithm of CUDPP, on six DNA sequences: up to 2.2"
        " times as fast on a K80 and 2.6 times on a Titan X (Pascal); its Figure 13 is bars without numbers. Here:"
        " `suffix::build`, from text in the host's memory to the array in the host's memory, transfers counted, reading FASTA"
        " not."
    )
    name_texts(page, beside)
    if page.has("machines"):
        kept_machines(page)
    for card in beside:
        race(page, card)
    page.say("From file to file, with FASTA read and three files written: in the last section.")
    page.source("machines", *STEPS)
    if HOST in beside and page.card != HOST:
        page.source(*STEPS, card=HOST)


def name_texts(page: Page, beside: list[str]) -> None:
    rows = [row for card in beside for row in page.json("suffix_array", card)["rows"]]
    rows += page.json("machines")["rows"] if page.has("machines") else []
    there = {(row["input"], row["residues"]) for row in rows}
    told = [f"`{text[0]}` is {what}" for text, what in TEXTS.items() if text in there]
    if told:
        page.say(f"{'; '.join(told)}.")


def kept_machines(page: Page) -> None:
    report = page.json("machines")
    page.say(
        "By a machine that is kept from one call to the next, and by the process's own; then two builds one after the"
        f" other, and by two threads at once, on one card. {page.where(report)}. Milliseconds, and millions of residues a"
        " second:"
    )
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
    page.table(["input", "10^6 residues", "kept", "own", "10^6 a second", "card, GB", "two, one by one", "two at once"], body)


def race(page: Page, card: str) -> None:
    report = page.json("suffix_array", card)
    rows = [row for step in STEPS if page.has(step, card=card) for row in page.json(step, card)["rows"]]
    rivals = list(dict.fromkeys(name for row in rows for name in row["rivals"]))
    machines = [name for name in ("gpu", "cpu") if any(row["machine"] == name for row in rows)]
    page.say(
        f"Beside others, in turn in one process, medians of up to {report['runs']} runs; who takes many seconds runs once."
        " The array's pages were written before. libsais has as many threads as Ordo on the CPU, libdivsufsort one; libcubwt"
        " makes a Burrows-Wheeler transform and no array, and its memory on the card is taken before the clock starts, as Ordo's"
        " machine keeps its own from one build to the next; `--anew` measures without. Arrays"
        " are compared with each other, the transform with the one of Ordo's array. `card`: GB of the card's memory that Ordo"
        f" takes at most. {page.where(report, card)}. Milliseconds:"
    )
    body, of = [], {}
    results: dict[str, list[tuple[str, str, float]]] = {name: [] for name in machines}
    # "gpu, 40 bits" is a row of its own: of the same text, with narrower entries.
    named = [(*row["machine"].partition(", ")[::2], row) for row in rows]
    named = [(name, row["input"] + (f", {width}" if width else ""), row) for name, width, row in named]
    for text in dict.fromkeys((title, row["residues"]) for _, title, row in named):
        by = {name: row for name, title, row in named if (title, row["residues"]) == text}
        own = {name: 1e3 * by[name]["seconds"] for name in machines if "seconds" in by.get(name, {})}
        others = {name: 1e3 * one["seconds"] for row in by.values() for name, one in row["rivals"].items() if "seconds" in one}
        memory = by.get("gpu", {}).get("device_memory")
        cells = [f"**{milliseconds(own[name])}**" if name in own else "" for name in machines]
        cells += [f"{memory / 1e9:.2f}" if memory else ""] * ("gpu" in machines)
        cells += [milliseconds(others[name]) if name in others else "" for name in rivals]
        for name in machines:
            best = min(((ms, rival) for rival, ms in others.items() if name == "gpu" or rival != "libcubwt"), default=None)
            cells.append(f"{best[0] / own[name]:.2f}" if best and name in own else "")
            if best and name in own:
                results[name].append((text[0], best[1], best[0] / own[name]))
        body.append([text[0], f"{text[1] / 1e6:.4g}", *cells])
        of[text[0]] = {f"Ordo, {name.upper()}": ms for name, ms in own.items()} | others
    page.table(
        [
            "input",
            "10^6 residues",
            *(f"Ordo, {name.upper()}" for name in machines),
            *["card"] * ("gpu" in machines),
            *rivals,
            *(f"best rival / {name.upper()}" for name in machines),
        ],
        body,
    )
    title = page.on_card("Suffix arrays") if card == page.card else f"Suffix arrays, {page.where(report, card)}"
    name = "suffix_arrays" if card == page.card else f"suffix_arrays_{card}"
    page.dots(name, title, Axis("milliseconds (logarithmic)", log=True), {text: at for text, at in of.items() if at})
    say_not_built(page, rivals, {k: v for k, v in BUILT.items() if "gpu" in machines or k != "libcubwt"})
    for machine in machines:
        if results[machine]:
            threads = f", {report['threads']} threads" * (machine == "cpu")
            tell_losses(page, results[machine], WHY[machine.upper()], f", {machine.upper()}{threads}")
