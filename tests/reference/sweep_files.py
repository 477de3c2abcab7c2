#!/usr/bin/env python3
"""Sorts the peaks of all files of folders with specsort, and compares the outputs with the inputs by independent readers.

  sweep_files.py FILE-OR-FOLDER...     a table: file, spectra, peaks, and whether they are equal

pyteomics reads MGF, mzML and mzXML. Further readers look at the files that it found equal, if they are installed:
 - pymzml: the mzML that specsort wrote has the peaks that pyteomics finds
 - FileInfo of OpenMS (Debian package topp): FileInfo, and FileInfo -v, say the same of an output in mzML as of its input
 - msconvert (libpwiz-tools): the MGF that it makes of the output has the spectra and peaks of that which it makes of the input
Peaks have to be those of the input in the order of m/z, with everything that belongs to them, and MGF and mzML have to keep
what else the reader finds. mzXML is written as MGF. Ends with status 1 if a file differs, and states files that specsort or a
reader refuses.
"""
import bz2
import gzip
import lzma
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from pyteomics import mgf, mzml, mzxml

try:
    import pymzml
except ImportError:
    pymzml = None

PACKED = {'.gz': gzip.open, '.bgz': gzip.open, '.bz2': bz2.open, '.xz': lzma.open}
FORMATS = {'.mgf': 'mgf', '.mzml': 'mzml', '.mzxml': 'mzxml'}


class Difference(Exception):
    pass


def format_of(path):
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in [*PACKED, '.zst']:
        suffixes.pop()
    return FORMATS.get(suffixes[-1]) if suffixes else None


def unpacked(path, folder):
    """A copy without compression, with the name that readers expect."""
    if path.suffix.lower() == '.zst':
        text = subprocess.run(['zstd', '-dc', path], stdout=subprocess.PIPE, check=True).stdout
    else:
        with PACKED.get(path.suffix.lower(), open)(path, 'rb') as file:
            text = file.read()
    copy = folder / ('input.' + format_of(path))
    copy.write_bytes(text)
    return copy


def in_order(values):
    """The places of numbers in ascending order; NaN comes last, equal ones keep their order."""
    return np.argsort(np.where(np.isnan(values), np.inf, values) if values.dtype.kind == 'f' else values, kind='stable')


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == 'f')


def plain(value):
    """A value of a header that compares; NaN is itself."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return 'NaN' if isinstance(value, float) and math.isnan(value) else value


def compare_mgf(before, after):
    options = {'use_index': False, 'convert_arrays': 1, 'read_charges': True}
    peaks = spectra = 0
    with mgf.read(str(before), **options) as old, mgf.read(str(after), **options) as new:
        for one, other in pairs(old, new):
            spectra += 1
            name = one['params'].get('title', spectra)
            mz, heights = one['m/z array'], one['intensity array']
            if len(mz) != len(heights):
                raise Difference(f'{name}: the reader finds {len(mz)} m/z and {len(heights)} intensities')
            order = in_order(mz)
            for key in ('m/z array', 'intensity array'):
                if not same(one[key][order], other[key]):
                    raise Difference(f'{name}: {key}')
            if plain(one['params']) != plain(other['params']):
                raise Difference(f'{name}: parameters')
            peaks += len(mz)
    return spectra, peaks


def arrays_of(one):
    return {key: value for key, value in one.items() if isinstance(value, np.ndarray)}


def compare_mzml(before, after):
    peaks = spectra = stay = 0
    expected = []
    with mzml.MzML(str(before), use_index=False) as old, mzml.MzML(str(after), use_index=False) as new:
        for one, other in pairs(old, new):
            spectra += 1
            arrays, found = arrays_of(one), arrays_of(other)
            mz = arrays.get('m/z array', np.empty(0))
            peaks += len(mz)
            order = in_order(mz)
            wanted = {key: values[order] if len(values) == len(mz) else values for key, values in arrays.items()}
            if not all(same(values, found.get(key, [])) for key, values in wanted.items()):
                # Transitions, and spectra in the order of another axis, stay as they are.
                if not all(same(values, found.get(key, [])) for key, values in arrays.items()):
                    raise Difference(f'{one["id"]}: {", ".join(arrays)}')
                stay += 1
            expected.append((one['id'], found.get('m/z array', np.empty(0)), found.get('intensity array', np.empty(0))))
            rest = [{key: value for key, value in some.items() if not isinstance(value, np.ndarray)} for some in (one, other)]
            if plain(rest[0]) != plain(rest[1]):
                raise Difference(f'{one["id"]}: metadata')
    return spectra, peaks, expected, stay


def compare_by_pymzml(after, expected):
    """Returns the number of spectra that pymzml reads as pyteomics does."""
    count = 0
    run = pymzml.run.Reader(str(after), build_index_from_scratch=True)
    for (name, mz, heights), one in zip(expected, run):
        if len(mz) != 0 and not (same(one.mz, mz) and same(one.i, heights)):
            raise Difference(f'{name}: as pymzml reads it')
        count += 1
    if count != len(expected):
        raise Difference(f'{count} spectra by pymzml, {len(expected)} by pyteomics')


def compare_mzxml(before, after):
    options = {'use_index': False, 'convert_arrays': 1}
    peaks = spectra = 0
    with mzxml.MzXML(str(before), use_index=False, iterative=True) as old, mgf.read(str(after), **options) as new:
        written = (one for one in old if one.get('msLevel', 1) >= 2 and
                   any(float(ion.get('precursorMz', 0)) > 0 for ion in one.get('precursorMz', [])))
        for one, other in pairs(written, new):
            spectra += 1
            mz, heights = one.get('m/z array', np.empty(0)), one.get('intensity array', np.empty(0))
            finite = np.isfinite(mz) & np.isfinite(heights)
            mz, heights = mz[finite], heights[finite]
            order = in_order(mz)
            if not (same(mz[order].astype(float), other['m/z array']) and
                    same(heights[order].astype(float), other['intensity array'])):
                single = mz.dtype.itemsize == 4 or heights.dtype.itemsize == 4  # in either byte order
                exact = single and same(mz[order], other['m/z array'].astype(mz.dtype)) and same(
                    heights[order], other['intensity array'].astype(heights.dtype))
                if not exact:
                    raise Difference(f'scan {one["num"]}: peaks')
            peaks += len(mz)
    return spectra, peaks


def said_by(*command):
    """The output of a program, and whether it succeeded."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, 'OPENMS_DISABLE_UPDATE_CHECK': 'ON'})
    return done.stdout.decode('utf-8', 'replace'), done.returncode == 0


