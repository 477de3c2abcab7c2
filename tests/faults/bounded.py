#!/usr/bin/env python3
"""Runs the tools within 256 MB, on commands, on data that expands and on files that declare impossible sizes.

bounded.py BIN [--limit BYTES] [--only TEXT] [--small]

The limit is that of a control group of its own, which answers with SIGKILL, or, where none can be made, of RLIMIT_DATA. A
run has to end with status 0, 1 or 2, and with status 2 by one line on standard error and without an output. A peak of resident
memory above the limit is a failure, and so is one above the memory that an option states. Runs:
  commands   those of tests/reference/commands.txt
  expands    one line, record, spectrum or document that goes on for ever, and many small ones, in each compression
  declares   files of a few bytes that declare sizes which nothing can hold, and options that do
Prints a table of runs, clean errors, the largest peak in MB and failures; the exit status is 1 if there is one. --small: a
selection for the test suite.
"""
import argparse
import base64
import bz2
import gzip
import lzma
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ENOUGH_SECONDS = 300
HEAD = 48 << 20  # of memory beside what an option states: the program, its libraries and its threads
GROUPS = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")]


class Group:
    """A control group of version 1 or 2, if the user can make one."""

    def __init__(self, limit):
        self.path = None
        for root, name in GROUPS:
            place = pathlib.Path(root) / f"ordo-bounded-{os.getpid()}"
            try:
                place.mkdir()
            except OSError:
                continue
            try:
                (place / name).write_text(str(limit))
                self.path = place
                return
            except OSError:
                place.rmdir()

    def enter(self):
        if self.path:
            (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        if self.path:
            self.path.rmdir()


class Runner:
    def __init__(self, tools, folder, limit):
        self.tools, self.folder, self.limit = tools, folder, limit
        self.group = Group(limit)
        self.environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "ORDO_DEVICE": "cpu", "LC_ALL": "C",
                                         "TMPDIR": str(folder / "temporary")}
        (folder / "temporary").mkdir()
        self.rows = {}

    def bound(self):
        self.group.enter()
        if not self.group.path:
            resource.setrlimit(resource.RLIMIT_DATA, (self.limit, self.limit))

    def run(self, kind, command, *, stdin=None, at_most=None, outputs=("made",), may_fail=True, must_fail=False, shell=False):
        """Runs a command, and notes what is wrong.

        stdin: a command that makes it. at_most: bytes of resident memory.
        """
        row = self.rows.setdefault(kind, [0, 0, 0, 0])
        feeder = None
        if stdin:
            feeder = subprocess.Popen(["bash", "-c", stdin], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      env=self.environment)
        out = open(self.folder / ".out", "wb")
        err = open(self.folder / ".err", "wb")
        words = ["bash", "-c", "set -o pipefail; " + command] if shell else command
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, preexec_fn=self.bound,
                                   stdin=feeder.stdout if feeder else subprocess.DEVNULL, stdout=out, stderr=err)
        if feeder:
            feeder.stdout.close()
        watch = threading.Timer(ENOUGH_SECONDS, process.kill)
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        late = not watch.is_alive()
        watch.cancel()
        process.returncode = status = os.waitstatus_to_exitcode(status)
        if feeder:
            feeder.kill()
            feeder.wait()
        peak = used.ru_maxrss * 1024
        text = (self.folder / ".err").read_text(errors="replace")
        lines = [line for line in text.splitlines() if ": warning: " not in line]
        why = None
        if status not in (0, 1, 2) and not (shell and status == 128 + signal.SIGPIPE):
            why = f"no end in {ENOUGH_SECONDS} s" if late else f"status {status}"
        elif peak > (at_most or self.limit):
            why = f"a peak of {peak / 1e6:.0f} MB"
        elif status == 2 and not may_fail:
            why = "an error"
        elif status != 2 and must_fail:
            why = f"no error: status {status}"
        elif status == 2 and not shell and (len(lines) != 1 or any((self.folder / name).exists() for name in outputs)):
            why = "not one line, or an output"
        elif any((self.folder / "temporary").iterdir()):
            why = "temporary files are left"
        for name in outputs:
            (self.folder / name).unlink(missing_ok=True)
        row[0] += 1
        row[1] += status == 2
        row[2] = max(row[2], peak)
        if why:
            row[3] += 1
            print(f"FAILED: {kind}: {command if shell else ' '.join(map(str, command))}"
                  f"{' < ' + stdin if stdin else ''}: {why}: {text[-300:]!r}", file=sys.stderr, flush=True)


