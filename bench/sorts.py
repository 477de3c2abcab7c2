#!/usr/bin/env python3
"""sorts.py: measures strsort, from file to file, beside other programs that sort the lines of files.

    bench/sorts.py --tools build/release/bin [--megabytes N] [--runs N] [--threads N] [--work DIR] [--only REGEX]
                   [--python PYTHON] [--json FILE]

The inputs are made up: URLs, paths, words, lines of random letters, numbers in the order of en_US.UTF-8, a table sorted by a
number and two other columns, a CSV file with quotes and a header sorted by a number, a BED file and a SAM file. Rivals are GNU
sort, parsort (GNU parallel), uutils (uu-sort), Miller (mlr), polars and DuckDB (if PYTHON, or else this Python, has them),
bedtools sort, sort-bed and samtools sort; those that are not installed are left out, as are the numbers if the system does not
know en_US.UTF-8. Each may use --threads (default: all). The program of files.py times them, takes turns and compares the bytes
they write: see there.
Processes of one command count together for CPU seconds, and singly for memory. Times of polars and DuckDB include the start of
Python. The exit status is 1 if outputs differ.
"""
import argparse
import multiprocessing
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from files import Bench, Command, machine, write_report, write_rows

# Programs with arguments IN OUT THREADS COLUMNS(name:type,...) SEPARATOR QUOTE HEADER ORDER(name,...)
TABLES = """
import os, sys
source, out, threads, columns, separator, quote, header, order = sys.argv[1:]
columns = dict(column.split(":") for column in columns.split(","))
order, has_header = order.split(","), header == "header"
"""
POLARS = TABLES + """
os.environ["POLARS_MAX_THREADS"] = threads
import polars
types = {name: getattr(polars, {"VARCHAR": "String", "BIGINT": "Int64"}[kind]) for name, kind in columns.items()}
table = polars.read_csv(source, has_header=has_header, separator=separator, quote_char=quote or None,
                        **{"schema_overrides" if has_header else "schema": types})
table.sort(order).write_csv(out, include_header=has_header, separator=separator, quote_style="necessary" if quote else "never")
"""
DUCKDB = TABLES + """
import duckdb
types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
form = f"header {has_header}, delim '{separator}', quote '{quote}', escape '{quote}'"
connection = duckdb.connect(config={"threads": int(threads), "temp_directory": os.path.dirname(out)})
options = form.replace(" ", " = ", 1).replace("delim ", "delim = ").replace("quote ", "quote = ").replace("escape ", "escape = ")
connection.execute(f"copy (select * from read_csv('{source}', {options}, columns = {{{types}}}, auto_detect = false) "
                   f"order by {', '.join(order)}) to '{out}' ({form})")
"""
# Columns, separator, quote, header and order; and the arguments of Miller, which numbers the columns.
LINES = ("line:VARCHAR", "\x01", "", "none", "line")
ROWS = ("number:BIGINT,host:VARCHAR,length:BIGINT", "\t", "", "none", "number,host,length")
CSV = ("id:BIGINT,price:BIGINT,city:VARCHAR", ",", '"', "header", "price,id")
BED = ("name:VARCHAR,first:BIGINT,last:BIGINT,label:VARCHAR,score:BIGINT,strand:VARCHAR", "\t", "", "none",
       "name,first,last,label")
SAM, NUMBERS = ("SAM",), ("numbers",)
TSV = ["mlr", "--tsv", "--implicit-tsv-header", "--headerless-tsv-output", "sort"]
MILLER = {ROWS: [*TSV, "-nf", "1", "-f", "2", "-nf", "3"], BED: [*TSV, "-f", "1", "-nf", "2", "-nf", "3", "-f", "4"],
          CSV: ["mlr", "--csv", "sort", "-nf", "price", "-nf", "id"]}
LOCALE = "en_US.UTF-8"


class Sorts(Bench):
    def __init__(self, options):
        super().__init__(options)
        self.modules = [name for name in ("polars", "duckdb")
                        if subprocess.run([options.python, "-c", "import " + name], stderr=subprocess.DEVNULL).returncode == 0]

    def sorted(self, title, path, ours, gnu, table):
        """Measures strsort with the options `ours`, programs like sort with `gnu`, and the others as a table."""
        threads, steps = str(self.threads), f"--parallel={self.threads} -S 60%"
        commands = [self.cp(path)]
        for name, program in (("GNU sort", "sort"), ("parsort", "parsort"), ("uutils", "uu-sort")):
            if shutil.which(program) and gnu is not None:
                to = self.out(program)
                if table is CSV:
                    text = f"{{ head -n 1 '{path}'; tail -n +2 '{path}' | {program} {steps} {gnu}; }} > '{to}'"
                elif table is NUMBERS:
                    text = f"LC_ALL={LOCALE} {program} {steps} {gnu} '{path}' > '{to}'"
                else:
                    text = f"{program} {steps} {gnu} '{path}' > '{to}'"
                commands.append(Command(name, ["sh", "-c", text], {"lines": to}))
        for name, program in (("polars", POLARS), ("duckdb", DUCKDB)):
            if name in self.modules and table not in (SAM, NUMBERS):
                to = self.out(name)
                columns, *rest = table
                commands.append(Command(name, [self.options.python, "-c", program, path, to, threads, columns, *rest],
                                        {"lines": to}))
        programs = {"bedtools sort": ["bedtools", "sort", "-i"], "sort-bed": ["sort-bed"]} if table is BED else {}
        if table is SAM:
            programs["samtools sort"] = ["samtools", "sort", "--no-PG", "-@", str(self.threads - 1), "-O", "sam"]
        if table in MILLER:
            programs["Miller"] = MILLER[table]
        for name, program in programs.items():
            if shutil.which(program[0]):
                to = self.out(program[0])
                commands.append(Command(name, [*program, path], {"lines": to}, to))
        to = self.out("strsort")
        commands.append(Command("strsort", self.ours("strsort", "cpu", *shlex.split(ours), path, "-o", to), {"lines": to}))
        self.measure(title, path, commands)


