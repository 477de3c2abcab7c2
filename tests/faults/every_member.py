#!/usr/bin/env python3
"""every_member.py [--draws N] [--members 2-7] [--seed N] BIN: lets one process of an MPI job fail in a verb or in a callback.

Jobs of 2 to 7 processes sort, and run the libraries of lines, suffix arrays and spectra. A member that is drawn at random fails at
one of its chances, which is drawn, too; without --draws at each of the first 100, and then at every power of two. All processes of
the job have to end within two seconds after the message of that member, and mpirun with an error. Prints a line for each kind of
job. Exit status 1: some job failed to end so.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--draws", type=int)
parser.add_argument("--members", default="2-7")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("bin", type=pathlib.Path)
options = parser.parse_args()
program = options.bin / "ordo_distributed_test"
first, _, last = options.members.partition("-")
draw = random.Random(options.seed)


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in text.split()]


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def run(members, n, one, what):
    """Returns what is wrong, and the number of chances if the member has fewer."""
    job = subprocess.Popen(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(members), program, "fails", str(n), str(one), what],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    limit = threading.Timer(600, job.terminate)
    limit.start()
    try:
        for line in job.stderr:
            if line.strip() == f"member {one}: made up":
                break
        else:
            chances = job.stdout.read().split()
            return ("", int(chances[0])) if job.wait() == 3 and chances else (f"status {job.returncode} and no failure", None)
        end = time.monotonic() + 2
        processes = children(job.pid)
        while time.monotonic() < end and any(map(is_alive, processes)):
            time.sleep(0.02)
        late = [pid for pid in processes if is_alive(pid)]
        for pid in late:
            os.kill(pid, signal.SIGKILL)
        # All processes are gone: mpirun itself may stop for ever in PMIx_server_finalize.
        try:
            job.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            job.kill()
            job.communicate()
        if late:
            return f"{len(late)} processes go on", None
        return ("status 0" if job.returncode == 0 else ""), None
    finally:
        limit.cancel()


wrong = 0
print("job\tmembers\tchances\ttried\twrong")
for what in ("sorts", "libraries"):
    for members in range(int(first), int(last or first) + 1):
        message, chances = run(members, sys.maxsize, members - 1, what)
        if not chances:
            sys.exit(f"{what}, {members} members, none fails: {message}")
        numbers = [*range(1, min(chances, 100) + 1), *(1 << k for k in range(7, chances.bit_length()))]
        if options.draws is not None:
            numbers = [draw.randint(1, chances) for _ in range(options.draws)]
        failed = 0
        for n in numbers:
            one = draw.randrange(members)
            message, fewer = run(members, n, one, what)
            if message:
                failed += 1
                print(f"{what}, member {one} of {members}, chance {n}: {message}", file=sys.stderr)
        wrong += failed
        print(f"{what}\t{members}\t{chances}\t{len(numbers)}\t{failed}", flush=True)
sys.exit(wrong != 0)