def commands(runner):
    (runner.folder / "datasets").symlink_to(SOURCE / "datasets")
    for line in (SOURCE / "tests/reference/commands.txt").read_text().splitlines():
        if line.strip():
            runner.run("commands", line, shell=True, outputs=())


# How to pack a stream, of each compression that is recognised.
PACK = {"gz": "gzip -1", "bgz": "bgzip -l 1", "bz2": "bzip2 -1", "xz": "xz -0", "zst": "zstd -q -1"}


def endless(head, body="a", megabytes=400):
    """A command that prints a head and then one byte again and again."""
    return f"{{ printf %s {shlex.quote(head)}; head -c {megabytes}000000 /dev/zero | tr '\\0' {body}; }}"


def repeated(lines, megabytes):
    return f"{{ yes {shlex.quote(lines)} | head -c {megabytes}000000; }}"


def expands(runner, small):
    packed = runner.folder / "packed"

    def pack(command, name):
        subprocess.run(["bash", "-c", f"{command} | {PACK[name]} > packed"], cwd=runner.folder, check=True, stderr=subprocess.DEVNULL)

    mgf_head, msp_head = "BEGIN IONS\nTITLE=a\nPEPMASS=500\n1", "Name: a\nNum Peaks: 9\n1 2"
    for name in (["bgz", "zst"] if small else PACK):
        pack(endless(""), name)
        for options in ([["-S", "64M"]] if small else
                        [["-S", "64M"], ["-u"], ["-c"], ["-m"], ["--count"], ["--by-count"], ["--head=1"], ["--csv"], ["-k", "1,1n"]]):
            runner.run(f"one line in .{name}", ["strsort", *options, "packed", "-o", "made"] if "-c" not in options else
                       ["strsort", "-c", "packed"])
        for head, command in ((mgf_head, ["specsort", "packed", "-o", "made"]), (mgf_head, ["specsort", "--summary", "packed"]),
                              (msp_head, ["specsort", "packed", "-o", "made"]), ("<mzML ", ["specsort", "packed", "-o", "made"]),
                              (">", ["sufsort", "build", "packed", "-o", "made"]), (">a\n", ["sufsort", "build", "packed", "-o", "made"]),
                              ("@a\nA", ["sufsort", "build", "packed", "-o", "made"]),
                              ('{"text": "', ["sufsort", "build", "--format=jsonl", "--field=text", "packed", "-o", "made"]),
                              ("", ["sufsort", "build", "--format=lines", "packed", "-o", "made"]))[: 1 if small else None]:
            pack(endless(head, "1" if "IONS" in head else "A"), name)
            runner.run(f"one record in .{name}", command, outputs=("made", "made.json", "made.seq", "made.sa"))
        if small:
            continue
        pack(repeated("banana\napple", 100), name)
        for size, at_most in (("32M", (32 << 20) + HEAD), ("64M", (64 << 20) + HEAD)):
            runner.run(f"many in .{name}", ["strsort", "-S", size, "packed", "-o", "made"], at_most=at_most, may_fail=False)
        runner.run(f"many in .{name}", ["strsort", "-c", "packed"], at_most=128 << 20, may_fail=False)
        spectrum = "BEGIN IONS\nPEPMASS=500\n300.5 1\n100.25 20\nEND IONS\n"
        pack(f"{{ yes {shlex.quote(spectrum)} | head -n 18000000; }}", name)
        runner.run(f"many in .{name}", ["specsort", "packed", "-o", "made"], may_fail=False)
        runner.run(f"many in .{name}", ["specsort", "packed", "--spectra-by", "pepmass", "--memory", "32M", "-o", "made"], may_fail=False)
    packed.unlink()


