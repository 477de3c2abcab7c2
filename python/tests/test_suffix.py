"""Suffix arrays, indexes, and drafts of tokens beside their definitions."""

import importlib.util
import random
import threading

import numpy as np
import pytest

import ordosort


def suffixes_of(records):
    """(suffix, position) of all records, sorted by their bytes, then by position."""
    all_suffixes, start = [], 0
    for record in records:
        all_suffixes += [(record[i:], start + i) for i in range(len(record))]
        start += len(record)
    return sorted(all_suffixes)


def common_prefix(a, b):
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


@pytest.mark.parametrize(
    "text", [b"", b"a", b"banana", b"aaaaaaaa", bytes(range(256)), bytes(random.Random(1).choices(b"ab\0\xff", k=700))]
)
def test_text(text):
    expected = suffixes_of([text])
    result = ordosort.suffix_array(text, lcp=True, bwt=True)
    assert result.sa.dtype == np.uint32
    assert result.sa.tolist() == [p for _, p in expected]
    lengths = [0] + [common_prefix(expected[i - 1][0], expected[i][0]) for i in range(1, len(expected))]
    assert result.lcp.tolist() == lengths[: len(expected)]
    assert result.bwt == text[-1:] + b"".join(b"$" if p == 0 else text[p - 1 : p] for _, p in expected) or text == b""
    alone = ordosort.suffix_array(text, sa=False, lcp=True, bwt=True)
    assert alone.sa is None
    assert alone.lcp.tolist() == result.lcp.tolist()
    assert alone.bwt == result.bwt == ordosort.suffix_array(text, sa=False, bwt=True).bwt
    with pytest.raises(ValueError):
        ordosort.suffix_array(text, sa=False)
    for same in [bytearray(text), memoryview(text), np.frombuffer(text, np.uint8)]:
        assert ordosort.suffix_array(same).tolist() == result.sa.tolist()


def test_records():
    records = [b"GATTACA", b"", b"TTAC", b"GATTACA"]
    result = ordosort.suffix_array(records, lcp=True)
    assert result.sa.tolist() == [p for _, p in suffixes_of(records)]
    assert result.bwt is None
    assert ordosort.suffix_array([]).tolist() == []
    assert ordosort.suffix_array("häh").tolist() == [p for _, p in suffixes_of(["häh".encode()])]
    with pytest.raises(TypeError):
        ordosort.suffix_array(np.arange(5))
    with pytest.raises(TypeError):
        ordosort.suffix_array(5)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    chosen = random.Random(3)
    records = ["".join(chosen.choices("ACGT", k=length)) for length in (500, 1, 300)] + ["ACGT" * 20]
    (folder / "x.fa").write_text("".join(f">r{i} text\n{record}\n" for i, record in enumerate(records)))
    seen = []
    index = ordosort.Index.build(folder / "x.fa", folder / "x", lcp=True, bwt=True, progress=seen.append)
    return index, records, folder


def test_index(built):
    index, records, folder = built
    text = "".join(records)
    assert len(index) == len(text)
    assert [name.split()[0] for name in index.names] == ["r0", "r1", "r2", "r3"]
    assert index.starts.tolist() == [0, 500, 501, 801]
    expected = ordosort.suffix_array([record.encode() for record in records], lcp=True)
    np.testing.assert_array_equal(index.array("sa"), expected.sa)
    np.testing.assert_array_equal(index.array("lcp"), expected.lcp)
    assert bytes(index.array("seq")).decode() == text
    with pytest.raises(KeyError):
        index.array("kmers")
    assert len(ordosort.Index.open(folder / "x")) == len(index)


