#!/usr/bin/env python3
"""External sorts in hostile surroundings: disks that fill, SIGKILL, writers of one output, and inputs that shrink.

hostile.py BIN [--library LIBRARY] [--seconds N | --tries N] [--seed N] [--only TEXT]

Commands that need temporary files run again and again, each time with one harm that is drawn at random:
  full    the n-th write to the disk and all after it find no room (LIBRARY is the one of fail_calls.cpp), n up to their number;
  kill    SIGKILL at a random moment, and then the same command once more;
  two     two or three at once write the same output, one of them from another input; half of the times one is killed;
  shrink  an input, or a file that is mapped, is cut while it is read;
  limit   files may have so many bytes at most (`ulimit -f`).
A run ends within five minutes. With status 0 its output is the right one, or that of a writer beside it, whole; else it ends with
status 2 and one line, or by the signal, and the output is one of those, or the old one. No temporary file is left, but hidden
outputs after a SIGKILL. Prints a row for each harm and command; the exit status is 1 if a run failed.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ENOUGH_SECONDS = 300
COUNTS = {name: os.environ[name] for name in ("LLVM_PROFILE_FILE",) if name in os.environ}  # of the preset coverage
OLD = b"old\n"
# Names in the folder of a run: the input, another input of the same kind, and the output.
LINES = ["strsort", "--device=cpu", "-S", "1M", "-T", "temporary", "in"]
TEXT = ["sufsort", "duplicates", "in", "-l", "40", "--memory", "64K", "--threads", "2", "-o", "out"]
COMMANDS = {
    "strsort": [*LINES, "-o", "out"],
    "strsort keys": [*LINES, "-k", "1,1n", "-k", "2", "-u", "-o", "out"],
    "strsort program": [*LINES, "--compress-program=gzip", "-o", "out"],
    "strsort .zst": [*LINES, "-o", "out.zst"],
    "specsort": ["specsort", "--device=cpu", "--spectra-by", "title", "--memory", "64K", "in", "-o", "out"],
    "sufsort": TEXT,
    "sufsort text": [*TEXT, "--format", "text"],
}
HARMS = ["full", "kill", "two", "shrink", "limit"]


def output_name(command):
    return command[command.index("-o") + 1]


def make_lines(made, n):
    return b"".join(b"%d some words %d\n" % (made.randrange(10**6), k) for k in range(n))


def make_spectra(made, n):
    return b"".join(b"BEGIN IONS\nTITLE=%d\nPEPMASS=%d\n%d.5 1\n%d.25 20\nEND IONS\n\n" %
                    tuple(made.randrange(10**6) for _ in range(4)) for _ in range(n))


def make_text(made, n):
    lines = []
    for _ in range(n):
        repeated = made.choice(lines)[50:130] if lines else ""
        lines.append("".join(made.choice("abcdefgh ") for _ in range(200)) + repeated)
    return "\n".join(lines).encode() + b"\n"


class Bench:
    def __init__(self, tools, library, folder, names):
        self.tools, self.library, self.folder = tools, library, folder
        self.environment = {"PATH": f"{tools}:/usr/bin:/bin", "LC_ALL": "C", "ORDO_DEVICE": "cpu", **COUNTS}
        made = random.Random(11)
        self.inputs = {}
        for name, make, sizes in (("strsort", make_lines, (60000, 90000)), ("specsort", make_spectra, (3000, 4500)),
                                  ("sufsort", make_text, (3000, 4000))):
            if any(COMMANDS[each][0] == name for each in names):
                self.inputs[name] = [self.files_of(name, make(made, n)) for n in sizes]
        self.seconds = {}
        self.right = {name: [self.output_of(COMMANDS[name], k) for k in (0, 1)] for name in names}
        self.calls = {}

    def files_of(self, tool, text):
        """The files of an input by their names."""
        if tool != "sufsort":
            return {"in": text}
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (place / "in.txt").write_bytes(text)
        build = ["sufsort", "build", "-q", "in.txt", "--format", "lines", "--text-only", "-o", "in"]
        subprocess.run(build, cwd=place, check=True, env=self.environment)
        return {path.name: path.read_bytes() for path in place.iterdir()}

    def place(self, command, k=0):
        """A folder of the k-th input, with an old output."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (place / "temporary").mkdir()
        for name, data in self.inputs[command[0]][k].items():
            (place / name).write_bytes(data)
        (place / output_name(command)).write_bytes(OLD)
        return place

    def start(self, command, place, **variables):
        environment = self.environment | {"TMPDIR": str(place / "temporary")} | variables
        return subprocess.Popen(command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def output_of(self, command, k):
        place = self.place(command, k)
        begin = time.monotonic()
        process = self.start(command, place)
        message = process.communicate()[1]
        self.seconds[" ".join(command)] = time.monotonic() - begin
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {process.returncode}: {message.decode()}")
        data = (place / output_name(command)).read_bytes()
        shutil.rmtree(place)
        return data

    def moment(self, made, command):
        """A moment of a run, in seconds after its start."""
        return made.uniform(0, self.seconds[" ".join(command)])

    def count_writes(self, name):
        """Returns the number of writes, of a command without harm."""
        if name not in self.calls:
            place = self.place(COMMANDS[name])
            self.start(COMMANDS[name], place, LD_PRELOAD=str(self.library), ORDO_CALLS=str(place / "calls")).communicate()
            numbers = memoryview((place / "calls").read_bytes()).cast("Q")
            self.calls[name] = numbers[3]  # every_call.py has the order of the kinds
            shutil.rmtree(place)
        return self.calls[name]


def end_of(process):
    """The message and the status of a process."""
    try:
        return process.communicate(timeout=ENOUGH_SECONDS)[1].decode(errors="replace"), process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[1].decode(errors="replace"), "no end"


def wrong_end(tool, status, message, killed=False):
    """What is wrong with the end of a process, or None."""
    lines = [line for line in message.splitlines() if not line.startswith(f"{tool}: warning: ")]
    if status == 0:
        return None
    if killed and status == -signal.SIGKILL:
        return None
    if status != 2:
        return f"status {status}"
    if len(lines) != 1 or not lines[0].startswith(f"{tool}: "):
        return "not one line on standard error"
    return None


def wrong_files(place, command, allowed, after_kill=False):
    """What is wrong with the files that are left, or None."""
    output = output_name(command)
    if list((place / "temporary").iterdir()):
        return f"temporary files are left: {os.listdir(place / 'temporary')}"
    hidden = [path.name for path in place.iterdir() if path.name.startswith(".")]
    if hidden and not after_kill:
        return f"hidden files are left: {hidden}"
    if not (place / output).exists():
        return "the old output is gone"
    if (place / output).read_bytes() not in allowed:
        return f"an output of {(place / output).stat().st_size} bytes is neither the old one nor a right one"
    return None


def harm_full(bench, made, name, command, place):
    # The writes of a sort differ by some from run to run, as its threads do.
    n = made.randint(1, max(1, bench.count_writes(name)))
    process = bench.start(command, place, LD_PRELOAD=str(bench.library), ORDO_FAULT=f"write:{n}+:28")
    message, status = end_of(process)
    allowed = [bench.right[name][0] if status == 0 else OLD]
    return wrong_end(command[0], status, message) or wrong_files(place, command, allowed), status, message


def harm_kill(bench, made, name, command, place):
    process = bench.start(command, place)
    time.sleep(bench.moment(made, command))
    process.kill()
    message, status = end_of(process)
    right = bench.right[name][0]
    why = wrong_end(command[0], status, message, True) or wrong_files(place, command, [OLD, right], True)
    if not why:
        message, again = end_of(bench.start(command, place))
        why = f"the next run: status {again}" if again != 0 else wrong_files(place, command, [right])
    return why, status, message


def harm_two(bench, made, name, command, place):
    other = pathlib.Path(tempfile.mkdtemp(dir=place))
    for file, data in bench.inputs[command[0]][1].items():
        (other / file).write_bytes(data)
    of_other = [f"{other.name}/in" if word == "in" else word for word in command]
    processes = [bench.start(of_other if made.random() < 0.5 else command, place) for _ in range(made.randint(2, 3))]
    killed = made.random() < 0.5
    if killed:
        time.sleep(bench.moment(made, command))
        processes[0].kill()
    why = status = message = None
    for process in processes:
        message, status = end_of(process)
        why = why or wrong_end(command[0], status, message, killed and process is processes[0])
        if not why and status == 2 and process is not processes[0]:
            why = "an error beside another writer"
    return why or wrong_files(place, command, bench.right[name], killed), status, message


def harm_shrink(bench, made, name, command, place):
    process = bench.start(command, place)
    victims = [path for path in place.iterdir() if path.name.startswith("in") and path.stat().st_size > 0]
    time.sleep(bench.moment(made, command))
    victim = made.choice(victims)
    os.truncate(victim, made.randrange(victim.stat().st_size))
    message, status = end_of(process)
    # A file that was cut before it was opened is a shorter file: its sort may be any text, or be refused.
    why = wrong_end(command[0], status, message)
    if why or status == 0:
        left = os.listdir(place / "temporary")
        return why or (f"temporary files are left: {left}" if left else None), status, message
    return wrong_files(place, command, [OLD]), status, message


def harm_limit(bench, made, name, command, place):
    largest = max(len(bench.right[name][0]), 1)
    process = bench.start(["prlimit", f"--fsize={made.randint(1, largest)}", *command], place)
    message, status = end_of(process)
    allowed = [bench.right[name][0] if status == 0 else OLD]
    return wrong_end(command[0], status, message) or wrong_files(place, command, allowed), status, message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--tries", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="commands whose name contains this")
    options = parser.parse_args()
    made = random.Random(options.seed)
    rows = collections.defaultdict(lambda: [0, 0, 0])
    with tempfile.TemporaryDirectory() as folder:
        names = [name for name in COMMANDS if options.only in name]
        bench = Bench(options.tools.resolve(), options.library and options.library.resolve(), pathlib.Path(folder), names)
        harms = [harm for harm in HARMS if harm != "full" or bench.library]
        pairs = [(harm, name) for name in names for harm in harms]
        end = time.monotonic() + (options.seconds or 3600)
        done = 0
        while time.monotonic() < end and (options.tries is None or done < options.tries):
            if done % len(pairs) == 0:
                made.shuffle(pairs)
            harm, name = pairs[done % len(pairs)]
            done += 1
            command = COMMANDS[name]
            place = bench.place(command)
            why, status, message = globals()[f"harm_{harm}"](bench, made, name, command, place)
            row = rows[harm, name]
            row[0] += 1
            row[1] += status != 0
            if why:
                row[2] += 1
                print(f"FAILED: {harm}, {name}, try {done} of seed {options.seed}: {why}: {message[:300]!r}", file=sys.stderr,
                      flush=True)
            shutil.rmtree(place)
    print("harm\tcommand\ttries\terrors and kills\tfailures")
    for (harm, name), row in sorted(rows.items()):
        print(harm, name, *row, sep="\t")
    totals = [sum(row[k] for row in rows.values()) for k in range(3)]
    print("all", "", *totals, sep="\t")
    sys.exit(1 if totals[2] else 0)


if __name__ == "__main__":
    main()