MZML = ('<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0"><softwareList count="1"><software id="s" version="1"/></softwareList>'
        '<run id="r"><spectrumList count="{count}" defaultDataProcessingRef="d"><spectrum index="0" id="scan=1" '
        'defaultArrayLength="{length}"><cvParam accession="MS:1000511" value="2"/><binaryDataArrayList count="2">{arrays}'
        '</binaryDataArrayList></spectrum></spectrumList></run></mzML>')
ARRAY = ('<binaryDataArray encodedLength="{encoded}"><cvParam accession="MS:1000523"/><cvParam accession="{how}"/><cvParam accession="{kind}"/>'
         '<binary>{data}</binary></binaryDataArray>')


def mzml(data, length, how="MS:1000576", encoded=0, count=1):
    arrays = "".join(ARRAY.format(encoded=encoded, how=how, kind=kind, data=data) for kind in ("MS:1000514", "MS:1000515"))
    return MZML.format(count=count, length=length, arrays=arrays).encode()


def bomb(size):
    """zlib data of that many zeros."""
    packer, parts = zlib.compressobj(9), []
    for _ in range(size >> 20):
        parts.append(packer.compress(bytes(1 << 20)))
    return b"".join(parts) + packer.flush()


def declared_files():
    """Names, contents and commands."""
    huge = 10**12
    eight = base64.b64encode(struct.pack("<d", 1.5)).decode()
    spectra = ["specsort", "FILE", "-o", "made"]
    ordered = ["specsort", "FILE", "--spectra-by", "pepmass", "-o", "made"]
    yield "length.mzML", mzml(eight, huge), spectra
    yield "length.mzML", mzml(eight, 2**64 - 1), spectra
    yield "count.mzML", mzml(eight, 1, count=10**18), spectra
    yield "encoded.mzML", mzml(eight, 1, encoded=10**18), spectra
    many = base64.b64encode(bomb(512 << 20)).decode()
    for command in (spectra, ordered, ["specsort", "FILE", "--to", "mgf", "-o", "made"], ["specsort", "--summary", "FILE"],
                    ["specsort", "--check", "FILE"]):
        yield "bomb.mzML", mzml(many, (512 << 20) // 8, "MS:1000574"), command
        yield "bomb_of_few.mzML", mzml(many, 1, "MS:1000574"), command
    for how in ("MS:1002312", "MS:1002313", "MS:1002314", "MS:1002746", "MS:1002747", "MS:1002748"):
        numpress = struct.pack(">d", 1e5) + bytes(64)
        packed = zlib.compress(numpress) if how > "MS:1002400" else numpress
        yield "numpress.mzML", mzml(base64.b64encode(packed).decode(), huge, how), spectra
    nested = b"<mzML>" + b"<a>" * 3000000
    yield "nested.mzML", nested, spectra
    entities = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(12))
    yield "laughs.mzML", f'<?xml version="1.0"?><!DOCTYPE mzML [<!ENTITY e0 "ha">{entities}]><mzML>&e12;</mzML>'.encode(), spectra
    mzxml = ('<mzXML><msRun scanCount="{c}"><scan num="1" msLevel="2" peaksCount="{c}"><precursorMz>5</precursorMz><peaks precision="32" '
             'byteOrder="network" compressionType="{k}" compressedLen="{c}" contentType="m/z-int">{d}</peaks></scan></msRun></mzXML>')
    yield "count.mzXML", mzxml.format(c=huge, k="none", d=eight).encode(), spectra
    yield "bomb.mzXML", mzxml.format(c=huge, k="zlib", d=many).encode(), spectra
    yield "peaks.msp", b"Name: a\nPrecursorMZ: 5\nNum Peaks: 999999999999999\n1 2\n", spectra
    yield "peaks.msp", b"Name: a\nNum Peaks: 18446744073709551615\n1 2\n", spectra
    tokens = ["sufsort", "build", "FILE", "-o", "made"]
    for shape, major in (("(1000000000000,)", 1), ("(18446744073709551615,)", 1), ("(1000000000000,)", 2)):
        text = f"{{'descr': '<u2', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        yield "shape.npy", b"\x93NUMPY" + bytes([major, 0]) + struct.pack("<H" if major == 1 else "<I", len(text)) + text + b"ab", tokens
    yield "head.npy", b"\x93NUMPY\2\0" + struct.pack("<I", 2**32 - 1) + b"{'descr'", tokens
    for name, front in (("deep.jsonl", b'{"text": ' + b"[" * 5000000), ("deep.jsonl", b'{"a": ' * 1000000)):
        yield name, front, ["sufsort", "build", "--format=jsonl", "--field=text", "FILE", "-o", "made"]
    # Compressions: windows, dictionaries and sizes that a header declares.
    lines = ["strsort", "FILE", "-o", "made"]
    raw_block = struct.pack("<I", 1 | 2 << 3)[:3] + b"b\n"
    for window in (0x50, 0x88, 0xa8, 0xf8):  # 1 MB, 128 MB, 2 GB, 3.75 TB
        yield "window.zst", b"\x28\xb5\x2f\xfd\0" + bytes([window]) + raw_block, lines
    yield "content.zst", b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 10**15) + raw_block, lines
    yield "skip.zst", b"\x50\x2a\x4d\x18" + struct.pack("<I", 2**32 - 1) + b"ab", lines
    stream = bytearray(lzma.compress(b"b\na\n", preset=0))
    for size in (30, 36, 40):  # of the dictionary: 128 MB, 1 GB, 4 GB
        block = bytearray(stream[12:24])
        at = block.index(0x21) + 2
        block[at] = size
        block[8:12] = struct.pack("<I", zlib.crc32(bytes(block[:8])))
        yield "dictionary.xz", bytes(stream[:12] + block + stream[24:]), lines
    block = gzip.compress(b"b\na\n")
    yield "isize.gz", block[:-4] + struct.pack("<I", 2**32 - 1), lines
    yield "extra.gz", b"\x1f\x8b\x08\x04" + bytes(6) + struct.pack("<H", 65535) + b"ab", lines
    yield "name.gz", b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 5000000, lines
    yield "block.bgz", b"\x1f\x8b\x08\x04" + bytes(4) + b"\0\xff\6\0BC\2\0\xff\xff" + bytes(20), lines
    yield "level.bz2", b"BZh9" + bytes.fromhex("314159265359") + bytes(4) + b"\xff" * 500, lines
    # Options.
    for options in (["-S", "1E"], ["-k", "99999999999999999999.99999999999999999999"], ["--batch-size=1000000000"],
                    ["--parallel=1000000"], ["--head=18446744073709551615"], ["--distinct-estimate"]):
        yield "few", b"b\na\n", ["strsort", *options, "FILE"]
    mgf = b"BEGIN IONS\nPEPMASS=5\n2 1\n1 2\nEND IONS\n"
    for options in (["--memory", "1E"], ["--split-count", "1000000000"], ["--split-size", "1"], ["--top", "18446744073709551615"]):
        yield "few.mgf", mgf, ["specsort", "--spectra-by", "pepmass", *options, "FILE", "-o", "made.mgf"]
    for options in (["--kmer-table", "31", "--force-kmer-table"], ["--kmer-table", "14", "--force-kmer-table"], ["--sample", str(2**63)],
                    ["--fm", "--fm-sample", str(2**40)]):
        yield "few.fa", b">a\nGATTACA\n", ["sufsort", "build", *options, "FILE", "-o", "made"]


