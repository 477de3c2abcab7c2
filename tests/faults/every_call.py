#!/usr/bin/env python3
"""Fails one call of the C library after another in the tools' main jobs, and checks how the tools end.

every_call.py BIN LIBRARY [--only TEXT] [--kinds KIND,...] [--every N] [--runs N] [--parallel N] [--table FILE]

LIBRARY is built from fail_calls.cpp. Each job runs once for each call of each kind: malloc() and its relatives, mmap(), read(),
write(), and so on. That call fails, and in further runs every call from it on. Each run has to end within a minute, without a signal,
either as it does without a fault, with the same bytes, or with status 2 and one line on standard error. Its output is whole or
absent, files that were there keep their content, and no temporary file is left. Prints a table of calls and runs; the exit
status is 1 if a run failed. With --table the table goes on in FILE: a run that was stopped begins again after its last job.
"""
import argparse
import collections
import concurrent.futures
import errno
import gzip
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

KINDS = ["memory", "map", "read", "write", "space", "sync", "name", "attribute", "open", "close", "status", "thread", "process"]
# The faults of each kind: an errno, "+" for all calls from the n-th on, or transfers of some of the bytes.
FAULTS = {
    "memory": [":ENOMEM", "+:ENOMEM"], "map": [":ENOMEM", "+:ENOMEM"], "read": [":EIO", ":EINTR", ":short"],
    "write": [":ENOSPC", "+:ENOSPC", ":EIO", ":short"], "space": [":ENOSPC", "+:EOPNOTSUPP"], "sync": [":EIO"],
    "name": [":EIO", ":EPERM", "+:EPERM"], "attribute": [":EPERM"], "open": [":EMFILE", "+:EMFILE", ":EACCES"],
    "close": [":EIO"], "status": [":EIO", "+:EACCES"], "thread": [":EAGAIN", "+:EAGAIN"], "process": [":EMFILE"],
}
ENOUGH_SECONDS = 60
# Where a build by the preset `coverage` counts what ran. It needs no other variable of the caller.
COUNTS = {name: os.environ[name] for name in ("LLVM_PROFILE_FILE",) if name in os.environ}
LIMIT_NAMES = {resource.RLIMIT_FSIZE: "fsize", resource.RLIMIT_AS: "as", resource.RLIMIT_NOFILE: "nofile",
               resource.RLIMIT_STACK: "stack"}


class Job:
    """A command, run in a folder that holds copies of `files` only; IN/ is the folder of inputs, which no command changes.

    several: the output is several files, which appear one after the other, each of them whole.
    """

    def __init__(self, name, command, files=(), stdin=None, several=False):
        self.name, self.command, self.files, self.stdin, self.several = name, command, dict(files), stdin, several


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def without_report(files):
    """Reports hold times, so their bytes differ from run to run."""
    return {name: data for name, data in files.items() if name != "report.json"}


class Bench:
    device = "cpu"

    def __init__(self, tools, preloaded, folder):
        self.tools, self.preloaded, self.folder = tools, preloaded, folder
        self.inputs = folder / "inputs"
        self.inputs.mkdir()

    def in_front(self):
        """The variables that put the library in front."""
        return {"LD_PRELOAD": str(self.preloaded)}

    def run(self, job, fault=None, calls=None, limit=None, during=None):
        """Runs a job in a folder of its own. @returns status, stdout, stderr, the files that are there at the end, the temporary ones

        limit: of setrlimit(), and its value. during: called with the process while it runs.
        """
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        work, temporary = place / "work", place / "temporary"
        work.mkdir()
        temporary.mkdir()
        for name, data in job.files.items():
            (work / name).write_bytes(data)
        environment = {"PATH": f"{self.tools}:/usr/bin:/bin", "TMPDIR": str(temporary), "ORDO_DEVICE": self.device, "LC_ALL": "C",
                       **COUNTS}
        if fault or calls:
            environment |= self.in_front()
        if fault:
            environment["ORDO_FAULT"] = fault
        if calls:
            environment["ORDO_CALLS"] = str(calls)
        command = [word.replace("IN/", f"{self.inputs}/") for word in job.command]
        if limit:
            command = ["prlimit", f"--{LIMIT_NAMES[limit[0]]}={limit[1]}", *command]
        stdin = open(self.inputs / job.stdin, "rb") if job.stdin else subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=work, env=environment, stdin=stdin, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=during is not None)
        try:
            if during:
                during(process)
            out, err = process.communicate(timeout=ENOUGH_SECONDS)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            status = "no end"
        finally:
            if job.stdin:
                stdin.close()
        err = err.decode(errors="replace")
        left = content(work), content(temporary)
        shutil.rmtree(place)
        return status, out, err, *left


