"""Exact deduplication of shards, beside its definition in plain Python. `python test_corpus.py SEED CASES` runs more sets,
and kills the process in some."""

import collections
import gzip
import json
import os
import random
import signal
import subprocess
import sys

import pytest

from ordosort import InputError, corpus

FORMATS = ("parquet", "arrow", "stream", "jsonl", "jsonl.gz", "jsonl.zst")
KEEP = ("first", "longest", "none", "score", "sources")
UNITS = ("strings", "strings", "lines", "paragraphs", "records")


def pyarrow_or_skip():
    return pytest.importorskip("pyarrow")


def is_whole(text, at):
    return at == len(text) or text[at] & 0xC0 != 0x80


BLANKS = b" \t\n\v\f\r"


def whole_units(texts, length, unit):
    """Yields the whole units of texts: their content, text, and the begin and end of what goes with them."""
    for r, text in enumerate(texts):
        if unit == "records":
            found = [[text, 0, len(text)]]
        elif unit == "lines":
            ends = [at + 1 for at, byte in enumerate(text) if byte == 10] + [len(text)]
            found = [[text[begin:end], begin, end] for begin, end in zip([0, *ends], ends)]
        else:
            found = []
            is_open, at = False, 0
            for line in text.splitlines(keepends=True):  # they have no CR
                end = at + len(line)
                if not line.strip(BLANKS):
                    is_open = False
                elif is_open:
                    found[-1][0] += line
                else:
                    found.append([line, at, end])
                    is_open = True
                if found:
                    found[-1][2] = end
                at = end
        for content, begin, end in found:
            content = content if unit == "records" else content.strip(BLANKS)
            if len(content) >= length and content:
                yield content, r, begin, end


def copies(texts, length, keep, ranks, unit="strings"):
    """The ranges of each text, which is bytes, that are in copies. Of equal strings the one in the text of the smallest rank is
    the kept one."""
    places = collections.defaultdict(list)
    if unit == "strings":
        for r, text in enumerate(texts):
            for p in range(len(text) - length + 1):
                places[text[p : p + length]].append((r, p, p + length))
    else:
        for content, r, begin, end in whole_units(texts, length, unit):
            places[content].append((r, begin, end))
    marks = [bytearray(len(text)) for text in texts]
    for all in places.values():
        kept = None if keep == "none" else min(all, key=lambda place: (ranks[place[0]], place))
        for place in all if len(all) > 1 else ():
            r, begin, end = place
            if place != kept:
                marks[r][begin:end] = b"\1" * (end - begin)
    ranges = []
    for text, marked in zip(texts, marks):
        here, at = [], 0
        while (begin := marked.find(1, at)) >= 0:
            end = at = marked.find(0, begin) if marked.find(0, begin) >= 0 else len(text)
            while begin < end and not is_whole(text, begin):
                begin += 1
            while begin < end and not is_whole(text, end):
                end -= 1
            if begin < end:
                here.append([begin, end])
        ranges.append(here)
    return ranges


def without(text, ranges):
    kept, at = b"", 0
    for begin, end in ranges:
        kept, at = kept + text[at:begin], end
    return kept + text[at:]


def random_texts(rng):
    letters = rng.choice(["abé𝄞", "abé𝄞", "ab\n ", "a\n"])
    words = ["".join(rng.choice(letters) for _ in range(rng.randint(0, 9))) for _ in range(6)]
    return ["".join(rng.choice(words) for _ in range(rng.randint(0, 8))) for _ in range(rng.randint(0, 7))]


