"""Exact deduplication of corpora in files: Parquet, Arrow IPC and JSONL, as shards and folders of them.

``python -m ordosort.corpus FOLDER -o CLEAN --min-length=200`` calls `deduplicate`.
"""

import contextlib
import hashlib
import json
import os
import shutil
import struct
import tempfile
import zlib
from collections import namedtuple

import numpy as np

from ._files import replaced, run_fed, run_tool
from ._ordosort import InputError

__all__ = ["Deduplicated", "deduplicate"]

Deduplicated = namedtuple("Deduplicated", "shards documents bytes removed")
Deduplicated.__doc__ = """The numbers of shards and documents, and of bytes of text before and in what was removed or noted.

>>> from ordosort import corpus
>>> corpus.Deduplicated._fields
('shards', 'documents', 'bytes', 'removed')
"""

_COLUMNS = (".parquet", ".arrow", ".feather")
_PACKED = (".gz", ".bgz", ".bz2", ".xz", ".zst")
# .json alone describes a data set, as dataset_info.json does.
_LINES = (".jsonl", ".ndjson", *(name + packed for name in (".jsonl", ".ndjson", ".json") for packed in _PACKED))
_END = b"\xff"  # ends a document in the text: UTF-8 has no such byte
_BATCH = 1024  # documents that are read together; a row group may be far larger than memory


def deduplicate(
    paths,
    out,
    *,
    min_length,
    column="text",
    keep="first",
    score=None,
    sources=None,
    unit="strings",
    annotate=None,
    against=None,
    report=None,
    memory=None,
    work=None,
    bad_lines=None,
    options=(),
    progress=None,
):
    """Removes from the texts of a corpus each string of at least `min_length` bytes that they have elsewhere, as `sufsort
    duplicates` finds it. All else stays: documents, their order, row groups and batches, other columns, types, compression.

    paths: a shard, a folder of shards, or a list of these, all of one format: Parquet, Arrow IPC (files or streams), or JSONL,
        also in gzip, zstd, bzip2 and xz. The first ones have the first copies. Parquet and Arrow need pyarrow.
    out: the folder of the new shards, which get the names that they have below the folder of all `paths`. Other files of
        folders are copied. Each shard is complete or as it was before.
    min_length: in bytes of UTF-8; 50 tokens are about 200.
    column: the column, or the field of JSONL, that holds the texts. A column that is a dictionary becomes one of its values.
    keep: the copy that stays: "first", "longest" (the one in the longest document), "best" or "none".
    score: with "best", a column or field of numbers: the copy in the document with the greatest one stays. None and NaN are lower.
    sources: with "best" instead, a list of shards and folders of them: the copy of the one that is named first stays.
    unit: compare "strings", or whole "lines", "paragraphs" or "records", each a document; or n-grams of `min_length` "words",
        with `against`. A document that is a copy becomes an empty text in Parquet and Arrow, whose rows all stay; lines of JSONL
        go, unless they are annotated.
    annotate: the name of a new column: the texts stay, and the column gets lists of the ranges, in bytes.
    against: remove what occurs in these shards instead: a path, or a list of paths.
    report: a page of HTML: what is removed of each source and shard, with examples, and the strings that repeat most.
    memory: the limit of the search, as "16G"; by default the free memory. Writing takes a row group besides.
    work: a folder for temporary files, of the size of all texts and half as much again. After an interruption the same call
        with the same folder continues. By default a new folder in TMPDIR.
    bad_lines: go on without lines that are no JSON and shards that cannot be read, and write a list of them to this file: file,
        line, reason and text, with tabs between. Shards of columns are read once more for that.
    options: other options of `sufsort duplicates`, as ["--across"].
    progress: called with a line of text as the work goes on.

    >>> import pathlib, tempfile
    >>> from ordosort import corpus
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.jsonl").write_text('{"text": "a cat sat down"}\\n{"text": "the cat sat up"}\\n')
    >>> corpus.deduplicate(folder / "a.jsonl", folder / "clean", min_length=8)
    Deduplicated(shards=1, documents=2, bytes=28, removed=9)
    >>> (folder / "clean" / "a.jsonl").read_text()
    '{"text": "a cat sat down"}\\n{"text": "theup"}\\n'
    """
    if not isinstance(min_length, int) or min_length < 1:
        raise ValueError(f"min_length: {min_length!r} is no whole number above 0")
    if annotate == "":
        raise ValueError("annotate: a column has a name")
    if (keep == "best") != ((score is None) != (sources is None)):
        raise ValueError("keep: 'best' goes with a score or with sources, of which one is given")
    corpus = _Shards(paths, column, goes_on=bad_lines is not None)
    targets, copies = corpus.targets(out)
    flags = [f"--min-length={min_length}", f"--keep={keep}", f"--unit={unit}", *map(os.fsdecode, options)]
    if sources is not None:
        flags.append("--sources=" + ",".join(corpus.names_of(sources)))
    if report is not None:
        flags.append("--report=" + os.path.abspath(os.fsdecode(report)))
    with _work_folder(work) as folder:
        if annotate is not None:
            corpus.refuse_column(annotate)
        if score is not None:
            flags.append(corpus.option_of_scores(score, os.path.join(folder, "scores")))
        prefix = corpus.index(os.path.join(folder, "text"), progress)
        if against is not None:
            flags.append("--against=" + _Shards(against, column).index(os.path.join(folder, "against"), progress))
        search = [*flags, *([] if memory is None else [f"--memory={memory}"])]
        found = os.path.join(folder, "found-" + hashlib.sha256(repr([flags, prefix]).encode()).hexdigest()[:16])
        search += ["--resume=" + found + ".part", "--", prefix]
        if corpus.format == "jsonl":
            counts = _edit_lines(corpus, out, annotate, search, folder, progress)
        else:
            if not os.path.exists(found):
                run_tool("sufsort", ["duplicates", "--utf-8", "--format=pairs", "-o", found, *search], progress=progress)
            counts = _edit_columns(corpus, targets, annotate, prefix, found, progress)
        if bad_lines is not None:
            corpus.write_bad_lines(bad_lines, prefix)
    for path, target in copies:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(path, "rb") as source, replaced(target) as file:
            shutil.copyfileobj(source, file)
    return Deduplicated(len(targets), *counts)