def test_parts(tmp_path):
    chosen = random.Random(5)
    text = "".join(chosen.choices("ACGT", k=3 * 65536 + 10))
    (tmp_path / "x.fa").write_text(f">r\n{text}\n")
    one = ordosort.Index.build(tmp_path / "x.fa", tmp_path / "one")
    parts = ordosort.Index.build(tmp_path / "x.fa", tmp_path / "parts", options=["--split-output=2"])
    assert sorted(path.name for path in tmp_path.glob("parts.sa*")) == ["parts.sa.0001", "parts.sa.0002"]
    np.testing.assert_array_equal(parts.array("sa"), one.array("sa"))
    assert parts.count(["ACGT", text[65000:65100]]).tolist() == one.count(["ACGT", text[65000:65100]]).tolist()
    (tmp_path / "parts.sa.0002").write_bytes(b"")
    with pytest.raises(ordosort.InputError, match=r"parts\.sa\.0002: 0 bytes, expected 524328"):
        ordosort.Index(tmp_path / "parts")


def test_searches(built):
    index, records, _ = built
    patterns = ["A", "ACG", "acgt", "TTTTTTTTT", records[0][100:130], b"GG"]
    expected = []
    for pattern in patterns:
        letters = (pattern if isinstance(pattern, str) else pattern.decode()).upper()
        hits = [(r, i) for r, record in enumerate(records) for i in range(len(record)) if record.startswith(letters, i)]
        expected.append(len(hits))
        found = index.locate(pattern)
        assert list(zip(found.record.tolist(), found.offset.tolist())) == hits
        assert not found.reverse.any()
        assert index.count(pattern) == len(hits)
    assert index.count(patterns).tolist() == expected


def test_repeats(built):
    index, records, _ = built
    repeats = index.repeats(12, limit=5)
    assert len(repeats.length) > 0
    for r in range(len(repeats.length)):
        begin, end = repeats.first[r], repeats.first[r + 1]
        assert end - begin == min(5, repeats.count[r])
        strings = {
            records[record][offset : offset + int(repeats.length[r])]
            for record, offset in zip(repeats.at.record[begin:end].tolist(), repeats.at.offset[begin:end].tolist())
        }
        assert len(strings) == 1
        assert index.count(strings.pop()) == repeats.count[r]


def test_unique(built):
    index, records, _ = built
    counts = index.unique(8)
    words = [record[i : i + 8] if i + 8 <= len(record) else "" for record in records for i in range(len(record))]
    assert counts.tolist() == [0 if word == "" else index.count(word) for word in words]


@pytest.fixture(scope="module")
def repeated(tmp_path_factory):
    """Indexes of records that share strings and reverse complements, and queries of them with changed letters."""
    folder = tmp_path_factory.mktemp("matches")
    chosen = random.Random(5)
    genome = "".join(chosen.choices("ACGT", k=3000))
    records = [genome[:1500], "", genome[1000:1400] + "NNN" + genome[200:700].lower(), reverse_complement(genome[300:2300])]

    def changed(string):
        return "".join(chosen.choice("ACGTN") if chosen.random() < 0.02 else letter for letter in string)

    queries = [changed(genome[100:1300]), "", "ACG", changed(reverse_complement(genome)), changed(genome * 14)[:40_000]]
    (folder / "x.fa").write_text("".join(f">r{i}\n{record}\n" for i, record in enumerate(records)))
    (folder / "q.fa").write_text("".join(f">{i}\n{query}\n" for i, query in enumerate(queries)))
    options = {"plain": [], "both": ["--strands=both"], "sampled": ["--sample=4"], "fm": ["--fm", "--without-sa"]}
    indexes = {name: ordosort.Index.build(folder / "x.fa", folder / name, options=of) for name, of in options.items()}
    return folder, indexes, queries