def write_shard(rng, path, format, texts):
    """Writes texts, of which None is a null, beside other columns."""
    rows = [{"id": rng.randint(-5, 5) if rng.random() < 0.9 else None, "text": text, "more": {"x": [rng.random()] * rng.randint(0, 2)}} for text in texts]
    if format.startswith("jsonl"):
        lines = "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows).encode()
        if format == "jsonl.gz":
            lines = gzip.compress(lines)
        if format == "jsonl.zst":
            lines = pyarrow_or_skip().Codec("zstd").compress(lines, asbytes=True)
        path.write_bytes(lines)
        return
    arrow = pyarrow_or_skip()
    kinds = [arrow.string(), arrow.large_string(), arrow.binary(), arrow.string_view()]
    kinds.append(arrow.dictionary(arrow.int32(), arrow.string()))
    kind = rng.choice(kinds if format == "parquet" else kinds[:4])
    column = arrow.array(texts, arrow.string())
    column = column.dictionary_encode() if kind == kinds[4] else column.cast(kind)
    more = arrow.array([row["more"] for row in rows], arrow.struct([("x", arrow.list_(arrow.float32()))]))
    fields = [arrow.field("id", arrow.int16()), arrow.field("text", kind, metadata={"of": "x"}), arrow.field("more", more.type)]
    schema = arrow.schema(fields, metadata={"huggingface": '{"info": {}}'})
    table = arrow.Table.from_arrays([arrow.array([row["id"] for row in rows], arrow.int16()), column, more], schema=schema)
    size = rng.randint(1, 3)
    batches = [table.slice(at, size) for at in range(0, len(table), size)]
    if rng.random() < 0.3:
        batches.insert(rng.randint(0, len(batches)), table.slice(0, 0))
    if format == "parquet":
        import pyarrow.parquet

        codecs = {"id": "none", "text": rng.choice(["zstd", "gzip"]), "more.x.list.element": "snappy"}
        with pyarrow.parquet.ParquetWriter(path, schema, compression=codecs, use_dictionary=["id"]) as writer:
            for batch in batches:
                writer.write_table(batch)
        return
    options = arrow.ipc.IpcWriteOptions(compression=rng.choice([None, "lz4", "zstd"]))
    with (arrow.ipc.new_file if format == "arrow" else arrow.ipc.new_stream)(str(path), schema, options=options) as writer:
        for batch in batches:
            columns = [arrow.concat_arrays(c.chunks) if c.num_chunks else arrow.array([], c.type) for c in batch.columns]
            writer.write_batch(arrow.RecordBatch.from_arrays(columns, schema=schema))


def read_shard(path, format):
    """The rows of a shard, and how it is stored."""
    if format.startswith("jsonl"):
        data = path.read_bytes()
        if format == "jsonl.gz":
            data = gzip.decompress(data)
        if format == "jsonl.zst":
            assert data[:4] == b"\x28\xb5\x2f\xfd"
            data = pyarrow_or_skip().CompressedInputStream(str(path), "zstd").read()
        return [json.loads(line) for line in data.splitlines()], None
    arrow = pyarrow_or_skip()
    if format == "parquet":
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(path)
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        codecs = [[group.column(c).compression for c in range(group.num_columns)] for group in groups[:1]]
        return file.read().to_pylist(), [file.schema_arrow, [group.num_rows for group in groups], codecs]
    reader = (arrow.ipc.open_file if format == "arrow" else arrow.ipc.open_stream)(path.read_bytes())
    batches = [reader.get_batch(k) for k in range(reader.num_record_batches)] if format == "arrow" else list(reader)
    with corpus._opened(str(path), "arrow") as shard:
        codec = shard._codec()
    return [row for batch in batches for row in batch.to_pylist()], [reader.schema, [len(batch) for batch in batches], codec]


def as_bytes(text):
    return text.encode() if isinstance(text, str) else text or b""


def ranks_of(rng, keep, before, paths, read):
    """Returns a number for each document, of which the smallest one keeps a copy, and the options for it."""
    rows = [row for rows, _ in before for row in rows]
    if keep == "longest":
        return [-len(as_bytes(row["text"])) for row in rows], {"keep": keep}
    if keep == "score":
        return [100 if row["id"] is None else -row["id"] for row in rows], {"keep": "best", "score": "id"}
    if keep == "sources":
        folders = sorted({path.parent for path in paths if path.parent != read})
        sources = rng.sample([*paths, *folders], rng.randint(1, len(paths)))
        ranks = []
        for path, (rows, _) in zip(paths, before):
            above = [(len(str(source)), -k) for k, source in enumerate(sources) if source in (path, *path.parents)]
            ranks += [-max(above)[1] if above else len(sources)] * len(rows)
        return ranks, {"keep": "best", "sources": sources}
    return [0] * len(rows), {"keep": keep}


