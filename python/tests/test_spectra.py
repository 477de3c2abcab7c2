"""Spectra in arrays and files."""

import bz2
import gzip
import io
import lzma
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ordosort
from ordosort import spectra

DATASETS = pathlib.Path(__file__).parents[2] / "datasets"


def random_peaks(seed=0, dtype="float64"):
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 200, 300)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    mz = random.integers(100, 2000, offsets[-1]).astype(dtype) / 4
    return mz, random.integers(0, 1000, offsets[-1]).astype("float32"), offsets


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("offset_type", ["int32", "uint32", "int64", "uint64", "int16"])
@pytest.mark.parametrize("by", ["mz", "intensity"])
@pytest.mark.parametrize("descending", [False, True])
def test_sort(dtype, offset_type, by, descending):
    mz, intensity, offsets = random_peaks(1, dtype)
    if offset_type == "int16":
        offsets = offsets[offsets < 30000]
    result = spectra.sort(mz, intensity, offsets.astype(offset_type), by=by, descending=descending)
    keys = mz if by == "mz" else intensity
    expected = np.arange(len(mz))
    for begin, end in zip(offsets[:-1], offsets[1:]):
        expected[begin:end] = begin + np.argsort(-keys[begin:end] if descending else keys[begin:end], kind="stable")
    np.testing.assert_array_equal(result[0], mz[expected])
    np.testing.assert_array_equal(result[1], intensity[expected])


def test_select():
    mz, intensity, offsets = random_peaks(2)
    kept_mz, kept_intensity, kept_offsets = spectra.select(mz, intensity, offsets, top=20, min_mz=50, min_relative=0.01)
    for s in range(len(offsets) - 1):
        a, b = mz[offsets[s] : offsets[s + 1]], intensity[offsets[s] : offsets[s + 1]]
        inside = a >= 50
        a, b = a[inside], b[inside]
        strong = b >= 0.01 * b.max(initial=0)
        a, b = a[strong], b[strong]
        best = np.sort(np.lexsort((a, -b))[:20])
        begin, end = kept_offsets[s], kept_offsets[s + 1]
        np.testing.assert_array_equal(kept_mz[begin:end], a[best])
        np.testing.assert_array_equal(kept_intensity[begin:end], b[best])
    near = spectra.select(mz, intensity, offsets, remove_precursor=2.0, precursor_mz=np.full(len(offsets) - 1, 200.0))
    assert not np.any(np.abs(near[0] - 200) <= 2.0)
    assert len(spectra.select(mz, intensity, offsets, preset="casanovo", precursor_mz=np.full(300, 200.0))[0]) > 0


def test_select_sums_and_ranks():
    mz, intensity, offsets = np.array([1.0, 1.5, 9.0, 1.0]), np.array([2.0, 5.0, 1.0, 4.0], np.float32), [0, 3, 4]
    merged = spectra.select(mz, intensity, offsets, merge=0.5)
    assert [a.tolist() for a in merged] == [[1.5, 9.0, 1.0], [7.0, 1.0, 4.0], [0, 2, 3]]
    assert intensity.tolist() == [2, 5, 1, 4]  # the arguments stay as they are
    assert spectra.select(mz, intensity, offsets, top=1, around=2.0)[0].tolist() == [1.5, 9.0, 1.0]
    near = spectra.select(
        mz, intensity, offsets, remove_precursor=0.1, remove_precursor_above=float("inf"), precursor_mz=np.array([1.2, 5.0])
    )
    assert near[0].tolist() == [1.0, 1.0]
    for version in ("casanovo@4.3", "dreams", "gnps", "sage@0.14"):
        spectra.select(mz, intensity, offsets, preset=version, precursor_mz=np.array([1.2, 5.0]))
    for wrong in ({"preset": "casanovo@6"}, {"merge": 1.0, "dedupe": 1.0}, {"around": 1.0}):
        with pytest.raises(ValueError):
            spectra.select(mz, intensity, offsets, **wrong)


