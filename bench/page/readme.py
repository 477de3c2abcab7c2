"""The README's figures: some rows of the pages, from the same files."""

import commands
import programs
from page import Comparison, Results, Values, best, milliseconds, ours, rivals_of, table, totals

BEGIN, END = "<!-- make.py writes from here -->", "<!-- to here -->"
SORTS = [  # the title here, the file, the row
    ("sort 2^28 keys of 32 bits", "radix_sort", "u32 uniform 2^28"),
    ("sort segments of 1000 pairs of 32 bits, 2^28 in all", "segmented_sort", "u32/u32 1000"),
    ("sort 200,000 arrays of 1000 floats, in place", "array_sort", "f32 1000"),
]
TEXT = ("build the suffix array of human chr20, {letters} M letters", "chr20.fa")
LINES = [  # the title here, the file, the row
    ("`strsort` of {size} of URLs, file to file", "files", "strsort urls"),
    ("`strsort -n` of {size} of rows, file to file", "files_rows", "strsort rows -n"),
]
SPECTRA = ("`specsort`, MS level 2 of mzML to MGF, file to file", "specsort_wall", ["large", "MS level 2, to MGF"])


def values(results: Results, comparisons: list[Comparison]) -> Values:
    """Returns the values of the template, or nothing where nothing was measured."""
    body = [*whole_commands(results), *texts(results), *sorts(results)]
    if not body:
        return {}
    found = {"table": table(["job", "on", "Ordo", "best rival", "name"], body)} | totals(comparisons)
    if radix := next((one for one in comparisons if one.page == "radix_sort" and not one.title), None):
        found |= {"radix_slower": str(len(radix.slower)), "radix_rows": str(len(radix.ratios))}
    return found | slow_starts(results)


def whole_commands(results: Results) -> list[list[str]]:
    body = []
    for title, file, name in LINES:
        row = results.rows(file).get(name)
        took = commands.seconds_of(row) if row else {}
        if not {"cpu", "GNU sort"} <= took.keys():
            continue
        where = f"{results.json(file)['machine']['threads']} threads"
        size = f"{row['bytes'] / 1e6:.0f} MB"
        body.append([title.format(size=size), where, f"**{seconds(took['cpu'])}**", seconds(took["GNU sort"]), "GNU sort"])
    if tables := programs.tables_of(results):
        title, name, cells = SPECTRA
        row = next(one for one in tables[name]["rows"] if one[: len(cells)] == cells)
        rivals = {head.split()[0]: float(cell.split()[0]) for head, cell in zip(tables[name]["head"], row) if "(" in cell}
        rival = min(rivals, key=rivals.__getitem__)
        body.append([title, "2 threads", f"**{seconds(float(row[len(cells)]))}**", seconds(rivals[rival]), rival])
    return body


def slow_starts(results: Results) -> Values:
    """Returns the number of whole commands that ran on both machines, and of those that take longer on the GPU."""
    rows: dict[str, dict] = {}
    for name in commands.FILES:
        rows = results.rows(name) | rows
    both = [took for took in map(commands.seconds_of, rows.values()) if {"cpu", "gpu"} <= took.keys()]
    slower = sum(took["gpu"] > took["cpu"] for took in both)
    found = {"commands_gpu_slower": str(slower), "commands_gpu_rows": str(len(both))} if both else {}
    if results.has("crossing"):
        lines = commands.lines_of(results.json("crossing"))
        for name, command in (("urls", "strsort urls"), ("genome", "sufsort build")):
            for threads in ("2", "16"):
                if f"cpu {threads}" in lines[command]:
                    found[f"pays_{name}_{threads}"] = commands.pays_from(lines[command], f"cpu {threads}")
    return found


def texts(results: Results) -> list[list[str]]:
    body = []
    if not results.has("suffix_array"):
        return body
    report = results.json("suffix_array")
    rows = {row["machine"]: row for row in report["rows"] if row["input"] == TEXT[1]}
    rivals = {name: one["seconds"] for row in rows.values() for name, one in row["rivals"].items() if "seconds" in one}
    for machine, where in (("gpu", report["machine"].get("device", "")), ("cpu", f"{report['threads']} threads")):
        others = {name: time for name, time in rivals.items() if machine == "gpu" or name != "libcubwt"}
        if machine not in rows or not others:
            continue
        rival = min(others, key=others.__getitem__)
        title = TEXT[0].format(letters=f"{rows[machine]['residues'] / 1e6:.0f}")
        body.append([title, where, f"**{seconds(rows[machine]['seconds'])}**", seconds(others[rival]), rival])
    return body


def sorts(results: Results) -> list[list[str]]:
    body = []
    for title, file, name in SORTS:
        row = results.rows(file).get(name)
        if not row or not rivals_of(row):
            continue
        rival, ms = best(row)
        device = results.json(file)["machine"]["device"]
        body.append([title, device, f"**{milliseconds(ours(row))} ms**", f"{milliseconds(ms)} ms", rival])
    return body


def seconds(time: float) -> str:
    return f"{time:.2g} s" if time < 1 else f"{time:.3g} s"


def put(text: str, part: str) -> str:
    """Returns the README with this part between its marks, or unchanged if it has no marks or the part is empty."""
    if not part or BEGIN not in text or END not in text:
        return text
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + "\n\n" + part + END + rest.split(END, 1)[1]