def is_index(bench, job, right, files):
    """An index whose new files have names of their own at first is valid, and the next command of that name completes it."""
    if job.command[0] != "sufsort" or "y.json" not in files:
        return False
    check = bench.run(Job("", ["sufsort", "check", "y"], files))
    return check[0] == 0 and without_report(bench.run(Job("", job.command, files))[3]) == without_report(right[3])


def complaint(bench, job, right, result):
    """What is wrong with a result, or None."""
    status, out, err, files, temporary = result
    right_status, right_out, _, right_files, _ = right
    if temporary:
        return f"temporary files are left: {list(temporary)}"
    if status not in (2, right_status):
        return f"status {status}"
    if status == right_status:
        if out != right_out:
            return "other bytes on standard output"
        if without_report(files) != without_report(right_files):
            return f"other files: {sorted(files)}"
        return None
    lines = err.splitlines()
    tool = job.command[0]
    # Warnings may come first.
    if not lines or not lines[-1].startswith(f"{tool}: ") or any(not line.startswith(f"{tool}: warning: ") for line in lines[:-1]):
        return "not one line on standard error"
    if not right_out.startswith(out):
        return "other bytes on standard output"
    if job.several and all(data in (job.files.get(name), right_files.get(name)) for name, data in files.items()):
        return None if set(job.files) <= set(files) else "an old file is gone"
    if without_report(files) not in (job.files, without_report(right_files)) and not is_index(bench, job, right, files):
        changed = [name for name in sorted(set(files) | set(job.files)) if files.get(name) != job.files.get(name)]
        return f"neither the old files nor the new ones: {changed}"
    return None


def mgf(spectra):
    made = random.Random(1)
    return "".join(
        f"BEGIN IONS\nTITLE=s{k}\nPEPMASS={made.uniform(300, 900):.4f}\nCHARGE=2+\nRTINSECONDS={k * 7 % 100}\n"
        + "".join(f"{made.uniform(100, 2000):.4f} {made.randint(0, 9999)}\n" for _ in range(12)) + "END IONS\n\n"
        for k in range(spectra)).encode()