MGF = (
    b"BEGIN IONS\nTITLE=a b\nRTINSECONDS=12.5\nPEPMASS=500.5\nCHARGE=2+\n3.25 1\n1 0\n2.5 7.125\nEND IONS\n"
    b"BEGIN IONS\nTITLE=last\nPEPMASS=400.25\nCHARGE=2-\nEND IONS\n"
)


@pytest.mark.parametrize("compress", [lambda x: x, gzip.compress, bz2.compress, lzma.compress])
def test_read_mgf(tmp_path, compress):
    path = tmp_path / "a.mgf"
    path.write_bytes(compress(MGF))
    for source in [path, str(path), MGF, io.BytesIO(MGF)]:
        run = spectra.read_mgf(source)
        assert len(run) == 2
        assert run.titles == ["a b", "last"]
        assert run.mz.tolist() == [3.25, 1, 2.5]
        assert run.intensity.tolist() == [1, 0, 7.125]
        assert run.offsets.tolist() == [0, 3, 3]
        assert run.precursor_mz.tolist() == [500.5, 400.25]
        assert run.charge.tolist() == [2, -2]
        assert run.rt_seconds[0] == 12.5 and np.isnan(run.rt_seconds[1])
        assert run.peaks(-2)[0].tolist() == [3.25, 1, 2.5]
    spectra.write_mgf(tmp_path / "b.mgf", run)
    assert (tmp_path / "b.mgf").read_bytes() == MGF
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_many(tmp_path):
    random = np.random.default_rng(3)
    mz, intensity, offsets = random_peaks(4)
    count = len(offsets) - 1
    run = spectra.Spectra(
        random.random(len(mz)),
        intensity.astype(np.float64),
        offsets,
        random.random(count) * 1000 + 1,
        random.integers(-3, 4, count).astype(np.int32),
        np.round(random.random(count) * 100, 3),
        np.zeros(count, np.int32),
        [f"spectrum {s}" for s in range(count)],
    )
    spectra.write_mgf(tmp_path / "a.mgf", run)
    again = spectra.read_mgf(tmp_path / "a.mgf")
    for name in ["mz", "intensity", "offsets", "precursor_mz", "charge", "rt_seconds"]:
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    assert again.titles == run.titles


def test_values_of_spectra(tmp_path):
    text = (
        b"BEGIN IONS\nTITLE=a NativeID:\"scan=7\"\nPEPMASS=500\nCHARGE=2+\nSCANS=7\nMSLEVEL=3\nION_MOBILITY=0.75\nSEQ=PEPTIDE\n"
        b"1 2\nEND IONS\nBEGIN IONS\nPEPMASS=400\nIONMODE=negative\n1 2\nEND IONS\nBEGIN IONS\nPEPMASS=300\n1 2\nEND IONS\n"
    )
    run = spectra.read_mgf(text)
    assert run.scan.tolist() == [7, -1, -1] and run.polarity.tolist() == [1, -1, 0]
    assert run.ion_mobility[0] == 0.75 and np.isnan(run.ion_mobility[1:]).all()
    assert run.native_ids == ["scan=7", "", ""] and run.sequences == ["PEPTIDE", "", ""]
    spectra.write_mgf(tmp_path / "a.mgf", run)
    assert (tmp_path / "a.mgf").read_bytes() == text
    table = [b"Name: a", b"PrecursorMZ: 100.5", b"Peptide: IGNORED", b"Scans: 4", b"SEQ: PEPTIDE", b"Num Peaks: 1", b"50 1", b""]
    library = spectra.read_msp(b"\n".join(table))
    assert library.scan.tolist() == [4] and library.sequences == ["PEPTIDE"]
    shorter = spectra.Spectra(*(getattr(run, name) for name in spectra.Spectra.__slots__[:7]), run.titles)
    assert shorter.scan.tolist() == [-1, -1, -1] and shorter.sequences == ["", "", ""]
    for sample in sorted(DATASETS.rglob("*.mzML"))[:2]:
        read = spectra.read_mzml(sample)
        assert all(read.native_ids) and len(read.native_ids) == len(read) == len(read.scan)
        assert all(f"scan={scan}" in name for scan, name in zip(read.scan.tolist(), read.native_ids) if scan >= 0)
    with pytest.raises((ValueError, TypeError)):
        run.scan = run.scan[:1]
        spectra.write_mgf(tmp_path / "b.mgf", run)