class _Unreadable(InputError):
    """A shard that cannot be read, which a call may leave out."""


def _is_shard(path):
    name = os.path.basename(path).lower()
    return name.endswith(_COLUMNS) or name.endswith(_LINES)


def _files_below(folder):
    """Returns the files below a folder, in the order of their names: no hidden ones, and none below hidden folders and links."""
    found = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            found += _files_below(entry.path)
        elif entry.is_file():
            found.append(entry.path)
    return found


def _format_of(path):
    with open(path, "rb") as file:
        front = file.read(8)
    name = path.lower()
    if front.startswith(b"PAR1"):
        return "parquet"
    if front.startswith(b"ARROW1") or (front.startswith(b"\xff\xff\xff\xff") and name.endswith(_COLUMNS)):
        return "arrow"
    if name.endswith(".parquet"):
        raise _Unreadable(f"not Parquet: {path}: it does not begin with PAR1")
    if name.endswith(_COLUMNS):
        raise _Unreadable(f"not Arrow: {path}: it is neither a file nor a stream of Arrow IPC")
    return "jsonl"


class _Shards:
    """The shards of a corpus: `paths` in order, of one format, and the other files of their folders.

    goes_on: leave out shards that cannot be read."""

    def __init__(self, paths, column, goes_on=False):
        self._given = [os.fsdecode(p) for p in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
        self.column, self.paths, self._others = column, [], []
        for path in self._given:
            if not os.path.isdir(path):
                self.paths.append(path)
                continue
            files = _files_below(path)
            shards = list(filter(_is_shard, files))
            if not shards:
                endings = ", ".join((*_COLUMNS, ".jsonl"))
                raise InputError(f"no shards: {path}: no name below it ends in {endings}, .jsonl.gz or the like")
            self.paths += shards
            self._others += [file for file in files if not _is_shard(file)]
        if not self.paths:
            raise ValueError("paths: none")
        self.format, self._goes_on, self._bad, given = None, goes_on, [], self.paths
        self.paths = []
        for path in given:
            try:
                self._add(path)
            except OSError as error:
                if not goes_on or (isinstance(error, InputError) and not isinstance(error, _Unreadable)):
                    raise
                self._bad.append((path, error))
        if not self.paths:
            raise self._bad[0][1]

    def _add(self, path):
        format = _format_of(path)
        if self.format not in (None, format):
            raise InputError(f"different formats: {path}: {format}, but {self.paths[0]} is {self.format}")
        if format != "jsonl":
            with _opened(path, format) as shard:
                shard.check(self.column)
                if self._goes_on:
                    shard.read_all()
        self.format = format
        self.paths.append(path)

    def write_bad_lines(self, to, prefix):
        """Writes the list of shards that were left out, and of lines that an index was made without."""
        with replaced(to) as file:
            for path, error in self._bad:
                reason = " ".join(str(error).split())
                file.write(f"{os.path.relpath(path, self.root)}\t1\t{reason}\t\n".encode("utf-8", "surrogateescape"))
            if self.format == "jsonl":
                with open(prefix + ".bad", "rb") as lines:
                    shutil.copyfileobj(lines, file)

    def refuse_column(self, name):
        """Refuses a new column that there is."""
        for path in self.paths if self.format != "jsonl" else ():
            with _opened(path, self.format) as shard:
                if name in shard.schema.names:
                    raise ValueError(f"annotate: {path}: it has a column {name}: choose another name")

    @property
    def root(self):
        """The folder of all paths: of a single folder, that one."""
        folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.abspath, self._given)]
        return os.path.commonpath(folders)

    def targets(self, out):
        """Returns where the new shards go, and pairs of the other files and of where their copies go."""
        out = os.fsdecode(out)
        place = os.path.realpath(out)
        for folder in map(os.path.realpath, filter(os.path.isdir, self._given)):
            if os.path.commonpath([place, folder]) in (folder, place):
                raise ValueError(f"out: {out}: it is the folder {folder}, which is read, or one in it or above it")
        targets, copies = (
            [os.path.join(out, os.path.relpath(os.path.abspath(path), self.root)) for path in paths]
            for paths in (self.paths, self._others)
        )
        read = {os.path.realpath(path) for path in self.paths}
        for path, target in zip(self.paths, targets):
            if os.path.realpath(target) in read:
                raise ValueError(f"out: {target}: it is a shard that is read")
        if len(set(targets)) != len(targets):
            raise ValueError("paths: a shard is given twice")
        return targets, list(zip(self._others, copies))

    @property
    def names(self):
        """The names of the shards in an index: below the folder of all."""
        return [os.path.relpath(os.path.abspath(path), self.root) for path in self.paths]

    def names_of(self, sources):
        """Returns the names of sources, which are shards and folders of them."""
        if isinstance(sources, (str, bytes, os.PathLike)):
            raise TypeError(f"sources: {sources!r}, where a list is expected")
        names = [os.path.relpath(os.path.abspath(os.fsdecode(source)), self.root) for source in sources]
        names = ["." if set(name.split("/")) <= {".", ".."} else name for name in names]  # folders of all shards
        for source, name in zip(sources, names):
            if "," in name:
                raise ValueError(f"sources: {source}: its name has a comma")
            if not any(name in (".", path) or path.startswith(name + "/") for path in self.names):
                raise ValueError(f"sources: {source}: it is no shard, and no folder of one")
        return names

    def _noted(self, prefix, about):
        """Returns the name of the file that says that `about` these shards all is done, and its first line, if there is one."""
        stats = [os.stat(path) for path in self.paths]
        inputs = [[os.path.abspath(path), s.st_size, s.st_mtime_ns] for path, s in zip(self.paths, stats)]
        note = f"{prefix}-{hashlib.sha256(json.dumps([about, inputs]).encode()).hexdigest()[:16]}"
        with contextlib.suppress(FileNotFoundError), open(note) as file:
            return note, file.read()
        return note, None

    def index(self, prefix, progress):
        """Makes an index of the texts, unless an earlier call has made it. @returns its prefix

        The index counts if its name has been noted: sufsort takes a pipe that a killed process leaves for the whole text."""
        note, name = self._noted(prefix, [self.column, self._goes_on])
        if name is not None:
            return os.path.join(os.path.dirname(note), name)
        prefix = f"{note}-{os.getpid()}"
        arguments = ["build", "--text-only", "-o", prefix]
        if self.format == "jsonl":
            if self._goes_on:
                arguments.append(f"--bad-lines={prefix}.bad")
            arguments += ["--format=jsonl", f"--field={self.column}", "--", *self.names]
            run_fed("sufsort", arguments, progress=progress, folder=self.root)
        else:
            arguments += ["--format=bytes", "--separator=\\xff", "--", "-"]
            rows = []
            run_fed("sufsort", arguments, lambda write: self._write_texts(write, rows), progress=progress)
            _name_files(prefix + ".json", self.names, rows)
        with replaced(note) as file:
            file.write(os.path.basename(prefix).encode())
        return prefix

    def _write_texts(self, write, rows):
        """Writes all texts, each with its end. Appends the number of rows of each shard."""
        import pyarrow
        import pyarrow.compute

        end, nothing = (pyarrow.scalar(text, pyarrow.large_binary()) for text in (_END, b""))
        for path in self.paths:
            rows.append(0)
            with _opened(path, self.format) as shard:
                for texts in shard.parts(self.column):
                    texts = _as_bytes(texts)
                    _, data = _parts(texts)
                    if (np.frombuffer(data, np.uint8) == _END[0]).any():
                        raise InputError(f"not UTF-8: {path}: column {self.column} has the byte 0xff")
                    _, joined = _parts(pyarrow.compute.binary_join_element_wise(texts, end, nothing))
                    write(joined)
                    rows[-1] += len(texts)
        if not any(rows):
            raise InputError(f"no records: {self.paths[0]}: {'it is' if len(self.paths) == 1 else 'all shards are'} empty")

    def option_of_scores(self, score, prefix):
        """Returns the option of sufsort for a column of scores. Writes them to a file, unless an earlier call has."""
        if self.format == "jsonl":
            return f"--score={score}"
        import pyarrow

        for path in self.paths:
            with _opened(path, self.format) as shard:
                kind = shard.schema.field(score).type if shard.schema.names.count(score) == 1 else None
                if kind is None or not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)):
                    raise InputError(f"no numbers: {path}: column {score} is {kind or 'missing, or there more than once'}")
        note, written = self._noted(prefix, score)
        if written is None:
            with replaced(note + ".f64") as file:
                for path in self.paths:
                    with _opened(path, self.format) as shard:
                        for numbers in shard.parts(score):
                            file.write(numbers.cast(pyarrow.float64(), safe=False).fill_null(np.nan).to_numpy().tobytes())
            with replaced(note):
                pass
        return f"--score-file={note}.f64"


