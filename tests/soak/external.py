#!/usr/bin/env python3
"""Sorts generated lines from a pipe into a pipe, far more than the memory, and checks order and content.

external.py BIN [GIGABYTES] [MEMORY]

Neither the input nor the output is ever on disk. Meanwhile the open files of strsort, which are its runs, and its memory are
measured. Prints them as a multiple of the input; the exit status is 1 if a line is lost, changed or out of order, if the runs
took more disk than the bound, or if a temporary file is left.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

# What docs/reference/strsort.md states: as much room as the input, and a block a run.
BOUND = 1.01


def disk_bytes(pid):
    """The blocks of the files that a process has open, with a name or without, each once."""
    blocks = {}
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            about = link.stat()
        except OSError:  # closed meanwhile
            continue
        blocks[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(blocks.values())


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def main():
    tools = pathlib.Path(sys.argv[1]).resolve()
    size = int(float(sys.argv[2] if len(sys.argv) > 2 else 200) * 1e9)
    memory = sys.argv[3] if len(sys.argv) > 3 else "1G"
    with tempfile.TemporaryDirectory() as folder:
        begin = time.time()
        made = subprocess.Popen([tools / "ordo_soak_lines", "write", str(size)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        sort = subprocess.Popen([tools / "strsort", "-S", memory, "--device=cpu", "-T", folder], stdin=made.stdout, stdout=subprocess.PIPE)
        made.stdout.close()
        check = subprocess.Popen([tools / "ordo_soak_lines", "check"], stdin=sort.stdout, stdout=subprocess.PIPE, text=True)
        sort.stdout.close()
        disk = resident = 0
        while sort.poll() is None:
            try:
                disk, resident = max(disk, disk_bytes(sort.pid)), max(resident, resident_bytes(sort.pid))
            except (OSError, IndexError):  # it has just ended
                pass
            time.sleep(0.2)
        expected, found = made.stderr.read().strip(), check.communicate()[0].strip()
        statuses = [process.wait() for process in (made, sort, check)]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        left = os.listdir(folder)
    print(f"lines, bytes, checksum: {expected} written, {found} read; statuses {statuses}")
    print(f"seconds: {time.time() - begin:.0f}; CPU seconds of all three: {used.ru_utime + used.ru_stime:.0f}; "
          f"memory {resident / 1e6:.0f} MB of {memory}; runs at most {disk / 1e9:.2f} GB, {disk / size:.3f} of the text")
    wrong = [why for why, is_so in {
        "a process failed": any(statuses), "the lines read are not those written": expected != found or not expected,
        "the runs take more than the text": disk > BOUND * size, f"temporary files are left: {left}": left}.items() if is_so]
    for why in wrong:
        print(f"external.py: {why}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