def test_mzml_beside_mgf(tmp_path):
    samples = sorted(DATASETS.rglob("*.mzML")) + sorted(DATASETS.rglob("*.mzML.gz"))
    assert samples
    for sample in samples[:3]:
        run = spectra.read_mzml(sample)
        assert run.offsets[-1] == len(run.mz) == len(run.intensity)
        with open(sample, "rb") as file:
            assert run.titles == spectra.read_mzml(gzip.open(file) if sample.suffix == ".gz" else file).titles
        ordosort.sort_file(sample, tmp_path / "a.mgf", options=["--to=mgf"])
        printed = spectra.read_mgf(tmp_path / "a.mgf")
        sorted_mz, sorted_intensity = spectra.sort(run.mz, run.intensity, run.offsets)
        places = {title: s for s, title in enumerate(run.titles)}
        for s, title in enumerate(printed.titles):
            begin, end = run.offsets[places[title]], run.offsets[places[title] + 1]
            np.testing.assert_array_equal(printed.peaks(s)[0], sorted_mz[begin:end])
            np.testing.assert_array_equal(printed.peaks(s)[1].astype("float32"), sorted_intensity[begin:end].astype("float32"))


def test_wrong_calls(tmp_path):
    mz, intensity, offsets = random_peaks()
    for call in [
        lambda: spectra.sort(mz, intensity[:-1], offsets),
        lambda: spectra.sort(mz, intensity, offsets + 1),
        lambda: spectra.sort(mz, intensity, offsets, by="charge"),
        lambda: spectra.sort(mz.astype(int), intensity, offsets),
        lambda: spectra.select(mz, intensity, offsets, best=3),
        lambda: spectra.select(mz, intensity, offsets, preset="unknown"),
        lambda: spectra.select(mz, intensity, offsets, min_mz=5, max_mz=4),
        lambda: spectra.select(mz, intensity, offsets, remove_precursor=1.0, precursor_mz=np.zeros(2)),
    ]:
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        spectra.sort(mz, intensity, [0.5])
    with pytest.raises(FileNotFoundError):
        spectra.read_mgf(tmp_path / "none.mgf")
    with pytest.raises(ordosort.InputError):
        spectra.read_mgf(b"BEGIN IONS\nnonsense\nEND IONS\n")
    with pytest.warns(UserWarning):
        spectra.read_mgf(b"BEGIN IONS\nnonsense\nEND IONS\n", lenient=True)

    class Broken:
        def readinto(self, view):
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        spectra.read_mgf(Broken())