def jobs_of(bench):
    """Writes the inputs, and returns the jobs."""
    made = random.Random(7)
    write = lambda name, data: (bench.inputs / name).write_bytes(data)

    def tool(*words):
        done = subprocess.run([str(bench.tools / words[0]), *words[1:]], cwd=bench.inputs, capture_output=True)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: {done.stderr.decode()}")

    fasta = "".join(f">r{k} words\n" + "".join(made.choice("ACGTN") for _ in range(300)) + "\n" for k in range(5)).encode()
    write("a.fa", fasta)
    write("b.fa", b">x\nGATTACA\nGATTACA\n>y\n" + fasta[200:260].replace(b"\n", b"").replace(b">", b"") + b"\n")
    write("a.fa.gz", gzip.compress(fasta))
    write("patterns", b"GAT\nACGT\nNN\n\n"[:-1])
    write("text.jsonl", b"".join(b'{"text": "the same line of words, %d"}\n' % (k % 7) for k in range(40)))
    write("tokens", struct.pack("<600H", *(made.randint(0, 40) for _ in range(600))))
    lines = "".join(f"{made.randint(0, 999)} {''.join(made.choice('abcXYZ.,') for _ in range(made.randint(0, 30)))}\n" for _ in range(400)).encode()
    write("lines", lines)
    ordered = b"".join(sorted(lines.splitlines(True)))
    write("sorted", ordered)
    many = b"".join(b"%d\n" % made.randint(0, 10**9) for _ in range(150000))
    write("many", many)
    for name, compress in (("gz", gzip.compress), ("zst", None), ("bz2", None), ("xz", None)):
        data = compress(lines) if compress else subprocess.run(
            {"zst": ["zstd", "-q", "-c"], "bz2": ["bzip2"], "xz": ["xz"]}[name], input=lines, capture_output=True, check=True).stdout
        write(f"lines.{name}", data)
    write("a.mgf", mgf(30))
    write("b.mgf", mgf(5))
    samples = pathlib.Path(__file__).resolve().parents[2] / "datasets" / "samples"
    write("a.mzML", gzip.decompress((samples / "openms_ecoli_25.mzML.gz").read_bytes()))
    tool("sufsort", "build", "-q", "a.fa", "-o", "index", "--lcp", "--bwt", "--kmer-table", "3", "--force-kmer-table")
    tool("sufsort", "build", "-q", "a.fa", "-o", "fm", "--fm", "--without-sa")
    tool("sufsort", "build", "-q", "b.fa", "-o", "other", "--lcp", "--bwt")
    tool("sufsort", "build", "-q", str(bench.inputs / "text.jsonl"), "-o", "corpus", "--lcp")
    # Copies whose minimizers and marks do not fit into 64 KiB.
    chance = random.Random(3)
    long_lines = []
    for _ in range(700):
        repeated = chance.choice(long_lines)[50:130] if long_lines else ""
        long_lines.append("".join(chance.choice("abcdefgh ") for _ in range(200)) + repeated)
    (bench.inputs / "large.txt").write_text("\n".join(long_lines))
    tool("sufsort", "build", "-q", str(bench.inputs / "large.txt"), "-o", "large", "--format", "lines", "--text-only")
    (bench.inputs / "bad.jsonl").write_text('{"text":"a"}\nno JSON\n{"text":"b"}\n')
    old = {"old": b"old content\n"}
    old_index = {"y" + path.name[len("other"):]: path.read_bytes() for path in bench.inputs.glob("other.*")}
    tool("sufsort", "build", "-q", "b.fa", "-o", "divided", "--split-output", "4")
    old_parts = {"y" + path.name[len("divided"):]: path.read_bytes() for path in bench.inputs.glob("divided.*")}
    two = ["--threads", "2"]
    jobs = [
        Job("build", ["sufsort", "build", "IN/a.fa", "-o", "y", "--lcp", "--bwt", *two]),
        Job("build over an index", ["sufsort", "build", "IN/a.fa.gz", "-o", "y", "--kmer-table", "2", "--force-kmer-table", *two],
            old_index),
        Job("build in parts", ["sufsort", "build", "IN/a.fa", "-o", "y", "--split-output", "3", *two], old_index),
        Job("build in fewer parts", ["sufsort", "build", "IN/a.fa", "-o", "y", "--split-output", "2", "--lcp", *two],
            old_parts),
        Job("build over parts", ["sufsort", "build", "IN/a.fa", "-o", "y", *two], old_parts),
        Job("locate in parts", ["sufsort", "locate", "IN/divided", "GAT", "NN", *two]),
        Job("build an FM index", ["sufsort", "build", "IN/a.fa", "-o", "y", "--fm", "--strands", "both", "--ambiguous", "break", *two]),
        Job("build of JSONL", ["sufsort", "build", "IN/text.jsonl", "-o", "y", "--lcp", *two]),
        Job("build of tokens", ["sufsort", "build", "IN/tokens", "--format", "u16", "-o", "y", *two]),
        Job("merge", ["sufsort", "merge", "IN/index", "IN/other", "-o", "y", *two]),
        Job("check", ["sufsort", "check", "IN/index", *two]),
        Job("count", ["sufsort", "count", "IN/index", "GAT", "ACGT", *two]),
        Job("locate", ["sufsort", "locate", "IN/index", "-f", "IN/patterns", *two]),
        Job("locate in an FM index", ["sufsort", "locate", "IN/fm", "GAT", "NN", *two]),
        Job("mem", ["sufsort", "mem", "IN/index", "IN/b.fa", "-o", "old", *two], old),
        Job("repeats", ["sufsort", "repeats", "IN/index", "-l", "4", "-o", "old", *two], old),
        Job("unique", ["sufsort", "unique", "IN/index", "--length", "5", "-o", "old", *two], old),
        Job("duplicates", ["sufsort", "duplicates", "IN/corpus", "-l", "10", "--report", "page", *two]),
        Job("text without duplicates", ["sufsort", "duplicates", "IN/corpus", "-l", "10", "--format", "text", "-o", "old", *two], old),
        Job("duplicates on disk", ["sufsort", "duplicates", "IN/large", "-l", "40", "--memory", "64K", "-o", "old", *two], old),
        Job("text with bad lines", ["sufsort", "build", "IN/bad.jsonl", "-o", "y", "--text-only", "--bad-lines", "bad.tsv", *two],
            several=True),
        Job("kmers", ["sufsort", "kmers", "y", "--length", "2", "--force-kmer-table", *two], old_index),
        Job("export", ["sufsort", "export", "IN/index", "--format", "sdsl", "-o", "y.sdsl", *two]),
        Job("bwa's index", ["sufsort", "aligner-index", "IN/b.fa", "--for", "bwa", "-o", "y", *two], several=True),
        Job("MGF", ["specsort", "IN/a.mgf", "-o", "old", *two], old),
        Job("MGF to standard output", ["specsort", "-", "--top", "5", *two], stdin="a.mgf"),
        Job("MGF in order", ["specsort", "IN/a.mgf", "IN/b.mgf", "--spectra-by", "pepmass", "--map", "map", "-o", "old", *two], old,
            several=True),
        Job("MGF in order by disk", ["specsort", "IN/a.mgf", "--spectra-by", "title", "--memory", "1K", "-o", "old", *two], old),
        Job("MGF in parts", ["specsort", "IN/a.mgf", "--split-count", "3", "-o", "part.mgf", *two], several=True),
        Job("MGF in place", ["specsort", "old", "-o", "old", *two], {"old": mgf(9)}),
        Job("mzML", ["specsort", "IN/a.mzML", "-o", "old", *two], old),
        Job("mzML in order", ["specsort", "IN/a.mzML", "--spectra-by", "rt", "-o", "y.mzML.gz", *two]),
        Job("mzML to MGF", ["specsort", "IN/a.mzML", "--top", "9", "-o", "y.mgf.gz", *two]),
        Job("summary", ["specsort", "--summary", "IN/a.mzML", *two]),
        Job("lines", ["strsort", "IN/lines", "-o", "old", *two], old),
        Job("lines to standard output", ["strsort", "-", *two], stdin="lines"),
        Job("keys", ["strsort", "-k", "2,2f", "-k", "1n", "-u", "IN/lines", "-o", "old", "--stats", "report.json", *two], old),
        Job("lines in place", ["strsort", "old", "-o", "old", *two], {"old": lines}),
        Job("external", ["strsort", "-S", "1M", "IN/many", "-o", "old", *two], old),
        Job("external, with a program", ["strsort", "-S", "1M", "--compress-program", "gzip", "IN/many", "-o", "old", *two], old),
        Job("merge of lines", ["strsort", "-m", "IN/sorted", "IN/sorted", "-o", "old", *two], old),
        Job("check of lines", ["strsort", "-c", "IN/sorted", *two]),
        Job("counts", ["strsort", "--by-count", "IN/lines", "-o", "old", *two], old),
        Job("by locale", ["strsort", "--locale=C.UTF-8", "IN/lines", "-o", "old", *two], old),
    ]
    for name in ("gz", "zst", "bz2", "xz"):
        jobs.append(Job(f"lines of .{name}", ["strsort", f"IN/lines.{name}", "-o", f"y.{name}", *two]))
    return jobs


