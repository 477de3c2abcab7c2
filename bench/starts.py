#!/usr/bin/env python3
"""starts.py: measures how long a call of sort takes in a shell loop, for strsort and the programs beside it.

    bench/starts.py --strsort PROGRAM [--calls N] [--runs N] [--locale NAME] [--json FILE] [NAME=PROGRAM...]

Each program sorts a file of three lines, of 1,000 and of 10,000 lines, and a pipe of three lines, --calls times (default 1,000)
in a loop of sh, by one command line that all of them accept. strsort is called by its own name and, through a link, as sort.
With --locale the lines of files are sorted in that locale, too. /bin/true shows what the loop and a process take. Rounds of 50
calls take turns, so that other work on the machine affects all programs; a figure is the 25th percentile of the rounds: CPU
seconds and wall-clock seconds. The outputs are compared with those of the first NAME=PROGRAM, for
example "GNU sort=/usr/bin/sort". The exit status is 1 if outputs differ.
"""
import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

CALLS_OF_ROUND = 50


def loop(program, arguments, source):
    call = " ".join(f"'{word}'" for word in [program, *arguments])
    call = f"printf 'pear\\nfig\\napple\\n' | {call}" if source is None else f"{call} '{source}'"
    return f"i=0; while [ $i -lt {CALLS_OF_ROUND} ]; do {call} > /dev/null; i=$((i + 1)); done"


def round_of(program, arguments, source, environment):
    """Returns the CPU and wall-clock seconds of a round."""
    begin = time.monotonic()
    process = subprocess.Popen(["sh", "-c", loop(program, arguments, source)], env=environment, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"starts.py: {program}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime, time.monotonic() - begin


def output_of(program, arguments, source, environment):
    if program == "/bin/true":
        return None
    text = None if source else b"pear\nfig\napple\n"
    return subprocess.run([program, *arguments, *([source] if source else [])], input=text, env=environment, check=True,
                          stdout=subprocess.PIPE).stdout


def inputs(folder):
    draw = random.Random(7)
    for title, lines in (("three lines", 3), ("1,000 lines", 1_000), ("10,000 lines", 10_000)):
        path = os.path.join(folder, str(lines))
        with open(path, "w") as file:
            file.writelines("".join(draw.choices("abcdefghijklmnop ", k=draw.randrange(1, 30))) + "\n" for _ in range(lines))
        yield title, path
    yield "three lines of a pipe", None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strsort", required=True)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--locale", default="")
    parser.add_argument("--json", default="")
    parser.add_argument("others", nargs="*", metavar="NAME=PROGRAM")
    options = parser.parse_args()
    others = dict(other.split("=", 1) for other in options.others)
    is_wrong, rows = False, []
    with tempfile.TemporaryDirectory(prefix="ordo-starts-") as folder:
        link = os.path.join(folder, "sort")
        os.symlink(os.path.abspath(options.strsort), link)
        programs = {**others, "strsort": os.path.abspath(options.strsort), "strsort as sort": link, "/bin/true": "/bin/true"}
        locales = ["C", options.locale] if options.locale else ["C"]
        for locale, title, path in [(locale, *row) for locale in locales for row in inputs(folder)]:
            measured = {name: [] for name in programs}
            want = None
            for number in range(max(options.calls // CALLS_OF_ROUND, 1) + 1):
                for name, program in programs.items():
                    arguments = ["--locale"] if name == "strsort" and locale != "C" else []
                    environment = dict(os.environ, LC_ALL=locale)
                    if number == 0:  # untimed, and compared
                        got = output_of(program, arguments, path, environment)
                        want = got if want is None else want
                        if got is not None and got != want:
                            print(f"WRONG: {title}, {locale}: {name} has other lines")
                            is_wrong = True
                    else:
                        measured[name].append(round_of(program, arguments, path, environment))
            print(f"{title}, {locale}: CPU and wall-clock ms a call")
            for name, rounds in measured.items():
                cpu, wall = ((statistics.quantiles(column, n=4)[0] if len(column) > 1 else column[0]) * 1e3 / CALLS_OF_ROUND
                             for column in zip(*rounds))
                rows.append({"input": title, "locale": locale, "program": name, "cpu_ms": round(cpu, 3),
                             "wall_ms": round(wall, 3)})
                print(f"  {name:<16} {cpu:7.3f} {wall:7.3f}", flush=True)
    if options.json:
        with open("/proc/cpuinfo") as file:
            processor = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
        with open(options.json, "w") as file:
            json.dump({"benchmark": "starts", "machine": {"processor": processor, "kernel": platform.release()},
                       "calls": options.calls, "rows": rows}, file, indent=1)
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