def same_spectra(a, b):
    for name in ("mz", "intensity", "offsets", "precursor_mz", "charge", "rt_seconds", "ms_level"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        assert getattr(a, name).dtype == getattr(b, name).dtype
    assert a.titles == b.titles


def test_arrow(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    runs = [
        spectra.read_mgf(b"BEGIN IONS\nEND IONS\nBEGIN IONS\nCHARGE=2+\n1\n2 3\nEND IONS\n"),
        spectra.read_mgf(b""),
    ]
    if DATASETS.exists():
        runs.append(spectra.read_mgf(DATASETS / "samples" / "massbank_cc0.mgf.gz"))
        runs.append(spectra.read_mzml(DATASETS / "samples" / "openms_ecoli_25.mzML.gz"))
    for run in runs:
        table = run.to_arrow()
        assert table.num_rows == len(run)
        same_spectra(spectra.Spectra.from_arrow(table), run)
        # As a part of a table, and as other programs store it.
        same_spectra(spectra.Spectra.from_arrow(arrow.concat_tables([table.slice(0, 1), table.slice(1)])), run)
        import pyarrow.feather

        arrow.feather.write_feather(table, tmp_path / "run.feather")
        same_spectra(spectra.Spectra.from_arrow(arrow.feather.read_table(tmp_path / "run.feather")), run)
    with pytest.raises(ValueError, match="no column intensity"):
        spectra.Spectra.from_arrow(arrow.table({"mz": [[1.0]]}))
    with pytest.raises(TypeError, match="where a list is expected"):
        spectra.Spectra.from_arrow(arrow.table({"mz": [1.0], "intensity": [[1.0]]}))
    with pytest.raises(ValueError, match="differ in length"):
        spectra.Spectra.from_arrow(arrow.table({"mz": [[1.0, 2.0]], "intensity": [[1.0]]}))
    with pytest.raises(ValueError, match="1 nulls"):
        spectra.Spectra.from_arrow(arrow.table({"mz": [[1.0], None], "intensity": [[1.0], []]}))


def test_mzxml_and_msp():
    import base64

    peaks = np.array([(100.5, 1.0), (200.25, 7.5)])
    encoded = base64.b64encode(peaks.astype(">f4").tobytes()).decode()
    scan = (
        '<scan num="{}" msLevel="2" peaksCount="2" retentionTime="PT{}S" polarity="+">'
        '<precursorMz precursorIntensity="1" precursorCharge="2">500.25</precursorMz>'
        '<peaks precision="32" byteOrder="network" contentType="m/z-int">' + encoded + "</peaks></scan>"
    )
    text = "<mzXML><msRun>" + "".join(scan.format(n, n * 10) for n in [1, 2, 3]) + "</msRun></mzXML>"
    run = spectra.read_mzxml(text.encode())
    np.testing.assert_array_equal(run.mz, np.tile(peaks[:, 0], 3))
    np.testing.assert_array_equal(run.intensity, np.tile(peaks[:, 1], 3))
    np.testing.assert_array_equal(run.precursor_mz, [500.25] * 3)
    np.testing.assert_array_equal(run.charge, [2] * 3)
    np.testing.assert_array_equal(run.rt_seconds, [10, 20, 30])
    library = b"Name: a\nPrecursorMZ: 100.5\nCharge: 1\nNum Peaks: 2\n50 1\n60 2\n\nName: b\nNum Peaks: 1\n70 3\n"
    run = spectra.read_msp(library)
    np.testing.assert_array_equal(run.mz, [50, 60, 70])
    np.testing.assert_array_equal(run.offsets, [0, 2, 3])
    timed = b"Name: a\nRT: 2\nNum Peaks: 1\n50 1\n"
    with pytest.warns(UserWarning, match="minutes") as caught:
        np.testing.assert_array_equal(spectra.read_msp(timed).rt_seconds, [120])
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(spectra.read_msp(timed, rt_unit="s").rt_seconds, [2])
    np.testing.assert_array_equal(spectra.read_msp(timed, rt_unit="min").rt_seconds, [120])
    with pytest.raises(ValueError, match="bad unit"):
        spectra.read_msp(timed, rt_unit="h")
    for read, wrong in [(spectra.read_mzxml, text.encode()[:-30]), (spectra.read_msp, b"Name: a\nNum Peaks: 2\n50 1\n")]:
        with pytest.raises(ordosort.InputError):
            read(wrong)
    listed = b"<mzSpecLib>\n<Spectrum=1>\nMS:1000744|selected ion m/z=9\nMS:1000041|charge state=2\n<Peaks>\n50\t1\ty1\n60\t2\n"
    run = spectra.read_mzspeclib(listed)
    np.testing.assert_array_equal(run.mz, [50, 60])
    np.testing.assert_array_equal(run.charge, [2])
    formats = [ordosort._ordosort.detect_format(t) for t in [text.encode(), library, listed]]
    assert formats == ["mzxml", "msp", "mzspeclib"]


def random_run(seed=4, n=300):
    random = np.random.default_rng(seed)
    mz, intensity, offsets = random_peaks(seed)
    intensity = intensity.astype(float)
    intensity[::50] = np.nan
    precursor = np.where(random.random(n) < 0.1, np.nan, random.integers(300, 330, n) / 2)
    charge, level = random.integers(0, 4, n).astype(np.int32), random.integers(0, 3, n).astype(np.int32)
    rt = np.where(random.random(n) < 0.2, np.nan, random.random(n))
    titles = [f"spectrum {s}" if s % 3 else "" for s in range(n)]
    titles[1] = b"not UTF-8: \xff".decode("utf-8", "surrogateescape")
    scan = np.where(random.random(n) < 0.3, -1, random.integers(0, 2**40, n))
    mobility = np.where(random.random(n) < 0.3, np.nan, random.random(n))
    polarity = random.integers(-1, 2, n).astype(np.int8)
    ids, peptides = ([f"{what} {s}" if s % 5 else "" for s in range(n)] for what in ("scan=", "PEPTIDE"))
    return spectra.Spectra(
        mz, intensity, offsets, precursor, charge, rt, level, titles, scan, mobility, polarity, ids, peptides
    )


@pytest.mark.parametrize(
    ("by", "size"), [("precursor_mz", 7), ("rt_seconds", 300), ("charge", 1000), ("ms_level", 50), (None, 64)]
)
def test_parquet_of_spectra(tmp_path, by, size):
    parquet = pytest.importorskip("pyarrow.parquet")
    run, path = random_run(), tmp_path / "run.parquet"
    spectra.write_parquet(path, run, by=by, row_group_size=size)
    file = parquet.ParquetFile(path)
    assert [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)] == [
        min(size, 300 - begin) for begin in range(0, 300, size)
    ]
    table = file.read()
    order = table["spectrum"].to_pylist()
    assert sorted(order) == list(range(300))
    missing = {"charge": 0, "ms_level": 0, "polarity": 0, "scan": -1}
    for name in ("precursor_mz", "charge", "rt_seconds", "ms_level", "scan", "ion_mobility", "polarity"):
        values = getattr(run, name).tolist()
        assert table[name].to_pylist() == [
            None if values[s] != values[s] or values[s] == missing.get(name) else values[s] for s in order
        ]
    if by:  # stable, missing values last
        keys = table[by].to_pylist()
        assert list(zip([key is None for key in keys], [key or 0 for key in keys], order)) == sorted(
            zip([key is None for key in keys], [key or 0 for key in keys], order)
        )
    else:
        assert order == list(range(300))
    back = spectra.Spectra.from_arrow(table)
    for row, s in enumerate(order):
        for found, wanted in zip(back.peaks(row), run.peaks(s)):
            np.testing.assert_array_equal(found, wanted)
    assert back.native_ids == [run.native_ids[s] for s in order] and back.sequences == [run.sequences[s] for s in order]
    np.testing.assert_array_equal(back.scan, run.scan[order])
    np.testing.assert_array_equal(back.ion_mobility, run.ion_mobility[order])
    np.testing.assert_array_equal(back.polarity, run.polarity[order])
    assert back.titles[order.index(2)] == "spectrum 2" and back.titles[order.index(1)] == "not UTF-8: \ufffd"


def test_parquet_of_peaks(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    run, path = random_run(), tmp_path / "peaks.parquet"
    spectra.write_parquet(path, run, rows="peaks", row_group_size=50, names={"mz": "mz_array", "charge": "precursor_charge"})
    table = parquet.read_table(path)
    assert table.column_names[3] == "precursor_charge" and table.column_names[-2:] == ["mz_array", "intensity"]
    numbers = table["spectrum"].to_numpy()
    places = np.flatnonzero(np.diff(numbers, prepend=-1))
    for begin, end in zip(places, [*places[1:], len(numbers)]):
        s = numbers[begin]
        np.testing.assert_array_equal(table["mz_array"].to_numpy()[begin:end], run.peaks(s)[0])
        np.testing.assert_array_equal(table["intensity"].to_numpy()[begin:end], run.peaks(s)[1])
        charge = table["precursor_charge"][int(begin)].as_py()
        assert charge == (int(run.charge[s]) or None) and table["title"][int(begin)].as_py() == (
            run.titles[s].encode("utf-8", "surrogateescape").decode("utf-8", "replace") or None
        )
    assert len(table) == len(run.mz)
    # Readers skip row groups: those of a range of precursors are few.
    metadata = parquet.ParquetFile(path).metadata
    ranges = [metadata.row_group(g).column(2).statistics for g in range(metadata.num_row_groups)]
    ends = [one.max for one in ranges if one.has_min_max]
    assert ends == sorted(ends) and all(a.max <= b.min for a, b in zip(ranges, ranges[1:]) if b.has_min_max)
    some = parquet.read_table(path, filters=[("precursor_mz", ">=", 155), ("precursor_mz", "<", 156)])
    assert len(some) == sum(len(run.peaks(s)[0]) for s in range(300) if 155 <= run.precursor_mz[s] < 156)


def test_parquet_edges(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    nothing, path = spectra.read_mgf(b""), tmp_path / "nothing.parquet"
    for rows in ("spectra", "peaks"):
        spectra.write_parquet(path, nothing, rows=rows)
        assert len(parquet.read_table(path)) == 0 and parquet.read_table(path).column_names[-1] == "intensity"
    single = random_run()
    single.mz, single.intensity = single.mz.astype(np.float32), single.intensity.astype(np.float32)
    spectra.write_parquet(path, single)
    assert str(parquet.read_schema(path).field("mz").type.value_type) == "float"
    for wrong in ({"rows": "scans"}, {"by": "title"}, {"row_group_size": 0}, {"names": {"m/z": "x"}},
                  {"names": {"mz": "intensity"}}):
        with pytest.raises(ValueError):
            spectra.write_parquet(path, single, **wrong)
    # What fails leaves the old file, and nothing else.
    before = path.read_bytes()
    with pytest.raises(Exception):
        spectra.write_parquet(path, single, compression="none such")
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["nothing.parquet"]
    with pytest.raises(OSError):
        spectra.write_parquet(tmp_path / "no" / "such.parquet", single)


def test_similar_spectra():
    text = "".join(
        f"BEGIN IONS\nPEPMASS={precursor}\n100 {a}\n200.5 {b}\nEND IONS\n"
        for precursor, a, b in ((500, 3, 4), (500.005, 6, 8), (500, 4, 3), (700, 3, 4))
    )
    run = spectra.read_mgf(text.encode())
    pairs = spectra.find_pairs(run, min_cosine=0.9)
    assert [pairs[name].tolist() for name in ("first", "second", "matches")] == [[0, 0, 1], [1, 2, 2], [2, 2, 2]]
    assert pairs["cosine"].tolist() == pytest.approx([1, 0.96, 0.96])
    assert spectra.find_pairs(run, precursor=5e-3, min_cosine=0.97)["first"].tolist() == [0]
    assert spectra.find_pairs(run, precursor=None, min_cosine=0.97)["second"].tolist() == [1, 3, 3]
    assert spectra.find_pairs(run, precursor=300, modified=True, min_cosine=0.1, peaks=(20, "ppm"))["first"].tolist() == [0, 0, 0, 1, 1, 2]
    assert spectra.find_clusters(len(run), pairs).tolist() == [0, 0, 0, 3]
    assert spectra.find_clusters(0, {"first": [], "second": [], "cosine": []}, method="greedy").tolist() == []
    for bad in ({"min_cosine": 0}, {"peaks": -1}, {"precursor": (1e7, "ppm")}):
        with pytest.raises(ValueError):
            spectra.find_pairs(run, **bad)
    with pytest.raises(ValueError):
        spectra.find_clusters(1, pairs)
    with pytest.raises(ValueError):
        spectra.find_clusters(4, {"first": [0], "second": [], "cosine": [1]})
    with pytest.raises(ValueError):
        spectra.find_clusters(4, pairs, method="some")


def write_columns(arguments, folder, module="ordosort.spectra"):
    words = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("to", ["parquet", "arrow"])
@pytest.mark.parametrize("rows", ["spectra", "peaks"])
def test_columns_of_specsort(tmp_path, to, rows):
    """The bytes of the function for what specsort writes."""
    pytest.importorskip("pyarrow")
    write = spectra.write_parquet if to == "parquet" else spectra.write_arrow
    run = tmp_path / "run.mzML"
    run.write_bytes(gzip.decompress((DATASETS / "samples" / "openms_ecoli_25.mzML.gz").read_bytes()))
    for number, options in enumerate([[], ["--top=20", "--spectra-by=pepmass", "--ms-level", "2"]]):
        ordosort.run_tool("specsort", [*options, run, "-o", tmp_path / "made.mzML"])
        write(tmp_path / "wanted", spectra.read_mzml(tmp_path / "made.mzML"), rows=rows, by=None)
        done = write_columns([*options, run, f"--to={to}", f"--rows={rows}", "-o", f"got{number}"], tmp_path)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert (tmp_path / f"got{number}").read_bytes() == (tmp_path / "wanted").read_bytes()
    if (to == "parquet") != (rows == "spectra"):
        return
    # The program of the package chooses by the name of the output; MGF stays MGF, and several files become one.
    blocks = ["BEGIN IONS\nTITLE={}\nPEPMASS=4{:05}.5\nCHARGE=2+\n2 7\n1 5\nEND IONS\n".format(k, k) for k in range(20_000)]
    (tmp_path / "a.mgf").write_text("".join(blocks[:9_000]))
    (tmp_path / "b.mgf").write_text("".join(blocks[9_000:]))
    done = write_columns(["specsort", "a.mgf", "b.mgf", f"--rows={rows}", "-o", f"all.{to}"], tmp_path, "ordosort")
    assert done.returncode == 0, done.stderr
    ordosort.run_tool("specsort", [tmp_path / "a.mgf", tmp_path / "b.mgf", "-o", tmp_path / "all.mgf"])
    write(tmp_path / "wanted", spectra.read_mgf(tmp_path / "all.mgf"), rows=rows, by=None)
    assert (tmp_path / f"all.{to}").read_bytes() == (tmp_path / "wanted").read_bytes()


def test_columns_of_wrong_calls(tmp_path, monkeypatch, capfd):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mgf").write_text("BEGIN IONS\nPEPMASS=1\n1 x\nEND IONS\n")
    (tmp_path / "b.mgf").write_text("")
    (tmp_path / "old.parquet").write_text("old")

    def refused(words, *arguments):
        status, (out, err) = spectra.main(arguments), capfd.readouterr()
        assert status == 2 and words in err and out == "", err
        assert (tmp_path / "old.parquet").read_text() == "old" and len(os.listdir(tmp_path)) == 3

    refused("a.mgf:3", "a.mgf", "-o", "old.parquet")
    refused("none.mgf", "none.mgf", "-o", "old.parquet")
    refused("name a file with -o", "b.mgf", "--to=parquet")
    refused("'columns' is neither", "b.mgf", "--to=arrow", "--rows=columns", "-oold.parquet")
    refused("missing value: --to", "b.mgf", "-oold.parquet", "--to")
    refused("writes parquet and arrow", "b.mgf", "--to=mgf", "-oold.parquet")
    refused("it is an input", "old.parquet", "-oold.parquet")
    refused("--nonsense", "b.mgf", "--nonsense", "-oold.parquet")
    refused("No such file", "b.mgf", "-o", "no/such.parquet")
    assert spectra.main(["b.mgf", "-o", "old.parquet"]) == 0 and "no spectra" in capfd.readouterr().err
    assert len(pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "old.parquet")) == 0
    with pytest.raises(ordosort.InputError, match="--to=parquet: the Python package writes it"):
        ordosort.run_tool("specsort", [tmp_path / "b.mgf", "--to=parquet", "-o", tmp_path / "x"])
