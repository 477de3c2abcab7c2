"""Suffix arrays and indexes beside their definitions."""

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
