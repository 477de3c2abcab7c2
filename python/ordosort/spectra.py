"""Mass spectra in plain arrays: m/z, intensity, and the offsets at which spectra begin and end.

>>> import numpy as np
>>> from ordosort import spectra
>>> mz, intensity = np.array([3.0, 1.0, 2.0]), np.array([5.0, 9.0, 7.0])
>>> spectra.sort(mz, intensity, [0, 3])
(array([1., 2., 3.]), array([9., 7., 5.]))
"""

import contextlib
import os

import numpy as np

from . import _machines
from . import _ordosort as core
from ._files import replaced
from ._libraries import NumPy, offsets_array, one_dimension, with_nulls

__all__ = [
    "Spectra",
    "find_clusters",
    "find_pairs",
    "read_mgf",
    "read_msp",
    "read_mzml",
    "read_mzspeclib",
    "read_mzxml",
    "select",
    "sort",
    "write_arrow",
    "write_mgf",
    "write_parquet",
]


# Columns of one number a spectrum, with the type and the value that marks a missing one; and those of one string.
_VALUES = {
    "precursor_mz": (np.float64, np.nan),
    "charge": (np.int32, 0),
    "rt_seconds": (np.float64, np.nan),
    "ms_level": (np.int32, 0),
    "scan": (np.int64, -1),
    "ion_mobility": (np.float64, np.nan),
    "polarity": (np.int8, 0),
}
_STRINGS = {"title": "titles", "native_id": "native_ids", "sequence": "sequences"}


def _missing(name, values):
    """Returns an array of bool that marks missing values of a column."""
    dtype, missing = _VALUES[name]
    return np.isnan(values) if dtype is np.float64 else values == missing