def killed_at_random(rng, given, out, call):
    """Runs deduplicate in a process that is killed at some moment, or with a disk that is full then."""
    paths = [str(path) for path in ([given] if isinstance(given, os.PathLike) else given)]
    call = {name: [str(each) for each in value] if name == "sources" else value for name, value in call.items()}
    call["work"] = str(call["work"])
    step = rng.choice(["_as_bytes", "replaced", "run_tool", "run_fed", "_opened", ""])
    words = [json.dumps([paths, str(out), call]), "0" if step else "200", step, str(rng.randint(1, 3))]
    subprocess.run([sys.executable, "-c", PROGRAM, *words], env=environment_of_program(), capture_output=True, check=False)


def check_set(rng, folder, format, kills=False):
    """A random folder of shards, with random options. @param kills  in a process that is killed first, once or twice"""
    read, out = folder / "read", folder / "out" / "clean"
    names = rng.sample(["a", "b", "sub/a", "sub/deep/c"], rng.randint(1, 4))
    for name in names:
        texts = random_texts(rng)
        if not format.startswith("jsonl"):
            texts = [None if rng.random() < 0.1 else text for text in texts]
        path = read / f"{name}.{'arrow' if format == 'stream' else format}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_shard(rng, path, format, texts)
    paths = sorted((path for path in read.rglob("*") if path.is_file()), key=lambda path: path.parts)
    before = [read_shard(path, format) for path in paths]
    texts = [as_bytes(row["text"]) for rows, _ in before for row in rows]
    length, keep, unit, annotate = rng.randint(1, 8), rng.choice(KEEP), rng.choice(UNITS), rng.choice([None, "copies"])
    ranks, options = ranks_of(rng, keep, before, paths, read)
    given = read if rng.random() < 0.5 else paths
    if not texts:
        with pytest.raises(InputError, match="empty"):
            corpus.deduplicate(given, out, min_length=length)
        return
    call = {"min_length": length, "unit": unit, "annotate": annotate, **options}
    if kills:
        killed_at_random(rng, given, out, {**call, "work": folder / "work"})
        call["work"] = folder / "work"
    done = corpus.deduplicate(given, out, **call)
    ranges = copies(texts, length, keep, ranks, unit)
    removed = sum(end - begin for here in ranges for begin, end in here)
    assert done == (len(paths), len(texts), sum(map(len, texts)), removed)
    if format.startswith("jsonl") and unit == "records" and not annotate:  # whole lines go
        whole = [[[0, len(text)]] == here for text, here in zip(texts, ranges)]
        at = 0
        for number, (rows, stored) in enumerate(before):
            before[number] = ([row for k, row in enumerate(rows) if not whole[at + k]], stored)
            at += len(rows)
        texts = [text for text, goes in zip(texts, whole) if not goes]
        ranges = [here for here, goes in zip(ranges, whole) if not goes]
    root = read if given == read else os.path.commonpath([path.parent for path in paths])
    at = 0
    for path, (rows, stored) in zip(paths, before):
        got, got_stored = read_shard(out / path.relative_to(root), format)
        assert len(got) == len(rows)
        for row, new in zip(rows, got):
            if annotate:
                assert new.pop(annotate) == ranges[at]
            else:
                assert as_bytes(new["text"]) == without(texts[at], ranges[at])
                assert (new["text"] is None) == (row["text"] is None) and type(new["text"]) is type(row["text"])
                new["text"] = row["text"]
            assert new == row
            at += 1
        if stored is None:
            continue
        schema, sizes, codecs = stored
        new_schema, new_sizes, new_codecs = got_stored
        assert sizes == new_sizes
        if annotate:
            new_schema = new_schema.remove(new_schema.get_field_index(annotate))
            new_codecs = [new_codecs[0][: len(codecs[0])]] if format == "parquet" and new_codecs else new_codecs
        if sizes and any(sizes):
            assert codecs == new_codecs
        kind = schema.field("text").type
        if hasattr(kind, "value_type") and not annotate:
            schema = schema.set(1, schema.field("text").with_type(kind.value_type))
        assert schema.equals(new_schema, check_metadata=True)
    assert sorted(path.name for path in out.rglob("*") if path.is_file()) == sorted(path.name for path in paths)