def _name_files(path, names, rows):
    """Gives an index of one stream the names and numbers of records of the files that were its text."""
    with open(path, "rb") as file:
        text = file.read()
    files = b",".join(
        b'\n    {"name": %b, "records": %d}' % (json.dumps(name, ensure_ascii=False).encode("utf-8", "replace"), count)
        for name, count in zip(names, rows)
    )
    front, rest = text.split(b'  "files": [', 1)
    rest = rest[rest.index(b"\n  ],\n") :]
    begin = front.index(b'  "crc32": "')
    before, after = front[:begin], front[front.index(b"\n", begin) + 1 :] + b'  "files": [' + files + rest
    with replaced(path) as file:
        file.write(before + b'  "crc32": "%08x",\n' % zlib.crc32(before + after) + after)


@contextlib.contextmanager
def _work_folder(given):
    """Makes a folder of temporary files. A given one stays if the work fails, so that it can go on."""
    if given is None:
        with tempfile.TemporaryDirectory(prefix="ordosort.") as folder:
            yield folder
        return
    folder = os.path.abspath(os.path.join(os.fsdecode(given), "ordosort"))
    os.makedirs(folder, exist_ok=True)
    yield folder
    shutil.rmtree(folder)


def _edit_lines(corpus, out, annotate, search, folder, progress):
    """Writes the new lines. @returns the numbers of documents, of bytes and of removed bytes"""
    kind = ["--format=text"] if annotate is None else ["--format=annotated", f"--column={annotate}"]
    counts = os.path.join(folder, "counts")
    arguments = ["duplicates", *kind, f"--out-dir={os.path.abspath(out)}", "-o", counts, *search]
    run_fed("sufsort", arguments, progress=progress, folder=corpus.root)
    with open(counts, "rb") as file:
        return np.sum([[int(number) for number in line.split(b"\t")[-3:]] for line in file], axis=0).tolist()


