#!/usr/bin/env python3
"""Kills the tools at random moments of their main jobs, and runs them within limits of the system, and checks what they leave.

every_moment.py BIN LIBRARY [--only TEXT] [--kills N] [--limits N] [--seed N]

The jobs are those of every_call.py. After a SIGKILL each file is the old one or the new one, whole; hidden names, which the next run
removes, may hold new ones; an index is valid. The next run succeeds and leaves its output only. Limits are those of `ulimit`
on the size of files, on address space, on open files and on the stack, N of each: a run ends as without a limit, or with
status 2 and one line. Prints a table; the exit status is 1 if a run failed.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from every_call import Bench, Job, complaint, content, is_index, jobs_of, without_report

LIMITS = {"fsize": (resource.RLIMIT_FSIZE, 1, 1 << 20), "address space": (resource.RLIMIT_AS, 20 << 20, 400 << 20),
          "open files": (resource.RLIMIT_NOFILE, 3, 24), "stack": (resource.RLIMIT_STACK, 1 << 17, 1 << 20)}


def is_hidden_new_file(name, data, right_files):
    """Whether a file is a new one under the hidden name that it has before it is put in its place, or the mark of an exchange."""
    part = re.fullmatch(r"\.(.+)\.(ordo\.tmp|[0-9a-f]{8})", name)
    if part is None:
        return False
    is_mark = part[1].endswith(".json") and (data == b"" or data.isdigit())
    return is_mark or data == right_files.get(part[1])


def wrong_after_kill(bench, job, right, result):
    """What is wrong with the files that a killed process left, or None."""
    _, _, _, files, temporary = result
    right_files = without_report(right[3])
    if temporary:
        return f"temporary files are left: {list(temporary)}"
    files = without_report(files)
    rest = {name: data for name, data in files.items() if not is_hidden_new_file(name, data, right_files)}
    whole = all(data in (job.files.get(name), right_files.get(name)) for name, data in rest.items())
    if not (whole and set(job.files) <= set(rest)) and not is_index(bench, job, right, files):
        return f"neither the old files nor the new ones: {sorted(files)}"
    # Where the output is the input, the next run sorts what is sorted.
    if job.files and job.files.keys() & set(job.command) and files != job.files:
        return None
    again = bench.run(Job("", job.command, files, job.stdin))
    if again[0] != 0 or without_report(again[3]) != right_files:
        return f"the next run: status {again[0]}, {sorted(again[3])}, {again[2]}"
    return None


def killed(bench, job, seconds):
    """Runs a job and kills it after so long."""
    def kill(process):
        time.sleep(seconds)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return bench.run(job, during=kill)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("preloaded", type=pathlib.Path)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--kills", type=int, default=250, help="of each job")
    parser.add_argument("--limits", type=int, default=25, help="of each kind and job")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failures = runs = stopped = refused = 0
    made = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.tools.resolve(), options.preloaded.resolve(), pathlib.Path(folder))
        jobs = jobs_of(bench)
        inputs = content(bench.inputs)
        print("job\tkills\tof a running process\tlimits\trefused\tfailures")

        def report(job, what, why, err):
            print(f"FAILED: {job.name}: {what}: {why}: {err[:300]!r}", file=sys.stderr, flush=True)

        for job in (job for job in jobs if options.only in job.name):
            seconds = 1.0
            for _ in range(3):
                begin = time.monotonic()
                right = bench.run(job)
                seconds = min(seconds, time.monotonic() - begin)
            wrong = alive = within = clean = 0
            for _ in range(options.kills):
                moment = made.uniform(0, seconds)
                result = killed(bench, job, moment)
                alive += result[0] == -signal.SIGKILL
                if why := wrong_after_kill(bench, job, right, result):
                    wrong += 1
                    report(job, f"a SIGKILL after {moment:.4f} s", why, result[2])
            for name, (limit, low, high) in LIMITS.items():
                for _ in range(options.limits):
                    value = round(low * (high / low) ** made.random())
                    result = bench.run(job, limit=(limit, value))
                    if result[0] != 0 and bench.run(Job("", [job.command[0], "--version"]), limit=(limit, value))[0] != 0:
                        continue  # not enough to load the program
                    within += 1
                    clean += result[0] == 2
                    if why := complaint(bench, job, right, result):
                        wrong += 1
                        report(job, f"{name} {value}", why, result[2])
            print(job.name, options.kills, alive, within, clean, wrong, sep="\t", flush=True)
            runs += options.kills + within
            stopped += alive
            refused += clean
            failures += wrong
            if content(bench.inputs) != inputs:
                sys.exit(f"{job.name}: the inputs are not what they were")
    print("all", "", stopped, runs, refused, failures, sep="\t")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