@pytest.mark.parametrize("format", FORMATS)
def test_random(tmp_path, format):
    if format not in ("jsonl", "jsonl.gz"):
        pyarrow_or_skip()
    for case in range(3):
        (tmp_path / str(case)).mkdir()
        check_set(random.Random(f"{format} {case}"), tmp_path / str(case), format)


def write_texts(folder, shards, name="{:05}.parquet", **columns):
    """A folder of Parquet, a shard for each list of texts."""
    parquet = pytest.importorskip("pyarrow.parquet")
    folder.mkdir(parents=True, exist_ok=True)
    for number, texts in enumerate(shards):
        table = pyarrow_or_skip().table({"text": texts, **{key: [number] * len(texts) for key in columns}})
        parquet.write_table(table, folder / name.format(number), row_group_size=2)


def texts_of(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    return [parquet.read_table(path).column("text").to_pylist() for path in sorted(folder.rglob("*.parquet"))]


def test_data_sets(tmp_path, capsys):
    """The folders of `datasets` and of datatrove keep their other files, on a command line, too."""
    read, out = tmp_path / "set", tmp_path / "clean"
    write_texts(read / "data", [["abcdef", "abcdefg"], ["xabcdef"]], "train-{:05}-of-00002.parquet")
    (read / "README.md").write_text("---\nlicense: mit\n---\n")
    (read / "dataset_dict.json").write_text('{"splits": ["train"]}')
    (read / ".cache").mkdir()
    write_texts(read / ".cache", [["abcdef"]])
    assert corpus.main([str(read), "-o", str(out), "-l", "6"]) == 0
    assert capsys.readouterr().out == "2 shards, 3 documents: removed 12 of 20 bytes\n"
    assert texts_of(out) == [["abcdef", "g"], ["x"]]
    assert (out / "README.md").read_bytes() == (read / "README.md").read_bytes()
    assert (out / "dataset_dict.json").exists() and not (out / ".cache").exists()
    assert corpus.main([str(read), "-o", str(read / "clean"), "-l", "6"]) == 2
    assert "which is read" in capsys.readouterr().err

    traces = tmp_path / "datatrove"
    traces.mkdir()
    for rank in range(2):
        line = {"text": "abcdef", "id": f"{rank}/0", "metadata": {"url": "x"}}
        (traces / f"{rank:05}.jsonl.gz").write_bytes(gzip.compress(json.dumps(line).encode() + b"\n"))
    assert corpus.deduplicate(traces, tmp_path / "lines", min_length=6) == (2, 2, 12, 6)
    line = json.loads(gzip.decompress((tmp_path / "lines" / "00001.jsonl.gz").read_bytes()))
    assert line == {"text": "", "id": "1/0", "metadata": {"url": "x"}}


def test_other_corpus(tmp_path):
    write_texts(tmp_path / "web", [["abcdef1", "abcdef2"], [None, "g"]])
    write_texts(tmp_path / "test", [["zabcdef"]])
    done = corpus.deduplicate(tmp_path / "web", tmp_path / "out", min_length=6, against=tmp_path / "test" / "00000.parquet")
    assert done == (2, 4, 15, 12) and texts_of(tmp_path / "out") == [["1", "2"], [None, "g"]]
    lines = tmp_path / "test.jsonl"
    lines.write_text('{"text": "2abcdef"}\n')
    corpus.deduplicate(tmp_path / "web", tmp_path / "out", min_length=6, against=[lines], memory="1G", options=["--utf-8"])
    assert texts_of(tmp_path / "out") == [["1", "2"], [None, "g"]]


def test_kept_copies_and_report(tmp_path):
    """Parquet keeps the copy of the best source or score, and the page names shards and sources, with examples."""
    web = tmp_path / "web"
    write_texts(web / "crawl", [["all work and no play!", "more"]], score=0)
    write_texts(web / "wiki", [["see: all work and no play"], ["all work and no play, too"]], score=0)
    call = {"min_length": 20, "keep": "best", "report": tmp_path / "page.html"}
    corpus.deduplicate(web, tmp_path / "out", sources=[web / "wiki", web / "crawl"], **call)
    assert texts_of(tmp_path / "out") == [["!", "more"], ["see: all work and no play"], [", too"]]
    page = (tmp_path / "page.html").read_text()
    row = '<td>{}</td><td class="number">{}</td><td class="number">{}</td>'
    for line in row.format("wiki", 2, 2), row.format("crawl", 1, 2), "<td>crawl/00000.parquet</td>", "all work and no play</code>":
        assert line in page
    assert "wiki/00001.parquet: <code>all work and no play</code>" in page
    corpus.deduplicate(web, tmp_path / "out", score="score", **call)
    assert texts_of(tmp_path / "out") == [["!", "more"], ["see: "], ["all work and no play, too"]]
    done = corpus.deduplicate(web, tmp_path / "out", min_length=20, options=["--across"])
    assert done == (3, 4, 75, 40)


def test_whole_documents(tmp_path):
    """Rows of columns stay, emptied; lines of JSONL go."""
    write_texts(tmp_path / "web", [["abc", "abc", None], ["abc", "", "b"]])
    assert corpus.deduplicate(tmp_path / "web", tmp_path / "out", min_length=2, unit="records") == (2, 6, 10, 6)
    assert texts_of(tmp_path / "out") == [["abc", "", None], ["", "", "b"]]
    (tmp_path / "a.jsonl").write_text('{"text": "abc"}\n{"text": ""}\n{"text": "abc"}\n')
    assert corpus.deduplicate(tmp_path / "a.jsonl", tmp_path / "lines", min_length=2, unit="records") == (1, 3, 6, 3)
    assert (tmp_path / "lines" / "a.jsonl").read_text() == '{"text": "abc"}\n{"text": ""}\n'


def test_wrong_calls(tmp_path):
    arrow = pyarrow_or_skip()
    parquet = pytest.importorskip("pyarrow.parquet")
    web, out = tmp_path / "web", tmp_path / "out"
    write_texts(web, [["abcdef"] * 3, ["b"]], id=0)

    def refused(error, match, paths=web, target=out, **options):
        with pytest.raises(error, match=match):
            corpus.deduplicate(paths, target, **{"min_length": 3, **options})
        assert not out.exists()

    refused(InputError, "no column body: .*00000.parquet: columns of text: text", column="body")
    refused(InputError, "no text: .*00000.parquet: column id is int64; columns of text: text", column="id")
    refused(ValueError, "it has a column id: choose another name", annotate="id")
    refused(ValueError, "min_length: 0 is no whole number", min_length=0)
    refused(InputError, "keep", keep="last")
    refused(InputError, "unit", unit="sentences")
    for options in {"keep": "best"}, {"score": "id"}, {"keep": "best", "score": "id", "sources": [web]}:
        refused(ValueError, "keep: 'best' goes with a score or with sources", **options)
    for name in "text", "none":
        refused(InputError, f"no numbers: .*00000.parquet: column {name} is", keep="best", score=name)
    refused(ValueError, "sources: .*none: it is no shard, and no folder of one", keep="best", sources=[web / "none"])
    refused(TypeError, "sources: .*, where a list is expected", keep="best", sources=str(web))
    refused(FileNotFoundError, "No such file", paths=tmp_path / "none")
    refused(ValueError, "paths: none", paths=[])
    refused(ValueError, "which is read", target=web)
    refused(ValueError, "which is read", target=tmp_path)
    refused(ValueError, "it is a shard that is read", paths=web / "00000.parquet", target=web)
    refused(ValueError, "a shard is given twice", paths=[web / "00000.parquet", web / "00000.parquet"])
    (tmp_path / "empty").mkdir()
    refused(InputError, "no shards: .*empty", paths=tmp_path / "empty")

    def shard(name, data):
        (tmp_path / "bad").mkdir(exist_ok=True)
        for path in (tmp_path / "bad").iterdir():
            path.unlink()
        path = tmp_path / "bad" / name
        path.write_bytes(data)
        return [web / "00000.parquet", path]

    whole = (web / "00000.parquet").read_bytes()
    refused(InputError, "cannot read: .*cut.parquet: ", shard("cut.parquet", whole[:-9]))
    refused(InputError, "not Parquet: .*x.parquet", shard("x.parquet", b"text"))
    refused(InputError, "not Arrow: .*x.arrow", shard("x.arrow", b"text"))
    refused(InputError, "different formats: .*x.jsonl: jsonl", shard("x.jsonl", b"{}"))
    broken = bytearray(whole)
    broken[4:40] = os.urandom(36)
    paths = shard("broken.parquet", bytes(broken))
    refused(InputError, "cannot read: .*broken.parquet: ", paths)
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, arrow.schema([("text", arrow.string())])) as writer:
        for _ in range(3):
            writer.write_batch(arrow.record_batch({"text": ["abcdef"] * 50}))
    stream = sink.getvalue().to_pybytes()
    refused(InputError, "cannot read: .*cut.arrow: ", shard("cut.arrow", stream[:-600])[1])
    parquet.write_table(arrow.table({"text": arrow.array([b"a\xffb"])}), tmp_path / "bytes.parquet")
    refused(InputError, "not UTF-8: .*bytes.parquet: column text has the byte 0xff", tmp_path / "bytes.parquet")