def reverse_complement(string):
    return string.translate(str.maketrans("ACGT", "TGCA"))[::-1]


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"unique": True},
        {"rare": 2},
        {"super_maximal": True},
        {"both_strands": True},
        {"both_strands": True, "unique": True},
        {"both_strands": True, "super_maximal": True},
    ],
)
def test_mem_as_the_command(repeated, flags):
    folder, indexes, queries = repeated
    options = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in flags.items()]
    for name, index in indexes.items():
        if name == "sampled" and {"unique", "rare"} & set(flags):
            with pytest.raises(ValueError):
                index.mem(queries, **flags)
            continue
        matches = index.mem(queries, 30, **flags)
        ordosort.run_tool("sufsort", ["mem", folder / name, folder / "q.fa", "-l30", *options, "-o", folder / "out"])
        lines = zip(*(column.tolist() for column in matches))
        text = "".join(f"{q}\t{b}\tr{r}\t{o}\t{'+-'[s]}\t{n}\n" for q, b, r, o, s, n in lines)
        assert (folder / "out").read_text() == text and len(text) > 100
    first = indexes["plain"].mem(queries[0], 30, **flags)
    assert set(first.query.tolist()) == {0} and first.begin.tolist() == matches_of_query(indexes["plain"], queries, flags)


def test_run_length_index_as_an_index_of_both_strands(repeated):
    folder, indexes, queries = repeated
    both = indexes["both"]
    runs = ordosort.RunLengthIndex(folder / "x.fa", options=["--fm-sample=8"])
    assert runs.names == both.names and len(runs) == len(both) and set(runs.arrays) == {"rlfm", "pieces"}
    patterns = [query[begin : begin + 12] for query in queries if len(query) > 500 for begin in range(0, 400, 7)] + ["N", "A"]
    assert runs.count(patterns).tolist() == both.count(patterns).tolist()
    for pattern in patterns[:40]:
        for one, other in zip(runs.locate(pattern), both.locate(pattern)):
            assert one.tolist() == other.tolist()
    for flags in ({}, {"unique": True}, {"rare": 2}, {"super_maximal": True}):
        for one, other in zip(runs.mem(queries, 30, **flags), both.mem(queries, 30, **flags)):
            assert one.tolist() == other.tolist()
    assert [each.tolist() for each in runs.ms(queries)] == [each.tolist() for each in both.ms(queries)]
    with pytest.raises(ordosort.InputError, match="no array lcp"):
        runs.repeats(20)


def test_run_length_index_grows_and_is_saved(repeated, tmp_path):
    folder, indexes, _ = repeated
    (tmp_path / "more.fa").write_text(">more\nGATTACACCCGATTACA\n")
    runs = ordosort.RunLengthIndex([folder / "x.fa"], tmp_path / "kept")
    runs.add(tmp_path / "more.fa")
    whole = ordosort.RunLengthIndex([folder / "x.fa", tmp_path / "more.fa"])
    runs.save(tmp_path / "saved")
    whole.save(tmp_path / "whole")
    for end in (".rlfm", ".pieces", ".json"):
        assert (tmp_path / f"saved{end}").read_bytes() == (tmp_path / f"whole{end}").read_bytes()
    opened = ordosort.RunLengthIndex.open(tmp_path / "saved")
    assert opened.names[-1] == "more" and opened.count("GATTACACCC") == whole.count("GATTACACCC") >= 1
    with pytest.raises(ordosort.InputError, match="no runs"):
        ordosort.RunLengthIndex.open(folder / "plain")


def matches_of_query(index, queries, flags):
    matches = index.mem(queries, 30, **flags)
    return matches.begin[matches.query == 0].tolist()


def test_ms_as_the_command(repeated):
    folder, indexes, queries = repeated
    for name, index in indexes.items():
        if name == "sampled":
            with pytest.raises(ordosort.InputError, match="rows are left out"):
                index.ms(queries)
            continue
        ordosort.run_tool("sufsort", ["ms", folder / name, folder / "q.fa", "-o", folder / "out"])
        lines = (folder / "out").read_text().splitlines()
        assert [" ".join(map(str, lengths.tolist())) for lengths in index.ms(queries)] == lines[1::2]
        assert index.ms(queries[0]).tolist() == index.ms(queries)[0].tolist()
        assert index.ms([]) == [] and index.ms("").tolist() == []