def _edit_columns(corpus, targets, annotate, prefix, found, progress):
    """Writes the new shards of columns. @returns as _edit_lines"""
    starts, ranges = _mapped(prefix + ".starts"), _mapped(found).reshape(-1, 2)
    size, document, removed = os.path.getsize(prefix + ".seq"), 0, 0
    for k, (path, target) in enumerate(zip(corpus.paths, targets)):
        if progress is not None:
            progress(f"writing {k + 1} of {len(targets)} shards")
        os.makedirs(os.path.dirname(target), exist_ok=True)

        def cut(texts):
            """Returns an array of texts without the ranges, or the lists of the ranges."""
            nonlocal document
            here = np.append(starts[document : document + len(texts)], np.uint64(size))
            if document + len(texts) < len(starts):
                here[-1] = starts[document + len(texts)]
            document += len(texts)
            begin, end = np.searchsorted(ranges[:, 0], here[[0, -1]])
            cuts = (ranges[begin:end] - here[0]).astype(np.int64)
            offsets, data = _parts(_as_bytes(texts))
            if len(here) != len(texts) + 1 or not np.array_equal(offsets, (here - here[0]).astype(np.int64)):
                raise InputError(f"changed input: {path}: column {corpus.column} has other texts than when it was indexed")
            return _without(texts, offsets, data, cuts) if annotate is None else _lists_of(offsets, cuts)

        with _opened(path, corpus.format) as shard, replaced(target) as file:
            shard.edit(file, corpus.column, cut, annotate)
    for begin in range(0, len(ranges), 1 << 20):
        some = ranges[begin : begin + (1 << 20)]
        removed += int((some[:, 1] - some[:, 0]).sum())
    if document != len(starts):
        raise InputError(f"changed input: {corpus.paths[-1]}: the shards have other rows than when they were indexed")
    return len(starts), size, removed