def test_empty_shards(tmp_path):
    arrow = pyarrow_or_skip()
    write_texts(tmp_path / "web", [[], ["abcdef", "abcdef"], []])
    assert corpus.deduplicate(tmp_path / "web", tmp_path / "out", min_length=3) == (3, 2, 12, 6)
    assert texts_of(tmp_path / "out") == [[], ["abcdef", ""], []]
    write_texts(tmp_path / "nulls", [[None, ""]])
    nulls = tmp_path / "nulls" / "00000.parquet"
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"text": arrow.array([None, ""], arrow.string())}), nulls)
    assert corpus.deduplicate(nulls, tmp_path / "out", min_length=3) == (1, 2, 0, 0)
    with pytest.raises(InputError, match="empty"):
        write_texts(tmp_path / "none", [[]])
        corpus.deduplicate(tmp_path / "none", tmp_path / "other", min_length=3)


def test_bad_shards(tmp_path, capsys):
    """Shards that cannot be read are left out and listed."""
    pyarrow_or_skip()
    write_texts(tmp_path / "web", [["abcdef"], ["abcdef", "x"], ["abcdef"], ["yabcdef"]])
    whole = (tmp_path / "web" / "00001.parquet").read_bytes()
    (tmp_path / "web" / "00001.parquet").write_bytes(whole[:-9])
    (tmp_path / "web" / "00002.parquet").write_bytes(whole[:4] + bytes(36) + whole[40:])
    (tmp_path / "web" / "00004.parquet").write_bytes(b"")
    list_of_bad = tmp_path / "bad.tsv"
    done = corpus.deduplicate(tmp_path / "web", tmp_path / "out", min_length=3, bad_lines=list_of_bad)
    assert done == (2, 2, 13, 6) and texts_of(tmp_path / "out") == [["abcdef"], ["y"]]
    rows = [line.split("\t") for line in list_of_bad.read_text().splitlines()]
    assert [row[:2] for row in rows] == [[f"0000{k}.parquet", "1"] for k in (1, 2, 4)]
    assert all(len(row) == 4 and row[2].startswith(("cannot read: ", "not Parquet: ")) for row in rows)
    with pytest.raises(InputError, match="cannot read: .*00001.parquet"):
        corpus.deduplicate(tmp_path / "web" / "00001.parquet", tmp_path / "no", min_length=3, bad_lines=list_of_bad)
    with pytest.raises(InputError, match="no column body"):
        corpus.deduplicate(tmp_path / "web", tmp_path / "no", min_length=3, bad_lines=list_of_bad, column="body")
    assert not (tmp_path / "no").exists() and len(list_of_bad.read_text().splitlines()) == 3