def damaged_indexes(runner, small):
    """Changes numbers in the files of an index, one after the other, to values of any size."""
    folder = runner.folder
    (folder / "x.fa").write_text(">a\nGATTACAGATTACANNACGT\n>b\nCCGATTACA\n")
    (folder / "lines.txt").write_text("the same line\n" * 3 + "another one\n")
    build = lambda *words: subprocess.run([runner.tools / "sufsort", "build", "-q", *words], cwd=folder, check=True)
    build("x.fa", "-o", "right", "--lcp", "--fm", "--kmer-table", "2", "--force-kmer-table", "--strands=both", "--ambiguous=break")
    build("lines.txt", "--format=lines", "-o", "text", "--lcp")
    searches = [["sufsort", "check", "x"], ["sufsort", "locate", "x", "GATTACA"], ["sufsort", "mem", "x", "x.fa", "-l", "4"],
                ["sufsort", "mem", "x", "x.fa", "-l", "4", "--fm"], ["sufsort", "repeats", "x", "-l", "3"], ["sufsort", "info", "x"],
                ["sufsort", "unique", "x", "--length", "9"], ["sufsort", "kmers", "x", "--length", "3"]]
    values = [2**31, 2**62] if small else [0xFFFFFFFF, 2**40, 2**63]
    numbers = 3 if small else 12
    for prefix, commands in (("right", searches), ("text", [["sufsort", "duplicates", "x", "-l", "5"], ["sufsort", "check", "x"]])):
        files = {path.name: path.read_bytes() for path in folder.glob(f"{prefix}.*")}
        def trial(changed):
            for name, data in (files | changed).items():
                (folder / name.replace(prefix, "x", 1)).write_bytes(data)
            for command in commands if not small else commands[:2]:
                runner.run("indexes", command, outputs=())

        json = files[f"{prefix}.json"]
        places = [found.span() for found in re.finditer(rb"(?<=: )[0-9]+", json)]
        for begin, end in places[:: len(places) // numbers + 1]:
            for value in values:
                trial({f"{prefix}.json": json[:begin] + str(value).encode() + json[end:]})
        for name, data in files.items():
            if name.endswith(".json"):
                continue
            for at in range(0, max(len(data) - 8, 1), max(8, len(data) // numbers // 8 * 8)):
                for value in values:
                    trial({name: data[:at] + struct.pack("<Q", value) + data[at + 8:]})
        for path in folder.glob("x.*"):
            if path.name != "x.fa":
                path.unlink()


SMALL = {"length.mzML", "nested.mzML", "numpress.mzML", "count.mzXML", "peaks.msp", "shape.npy", "deep.jsonl", "window.zst",
         "dictionary.xz", "isize.gz", "few.mgf"}


def declares(runner, small):
    last = None
    for name, content, command in declared_files():
        if small and name not in SMALL:
            continue
        if content is not last:
            (runner.folder / name).write_bytes(content)
            last = content
        outputs = ["made", "made.mgf", *(f"made.{end}" for end in ("json", "seq", "sa", "lcp", "bwt", "kmers", "fm", "starts", "pieces"))]
        kind = f"declares: {name.rpartition('.')[2]}"
        runner.run(kind, [name if word == "FILE" else word for word in command], outputs=outputs)
    damaged_indexes(runner, small)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=256 << 20)
    parser.add_argument("--only", default="", help="one of the three")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    runner = Runner(options.tools.resolve(), folder, options.limit)
    try:
        if options.only in ("", "commands"):
            commands(runner)
        if options.only in ("", "expands"):
            expands(runner, options.small)
        if options.only in ("", "declares"):
            declares(runner, options.small)
    finally:
        runner.group.close()
        shutil.rmtree(folder)
    print("kind\truns\tclean errors\tpeak, MB\tfailures")
    totals = [0, 0, 0, 0]
    for kind, (runs, errors, peak, failures) in runner.rows.items():
        print(kind, runs, errors, round(peak / 1e6), failures, sep="\t")
        totals = [totals[0] + runs, totals[1] + errors, max(totals[2], peak), totals[3] + failures]
    print("all", totals[0], totals[1], round(totals[2] / 1e6), totals[3], sep="\t")
    sys.exit(1 if totals[3] else 0)


if __name__ == "__main__":
    main()
