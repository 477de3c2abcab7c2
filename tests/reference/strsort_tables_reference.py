#!/usr/bin/env python3
"""strsort --csv and --tsv beside the programs that sort tables: Miller (mlr), csvkit (csvsort) and qsv, on random files with quotes.

strsort_tables_reference.py SEED CASES: compares with those of the programs that are in PATH, of which there must be one, record by
record: others write quotes anew. Writes files to the current folder, and fails at the first difference.
"""
import csv, io, itertools, random, shutil, subprocess, sys

seed, cases = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)
rivals = [name for name in ("mlr", "csvsort", "qsv") if shutil.which(name)]
if not rivals:
    sys.exit("none of mlr, csvsort and qsv is in PATH")

WORDS = ["a", "b", "Ab", "B", "aB", "é", "日本", "10", "9", " ", "x y", "-"]


def text(separator):
    """A text without blanks at its ends, which some programs trim, and without "\\r\\n", which Miller replaces before it sorts."""
    pieces = WORDS + ['"', '""', separator, "\n", separator * 2, '"' + separator]
    return draw.choice("abAB") + "".join(draw.choice(pieces) for _ in range(draw.randrange(5))) + draw.choice("yz")


def written(fields, separator, end):
    def field(value):
        if any(c in value for c in separator + '"\r\n') or draw.random() < 0.2:
            return '"' + value.replace('"', '""') + '"'
        return value
    return separator.join(field(value) for value in fields) + end


def parsed(data, separator):
    return list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator))


def run(arguments):
    done = subprocess.run(arguments, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"seed {seed}: {arguments}: {done.stderr.decode()[:500]}")
    return done.stdout


def by_miller():
    flag = {"": "f", "n": "nf", "f": "c"}[kind] if not reverse else {"": "r", "n": "nr", "f": "cr"}[kind]
    form = ["--tsv"] if tabs else ["--csv", f"--fs={separator}"]
    return parsed(run(["mlr", *form, "sort", "-" + flag, names[column], "in"]), separator)


def by_csvkit():
    numbers = ["--no-leading-zeroes"] if kind == "n" else ["-I"]  # without -I it recognises numbers
    return parsed(run(["csvsort", "-d", separator, *numbers, "--blanks", "-c", str(column + 1), *["-r"] * reverse, "in"]), ",")


def by_qsv():
    flag = {"": [], "n": ["-N"], "f": ["-i"]}[kind]
    return parsed(run(["qsv", "sort", "-d", separator, "-s", str(column + 1), *flag, *["-R"] * reverse, "in"]), ",")


def as_numbers(rows):
    """csvsort writes the numbers that it recognises anew."""
    return [[row[0], float(row[1]), row[2]] if k else row for k, row in enumerate(rows)]


def in_groups(rows):
    """Miller keeps records with the same spelling together, among those that are equal without regard to case."""
    groups = itertools.groupby(rows[1:], key=lambda row: row[column].upper())
    return [rows[0], *((key, sorted(group)) for key, group in groups)]


compared = dict.fromkeys(rivals, 0)
for case in range(cases):
    separator, end = draw.choice([",", ",", ";", "|"]), draw.choice(["\n", "\n", "\r\n"])
    tabs = draw.random() < 0.15
    if tabs:
        separator, end = "\t", "\n"
    names = draw.sample(["name", "a b", "city" if tabs else "city, CH", "price", "x"], 3)
    rows = []
    for _ in range(draw.choice([0, 1, 7, 60])):
        first = draw.choice("abAB") + draw.choice(WORDS) + draw.choice("yz") if tabs else text(separator)
        number = str(draw.randrange(-50, 50)) + draw.choice(["", ".5", ".25"])
        rows.append([first, number, draw.choice("abAB") + draw.choice("xyXY")])
    with open("in", "w", newline="", encoding="utf-8") as file:
        for row in [names, *rows]:
            file.write(separator.join(row) + end if tabs else written(row, separator, end))

    column, reverse = draw.randrange(3), draw.random() < 0.4
    kind = ["", "n", draw.choice(["", "f"])][column]
    options = ":" + kind + "r" * reverse if kind or reverse else ""
    form = ["--tsv"] if tabs else ["--csv"] if separator == "," else [f"--csv={separator}"]
    command = ["strsort", *form, "-s", "-k", names[column] + options, "in"]
    got = parsed(run(command), separator)
    for rival in rivals:
        if rival == "csvsort" and kind == "f":
            continue
        if rival == "mlr" and (not rows or "," in names[column]):  # it writes no header then; a name ends at a comma
            continue
        want = {"mlr": by_miller, "csvsort": by_csvkit, "qsv": by_qsv}[rival]()
        if rival == "csvsort" and kind == "n":
            same = as_numbers(got) == as_numbers(want)
        elif rival == "mlr" and kind == "f":
            same = in_groups(got) == in_groups(want)
        else:
            same = got == want
        if not same:
            sys.exit(f"seed {seed}, case {case}: {command}: not as {rival}\n got {got}\nwant {want}")
        compared[rival] += 1
print(", ".join(f"{name}: {count}" for name, count in compared.items()))
