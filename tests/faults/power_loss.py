#!/usr/bin/env python3
"""Loses what the tools have not synced, as if the power failed, at each moment of the jobs that replace files.

power_loss.py BIN LIBRARY [--only TEXT] [--draws N] [--runs N] [--seed N] [--forget]

LIBRARY is built from record_calls.cpp. It records the writes, syncs, links and renames of a run. For each beginning of this
record the files are made as a disk may have them: bytes, sizes and names are there if they were synced, a name by a sync of its
folder; of the rest all, nothing, half of each write, either the bytes or the names, the names in
order, and N random draws. Each name that was there
before has its old or its new content, and the files of an index are the old or the new ones after the next command. A name
that was not there before may have anything, as with `cp`, except in an index that replaces another. N of the states of each job
are made on the disk, and the next run of the job must succeed there. Prints a table; the exit status is 1 if a state is wrong.
--forget tries the test itself: of each job one sync after the other is left out of the record, and some state must be wrong.
The syncs without which none is wrong are listed: there is no old file to lose, or a later one does their work.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from every_call import COUNTS, Job, mgf, Bench, jobs_of, without_report


class Disk:
    """What a record says about the files below a folder."""

    def __init__(self, root):
        self.root = str(root)
        self.numbers = {}  # of the inodes, as the system has them at this moment
        self.kinds = []  # of each inode: "file", "folder" or the target of a link
        self.start = {}  # the content of each inode before
        self.names = {}  # (folder, name) -> inode, as the record goes on
        self.content = []  # (step, inode, what, ...)
        self.changes = []  # (step, {(folder, name): inode or None})
        self.syncs = []  # (step, inode)
        self.steps = 0
        self.folders = {self.root: self.add("folder", os.stat(root).st_ino)}
        for path in sorted(pathlib.Path(root).rglob("*")):
            if path.is_symlink():
                inode = self.add(os.readlink(path))
            elif path.is_dir():
                inode = self.folders[str(path)] = self.add("folder", path.stat().st_ino)
            else:
                number = path.stat().st_ino
                if number not in self.numbers:
                    self.start[self.add("file", number)] = path.read_bytes()
                inode = self.numbers[number]
            self.names[self.entry(str(path))] = inode
        self.first_names = dict(self.names)

    def add(self, kind, number=None):
        self.kinds.append(kind)
        if number is not None:
            self.numbers[number] = len(self.kinds) - 1
        return len(self.kinds) - 1

    def entry(self, path):
        """@returns the folder's inode and the name, or None if the folder is not below the root"""
        folder, _, name = path.rpartition("/")
        return (self.folders[folder], name) if folder in self.folders else None

    def read(self, record):
        """Adds the calls of a record."""
        at = 0
        while at < len(record):
            end = record.index(b"\0\n", at)
            word, *rest = record[at:end].decode().split("\0")
            at = end + 2
            data = b""
            if word == "write":
                data = record[at:at + int(rest[2])]
                at += len(data)
            self.take(word, rest, data)

    def take(self, word, rest, data):
        number = lambda: self.numbers.get(int(rest[0]))
        named = {}
        if word == "made":
            flags, entry = int(rest[1]), self.entry(rest[2])
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                if os.path.normpath(rest[2]) in self.folders:
                    self.start[self.add("file", int(rest[0]))] = b""
            elif entry and entry not in self.names:
                inode = self.add("file", int(rest[0]))
                self.start[inode] = b""
                named = {entry: inode}
            elif flags & os.O_TRUNC and number() is not None:
                self.content.append((self.steps, number(), "size", 0))
        elif word in ("write", "size", "room"):
            if number() is None or self.kinds[number()] != "file":
                return
            if word == "write":
                self.content.append((self.steps, number(), word, int(rest[1]), data))
            else:
                self.content.append((self.steps, number(), word, int(rest[1])))
        elif word == "sync":
            if number() is None:
                return
            self.syncs.append((self.steps, number()))
        elif word == "link":
            if self.entry(rest[1]) and number() is not None:
                named = {self.entry(rest[1]): number()}
        elif word == "symlink":
            if self.entry(rest[1]):
                named = {self.entry(rest[1]): self.add(rest[0])}
        elif word == "rename":
            old, new = self.entry(rest[0]), self.entry(rest[1])
            if old in self.names and self.names.get(new) == self.names[old]:
                return  # two names of one file both stay
            if old in self.names:
                named = {old: None, new: self.names[old]}
                if rest[0] in self.folders:
                    self.folders[rest[1]] = self.folders.pop(rest[0])
        elif word == "remove":
            if self.entry(rest[0]) in self.names:
                named = {self.entry(rest[0]): None}
        elif word == "folder":
            if self.entry(rest[0]):
                self.folders[rest[0]] = self.add("folder", os.stat(rest[0]).st_ino if os.path.isdir(rest[0]) else None)
                named = {self.entry(rest[0]): self.folders[rest[0]]}
        else:
            sys.exit(f"no such call: {word}")
        for entry, inode in named.items():
            if inode is None:
                self.names.pop(entry, None)
            else:
                self.names[entry] = inode
        if named:
            self.changes.append((self.steps, named))
        if named or word in ("write", "size", "room", "sync"):
            self.steps += 1

    def states(self, draws, made):
        """Yields a moment and the files that the disk may have then: {path: bytes, or the target of a link}."""
        for moment in range(self.steps + 1):
            done = lambda step, inode: any(step < at < moment and one == inode for at, one in self.syncs)
            data = [(op, done(op[0], op[1])) for op in self.content if op[0] < moment]
            names = [(op, any(done(op[0], folder) for folder, _ in op[1])) for op in self.changes if op[0] < moment]
            pending = sum(not synced for _, synced in names)
            # Of a write, all, nothing or the first half.
            everything, nothing, half = (lambda _: 1), (lambda _: 0), (lambda _: 0.5)
            ways = [(data, name) for data in (everything, nothing, half) for name in (everything, nothing)]
            ways += [(nothing, lambda k, last=last: k < last) for last in range(1, pending)]
            ways += [(lambda _: made.choice([0, 0.5, 1]), lambda _: made.random() < 0.5) for _ in range(draws)]
            for keeps_data, keeps_name in ways:
                yield moment, self.state(data, names, keeps_data, keeps_name)

    def state(self, data, names, keeps_data, keeps_name):
        entries = dict(self.first_names)
        pending = 0
        for (_, changes), synced in names:
            keep = synced or keeps_name(pending)
            pending += not synced
            if keep:
                entries.update(changes)
        kept = {}
        for (_, inode, *what), synced in data:
            part = 1 if synced else keeps_data(0)
            if part == 0.5 and what[0] == "write":
                what = [*what[:2], what[2][: len(what[2]) // 2]]
            if part:
                kept.setdefault(inode, []).append(what)
        files = {}

        def walk(folder, prefix):
            for (place, name), inode in entries.items():
                if place != folder or inode is None:
                    continue
                kind = self.kinds[inode]
                if kind == "folder":
                    walk(inode, f"{prefix}{name}/")
                elif kind == "file":
                    files[prefix + name] = self.bytes_of(inode, kept.get(inode, []))
                else:
                    files[prefix + name] = kind

        walk(0, "")
        return files

    def bytes_of(self, inode, kept):
        content = bytearray(self.start[inode])
        for what, *rest in kept:
            if what == "write":
                offset, data = rest
                content.extend(bytes(max(0, offset - len(content))))
                content[offset:offset + len(data)] = data
            elif what == "size":
                del content[rest[0]:]
                content.extend(bytes(rest[0] - len(content)))
            else:
                content.extend(bytes(max(0, rest[0] - len(content))))
        return bytes(content)


class Trial:
    def __init__(self, bench, job, folder):
        self.bench, self.job, self.folder = bench, job, folder
        self.environment = {"PATH": f"{bench.tools}:/usr/bin:/bin", "ORDO_DEVICE": "cpu", "LC_ALL": "C", **COUNTS}

    def command(self):
        return [word.replace("IN/", f"{self.bench.inputs}/") for word in self.job.command]

    def made(self, files):
        """Makes these files in a new folder. @returns it"""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("work", "temporary"):
            (place / name).mkdir()
        for name, data in files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, str):
                path.symlink_to(data)
            else:
                path.write_bytes(data)
        for link, name in self.job.links.items():
            (place / "work" / link).unlink(missing_ok=True)
            os.link(place / "work" / name, place / "work" / link)
        return place

    def run(self, place, command, record=None):
        environment = self.environment | {"TMPDIR": str(place / "temporary")}
        if record:
            environment |= {"LD_PRELOAD": str(self.bench.preloaded), "ORDO_RECORD": str(record)}
        return subprocess.run(command, cwd=place / "work", env=environment, stdin=subprocess.DEVNULL, capture_output=True)

    def record(self):
        self.first = {f"work/{name}": data for name, data in self.job.files.items()}
        place = self.made(self.first)
        disk = Disk(place)
        self.old = read_all(place)
        done = self.run(place, self.command(), self.folder / "record")
        if done.returncode != 0:
            sys.exit(f"{self.job.name}: {done.stderr.decode()}")
        disk.read((self.folder / "record").read_bytes())
        (self.folder / "record").unlink()
        self.new = read_all(place)
        last = disk.state([(op, True) for op in disk.content], [(op, True) for op in disk.changes], None, None)
        if last != self.new:
            differ = [name for name in sorted(set(last) | set(self.new)) if last.get(name) != self.new.get(name)]
            sys.exit(f"{self.job.name}: the record does not make the files of the run: {differ}")
        shutil.rmtree(place)
        return disk

    def wrong(self, files):
        """What is wrong with the files after a loss of power, or None."""
        visible = visible_of(files)
        if self.job.first:  # files of which all are there if this one is: those of an aligner, and parts
            if f"work/{self.job.first}" not in visible or visible in (self.old, self.new):
                return None
            return f"files of two indexes: {self.differences(visible)}"
        if self.job.command[0] == "sufsort" and any(name.endswith(".json") for name in self.new):
            return None if visible == self.old or files == self.new else self.wrong_index(files)
        for name, data in self.old.items():
            if visible.get(name) in (data, self.new.get(name)):
                continue
            # A file that is replaced in place is whole beside it.
            last = name.rpartition("/")[2]
            beside = re.compile(rf"(work|temporary)/\.{re.escape(self.job.links.get(last, last))}\.[0-9]+-[0-9]+\.tmp")
            if not any(beside.fullmatch(other) and content == self.new[name] for other, content in files.items()):
                return f"{name} has neither its old nor its new content"
        return None

    def differences(self, files):
        names = sorted(set(self.old) | set(self.new) | set(files))
        of = lambda name: "old" if files.get(name) == self.old.get(name) else "new" if files.get(name) == self.new.get(name) else "?"
        return ", ".join(f"{name} {of(name)}" for name in names)

    def wrong_index(self, files):
        place = self.made(files)
        try:
            done = self.run(place, ["sufsort", "check", "y", "--threads", "1"])
            # The next run that writes the index removes hidden files that never became part of it.
            after = visible_of(read_all(place))
            if done.returncode == 0 and after in (self.old, self.new):
                return None
            # A new index is as any new file: what did not reach the disk is found by `check`.
            if not self.old and done.returncode != 0:
                return None
            return f"check: status {done.returncode}, {done.stderr.decode()[:200]!r}; before: {self.differences(files)}"
        finally:
            shutil.rmtree(place)

    def wrong_next_run(self, files):
        place = self.made(files)
        try:
            done = self.run(place, self.command())
            after = read_all(place)
            if done.returncode != 0:
                return f"the next run: status {done.returncode}: {done.stderr.decode()[:300]!r}"
            if self.job.repeats and after != self.new:
                return f"the next run leaves other files: {sorted(set(after) ^ set(self.new))}"
            return None
        finally:
            shutil.rmtree(place)


def forget_syncs(trial, disk, made, runs):
    """Leaves out one sync after the other, with those that do its work again.

    @returns their number, and the files of those that no state needs
    """
    names = {inode: name for (_, name), inode in disk.first_names.items()}
    names |= {inode: name for _, changes in disk.changes for (_, name), inode in changes.items() if inode is not None}
    groups = {}
    for step, inode in disk.syncs:
        writes = sum(op[1] == inode for op in disk.content if op[0] < step)
        changes = sum(any(folder == inode for folder, _ in op[1]) for op in disk.changes if op[0] < step)
        groups.setdefault((inode, writes, changes), []).append((step, inode))
    all_syncs, needless = disk.syncs, []
    for group in groups.values():
        disk.syncs = [each for each in all_syncs if each not in group]
        states = list({hash(tuple(sorted(files.items()))): files for _, files in disk.states(2, made)}.values())
        if not (any(map(trial.wrong, states)) or any(map(trial.wrong_next_run, made.sample(states, min(runs, len(states)))))):
            needless.append(f"{names.get(group[0][1], 'the folder')} at call {group[0][0]}")
    disk.syncs = all_syncs
    return len(groups), needless


def read_all(place):
    return {str(path.relative_to(place)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(place.rglob("*")) if path.is_symlink() or path.is_file()}


def visible_of(files):
    return {name: data for name, data in files.items() if name.startswith("work/") and not name.rpartition("/")[2].startswith(".")}


class LossJob(Job):
    """first: the file that is there only if all are. links: further names of files. repeats: a second run makes the same files"""

    def __init__(self, name, command, files=(), first=None, links=(), repeats=True):
        super().__init__(name, command, files)
        self.first, self.links, self.repeats = first, dict(links), repeats


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("preloaded", type=pathlib.Path)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--draws", type=int, default=20, help="random draws at each moment")
    parser.add_argument("--runs", type=int, default=50, help="of the next run of each job")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--forget", action="store_true", help="try the test: leave out one sync after the other")
    options = parser.parse_args()
    made = random.Random(options.seed)
    totals = [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        bench = Bench(options.tools.resolve(), options.preloaded.resolve(), folder)
        print("job\tsyncs\tfound if left out\tothers" if options.forget else "job\tcalls\tdifferent states\tnext runs\tfailures")
        for job in jobs(bench):
            if options.only not in job.name:
                continue
            trial = Trial(bench, job, folder)
            disk = trial.record()
            if options.forget:
                syncs, needless = forget_syncs(trial, disk, made, options.runs)
                print(job.name, syncs, syncs - len(needless), "; ".join(needless), sep="\t", flush=True)
                continue
            states, failures = {}, 0
            for moment, files in disk.states(options.draws, made):
                states.setdefault(hash(tuple(sorted(files.items()))), (moment, files))
            drawn = set(made.sample(sorted(states), min(options.runs, len(states))))
            for key, (moment, files) in states.items():
                why = trial.wrong(files) or (trial.wrong_next_run(files) if key in drawn else None)
                if why:
                    failures += 1
                    if failures <= 3:
                        print(f"FAILED: {job.name}: before call {moment} of {disk.steps}: {why}", file=sys.stderr, flush=True)
            print(job.name, disk.steps, len(states), len(drawn), failures, sep="\t", flush=True)
            totals = [a + b for a, b in zip(totals, (len(states), len(drawn), failures))]
    if not options.forget:
        print("all", "", *totals, sep="\t")
    sys.exit(1 if totals[2] else 0)


def jobs(bench):
    """The jobs of every_call.py that replace files, and some that replace several."""
    all_jobs = {job.name: job for job in jobs_of(bench)}
    index = {name: data for name, data in all_jobs["kmers"].files.items()}
    old = {"old": b"old content\n"}
    two = ["--threads", "2"]

    def made(*words, prefix):
        """The files that a command makes, by name."""
        place = pathlib.Path(tempfile.mkdtemp(dir=bench.folder))
        done = subprocess.run([str(bench.tools / words[0]), *(word.replace("IN/", f"{bench.inputs}/") for word in words[1:])],
                              cwd=place, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.stderr.decode()}")
        files = {path.name: path.read_bytes() for path in place.glob(prefix + "*")}
        shutil.rmtree(place)
        return files

    aligner = lambda name, first: LossJob(
        f"{name}'s index", ["sufsort", "aligner-index", "IN/b.fa", "--for", name, "-o", "y", *two],
        made("sufsort", "aligner-index", "-q", "IN/a.fa", "--for", name, "-o", "y", prefix="y."), first=first)
    names = ["build", "build over an index", "build in parts", "build in fewer parts", "build over parts", "build an FM index",
             "kmers", "mem", "text without duplicates", "MGF", "MGF in place", "mzML", "lines", "lines in place", "external", "counts"]
    for name in names:
        job = all_jobs[name]
        yield LossJob(name, job.command, job.files)
    yield LossJob("build with other arrays", ["sufsort", "build", "IN/a.fa", "-o", "y", "--fm", "--kmer-table", "2",
                                              "--force-kmer-table", *two], index)
    yield LossJob("add", ["sufsort", "add", "y", "IN/a.fa", *two], index, repeats=False)
    yield LossJob("merge", ["sufsort", "merge", "IN/index", "IN/other", "-o", "y", *two], index)
    yield aligner("bwa", "y.bwt")
    yield aligner("minibwa", "y.l2b")
    yield LossJob("report of duplicates", ["sufsort", "duplicates", "IN/corpus", "-l", "10", "--report", "page", "-o", "old", *two],
                  old | {"page": b"old page\n"})
    yield LossJob("duplicates with --resume", ["sufsort", "duplicates", "IN/corpus", "-l", "10", "--resume", "kept", "-o", "old", *two],
                  old)
    yield LossJob("MGF with a map", ["specsort", "IN/a.mgf", "IN/b.mgf", "--spectra-by", "pepmass", "--map", "map", "-o", "old", *two],
                  old | {"map": b"old map\n"})
    yield LossJob("MGF in parts", ["specsort", "IN/a.mgf", "--split-count", "3", "-o", "part.mgf", *two],
                  {"part.0001.mgf": b"old part\n", "part.0002.mgf": b"old part\n"}, first="part.0001.mgf")
    other = {"other": "old"}
    yield LossJob("lines over a file of two names", ["strsort", "IN/lines", "-o", "old", *two], old, links=other)
    yield LossJob("lines of two names in place", ["strsort", "old", "-o", "old", *two],
                  {"old": (bench.inputs / "lines").read_bytes()}, links=other, repeats=False)
    yield LossJob("MGF over a file of two names", ["specsort", "IN/a.mgf", "-o", "old", *two], old, links=other)


if __name__ == "__main__":
    main()
