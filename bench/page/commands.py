"""The core on a CPU, and whole commands from file to file."""

import math

from page import HOST, Page, milliseconds, tell_losses

FILES = ("files", "files_genome_64m", "files_fasta", "files_3100m")
HOST_FILES = "files_rows"
SHOWN = {"segmented_sort": ("8", "32", "128", "1000"), "array_sort": ("1000", "20000")}  # lengths
WHY = [("sorted|equal", "`parallel_sort` looks first whether all is in order already, and is done then")]


def host_sorts(page: Page) -> None:
    cards = list(dict.fromkeys((*page.cards("host_sorts"), *page.cards("host_segments"))))
    if not cards:
        return
    page.heading("The same sorts on a CPU")
    page.say(
        "Where there is no GPU. Rivals in the same run, with as many threads: oneTBB's `parallel_sort` of all items, which is"
        " not stable while Ordo's radix sort and sample sort are, and `std::sort` of each segment. Milliseconds:"
    )
    for card in cards:
        on_one_host(page, card)


def on_one_host(page: Page, card: str) -> None:
    whole, segments = (
        [row for name in names if page.has(name, card=card) for row in page.json(name, card)["rows"]]
        for names in (("host_sorts", "host_sorts_2_26"), ("host_segments",))
    )
    names = [name for name in ("host_sorts", "host_segments") if page.has(name, card=card)]
    page.say(f"On {page.where(page.json(names[0], card), card)}:")
    largest = max((row["items"] for row in whole), default=0)
    chosen = [(row, row["keys"]) for row in whole if row["keys"] == "uniform" and row["items"] == largest]
    chosen += [
        (row, f"segments of {row['length']}")
        for row in segments
        if row["types"] in ("u32", "u32/u32") and row["length"] in SHOWN[row["verb"]]
    ]
    page.table(
        ["sort", "type", "items", "", "Ordo", "rival", "rival / Ordo"],
        [
            [
                row["verb"].replace("_", " "),
                row["types"],
                f"{row['items']:,}",
                what,
                f"**{milliseconds(1e3 * row['seconds'])}**",
                milliseconds(1e3 * row["rival_seconds"]),
                f"{row['times']:.2f}",
            ]
            for row, what in chosen
        ],
    )
    results = [(f"{row['verb']} {row['types']} {row['keys']} 2^{round(math.log2(row['items']))}", row) for row in whole]
    results += [(f"{row['verb']} {row['types']} {row['length']}", row) for row in segments]
    tell_losses(page, [(name.replace("_", " "), row["rival"], row["times"]) for name, row in results], WHY)
    page.source(*names, card=card)
    if page.has("host_sorts_2_26", card=card):
        page.say(f"2^26 items by the same with `--sizes 26`: {page.link('host_sorts_2_26', card)}.")


def files(page: Page) -> None:
    there = [name for name in FILES if page.has(name)]
    if not there and not page.has(HOST_FILES, card=HOST):
        return
    page.heading("Whole commands, file to file")
    if there:
        beside_all(page, there)
    if page.has(HOST_FILES, card=HOST):
        without_gpu(page)


def beside_all(page: Page, there: list[str]) -> None:
    machine = page.json(there[0])["machine"]
    page.say(
        f"From a file in the page cache to a file, the start and the end of the process counted, seconds; {machine['threads']}"
        f" threads{', ' + machine['gpu'] if machine['gpu'] else ''}. `cp` copies the input: the floor of whatever writes as"
        " much as it reads. `sufsort` writes five bytes and more for each it reads. The outputs of one row are the same bytes."
    )
    columns = [
        ("cp", "`cp`"),
        ("GNU sort", "GNU sort"),
        ("libdivsufsort", "libdivsufsort"),
        ("auto", "Ordo, `auto`"),
        ("cpu", "CPU"),
        ("gpu", "GPU"),
    ]
    rows = {
        row["name"]: row for name in reversed(there) for row in page.json(name)["rows"]
    }  # of two of one name the first file's
    order = [row["name"] for name in there for row in page.json(name)["rows"]]
    body = []
    times_of = {name: seconds_of(rows[name]) for name in dict.fromkeys(order)}
    columns = [(key, title) for key, title in columns if any(key in took for took in times_of.values())]
    for name, took in times_of.items():
        rivals = [took[key] for key in ("GNU sort", "libdivsufsort") if key in took]
        own = next((took[key] for key in ("auto", "cpu", "gpu") if key in took), None)
        body.append(
            [
                f"`{name}`",
                f"{rows[name]['bytes'] / 1e6:.3g}",
                *(f"{took[key]:.3g}" if key in took else "" for key, _ in columns),
                f"{min(rivals) / own:.2f}" if rivals and own else "",
            ]
        )
    page.table(["", "MB", *(title for _, title in columns), "rival / Ordo"], body)
    slower = []
    for name, took in times_of.items():
        own = min((took[key] for key in ("cpu", "gpu") if key in took), default=math.inf)
        if took.get("auto", 0) > 1.1 * own:
            slower.append(f"{name} {took['auto'] / own:.2f}")
    if slower:
        page.say(
            f"**Where it loses.** `auto` took so many times as long as the better machine would have: {', '.join(slower)}."
        )
    page.source(*there)


def seconds_of(row: dict) -> dict[str, float]:
    """By the device, or the name of the other program."""
    took = {}
    for command in row["commands"]:
        if "failed" in command:
            continue
        name = "GNU sort" if "uniq" in command["name"] or command["name"] == "GNU sort" else command["name"].split()[-1]
        took[name] = command["seconds"]
    return took


def without_gpu(page: Page) -> None:
    report = page.json(HOST_FILES, HOST)
    page.say(
        f"The same program without a GPU, {report['machine']['threads']} threads of {report['machine']['processor']}, seconds:"
    )
    body = []
    for row in report["rows"]:
        theirs, own = row["commands"][0], row["commands"][-1]
        body.append(
            [
                f"`{row['name']}`",
                f"{row['bytes'] / 1e6:.0f}",
                f"{theirs['seconds']:.3g}",
                f"**{own['seconds']:.3g}**",
                f"{theirs['seconds'] / own['seconds']:.1f}",
            ]
        )
    page.table(["", "MB", "GNU sort", "Ordo", "GNU sort / Ordo"], body)
    page.say(f"By the same program with `--runs 2 --only 'rows|hosts'`: {page.link(HOST_FILES, HOST)}.")