def test_wrong_queries(repeated):
    _, indexes, _ = repeated
    index = indexes["plain"]
    for wrong in (dict(min_length=0), dict(rare=0), dict(min_length=-1), dict(min_length=2**70)):
        with pytest.raises(ValueError, match="above 0"):
            index.mem("ACGT", **wrong)
    with pytest.raises(TypeError):
        index.mem("ACGT", 3.5)
    with pytest.raises(TypeError):
        index.mem([3])
    with pytest.raises(TypeError):
        index.ms(None)
    assert len(index.mem([], 5).query) == 0 and len(index.mem("\0\xff" * 30, 5).query) == 0


def test_duplicates_as_the_command(repeated):
    folder, indexes, _ = repeated
    index = indexes["plain"]
    for keep in ("first", "longest", "none"):
        for scope in ("anywhere", "within", "across"):
            ranges = index.duplicates(25, keep=keep, scope=scope)
            flags = [f"--keep={keep}"] + ([] if scope == "anywhere" else [f"--{scope}"])
            ordosort.run_tool("sufsort", ["duplicates", folder / "plain", "-l25", *flags, "-o", folder / "out"])
            lines = zip(*(column.tolist() for column in ranges))
            assert (folder / "out").read_text() == "".join(f"r{r}\t{b}\t{e}\n" for r, b, e in lines)
    (folder / "other.fa").write_text(">x\nACGTACGTACGTACGTACGT\n>y\n" + "".join(repeated[2][0][:300]) + "\n")
    other = ordosort.Index.build(folder / "other.fa", folder / "other")
    assert other.duplicates(25, against=index).record.tolist()[0] == 1
    assert other.duplicates(25, against=folder / "plain").end.tolist() == other.duplicates(25, against=index).end.tolist()
    with pytest.raises(ValueError, match="scope"):
        index.duplicates(25, scope="here")
    with pytest.raises(ordosort.InputError):
        index.duplicates(25, keep="last")


def test_merge_and_add(tmp_path):
    (tmp_path / "a.fa").write_text(">one\nGATTACA\n>two\nTTAC\n")
    (tmp_path / "b.fa").write_text(">three\nCATTACATTAG\n")
    whole = ordosort.Index.build([tmp_path / "a.fa", tmp_path / "b.fa"], tmp_path / "whole", lcp=True, bwt=True)
    a, b = (ordosort.Index.build(tmp_path / f"{name}.fa", tmp_path / name, lcp=True, bwt=True) for name in "ab")
    merged = ordosort.Index.merge(a, tmp_path / "b", tmp_path / "merged")
    a.add(tmp_path / "b.fa")
    for index in (merged, a):
        assert index.names == whole.names == ["one", "two", "three"]
        for name in whole.arrays:
            assert bytes(index.array(name)) == bytes(whole.array(name)), name
        assert index.count("TTA") == whole.count("TTA") == 4
    with pytest.raises(ordosort.InputError):
        b.add(tmp_path / "none.fa")
    assert b.count("TTA") == 2


def test_aligner_index(tmp_path):
    (tmp_path / "a.fa").write_text(">one\nGATTACAGATTACA\n")
    ordosort.aligner_index(tmp_path / "a.fa", tmp_path / "python", "bwa")
    ordosort.run_tool("sufsort", ["aligner-index", "--for=bwa", tmp_path / "a.fa", "-o", tmp_path / "tool"])
    for end in ("amb", "ann", "pac", "bwt", "sa"):
        assert (tmp_path / f"python.{end}").read_bytes() == (tmp_path / f"tool.{end}").read_bytes()
    with pytest.raises(ordosort.InputError):
        ordosort.aligner_index(tmp_path / "a.fa", tmp_path / "x", "blast")


def test_missing_index(tmp_path):
    with pytest.raises(ordosort.InputError) as failure:
        ordosort.Index.open(tmp_path / "none")
    assert "none" in str(failure.value)
    assert isinstance(failure.value, OSError) and isinstance(failure.value, ValueError)
    with pytest.raises(ordosort.InputError):
        ordosort.Index.build(tmp_path / "none.fa", tmp_path / "x")