def _mapped(path):
    return np.memmap(path, np.uint64, "r") if os.path.getsize(path) else np.empty(0, np.uint64)


def _as_bytes(texts):
    """Returns an array of texts as large_binary, without nulls."""
    import pyarrow

    if pyarrow.types.is_dictionary(texts.type):
        texts = texts.dictionary_decode()
    return texts.cast(pyarrow.large_binary()).fill_null(b"")


def _parts(texts):
    """Returns the offsets of an array of large_binary, from 0 on, and its bytes."""
    _, offsets, data = texts.buffers()
    if len(texts) == 0 or offsets is None:
        return np.zeros(1, np.int64), memoryview(b"")
    offsets = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return offsets - offsets[0], memoryview(data or b"").cast("B")[offsets[0] : offsets[-1]]


def _without(texts, offsets, data, cuts):
    """Returns an array without the ranges `cuts` of its bytes."""
    import pyarrow
    import pyarrow.compute

    kind = texts.type.value_type if pyarrow.types.is_dictionary(texts.type) else texts.type
    if len(cuts) == 0:
        return texts.dictionary_decode() if kind != texts.type else texts
    kept = np.concatenate([[0], cuts.ravel(), [len(data)]]).reshape(-1, 2).tolist()
    removed = np.concatenate([[0], np.cumsum(cuts[:, 1] - cuts[:, 0])])
    offsets = offsets - removed[np.searchsorted(cuts[:, 0], offsets)]
    buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"".join([data[begin:end] for begin, end in kept]))]
    wide = pyarrow.large_binary() if "binary" in str(kind) else pyarrow.large_string()
    whole = pyarrow.Array.from_buffers(wide, len(texts), buffers)
    if texts.null_count:
        whole = pyarrow.compute.if_else(texts.is_valid(), whole, pyarrow.scalar(None, whole.type))
    return whole.cast(kind)


def _lists_of(offsets, cuts):
    """Returns an array of the ranges in each text: lists of pairs of offsets."""
    import pyarrow

    first = np.searchsorted(cuts[:, 0], offsets)
    numbers = cuts - offsets[:-1][np.repeat(np.arange(len(offsets) - 1), np.diff(first))][:, None]
    pairs = pyarrow.ListArray.from_arrays(np.arange(0, 2 * len(cuts) + 1, 2, dtype=np.int32), numbers.ravel())
    return pyarrow.ListArray.from_arrays(first.astype(np.int32), pairs)


def _new_schema(schema, column, annotate):
    """Returns the schema of a new shard."""
    import pyarrow

    at = schema.get_field_index(column)
    kind = schema.field(at).type
    if annotate is not None:
        return schema.append(pyarrow.field(annotate, pyarrow.list_(pyarrow.list_(pyarrow.int64()))))
    return schema.set(at, schema.field(at).with_type(kind.value_type)) if pyarrow.types.is_dictionary(kind) else schema