def _printable(texts):
    """Returns strings as Arrow has them, with None for missing ones."""
    return [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") or None for text in texts]


class Spectra:
    """The spectra of a file as columns. Spectrum s has the peaks ``mz[offsets[s]:offsets[s + 1]]``.

    mz, intensity: of all peaks, float64; a missing intensity is NaN.
    offsets: int64, one more than there are spectra.
    precursor_mz, rt_seconds: of spectra; NaN: missing.
    charge, ms_level: of spectra, int32; 0: missing.
    scan: of spectra, int64; -1: missing.
    ion_mobility: of spectra, in the unit of the file; NaN: missing.
    polarity: of spectra, int8; 1: positive ions, -1: negative ones, 0: missing.
    titles, native_ids, sequences: lists of str; "": missing. Sequences are those of SEQ in MGF and in libraries.

    >>> from ordosort import spectra
    >>> run = spectra.read_mgf(b"BEGIN IONS\\nTITLE=a\\nPEPMASS=400.5\\nCHARGE=2+\\n1 5\\n2 7\\nEND IONS\\n")
    >>> len(run), run.titles, run.mz
    (1, ['a'], array([1., 2.]))
    >>> run.peaks(0)
    (array([1., 2.]), array([5., 7.]))
    """

    __slots__ = ("mz", "intensity", "offsets", *_VALUES, *_STRINGS.values())

    def __init__(
        self,
        mz,
        intensity,
        offsets,
        precursor_mz,
        charge,
        rt_seconds,
        ms_level,
        titles,
        scan=None,
        ion_mobility=None,
        polarity=None,
        native_ids=None,
        sequences=None,
    ):
        self.mz, self.intensity, self.offsets = mz, intensity, offsets
        self.precursor_mz, self.charge, self.rt_seconds, self.ms_level = precursor_mz, charge, rt_seconds, ms_level
        self.titles = titles
        for name, values in (("scan", scan), ("ion_mobility", ion_mobility), ("polarity", polarity)):
            dtype, missing = _VALUES[name]
            setattr(self, name, np.full(len(titles), missing, dtype) if values is None else values)
        self.native_ids = [""] * len(titles) if native_ids is None else native_ids
        self.sequences = [""] * len(titles) if sequences is None else sequences

    def __repr__(self):
        return f"<Spectra: {len(self)} spectra, {len(self.mz)} peaks>"

    def __len__(self):
        return len(self.titles)

    def peaks(self, s):
        """Returns the m/z and the intensities of a spectrum, as views."""
        if not -len(self) <= s < len(self):
            raise IndexError(f"spectrum {s} of {len(self)}")
        begin, end = self.offsets[s % len(self)], self.offsets[s % len(self) + 1]
        return self.mz[begin:end], self.intensity[begin:end]

    def to_arrow(self):
        """Returns a table of pyarrow with a row for each spectrum. The columns mz and intensity are lists, without a copy of the
        peaks; missing values are nulls.

        >>> from ordosort import spectra
        >>> run = spectra.read_mgf(b"BEGIN IONS\\nTITLE=a\\nPEPMASS=400.5\\n1 5\\n2 7\\nEND IONS\\n")
        >>> run.to_arrow().select(["title", "precursor_mz", "charge", "mz"]).to_pylist()
        [{'title': 'a', 'precursor_mz': 400.5, 'charge': None, 'mz': [1.0, 2.0]}]
        """
        import pyarrow

        offsets = pyarrow.array(np.asarray(self.offsets, np.int64))
        columns = {name: pyarrow.array(_printable(getattr(self, of)), pyarrow.string()) for name, of in _STRINGS.items()}
        for name in _VALUES:
            values = getattr(self, name)
            columns[name] = pyarrow.array(values, mask=np.ascontiguousarray(_missing(name, values)))
        intensity = pyarrow.array(self.intensity, mask=np.isnan(self.intensity))
        columns["mz"] = pyarrow.LargeListArray.from_arrays(offsets, pyarrow.array(self.mz))
        columns["intensity"] = pyarrow.LargeListArray.from_arrays(offsets, intensity)
        return pyarrow.table({name: columns[name] for name in _COLUMNS[1:]})

    @classmethod
    def from_arrow(cls, table):
        """Returns the Spectra of a table as `to_arrow` makes it, also as read from a Parquet file. Its columns mz and intensity
        are lists of numbers, of the same lengths; the others may be absent.

        >>> import pyarrow as arrow
        >>> from ordosort import spectra
        >>> run = spectra.Spectra.from_arrow(arrow.table({"mz": [[3.0, 1.0], []], "intensity": [[5.0, 9.0], []]}))
        >>> run, run.offsets
        (<Spectra: 2 spectra, 2 peaks>, array([0, 2, 2]))
        """
        import pyarrow
        import pyarrow.compute

        def lists(name):
            if name not in table.column_names:
                raise ValueError(f"table: no column {name}")
            kind = table.schema.field(name).type
            if not any(is_list(kind) for is_list in (pyarrow.types.is_list, pyarrow.types.is_large_list)):
                raise TypeError(f"table: column {name} is {kind}, where a list is expected")
            column = table.column(name)
            if column.null_count:
                raise ValueError(f"table: column {name}: {column.null_count} nulls, where lists are expected")
            lengths = pyarrow.compute.list_value_length(column).to_numpy()
            values = pyarrow.compute.list_flatten(column).cast(pyarrow.float64()).to_numpy()  # a null is NaN
            return values, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

        def numbers(name):
            dtype, missing = _VALUES[name]
            if name not in table.column_names:
                return np.full(len(table), missing, dtype)
            return table.column(name).cast(pyarrow.from_numpy_dtype(dtype)).fill_null(missing).to_numpy()

        def strings(name):
            if name not in table.column_names:
                return [""] * len(table)
            return [text or "" for text in table.column(name).to_pylist()]

        mz, offsets = lists("mz")
        intensity, same = lists("intensity")
        if not np.array_equal(offsets, same):
            raise ValueError("table: lists of mz and intensity differ in length")
        columns = {name: numbers(name) for name in _VALUES}
        columns.update((of, strings(name)) for name, of in _STRINGS.items())
        return cls(mz, intensity, offsets, **columns)


_COMPRESSED = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ", "lzma"))


def _read(source, name, format, lenient, machine, rt_unit=None):
    import importlib  # here, for the time that an import of the package takes
    import mmap
    import warnings

    def on_warning(text):
        warnings.warn(text, stacklevel=5)

    machine = _machines.chosen(machine)

    def read(opened, name):
        return core.read_spectra(machine, opened, format, name, lenient, rt_unit or "", on_warning, None)

    if hasattr(source, "readinto") or not isinstance(source, (str, os.PathLike)):
        return read(source, name or "input")
    name = name or os.fsdecode(source)
    with open(source, "rb") as file:
        front = file.read(6)
        for magic, module in _COMPRESSED:
            if front.startswith(magic):
                with importlib.import_module(module).open(source, "rb") as inflated:
                    return read(inflated, name)
        if not front:
            return read(b"", name)
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # a pipe
            with open(source, "rb") as again:
                return read(again, name)
        with mapped:
            return read(mapped, name)


def read_mgf(source, *, name=None, lenient=False, machine=None):
    """Reads MGF into Spectra, on all threads of the machine.

    source: a path, bytes, or a file opened in binary mode. Files in gzip, bzip2 and xz are inflated.
    name: of the input, for messages.
    lenient: invalid lines are warnings instead of InputError.

    >>> from ordosort import spectra
    >>> spectra.read_mgf(b"BEGIN IONS\\nPEPMASS=400.5\\n1 5\\nEND IONS\\n").precursor_mz
    array([400.5])
    """
    return Spectra(**_read(source, name, "mgf", lenient, machine))


def read_mzml(source, *, name=None, lenient=False, machine=None):
    """Reads mzML into Spectra, with spectra of every MS level, on all threads of the machine.

    source: a path, bytes, or a file opened in binary mode. Files in gzip, bzip2 and xz are inflated.

    >>> from ordosort import spectra
    >>> try:
    ...     spectra.read_mzml(b"<html/>")
    ... except OSError as error:
    ...     print(error)
    not mzML: input:1: its first tag is <html>
    """
    return Spectra(**_read(source, name, "mzml", lenient, machine))


def read_mzxml(source, *, name=None, lenient=False, machine=None):
    """Reads mzXML into Spectra, with spectra of every MS level. Arguments are those of read_mzml.

    >>> from ordosort import spectra
    >>> len(spectra.read_mzxml(b"<mzXML><msRun></msRun></mzXML>"))
    0
    """
    return Spectra(**_read(source, name, "mzxml", lenient, machine))


def read_msp(source, *, name=None, lenient=False, rt_unit=None, machine=None):
    """Reads a library in NIST's text format MSP into Spectra. Other arguments are those of read_mzml.

    rt_unit: "s" or "min", of retention times that state no unit. Without it a warning names the unit that is taken.

    >>> from ordosort import spectra
    >>> library = b"Name: a\\nPrecursorMZ: 100.5\\nNum Peaks: 2\\n50 1; 60 2\\n"
    >>> spectra.read_msp(library).mz
    array([50., 60.])
    """
    return Spectra(**_read(source, name, "msp", lenient, machine, rt_unit))


def read_mzspeclib(source, *, name=None, lenient=False, machine=None):
    """Reads a library in the text form of mzSpecLib into Spectra. Arguments are those of read_mzml.

    >>> from ordosort import spectra
    >>> library = b"<mzSpecLib>\\n<Spectrum=1>\\nMS:1000744|selected ion m/z=100.5\\n<Peaks>\\n50\\t1\\n60\\t2\\n"
    >>> spectra.read_mzspeclib(library).mz
    array([50., 60.])
    """
    return Spectra(**_read(source, name, "mzspeclib", lenient, machine))


def write_mgf(path, spectra):
    """Writes Spectra as MGF, with SCANS, MSLEVEL, ION_MOBILITY and SEQ where they are known, and with IONMODE where it is not
    that of the charge. Numbers have as many digits as give back the same value; peaks that are not finite are left out.
    The file is complete or as it was before.

    >>> import pathlib, tempfile
    >>> from ordosort import spectra
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.mgf"
    >>> spectra.write_mgf(path, spectra.read_mgf(b"BEGIN IONS\\nPEPMASS=400.5\\n1 5\\nEND IONS\\n"))
    >>> path.read_text()
    'BEGIN IONS\\nPEPMASS=400.5\\n1 5\\nEND IONS\\n'
    """
    kinds = {"mz": (np.float64, np.nan), "intensity": (np.float64, np.nan), "offsets": (np.int64, None), **_VALUES}
    columns = [_column(name, getattr(spectra, name), *kind) for name, kind in kinds.items()]
    titles, sequences = (
        [text.encode("utf-8", "surrogateescape") for text in texts] for texts in (spectra.titles, spectra.sequences)
    )
    single = [np.asarray(column).dtype == np.float32 for column in (spectra.mz, spectra.intensity)]
    text = core.to_mgf(*columns, titles, sequences, *single)
    with replaced(path) as file:
        file.write(text)


_COLUMNS = ("spectrum", "title", *_VALUES, "native_id", "sequence", "mz", "intensity")


def write_parquet(
    path, spectra, *, rows="spectra", by="precursor_mz", row_group_size=16384, names=None, compression="zstd"
):
    """Writes Spectra as Parquet, by pyarrow. The file is complete or as it was before.

    rows: "spectra": a row for each spectrum, whose columns mz and intensity are lists; "peaks": a row for each peak, beside the
        values of its spectrum. A spectrum without peaks has no row then.
    by: the column by which spectra are ordered: "precursor_mz", "rt_seconds", "charge" or "ms_level"; missing values come last,
        and equal ones keep their order. None keeps the order of the file. Row groups then hold ranges of the column, so that
        readers skip those that they do not need.
    row_group_size: the number of spectra in a row group.
    names: other names of columns, as {"mz": "mz_array"}.
    compression: as pyarrow.parquet has it.

    The column spectrum is the number of the spectrum in `spectra`, from 0. Missing values are nulls.
    `python -m ordosort.spectra FILE --to=parquet -o OUT` writes files of any size.

    >>> import pathlib, tempfile
    >>> import pyarrow.parquet
    >>> from ordosort import spectra
    >>> text = b"BEGIN IONS\\nPEPMASS=900.5\\n1 5\\nEND IONS\\nBEGIN IONS\\nPEPMASS=400.5\\n2 7\\n3 8\\nEND IONS\\n"
    >>> run = spectra.read_mgf(text)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.parquet"
    >>> spectra.write_parquet(path, run)
    >>> pyarrow.parquet.read_table(path, columns=["spectrum", "precursor_mz", "mz"]).to_pylist()
    [{'spectrum': 1, 'precursor_mz': 400.5, 'mz': [2.0, 3.0]}, {'spectrum': 0, 'precursor_mz': 900.5, 'mz': [1.0]}]
    """
    _write_columns("parquet", path, spectra, rows, by, row_group_size, names, compression)


def write_arrow(path, spectra, *, rows="spectra", by="precursor_mz", row_group_size=16384, names=None, compression="zstd"):
    """Writes Spectra as a file of Arrow IPC, by pyarrow, with the columns of `write_parquet`. A batch is one of its row groups.

    compression: "zstd", "lz4", or None, for files that are mapped into memory.

    >>> import pathlib, tempfile
    >>> import pyarrow as arrow
    >>> from ordosort import spectra
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.arrow"
    >>> spectra.write_arrow(path, spectra.read_mgf(b"BEGIN IONS\\nPEPMASS=900.5\\n1 5\\nEND IONS\\n"))
    >>> arrow.ipc.open_file(path).read_all().select(["precursor_mz", "mz"]).to_pylist()
    [{'precursor_mz': 900.5, 'mz': [1.0]}]
    """
    _write_columns("arrow", path, spectra, rows, by, row_group_size, names, compression)


def _write_columns(to, path, spectra, rows, by, row_group_size, names, compression):
    keys = ("precursor_mz", "rt_seconds", "charge", "ms_level")
    if by is not None and by not in keys:
        raise ValueError(f"by: {by!r} is none of {', '.join(map(repr, keys))} and None")
    single = all(np.asarray(column).dtype == np.float32 for column in (spectra.mz, spectra.intensity))
    layout = _Layout(rows, row_group_size, names, single)
    order = np.arange(len(spectra))
    if by is not None:
        values = np.asarray(getattr(spectra, by))
        missing = _missing(by, values)
        order = np.lexsort((np.where(missing, 0, values), missing))
    with replaced(path) as file, layout.writer(to, file, compression, by) as write:
        for begin in range(0, len(order), row_group_size):
            write(layout.table(spectra, order[begin : begin + row_group_size]))


class _Layout:
    """The columns of a file of spectra."""

    def __init__(self, rows="spectra", row_group_size=16384, names=None, single=False):
        import pyarrow

        if rows not in ("spectra", "peaks"):
            raise ValueError(f"rows: {rows!r} is neither 'spectra' nor 'peaks'")
        if row_group_size < 1:
            raise ValueError(f"row_group_size: {row_group_size} is not above 0")
        names = dict(names or {})
        if unknown := [name for name in names if name not in _COLUMNS]:
            raise ValueError(f"names: no column {unknown[0]!r}; columns are {', '.join(_COLUMNS)}")
        self._names = [names.get(name, name) for name in _COLUMNS]
        if len(set(self._names)) != len(self._names):
            raise ValueError("names: two columns have the same name")
        self.rows, self.row_group_size = rows, row_group_size
        self._number = pyarrow.float32() if single else pyarrow.float64()
        peaks = pyarrow.list_(self._number) if rows == "spectra" else self._number
        kinds = {name: pyarrow.from_numpy_dtype(dtype) for name, (dtype, _) in _VALUES.items()}
        kinds.update({name: pyarrow.string() for name in _STRINGS}, spectrum=pyarrow.int64(), mz=peaks, intensity=peaks)
        self.schema = pyarrow.schema([(new, kinds[name]) for name, new in zip(_COLUMNS, self._names)])

    def table(self, spectra, chosen, first=0):
        """Returns the rows of the chosen spectra, as a table. `first` is the number of spectrum 0."""
        import pyarrow

        offsets = np.asarray(spectra.offsets, np.int64)
        lengths = offsets[chosen + 1] - offsets[chosen]
        ends = np.cumsum(lengths)
        peaks = np.repeat(offsets[chosen] - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
        chosen_rows = chosen if self.rows == "spectra" else np.repeat(chosen, lengths)
        columns = {"spectrum": pyarrow.array(chosen_rows + first, pyarrow.int64())}
        for name, of in _STRINGS.items():
            texts = getattr(spectra, of)
            columns[name] = pyarrow.array(_printable(texts[s] for s in chosen), pyarrow.string())
            if self.rows == "peaks":
                columns[name] = columns[name].take(pyarrow.array(np.repeat(np.arange(len(chosen)), lengths)))
        for name in _VALUES:
            values = np.asarray(getattr(spectra, name))[chosen_rows]
            columns[name] = pyarrow.array(values, mask=_missing(name, values))
        bounds = pyarrow.array(np.concatenate([[0], ends]).astype(np.int32))
        for name in ("mz", "intensity"):
            values = np.asarray(getattr(spectra, name))[peaks]
            values = pyarrow.array(values, self._number, mask=np.isnan(values))
            columns[name] = pyarrow.ListArray.from_arrays(bounds, values) if self.rows == "spectra" else values
        columns = [columns[name].cast(kind) for name, kind in zip(_COLUMNS, self.schema.types)]
        return pyarrow.Table.from_arrays(columns, schema=self.schema)

    @contextlib.contextmanager
    def writer(self, to, file, compression="zstd", by=None):
        """Yields a function that writes a table as a row group of Parquet or a batch of Arrow IPC."""
        import pyarrow

        if to == "arrow":
            options = pyarrow.ipc.IpcWriteOptions(compression=compression)
            with pyarrow.ipc.new_file(file, self.schema, options=options) as arrow:
                yield lambda table: [arrow.write_batch(batch) for batch in table.combine_chunks().to_batches()]
            return
        import pyarrow.parquet

        options = {"compression": compression}
        if by is not None and hasattr(pyarrow.parquet, "SortingColumn"):
            options["sorting_columns"] = [pyarrow.parquet.SortingColumn(_COLUMNS.index(by))]
        with pyarrow.parquet.ParquetWriter(file, self.schema, **options) as parquet:
            yield lambda table: parquet.write_table(table, row_group_size=max(len(table), 1))


def _numbers(name, a):
    """Returns the library of an array and the array. Nulls and masked items of floating-point numbers are NaN, as missing ones."""
    library, a, nulls = with_nulls(a)
    if nulls is not None and nulls.any():
        if a.dtype.kind != "f":
            raise ValueError(f"{name}: {np.count_nonzero(nulls)} nulls or masked items of {a.dtype}: fill or drop them")
        a[nulls] = np.nan
    if library is NumPy and not a.dtype.isnative:
        a = a.astype(a.dtype.newbyteorder("="))
    return library, a


def _column(name, a, dtype, missing):
    """Returns a column of spectra as an array of NumPy, with `missing` for nulls and masked items."""
    _, a, nulls = with_nulls(a)
    a = NumPy.contiguous(np.asarray(a).astype(dtype, copy=False))
    if nulls is not None and nulls.any():
        if missing is None:
            raise ValueError(f"{name}: {np.count_nonzero(nulls)} nulls or masked items, where none are expected")
        a = np.where(nulls, missing, a).astype(dtype, copy=False)
    return a


def _arrays(mz, intensity, offsets):
    library, mz = _numbers("mz", mz)
    intensity_library, intensity = _numbers("intensity", intensity)
    one_dimension("mz", mz)
    one_dimension("intensity", intensity)
    offsets_library, offsets = offsets_array("offsets", offsets)
    return library, library.copy(mz), intensity_library.copy(intensity), offsets_library.copy(offsets)


def sort(mz, intensity, offsets, *, by="mz", descending=False, machine=None):
    """Returns copies of m/z and intensity in which the peaks of each spectrum are sorted. Stable. NaNs come last.

    mz, intensity: float32 or float64.
    by: "mz" or "intensity".

    >>> import numpy as np
    >>> from ordosort import spectra
    >>> spectra.sort(np.array([1.0, 2.0, 3.0]), np.array([5.0, 9.0, 7.0]), [0, 3], by="intensity", descending=True)
    (array([2., 3., 1.]), array([9., 7., 5.]))
    """
    if by not in ("mz", "intensity"):
        raise ValueError(f"by: {by!r} is neither 'mz' nor 'intensity'")
    library, mz, intensity, offsets = _arrays(mz, intensity, offsets)
    core.sort_peaks(
        _machines.chosen(machine), mz, intensity, offsets, by == "intensity", bool(descending), library.stream(mz)
    )
    return mz, intensity


def select(mz, intensity, offsets, *, precursor_mz=None, charge=None, machine=None, preset=None, **rules):
    """Returns m/z, intensity and offsets of the peaks that a selection keeps, in their order.

    Rules, done in this order: min_mz, max_mz, drop_zero, min_intensity, remove_precursor (a tolerance, and for peaks above it
    remove_precursor_above), all_charges, min_relative, dedupe or merge (tolerances), top, per or around, min_peaks. They mean
    what the options of specsort mean; a tolerance is a number in Da or a pair like (20, "ppm"). preset="casanovo",
    "casanovo@4.3" and so on set those of a program, by the names and versions that specsort knows.
    precursor_mz, charge: of the spectra, float64 and int32, for remove_precursor.

    >>> import numpy as np
    >>> from ordosort import spectra
    >>> spectra.select(np.array([1.0, 2.0, 3.0]), np.array([5.0, 9.0, 7.0]), [0, 3], top=2)
    (array([2., 3.]), array([9., 7.]), array([0, 2]))
    """
    library, mz, intensity, offsets = _arrays(mz, intensity, offsets)
    if library is NumPy:
        precursor_mz = None if precursor_mz is None else _column("precursor_mz", precursor_mz, np.float64, np.nan)
        charge = None if charge is None else _column("charge", charge, np.int32, 0)
    kept = core.select_peaks(
        _machines.chosen(machine),
        mz,
        intensity,
        offsets,
        list(rules.items()),
        preset or "",
        precursor_mz,
        charge,
        library.stream(mz),
    )
    return mz[:kept], intensity[:kept], offsets


def find_pairs(
    spectra, *, precursor=(20, "ppm"), min_cosine=0.7, peaks=0.05, modified=False, machine=None
):
    """Returns all pairs of similar spectra: a dict of the columns first and second (numbers of spectra from 0, of which the first
    is the smaller), cosine and matches (pairs of peaks), in ascending order.

    precursor: the maximum difference of precursors, a number in Da or a pair like (20, "ppm"); None compares all spectra.
    min_cosine: above 0, up to 1.
    peaks: the maximum difference of the m/z of peaks that match, as `precursor`.
    modified: peaks also match after a shift by the difference of the precursors.

    Scores are those of matchms's CosineGreedy and ModifiedCosineGreedy. `specsort --pairs` finds the same pairs.

    >>> from ordosort import spectra
    >>> text = "BEGIN IONS\\nPEPMASS=400\\n{}\\nEND IONS\\n"
    >>> run = spectra.read_mgf("".join(map(text.format, ("1 3\\n2 4", "2 5", "1 6\\n2 8"))).encode())
    >>> pairs = spectra.find_pairs(run)
    >>> pairs["first"].tolist(), pairs["second"].tolist(), pairs["cosine"].tolist()
    ([0, 0, 1], [1, 2, 2], [0.8, 1.0, 0.8])
    """
    columns = [
        _column(name, getattr(spectra, name), dtype, missing)
        for name, dtype, missing in (
            ("mz", np.float64, np.nan),
            ("intensity", np.float64, np.nan),
            ("offsets", np.int64, None),
            ("precursor_mz", np.float64, np.nan),
        )
    ]
    return core.find_pairs(_machines.chosen(machine), *columns, precursor, float(min_cosine), peaks, bool(modified))


def find_clusters(count, pairs, *, method="connected"):
    """Returns for each of `count` spectra the number of the spectrum that represents its cluster.

    pairs: as find_pairs returns them, or a table with the columns first, second and cosine.
    method: "connected": spectra that pairs lead to are in one cluster, represented by the one with the greatest sum of cosines;
        "greedy": a cluster is a spectrum with all that are similar to it, those with the most pairs first.

    >>> from ordosort import spectra
    >>> pairs = {"first": [0, 1, 2], "second": [1, 2, 4], "cosine": [0.8, 0.9, 0.9]}
    >>> spectra.find_clusters(5, pairs).tolist(), spectra.find_clusters(5, pairs, method="greedy").tolist()
    ([2, 2, 2, 3, 2], [1, 1, 1, 3, 4])
    """
    if method not in ("connected", "greedy"):
        raise ValueError(f"method: {method!r} is neither 'connected' nor 'greedy'")
    kinds = (("first", np.int64), ("second", np.int64), ("cosine", np.float64))
    columns = [_column(name, np.asarray(pairs[name]), dtype, None) for name, dtype in kinds]
    if len({len(column) for column in columns}) != 1:
        raise ValueError("pairs: columns differ in length")
    return core.find_clusters(int(count), *columns, method == "greedy")


def _joined(parts):
    """Returns the spectra of several Spectra."""
    if len(parts) == 1:
        return parts[0]

    def joined(columns):
        return [item for column in columns for item in column] if isinstance(columns[0], list) else np.concatenate(columns)

    ends = np.cumsum([0, *(len(part.mz) for part in parts)])
    offsets = np.concatenate([[0], *(part.offsets[1:] + end for part, end in zip(parts, ends))])
    names = [name for name in Spectra.__slots__ if name != "offsets"]
    return Spectra(offsets=offsets, **{name: joined([getattr(part, name) for part in parts]) for name in names})


def _from(spectra, s):
    """Returns the spectra from number s on."""
    at = spectra.offsets[s]
    columns = {name: getattr(spectra, name)[s:] for name in Spectra.__slots__[3:]}
    return Spectra(spectra.mz[at:], spectra.intensity[at:], spectra.offsets[s:] - at, **columns)


def _write_stream(source, format, layout, write):
    """Writes the spectra of a file in their order, in the memory of a row group and of what is read at a time."""
    waiting, count, first, failures = [], 0, 0, []
    size = layout.row_group_size

    def write_groups(least):
        nonlocal waiting, count, first
        spectra, begin = _joined(waiting), 0
        while len(spectra) - begin >= least and begin < len(spectra):
            end = min(begin + size, len(spectra))
            write(layout.table(spectra, np.arange(begin, end), first))
            first += end - begin
            begin = end
        waiting, count = [_from(spectra, begin)], len(spectra) - begin

    def take(columns):
        nonlocal count
        if failures:
            return
        try:
            waiting.append(Spectra(**columns))
            count += len(waiting[-1])
            if count >= size:
                write_groups(size)
        except BaseException as failure:  # of this thread, which is one of those that read
            failures.append(failure)

    def on_warning(text):
        import sys

        print(f"specsort: warning: {text}", file=sys.stderr)

    core.read_spectra(_machines.default_machine(), source, format, "specsort", False, "", on_warning, take)
    if failures:
        raise failures[0]
    if count:
        write_groups(1)


_USAGE = """usage: python -m ordosort.spectra [OPTION OF specsort]... FILE... --to=parquet|arrow [--rows=spectra|peaks] -o FILE

Write what specsort writes, in the same order, as Parquet or Arrow IPC: a row for each spectrum with lists of peaks, or a row
for each peak. Row groups and batches have 16384 spectra. `specsort --help` lists its options."""


def main(arguments=None):
    """Runs specsort, and writes its output as Parquet or Arrow IPC. @returns the exit status"""
    import io
    import subprocess
    import sys

    from . import _programs

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or "--help" in arguments:
        print(_USAGE)
        return 0 if arguments else 2

    def complain(text):
        print(f"specsort: {text}", file=sys.stderr)
        return 2

    given, rest = {"--to": "", "--output": "-", "--rows": "spectra"}, []
    for argument in (words := iter(arguments)):
        if argument == "--":
            rest += [argument, *words]
            break
        option, equals, value = argument.partition("=")
        if argument.startswith("-o"):
            option, equals, value = "--output", len(argument) > 2, argument[2:]
        if option not in given:
            rest.append(argument)
        elif (value := value if equals else next(words, None)) is None:
            return complain(f"missing value: {option}")
        else:
            given[option] = value
    to, out = given["--to"].lower() or _column_format(given["--output"]), given["--output"]
    if to not in ("parquet", "arrow"):
        return complain(f"invalid value: --to={given['--to']}: python -m ordosort.spectra writes parquet and arrow")
    if out == "-" or os.path.isdir(out):
        return complain(f"cannot write: {out}: name a file with -o: {to} is no stream")
    inputs = [argument for argument in rest if not argument.startswith("-")]
    for path in inputs:
        if os.path.exists(path) and os.path.exists(out) and os.path.samefile(path, out):
            return complain(f"cannot write: {out}: it is an input")
    # MGF would leave out the spectra of MS level 1.
    command = [*_programs.command("specsort"), "-o", "-", *(["--to=mzml"] if any(map(_is_run, inputs)) else []), *rest]
    try:
        layout = _Layout(given["--rows"])
        with replaced(out) as file, layout.writer(to, file) as write:
            with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
                try:
                    source = io.BufferedReader(process.stdout, 1 << 20)
                    front = source.peek(64).lstrip()
                    if front:
                        _write_stream(source, "mzml" if front.startswith(b"<") else "mgf", layout, write)
                except BaseException:
                    process.kill()
                    raise
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, "specsort")  # which has said why
    except subprocess.CalledProcessError as error:
        return error.returncode if error.returncode > 0 else 2
    except ImportError:
        return complain(f"format not written: --to={to}: it needs pyarrow: pip install pyarrow")
    except (OSError, ValueError) as error:
        return complain(str(error))
    return 0


def _is_run(path):
    """Returns whether a file is mzML or mzXML, by its name or its content."""
    if any(ending in os.path.basename(path).lower() for ending in (".mzml", ".mzxml")):
        return True
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<mzML", b"<indexedmzML", b"<mzXML"))


def _column_format(path):
    """Returns the format of columns that a name ends in; "" if there is none."""
    name = path.lower()
    return "parquet" if name.endswith(".parquet") else "arrow" if name.endswith((".arrow", ".feather")) else ""


if __name__ == "__main__":
    raise SystemExit(main())
