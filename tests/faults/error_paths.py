#!/usr/bin/env python3
"""Prints how many of the error paths were taken by what ran: statements that throw, and handlers that catch.

error_paths.py [--before PROFILE] [--missed] PROFILE PROGRAM...

The programs are those of a build by the preset `coverage`, and PROFILE is a file by llvm-profdata of what they counted:
docs/testing.md has the commands. Prints a row for each folder of the sources: statements that throw, those that were reached,
handlers, those that were reached. --before adds the numbers of another profile of the same programs. --missed lists the lines
that were not reached. A statement of a template that no program has counts as none.
"""
import argparse
import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("base", "sort_core", "distributed", "suffix", "spectra", "strings", "tools", "include")
THROW = re.compile(r"\bthrow [^;]|\bstd::rethrow_exception\b")
CATCH = re.compile(r"\bcatch \([^)]*\) \{")


def segments_of(profile, programs):
    """By file: where regions of the code begin, sorted, and how often each was run; nothing for what is no code."""
    objects = [word for program in programs for word in ("-object", str(program))][1:]
    done = subprocess.run(["llvm-cov", "export", "-format=text", "-skip-expansions", "-skip-functions",
                           f"-instr-profile={profile}", *objects], capture_output=True)
    if done.returncode != 0:
        sys.exit(f"error_paths.py: llvm-cov: {done.stderr.decode()}")
    files = {}
    for file in json.loads(done.stdout)["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
            files[str(path.relative_to(ROOT))] = [((line, column), count if counted else None)
                                                  for line, column, count, counted, *_ in file["segments"]]
    return files


def count_at(segments, place):
    """How often the code at a place was run, or None if there is none."""
    k = bisect.bisect_right(segments, place, key=lambda segment: segment[0]) - 1
    return segments[k][1] if k >= 0 else None


def paths_of(name):
    """The error paths in the text of a file: kind, line and column."""
    for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1):
        code = re.sub(r'"(\\.|[^"\\])*"', lambda found: " " * len(found[0]), line).split("//")[0]
        for found in THROW.finditer(code):
            yield "throw", number, found.start() + 1
        for found in CATCH.finditer(code):
            yield "catch", number, found.end() + 1  # what follows the brace


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profile")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--before")
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args()
    now = segments_of(options.profile, options.programs)
    before = segments_of(options.before, options.programs) if options.before else {}
    rows, missed = collections.defaultdict(collections.Counter), []
    for name in sorted(now):
        parts = pathlib.Path(name).parts
        for kind, line, column in paths_of(name):
            count = count_at(now[name], (line, column))
            if count is None:
                continue
            for row in ("/".join(parts[: min(2, len(parts) - 1)]), "all"):
                rows[row][kind] += 1
                rows[row][kind, "reached"] += count > 0
                rows[row][kind, "before"] += bool(count_at(before.get(name, []), (line, column)))
            if count == 0:
                missed.append(f"{name}:{line}: {(ROOT / name).read_text().splitlines()[line - 1].strip()}")
    columns = ["reached before", "reached"] if options.before else ["reached"]
    print("folder", "throws", *columns, "handlers", *columns, sep="\t")
    for folder, row in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0])):
        values = ([row[kind], row[kind, "before"], row[kind, "reached"]] for kind in ("throw", "catch"))
        print(folder, *(value for each in values for value in (each if options.before else [each[0], each[2]])), sep="\t")
    if options.missed:
        print(*missed, sep="\n")


if __name__ == "__main__":
    main()