def test_bad_lines(tmp_path, capsys):
    """Lines that are no JSON and files that are cut are left out and listed."""
    web = tmp_path / "web"
    web.mkdir()
    line = json.dumps({"text": "all work and no play"}) + "\n"
    (web / "a.jsonl").write_text(line + "no json\n" + line)
    packed = gzip.compress("".join(json.dumps({"text": str(k) * 9}) + "\n" for k in range(3000)).encode())
    (web / "b.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    words = [str(web), "-o", str(tmp_path / "out"), "--min-length=12", f"--bad-lines={tmp_path / 'bad.tsv'}"]
    for _ in range(2):
        assert corpus.main([*words, f"--work={tmp_path}"]) == 0
        assert "bad lines or shards were left out" in capsys.readouterr().err
        bad = (tmp_path / "bad.tsv").read_text().splitlines()
        assert bad[0].startswith("a.jsonl\t2\t") and bad[0].endswith("\tno json")
        assert bad[-1].startswith("b.jsonl.gz\t") and "cannot read" in bad[-1] and len(bad) <= 3
        assert (tmp_path / "out" / "a.jsonl").read_text() == line + '{"text": ""}\n'
    missing = [web / "a.jsonl", tmp_path / "none.jsonl"]
    corpus.deduplicate(missing, tmp_path / "other", min_length=12, bad_lines=tmp_path / "bad.tsv")
    assert "none.jsonl\t1\t" in (tmp_path / "bad.tsv").read_text()
    with pytest.raises(InputError, match="a.jsonl:2"):
        corpus.deduplicate(web / "a.jsonl", tmp_path / "no", min_length=12)


PROGRAM = """
import json, os, resource, signal, sys
from ordosort import corpus

(paths, out, call), limit, step, moment = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def killed(name):
    call, left = getattr(corpus, name), moment

    def counted(*words, **options):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*words, **options)

    setattr(corpus, name, counted)


if step:
    killed(step)
corpus.deduplicate(paths, out, **call)
"""


def environment_of_program():
    return {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(corpus.__file__))}