def write_csv(path, size):
    draw = random.Random(7)
    cities = ['"Basel, CH"', "Rome", '"The ""Hague"""', "New York", "Ulm", "Porto"]
    with open(path, "w") as file:
        file.write("id,price,city\n")
        for first in range(0, size // 27, 100_000):
            file.write("".join(f"{k},{draw.randrange(10**9)},{draw.choice(cities)}\n" for k in range(first, first + 100_000)))


def write_bed(path, size):
    """Writes intervals of which no two begin at the same place: rivals leave open the order of such ones."""
    draw, taken = random.Random(7), set()
    with open(path, "w") as file:
        for first in range(0, size // 37, 100_000):
            for k in range(first, first + 100_000):
                while (place := (draw.randrange(1, 23), draw.randrange(10**8))) in taken:
                    pass
                taken.add(place)
                file.write(f"chr{place[0]}\t{place[1]}\t{place[1] + draw.randrange(1, 500)}\tread{k}\t{k % 61}\t{'+-'[k % 2]}\n")


def write_sam(path, size):
    """Writes reads of which no two begin at the same place of the same strand."""
    draw = random.Random(7)
    with open(path, "w") as file:
        file.write("@HD\tVN:1.6\tSO:unsorted\n" + "".join(f"@SQ\tSN:chr{k}\tLN:100000000\n" for k in range(1, 23)))
        reads = size // 238
        for k, place in enumerate(draw.sample(range(22 * 99_000_000), reads)):
            bases = "".join(draw.choices("ACGT", k=20)) * 5
            file.write(f"read{k}\t{16 * (k % 2)}\tchr{1 + place // 99_000_000}\t{1 + place % 99_000_000}\t60\t100M\t*\t0\t0"
                       f"\t{bases}\t{'F' * 100}\n")


def write_numbers(path, size):
    draw = random.Random(7)
    numbers = list(range(100_000_000, 100_000_000 + size // 10))
    draw.shuffle(numbers)
    with open(path, "w") as file:
        file.writelines(f"{number}\n" for number in numbers)


def knows_locale():
    """Returns true if the C library has the locale of the numbers, rather than C in its place."""
    return subprocess.run(["locale", "charmap"], env=dict(os.environ, LC_ALL=LOCALE), capture_output=True).stdout == b"UTF-8\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--work", default="")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    options.cache = "hot"
    is_temporary = not options.work
    options.work = os.path.abspath(options.work or tempfile.mkdtemp(prefix="ordo-sorts-"))
    os.makedirs(options.work, exist_ok=True)
    bench, size = Sorts(options), options.megabytes * 10**6
    try:
        measure(bench, size)
    finally:
        if is_temporary:
            shutil.rmtree(options.work)
    if options.json:
        write_report(options.json, {"benchmark": "sorts", "machine": machine(bench), "runs": options.runs, "rows": bench.rows})
    sys.exit(1 if bench.wrong else 0)


def measure(bench, size):
    # Bytes of a set of ordo_generate at scale 1
    for title, kind, whole in (("URLs", "url", 305e6), ("paths", "filelist", 664e6), ("words", "words", 120e6),
                               ("random letters", "random", 101e6)):
        if re.search(bench.options.only, title):
            path = bench.make(kind, "strings", "--set", kind, "--scale", f"{size / whole:.4f}")
            bench.sorted(title, path, "", "", LINES)
    for title, write, ours, gnu, table in (
            ("table by a number and two columns", lambda path: write_rows(path, path + ".hosts", size // 32),
             "-t '\t' -k1,1n -k2,2 -k3,3n", "-t '\t' -k1,1n -k2,2 -k3,3n", ROWS),
            ("CSV with quotes by a number", lambda path: write_csv(path, size), "--csv -k price:n -k id:n",
             "-t, -k2,2n -k1,1n", CSV),
            ("BED", lambda path: write_bed(path, size), "--as bed", "-t '\t' -k1,1 -k2,2n -k3,3n -k4,4", BED),
            ("SAM", lambda path: write_sam(path, size), "--as sam", None, SAM),
            (f"numbers in {LOCALE}", lambda path: write_numbers(path, size // 2), f"--locale={LOCALE}", "", NUMBERS)):
        if re.search(bench.options.only, title) and (table is not NUMBERS or knows_locale()):
            path = os.path.join(bench.options.work, title.split()[0])
            if not os.path.exists(path):
                writer = multiprocessing.Process(target=write, args=(path,))  # whose memory is not that of the commands
                writer.start()
                writer.join()
            bench.sorted(title, path, ours, gnu, table)


if __name__ == "__main__":
    main()
