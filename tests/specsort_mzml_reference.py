#!/usr/bin/env python3
"""What specsort makes of mzML, as plainly as it can be said, for tests (documents are read by mzml_documents.py).

  specsort_mzml_reference.py files [FILE...]       specsort on these, with many options, against that
  specsort_mzml_reference.py random SEED CASES     and on documents and options made at random
"""
import hashlib
import json
import math
import re
import subprocess
import sys

import specsort_reference as mgf
from mzml_documents import INTENSITY, MZ, Document, Maker


def before(one, other):
    """In order of m/z: NaN comes last."""
    return one < other or (math.isnan(other) and not math.isnan(one))


def summary(text, name):
    """As specsort --summary=json says it."""
    spectra = Document(text).spectra
    peaks = [one.peaks() for one in spectra]
    every = [peak for some in peaks for peak in some]

    def span(values):
        values = [value for value in values if value is not None and not math.isnan(value)]
        return {'least': min(values), 'greatest': max(values), 'count': len(values)} if values else None

    def tally(values):
        return {str(value): values.count(value) for value in values}

    def repeated(some):
        mz = sorted(m for m, _ in some if not math.isnan(m))
        return len(mz) - len(set(mz))

    counts = sorted(len(some) for some in peaks)
    bins, least = [], counts[0] if counts else 0
    least = 0 if least == 0 else 2**int(math.log2(least))
    while counts and least <= counts[-1]:
        greatest = 2 * least - 1 if least else 0
        bins.append({'from': least, 'to': greatest, 'spectra': sum(least <= n <= greatest for n in counts)})
        least = greatest + 1
    return {
        'name': name, 'bytes': len(text), 'lines': text.count(b'\n'), 'warnings': 0, 'spectra': len(spectra),
        'spectra_in_order': sum(not any(before(b[0], a[0]) for a, b in zip(some, some[1:])) for some in peaks),
        'titles': sum(bool(one.title) for one in spectra), 'scans': sum(one.scan is not None for one in spectra),
        'peaks': len(every), 'zeros': sum(h == 0 for _, h in every), 'without_intensity': sum(h is None for _, h in every),
        'duplicates': sum(repeated(some) for some in peaks),
        'mz': span([m for m, _ in every]), 'intensity': span([h for _, h in every]),
        'precursor_mz': span([one.precursor for one in spectra]), 'rt_seconds': span([one.rt for one in spectra]),
        'charges': tally([one.charges[0] if one.charges else 'none' for one in spectra]),
        'ms_levels': tally([one.level for one in spectra if one.level is not None]),
        'peaks_a_spectrum': {
            'least': counts[0] if counts else 0, 'median': counts[(len(counts) - 1) // 2] if counts else 0,
            'mean': len(every) / len(counts) if counts else 0, 'greatest': counts[-1] if counts else 0, 'histogram': bins},
    }


def specsort(text, *words):
    return subprocess.run(['specsort', '-', '--threads', '2', *words], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def fail(text, words, why):
    with open('failed.mzML', 'wb') as file:
        file.write(text)
    sys.exit(f'specsort {" ".join(words)}: {why}; see failed.mzML')


def compare_summary(text):
    done = specsort(text, '--summary=json')
    wanted = summary(text, 'standard input')
    found = json.loads(done.stdout) if done.returncode == 0 else done.stderr.decode()
    if found != wanted:
        fail(text, ['--summary=json'], f'{found} in the place of {wanted}')


def left_of(one, how):
    """What a selection leaves of the arrays of a spectrum; None: it goes."""
    mz, heights = one.values(MZ) or (), one.values(INTENSITY) or ()
    both = (one.values(MZ) is None) == (one.values(INTENSITY) is None)
    if one.transitions or not both or len(mz) != len(heights):
        return one.arrays
    peaks = [mgf.Peak(None, at, m, h) for at, (m, h) in enumerate(one.peaks())]
    left = mgf.select(peaks, one.precursor, one.charges[0] if one.charges else 0, how)
    if len(left) < int(how.min_peaks or 0):
        return None
    order = [peak.at for peak in mgf.put_in_order(left, how)]
    return [(terms, tuple(values[at] for at in order) if len(values) == len(mz) else values) for terms, values in one.arrays]


def without_spectra(text):
    """What a selection must leave as it is."""
    text = re.sub(rb'\s*<spectrum .*?</spectrum>', b'', text, flags=re.DOTALL)
    text = re.sub(rb'\s*<offset [^>]*>[^<]*</offset>', b'', text)
    return re.sub(rb'(<spectrumList [^>]*count="|<indexListOffset>|<fileChecksum>)[^<"]*', rb'\1', text)


def wrong_index(text, ids):
    """What an indexedmzML says of itself that is not so."""
    if b'<indexList ' not in text:
        return b'<indexedmzML' in text and 'no index'
    index = text[text.index(b'<index name="spectrum"'):].split(b'</index>')[0]
    entries = re.findall(rb'<offset idRef="([^"]*)">([0-9]*)</offset>', index)
    begins = [at.start() for at in re.finditer(rb'<spectrum ', text)]
    if entries != [(name.encode(), b'%d' % at) for name, at in zip(ids, begins)] or len(ids) != len(begins):
        return f'the index says {entries} of {begins}'
    if int(re.search(rb'<indexListOffset>([0-9]*)<', text)[1]) != text.index(b'<indexList '):
        return 'the index is not where it is said to be'
    sum_at = text.index(b'<fileChecksum>') + len('<fileChecksum>')
    return text[sum_at:sum_at + 41].decode() != hashlib.sha1(text[:sum_at]).hexdigest() + '<' and 'the checksum is wrong'


def written(text, words, *more):
    """What specsort writes as mzML, and says."""
    done = specsort(text, '--to', 'mzml', *more, *words)
    if done.returncode != 0:
        fail(text, words, done.stderr.decode())
    return done


def compare_documents(text, words, found, wanted, numbered):
    """Are these the wanted spectra (id and arrays), is the list around them right, all else as it was? Returns the document."""
    after = Document(found)
    if repr([(one.id, one.arrays) for one in after.spectra]) != repr(wanted):  # NaN is itself
        fail(text, words, 'other spectra, or in another order')
    if numbered:
        if [one.index for one in after.spectra] != [str(number) for number in range(len(wanted))]:
            fail(text, words, 'the spectra are not numbered')
        if next(after.all('spectrumList')).get('count') != str(len(wanted)):
            fail(text, words, 'the list says another number')
    if without_spectra(text) != without_spectra(found):
        fail(text, words, 'something else has changed')
    if why := wrong_index(found, [name for name, _ in wanted]):
        fail(text, words, why)
    return after


def compare_selection(text, words):
    how = mgf.parse_options(words)
    done = written(text, words)
    wanted = [(one.id, left_of(one, how)) for one in Document(text).spectra]
    stay = [(name, arrays) for name, arrays in wanted if arrays is not None]
    some_go = bool(how.min_peaks and int(how.min_peaks))
    after = compare_documents(text, words, done.stdout, stay, some_go)
    if some_go:
        gone = {name for name, arrays in wanted if arrays is None}
        stray = sum(name in gone for one in after.spectra for name in one.references)
        told = re.search(rb': ([0-9]+) references to spectra that were left out stay', done.stderr)
        if stray != (int(told[1]) if told else 0):
            fail(text, words, f'{stray} references to what left: {done.stderr.decode()}')


def texts_of(paths):
    for path in paths:
        with open(path, 'rb') as file:
            yield file.read()


SELECTIONS = [['--min-peaks', '1'], ['--min-peaks', '200'], ['--min-peaks', '100000'], ['--preset', 'casanovo'],
              ['--top', '50', '--min-peaks', '50', '--by', 'intensity', '--descending']]


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == 'files':
        for text in texts_of(rest):
            compare_summary(text)
            for words in SELECTIONS:
                compare_selection(text, words)
        return
    maker, words = Maker(int(rest[0])), mgf.Maker(int(rest[0]))
    for _ in range(int(rest[1])):
        maker.odd = True
        compare_summary(maker.text())
        maker.odd = False
        options = words.options()
        if '--min-peaks' not in options:
            options += ['--min-peaks', maker.some('1', '2', '5', '30')]
        compare_selection(maker.text(), options)


if __name__ == '__main__':
    main()