def test_threads(built):
    index, _, _ = built
    counts = []
    threads = [threading.Thread(target=lambda: counts.append(index.count(["ACG"] * 1000).sum())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(counts)) == 1


SEPARATOR = 2**32 - 1


def plain_drafts(text, context, max_match, max_tokens):
    """Returns the length of the longest match, and all drafts that may follow it."""
    best, drafts = 0, {()}
    for p in range(1, len(text)):
        length = 0
        while length < min(len(context), max_match, p) and text[p - 1 - length] == context[-1 - length] != SEPARATOR:
            length += 1
        if length == 0 or length < best:
            continue
        if length > best:
            best, drafts = length, set()
        after = text[p : p + max_tokens]
        drafts.add(tuple(after[: after.index(SEPARATOR)] if SEPARATOR in after else after))
    return best, drafts


def draft_batch(numbers, text, rows, width):
    """Returns contexts in rows, some from the text, and their lengths."""
    contexts = numbers.integers(0, 6, (rows, width)).astype(np.uint32)
    lengths = numbers.integers(0, width + 1, rows).astype(np.uint32)
    for i in range(0, rows, 2):
        if len(text) > width:
            first = numbers.integers(0, len(text) - width)
            contexts[i] = text[first : first + width]
    return contexts, lengths


def check_drafts(drafts, text, contexts, lengths, max_match, max_tokens):
    for i, (context, length) in enumerate(zip(contexts, lengths)):
        matched, allowed = plain_drafts(text, context[:length].tolist(), max_match, max_tokens)
        assert drafts.matched[i] == matched
        assert tuple(drafts.tokens[i, : drafts.lengths[i]].tolist()) in allowed


@pytest.mark.parametrize("max_match", [1, 3, 32])
def test_drafts(max_match):
    numbers = np.random.default_rng(72)
    index = ordosort.TokenIndex(max_match)
    text = []
    for size in (0, 1, 5, 60, 3, 200):
        more = numbers.choice(np.array([0, 1, 2, 5, SEPARATOR], np.uint32), size)
        index.append(more)
        text += more.tolist()
        assert len(index) == len(text)
        contexts, lengths = draft_batch(numbers, text, 30, 12)
        out = None
        for max_tokens in 4, 4:
            out = index.draft(contexts, max_tokens, lengths=lengths, out=out)
            check_drafts(out, text, contexts, lengths, max_match, max_tokens)
    again = ordosort.TokenIndex(max_match, machine=ordosort.Machine("cpu", threads=1))
    again.assign(np.array(text, np.uint32).view(np.int32))
    check_drafts(again.draft(contexts, 9), text, contexts, [12] * 30, max_match, 9)


def test_inputs_of_drafts():
    index = ordosort.TokenIndex()
    with pytest.raises(ValueError, match="no text: draft: assign comes first"):
        index.draft([[1]], 1)
    index.assign([])
    assert index.draft([[1]], 1).lengths.tolist() == [0]
    index.append([7, 8, -1, 7])  # lists and 64-bit integers of the host
    index.append(np.array([9, 2**32 - 1]))
    drafts = index.draft([[8, 7]], 3)
    assert drafts.tokens.tolist() in ([[8, -1, -1]], [[9, -1, -1]])
    assert index.draft(np.empty((0, 5), np.int32), 3).tokens.shape == (0, 3)
    assert index.draft(np.empty((2, 0), np.int32), 0).matched.tolist() == [0, 0]
    strided = np.array([[8, 7], [0, 7]], np.int32).T
    assert index.draft(strided, 1).matched.tolist() == [0, 1]
    for wrong, error in (
        (lambda: index.append([2**32]), ValueError),
        (lambda: index.append([1.5]), TypeError),
        (lambda: index.append([[1]]), ValueError),
        (lambda: index.draft([1], 1), ValueError),
        (lambda: index.draft([[1]], -1), ValueError),
        (lambda: index.draft([[1]], 1, lengths=[1, 1]), ValueError),
        (lambda: index.draft([[1]], 2, out=drafts), ValueError),
        (lambda: index.draft([[1]], 3, out=[np.empty((1, 3)), *drafts[1:]]), TypeError),
        (lambda: index.draft([[1]], 3, out=[np.empty((1, 6), np.int32)[:, ::2], *drafts[1:]]), ValueError),
        (lambda: ordosort.TokenIndex(0), ValueError),
    ):
        with pytest.raises(error):
            wrong()
    assert len(index) == 6


def test_threads_that_draft():
    index = ordosort.TokenIndex()
    text = np.random.default_rng(1).integers(0, 50, 20000)
    index.assign(text)
    results = [None] * 4

    def draft(k):
        results[k] = [index.draft(text[k : k + 1000].reshape(50, 20), 4).tokens for _ in range(20)]

    threads = [threading.Thread(target=draft, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, result in enumerate(results):
        expected = index.draft(text[k : k + 1000].reshape(50, 20), 4).tokens
        assert all(np.array_equal(tokens, expected) for tokens in result)


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="no PyTorch")
def test_drafts_of_torch():
    import torch

    index = ordosort.TokenIndex()
    index.append(torch.tensor([1, 2, 3, 1, 2], dtype=torch.int32))
    drafts = index.draft(torch.tensor([[3, 1]], dtype=torch.int32), 2)
    assert isinstance(drafts.tokens, torch.Tensor) and drafts.tokens.tolist() == [[2, -1]]
    with pytest.raises(TypeError, match="int32"):
        index.append(torch.tensor([1]))


@pytest.mark.skipif(not importlib.util.find_spec("torch") or not ordosort.gpus(), reason="no PyTorch, or no GPU")
def test_drafts_in_a_graph():
    import torch

    numbers = np.random.default_rng(5)
    index = ordosort.TokenIndex(16)
    index.assign(torch.empty(0, dtype=torch.int32, device="cuda"))
    contexts = torch.zeros((64, 20), dtype=torch.int32, device="cuda")
    lengths = torch.zeros(64, dtype=torch.int32, device="cuda")
    out = index.draft(contexts, 5, lengths=lengths)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        index.draft(contexts, 5, lengths=lengths, out=out)
    text = []
    for size in (300, 2, 2000, 100):
        more = numbers.integers(0, 6, size).astype(np.uint32)
        text += more.tolist()
        index.append(torch.from_numpy(more.view(np.int32)).cuda())
        rows, row_lengths = draft_batch(numbers, text, 64, 20)
        contexts.copy_(torch.from_numpy(rows.view(np.int32)))
        lengths.copy_(torch.from_numpy(row_lengths.view(np.int32)))
        graph.replay()
        torch.cuda.synchronize()
        check_drafts(ordosort.Drafts(*(x.cpu().numpy() for x in out)), text, rows, row_lengths, 16, 5)
    with pytest.raises(ValueError, match="not on the device"):
        index.append(torch.tensor([1], dtype=torch.int32))
    with pytest.raises(ValueError, match="not on the device"):
        index.draft(torch.zeros((1, 1), dtype=torch.int32), 1)


@pytest.mark.skipif(not importlib.util.find_spec("cupy") or not ordosort.gpus(), reason="no CuPy, or no GPU")
def test_drafts_of_cupy():
    import cupy

    index = ordosort.TokenIndex()
    with cupy.cuda.Stream(non_blocking=True):
        index.append(cupy.array([1, 2, 3, 1, 2], cupy.int32))
        drafts = index.draft(cupy.array([[3, 1], [0, 2]], cupy.uint32), 2)
        assert drafts.tokens.get().tolist() == [[2, -1], [3, 1]]