def compare_by_fileinfo(before, after):
    """Returns false if FileInfo cannot read the input."""
    def report(path):
        text = ''.join(said_by('FileInfo', '-in', str(path), '-no_progress', *more)[0] for more in ([], ['-v']))
        # It guesses from the order of peaks whether they are centroids.
        changing = re.compile('took|Memory usage|File name|level [0-9]+: .*[(]|' + re.escape(str(path)))
        return [line for line in text.splitlines() if not changing.search(line)]

    reports = report(before), report(after)
    if not any('validating' in line.lower() for line in reports[0]):
        return False
    if reports[0] != reports[1]:
        wrong = next((b for a, b in zip(*reports) if a != b), 'another number of lines')
        raise Difference(f'FileInfo: {wrong.strip()}')
    return True


def compare_by_msconvert(before, after, folder, kind):
    """Returns false if msconvert cannot read the input."""
    for path, name in ((before, 'before.mgf'), (after, 'after.mgf')):
        if not said_by('msconvert', str(path), '--mgf', '-o', str(folder), '--outfile', name)[1]:
            if path is before:
                return False
            raise Difference('msconvert does not read it')
    # Numbers of 32 bits in mzXML have all digits of their double in one file, and as few as give them back in the other.
    precision = 1e-6 if kind == 'mzxml' else 0
    options = {'use_index': False, 'convert_arrays': 1}
    with mgf.read(str(folder / 'before.mgf'), **options) as old, mgf.read(str(folder / 'after.mgf'), **options) as new:
        for number, (one, other) in enumerate(pairs(old, new)):
            order = in_order(one['m/z array'])
            for key in ('m/z array', 'intensity array'):
                a, b = one[key][order], other[key]
                if len(a) != len(b) or not np.allclose(a, b, rtol=precision, atol=0, equal_nan=True):
                    raise Difference(f'spectrum {number + 1}: {key}, as msconvert reads it')
    return True


def pairs(one, other):
    """Pairs of spectra. Raises Difference if one sequence ends before the other."""
    one, other, end = iter(one), iter(other), object()
    while True:
        a, b = next(one, end), next(other, end)
        if a is end and b is end:
            return
        if a is end or b is end:
            raise Difference('another number of spectra')
        yield a, b


def sweep(path, folder):
    """Returns spectra, peaks and a verdict for a file."""
    kind = format_of(path)
    output = folder / ('output.mzML' if kind == 'mzml' else 'output.mgf')
    done = subprocess.run(['specsort', path, '--quiet', '-o', output], stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return 0, 0, 'refused: ' + done.stderr.decode('utf-8', 'replace').strip()
    try:
        before = unpacked(path, folder)
        stay = 0
        readers = []  # that read the files, too
        failed = []
        if kind == 'mgf':
            spectra, peaks = compare_mgf(before, output)
        elif kind == 'mzxml':
            spectra, peaks = compare_mzxml(before, output)
        else:
            spectra, peaks, expected, stay = compare_mzml(before, output)
            if pymzml:
                try:
                    compare_by_pymzml(output, expected)
                    readers.append('pymzml')
                except Difference:
                    raise
                except Exception as why:  # pymzml fails on some files that others read
                    failed.append(f'pymzml ({type(why).__name__})')
            if shutil.which('FileInfo'):
                (readers if compare_by_fileinfo(before, output) else failed).append('FileInfo')
        if shutil.which('msconvert'):
            (readers if compare_by_msconvert(before, output, folder, kind) else failed).append('msconvert')
        verdict = ', '.join(['equal', *readers]) + (f'; not read by {", ".join(failed)}' if failed else '')
        return spectra, peaks, verdict + (f'; {stay} spectra stay as they are' if stay else '')
    except Difference as why:
        return 0, 0, f'DIFFERENT: {why}'
    except Exception as why:
        return 0, 0, f'not read by pyteomics: {type(why).__name__}: {str(why)[:100]}'


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    paths = []
    for name in map(pathlib.Path, sys.argv[1:]):
        paths += sorted(one for one in name.rglob('*') if one.is_file()) if name.is_dir() else [name]
    paths = [path for path in paths if format_of(path)]
    print(f'{"file":<48}{"spectra":>10}{"peaks":>14}  result')
    verdicts, totals = [], [0, 0]
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            spectra, peaks, verdict = sweep(path, pathlib.Path(folder))
        print(f'{path.name:<48}{spectra:>10,}{peaks:>14,}  {verdict}', flush=True)
        verdicts.append(verdict)
        totals = [totals[0] + spectra, totals[1] + peaks]
    equal = sum(verdict.startswith('equal') for verdict in verdicts)
    wrong = sum(verdict.startswith('DIFFERENT') for verdict in verdicts)
    print(f'{f"{len(paths)} files":<48}{totals[0]:>10,}{totals[1]:>14,}  {equal} equal, {wrong} different, '
          f'{len(verdicts) - equal - wrong} refused or not read')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