def _replace(columns, schema, column, new, annotate):
    """Returns the columns of a new shard."""
    at = schema.get_field_index(column)
    return [*columns, new] if annotate is not None else [*columns[:at], new, *columns[at + 1 :]]


class _Columns:
    """A shard of columns."""

    def check(self, column):
        import pyarrow

        def is_text(kind):
            kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
            tests = ("string", "large_string", "binary", "large_binary", "string_view", "binary_view", "null")
            return any(getattr(pyarrow.types, f"is_{test}", lambda _: False)(kind) for test in tests)

        count = self.schema.names.count(column)
        if count == 1 and is_text(self.schema.field(column).type):
            return
        names = [field.name for field in self.schema if is_text(field.type) and field.type != pyarrow.null()]
        texts = f"columns of text: {', '.join(names)}" if names else "it has no columns of text"
        if count == 1:
            kind = self.schema.field(column).type
            raise InputError(f"no text: {self.path}: column {column} is {kind}; {texts}")
        raise InputError(f"{'no' if count == 0 else 'more than one'} column {column}: {self.path}: {texts}")


class _Parquet(_Columns):
    def __init__(self, path):
        import pyarrow.parquet

        self.path = path
        self._file = pyarrow.parquet.ParquetFile(path, memory_map=True)
        self.schema = self._file.schema_arrow

    def close(self):
        self._file.close()

    def parts(self, column):
        for batch in self._file.iter_batches(_BATCH, columns=[column]):
            yield batch.column(0)

    def read_all(self):
        for _ in self._file.iter_batches(_BATCH):
            pass

    def edit(self, file, column, cut, annotate):
        """Writes the shard with its row groups."""
        import pyarrow
        import pyarrow.parquet

        about = self._file.metadata
        schema = _new_schema(self.schema, column, annotate)
        options = {}
        if about.num_row_groups and about.num_columns:
            group = about.row_group(0)
            columns = [group.column(k) for k in range(about.num_columns)]
            codecs = {c.path_in_schema: {"UNCOMPRESSED": "NONE"}.get(c.compression, c.compression) for c in columns}
            options["compression"] = codecs if annotate is None else {**codecs, f"{annotate}.list.element.list.element": "ZSTD"}
            kinds = [about.schema.column(k) for k in range(about.num_columns)]
            if any(kind.physical_type == "INT96" for kind in kinds):  # as Spark has times; all of a file or none
                times = [kind for kind in kinds if kind.logical_type.type == "TIMESTAMP"]
                options["use_deprecated_int96_timestamps"] = not times
            options["use_dictionary"] = [c.path_in_schema for c in columns if any("DICT" in e for e in c.encodings)]
        with pyarrow.parquet.ParquetWriter(file, schema, **options) as writer:
            for k in range(about.num_row_groups):
                table = self._file.read_row_group(k)
                kind = schema.field(annotate or column).type
                new = pyarrow.chunked_array([cut(texts) for texts in table.column(column).chunks], kind)
                writer.write_table(
                    pyarrow.Table.from_arrays(_replace(table.columns, schema, column, new, annotate), schema=schema),
                    row_group_size=max(len(table), 1),
                )


class _Arrow(_Columns):
    def __init__(self, path):
        import pyarrow

        self.path = path
        self._map = pyarrow.memory_map(path)
        self._is_file = self._map.read(6) == b"ARROW1"
        self._map.seek(0)
        self._reader = (pyarrow.ipc.open_file if self._is_file else pyarrow.ipc.open_stream)(self._map)
        self.schema = self._reader.schema

    def close(self):
        self._map.close()

    def _batches(self):
        if self._is_file:
            return (self._reader.get_batch(k) for k in range(self._reader.num_record_batches))
        return iter(self._reader)

    def parts(self, column):
        for batch in self._batches():
            for begin in range(0, len(batch), _BATCH):
                yield batch.column(column).slice(begin, _BATCH)

    def read_all(self):
        for _ in self._batches():
            pass

    def edit(self, file, column, cut, annotate):
        """Writes the shard with its batches."""
        import pyarrow

        schema = _new_schema(self.schema, column, annotate)
        options = pyarrow.ipc.IpcWriteOptions(compression=self._codec())
        make = pyarrow.ipc.new_file if self._is_file else pyarrow.ipc.new_stream
        with make(file, schema, options=options) as writer:
            for batch in self._batches():
                columns = _replace(batch.columns, schema, column, cut(batch.column(column)), annotate)
                writer.write_batch(pyarrow.RecordBatch.from_arrays(columns, schema=schema))

    def _codec(self):
        """Returns the compression of the first batch, which pyarrow does not say: codec of BodyCompression of RecordBatch in
        Message.fbs."""
        import pyarrow

        with pyarrow.memory_map(self.path) as source:
            source.seek(8 if self._is_file else 0)
            messages = pyarrow.ipc.MessageReader.open_stream(source)
            with contextlib.suppress(StopIteration):
                while (message := messages.read_next_message()).type != "record batch":
                    pass
                return _codec_of(message.metadata.to_pybytes())
        return None