def finished_of(table):
    """The jobs and kinds that need not run again."""
    rows = (line.split("\t") for line in table.read_text().splitlines()[1:])
    return {(row[0], row[1]) for row in rows if row[-1] == "0"}


def main(description=__doc__, bench_of=Bench, kinds=KINDS, faults_of=FAULTS):
    """For every_cuda_call.py, too, which counts calls of other kinds."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("preloaded", type=pathlib.Path)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--kinds", default=",".join(kinds))
    parser.add_argument("--every", type=int, default=1, help="of the calls, fail every N-th only")
    parser.add_argument("--runs", type=int, help="run each job so often only, with faults drawn at random, the same ones each time")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--table", type=pathlib.Path, help="append the rows there, and leave out jobs that have rows without failures")
    options = parser.parse_args()
    totals = collections.Counter()
    header = "job\tkind\tcalls\truns\tclean errors\tfailures"
    if options.table and not options.table.exists():
        options.table.write_text(header + "\n")
    finished = finished_of(options.table) if options.table else set()

    def add_row(*row):
        print(*row, sep="\t", flush=True)
        if options.table:
            with options.table.open("a") as table:
                print(*row, sep="\t", file=table)

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        bench = bench_of(options.tools.resolve(), options.preloaded.resolve(), pathlib.Path(folder))
        jobs = jobs_of(bench)
        inputs = content(bench.inputs)
        print(header)
        for job in (job for job in jobs if options.only in job.name):
            calls = pathlib.Path(folder) / "calls"
            calls.unlink(missing_ok=True)
            right = bench.run(job, calls=calls)
            if right[0] != 0 or right[4]:
                sys.exit(f"{job.name}: status {right[0]} without any fault: {right[2]}")
            # A library that was never loaded made no file.
            numbers = calls.read_bytes() if calls.exists() else bytes(8 * len(kinds))
            counts = dict(zip(kinds, struct.unpack(f"{len(kinds)}Q", numbers)))
            faults = []
            for kind in options.kinds.split(","):
                if (job.name, kind) in finished:
                    continue
                for how in faults_of[kind]:
                    once, error = how.split(":")
                    number = getattr(errno, error, error)
                    faults += [f"{kind}:{n}{once}:{number}" for n in range(1, counts[kind] + 1, options.every)]
            if options.runs is not None:
                # Of each kind as many, though most calls are for memory.
                by_kind = collections.Counter(fault.split(":")[0] for fault in faults)
                weights = [1 / by_kind[fault.split(":")[0]] for fault in faults]
                faults = sorted(set(random.Random(job.name).choices(faults, weights, k=options.runs)))
            runs, errors, wrong = collections.Counter(), collections.Counter(), collections.Counter()
            for fault, result in zip(faults, pool.map(lambda fault: bench.run(job, fault), faults)):
                kind = fault.split(":")[0]
                runs[kind] += 1
                errors[kind] += result[0] == 2
                why = complaint(bench, job, right, result)
                if not why and result[0] == 2 and fault.endswith(":short"):
                    why = "an error because of a transfer of some of the bytes"
                if why:
                    wrong[kind] += 1
                    print(f"FAILED: {job.name}: {fault}: {why}: {result[2][:300]!r}", file=sys.stderr, flush=True)
            for kind in runs:
                add_row(job.name, kind, counts[kind], runs[kind], errors[kind], wrong[kind])
            totals.update(calls=sum(counts[kind] for kind in runs), runs=len(faults), errors=errors.total(), failures=wrong.total())
            if content(bench.inputs) != inputs:
                sys.exit(f"{job.name}: the inputs are not what they were")
    print("all", "", totals["calls"], totals["runs"], totals["errors"], totals["failures"], sep="\t")
    sys.exit(1 if totals["failures"] else 0)


if __name__ == "__main__":
    main()