def run_program(folder, limit=0, step="", moment=0):
    call = json.dumps([["web"], "out", {"min_length": 20, "work": "work"}])
    words = [sys.executable, "-c", PROGRAM, call, str(limit), step, str(moment)]
    return subprocess.run(words, cwd=folder, env=environment_of_program(), capture_output=True, text=True)


def test_interruptions(tmp_path):
    """Killed at each step, and without space: old files or new ones, nothing else, and the next call continues."""
    rng = random.Random(7)
    shards = [["".join(rng.choice("ab") for _ in range(3000)) for _ in range(5)] for _ in range(3)]
    write_texts(tmp_path / "web", shards)
    corpus.deduplicate(tmp_path / "web", tmp_path / "wanted", min_length=20)
    wanted = texts_of(tmp_path / "wanted")
    (tmp_path / "out").mkdir()
    write_texts(tmp_path / "out", [["old"]])
    # Within the text, at its end, at the search, and at the second shard.
    steps = [("_as_bytes", 3), ("replaced", 1), ("run_tool", 1), ("replaced", 2)]
    for step, moment in steps:
        done = run_program(tmp_path, step=step, moment=moment)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["00000.parquet"]
    assert texts_of(tmp_path / "out") == [wanted[0]]
    done = run_program(tmp_path, limit=20_000)
    assert done.returncode == 1 and "File too large" in done.stderr
    assert all(path.name.endswith(".parquet") for path in (tmp_path / "out").iterdir())
    done = run_program(tmp_path)
    assert done.returncode == 0, done.stderr
    assert texts_of(tmp_path / "out") == wanted and not list((tmp_path / "work").iterdir())


if __name__ == "__main__":
    import pathlib
    import tempfile

    seed, cases = sys.argv[1], int(sys.argv[2])
    for format in FORMATS:
        for case in range(cases):
            rng = random.Random(f"{seed} {format} {case}")
            with tempfile.TemporaryDirectory() as folder:
                try:
                    check_set(rng, pathlib.Path(folder), format, kills=rng.random() < 0.3)
                except BaseException:
                    print(f"WRONG: {format}: set {case}")
                    raise
        print(f"{format}: {cases} sets")