def _codec_of(message):
    def field(table, number):
        vtable = table - struct.unpack_from("<i", message, table)[0]
        at = 4 + 2 * number
        return struct.unpack_from("<H", message, vtable + at)[0] if at < struct.unpack_from("<H", message, vtable)[0] else 0

    def follow(table, number):
        at = table + field(table, number)
        return at + struct.unpack_from("<I", message, at)[0]

    batch = follow(struct.unpack_from("<I", message, 0)[0], 2)
    if not field(batch, 3):
        return None
    compression = follow(batch, 3)
    codec = field(compression, 0)
    return ("lz4", "zstd")[message[compression + codec] if codec else 0]


@contextlib.contextmanager
def _opened(path, format):
    """Opens a shard of columns. Errors of pyarrow name the file."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{path}: Parquet and Arrow need pyarrow: pip install pyarrow") from None
    try:
        with contextlib.closing((_Parquet if format == "parquet" else _Arrow)(path)) as shard:
            yield shard
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, InputError) or (isinstance(error, OSError) and error.errno is not None):
            raise
        raise _Unreadable(f"cannot read: {path}: {str(error).splitlines()[0]}") from error


def main(arguments=None):
    """Runs `deduplicate` for a command line. @returns its exit status"""
    import argparse
    import sys

    parser = argparse.ArgumentParser(
        "python -m ordosort.corpus", description="Remove exact copies from the texts of Parquet, Arrow IPC or JSONL."
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a shard, or a folder of shards")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder of the new shards")
    parser.add_argument("-l", "--min-length", required=True, type=int, metavar="L", help="find copies of at least L bytes")
    parser.add_argument("--column", default="text", metavar="NAME", help="the column or field of the texts (text)")
    parser.add_argument("--keep", default="first", metavar="COPY", help="keep this copy: first, longest, best or none (first)")
    parser.add_argument("--score", metavar="NAME", help="with best: the column or field of numbers to compare")
    parser.add_argument("--sources", nargs="+", metavar="PATH", help="with best: shards and folders, the best ones first")
    parser.add_argument("--unit", default="strings", metavar="UNIT", help="compare strings, lines, paragraphs, records or words")
    parser.add_argument("--annotate", metavar="NAME", help="keep the texts, and add a column of ranges with this name")
    parser.add_argument("--against", action="append", metavar="PATH", help="remove what occurs in these shards instead")
    parser.add_argument("--report", metavar="FILE", help="write a page of HTML about what is removed")
    parser.add_argument("--memory", metavar="SIZE", help="search in at most SIZE, as 16G")
    parser.add_argument("--work", metavar="DIR", help="keep temporary files in DIR, and go on from them after an interruption")
    parser.add_argument("--bad-lines", metavar="FILE", help="go on without bad lines and shards, and list them in FILE")
    given = vars(parser.parse_args(arguments))
    try:
        done = deduplicate(given.pop("paths"), given.pop("output"), **given)
    except (ImportError, OSError, ValueError) as error:
        print(f"ordosort.corpus: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    what = "removed" if given["annotate"] is None else "noted"
    print(f"{done.shards} shards, {done.documents} documents: {what} {done.removed} of {done.bytes} bytes")
    if given["bad_lines"] and os.path.getsize(given["bad_lines"]):
        print(f"ordosort.corpus: warning: bad lines or shards were left out: {given['bad_lines']} lists them", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
