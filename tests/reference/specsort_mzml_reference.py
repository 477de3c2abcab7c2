#!/usr/bin/env python3
"""What specsort makes of mzML, as plainly as it can be said, for tests (documents are read by mzml_documents.py).

  specsort_mzml_reference.py files [FILE...]       specsort on these, with many options, against that
  specsort_mzml_reference.py random SEED CASES     and on documents and options made at random
"""
import hashlib
import json
import math
import re
import struct
import subprocess
import sys

import specsort_reference as mgf
from mzml_documents import BASE_HEIGHT, BASE_MZ, HIGHEST, INTENSITY, LOWEST, MZ, NAMESPACE, TIC, Document, Maker, NUMPRESS


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
        'name': name, 'bytes': len(text), 'lines': text.count(b'\n'),
        'warnings': int(any(one.has_time_without_unit for one in spectra)), 'spectra': len(spectra),
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


def left_peaks(one, how):
    """The peaks that a selection leaves, before --min-peaks; None: it is not for this spectrum."""
    mz, heights = one.values(MZ) or (), one.values(INTENSITY) or ()
    both = (one.values(MZ) is None) == (one.values(INTENSITY) is None)
    if one.transitions or not both or len(mz) != len(heights):
        return None
    peaks = [mgf.Peak(None, at, m, h) for at, (m, h) in enumerate(one.peaks())]
    left = mgf.select(peaks, None if one.level == 1 else one.precursor, one.charges[0] if one.charges else 0, how)
    terms = next((terms for terms, _ in one.arrays if INTENSITY in terms), ())
    for peak in left if how.merge and 'MS:1000521' in terms and not any(term in NUMPRESS for term in terms) else ():
        if peak.height is not None and peak.height != heights[peak.at]:  # a sum, as a float
            peak.height, = struct.unpack('f', struct.pack('f', peak.height))
    return left


def left_of(one, how):
    """What a selection leaves of the arrays of a spectrum; None: it goes."""
    left, mz = left_peaks(one, how), one.values(MZ) or ()
    if left is None:
        return one.arrays
    if len(left) < int(how.min_peaks or 0):
        return None
    left = mgf.put_in_order(left, how)
    arrays = [(terms, tuple(values[peak.at] for peak in left) if len(values) == len(mz) else values)
              for terms, values in one.arrays]
    return [(terms, tuple(value if peak.height is None else type(value)(peak.height) for value, peak in zip(values, left)))
            if how.merge and INTENSITY in terms and len(one.values(INTENSITY)) == len(mz) else (terms, values)
            for terms, values in arrays]


def without_forms(arrays):
    """Arrays without the types and compressions of intensities, which sums may change."""
    return [((INTENSITY,) if INTENSITY in terms else terms, values) for terms, values in arrays]


def of_peaks_after(one, arrays, how):
    """The values that are made of a spectrum's peaks, where a selection left these arrays."""
    mz, heights = one.values(MZ) or (), one.values(INTENSITY) or ()
    left = left_peaks(one, how)
    if left is None or how.keep_metadata or len(left) == len(mz):
        return one.of_peaks
    left = sorted(left, key=lambda peak: peak.at)
    total = 0.0
    for peak in left:
        total += peak.height or 0
    known = [peak for peak in left if peak.height is not None]
    base = min(known, key=lambda peak: (-peak.height, peak.mz), default=mgf.Peak(None, 0, 0, 0))
    some = [peak.mz for peak in left] or [0]
    values = {TIC: total, BASE_MZ: base.mz, BASE_HEIGHT: base.height, HIGHEST: max(some), LOWEST: min(some)}
    return [(term, values.get(term, len(left))) for term, _ in one.of_peaks]


def without_spectra(text):
    """What a selection must leave as it is, but for what it records."""
    text = re.sub(rb'\s*<spectrum .*?</spectrum>', b'', text, flags=re.DOTALL)
    text = text[:text.index(b'</mzML>')]
    text = re.sub(rb'\s*<(software|dataProcessing) id="ordo_specsort.*?</\1>', b'', text, flags=re.DOTALL)
    text = re.sub(rb'(List count=")[0-9]*', rb'\1', text)
    return re.sub(rb'(<spectrumList [^>]*defaultDataProcessingRef=")[^"]*', rb'\1', text)


def wrong_index(text, ids):
    """What an indexedmzML says of itself that is not so."""
    if b'<indexedmzML' not in text:
        return b'<indexList' in text and 'an index'
    for kind in ('spectrum', 'chromatogram'):
        begins = [at.start() for at in re.finditer(f'<{kind} '.encode(), text)]
        index = re.findall(f'<index name="{kind}">(.*?)</index>'.encode(), text, re.DOTALL)
        entries = re.findall(rb'<offset idRef="([^"]*)">([0-9]*)</offset>', index[0] if index else b'')
        names = ids if kind == 'spectrum' else ['TIC'] * len(begins)
        if entries != [(name.encode(), b'%d' % at) for name, at in zip(names, begins)] or len(names) != len(begins):
            return f'the index says {entries} of {begins}'
        if len(index) > 1:
            return 'an index is there twice'
    if not re.search(rb'<(spectrum|chromatogram) ', text):
        return False  # of nothing there may be no index
    if int(re.search(rb'<indexList count="([0-9]*)"', text)[1]) != len(re.findall(rb'<index ', text)):
        return 'the list of indexes says another number'
    if int(re.search(rb'<indexListOffset>([0-9]*)<', text)[1]) != text.index(b'<indexList '):
        return 'the index is not where it is said to be'
    sum_at = text.index(b'<fileChecksum>') + len('<fileChecksum>')
    return text[sum_at:sum_at + 41].decode() != hashlib.sha1(text[:sum_at]).hexdigest() + '<' and 'the checksum is wrong'


def index_changes(text, staying):
    """How many entries of what stays an index lacks, and how many it has too many, of both kinds."""
    missing = surplus = 0
    for kind in ('spectrum', 'chromatogram') if b'<indexedmzML' in text else ():
        ids = set(re.findall(f'<{kind} [^>]*id="([^"]*)"'.encode(), text))
        stay = {name.encode() for name in staying} if kind == 'spectrum' else ids
        index = re.search(f'<index name="{kind}">(.*?)</index>'.encode(), text, re.DOTALL)
        entries = re.findall(rb'idRef="([^"]*)"', index[1]) if index else []
        missing += len(stay - set(entries))
        surplus += sum(name not in ids for name in entries) + sum(max(0, entries.count(name) - 1) for name in stay)
    return missing, surplus


def told_index_changes(stderr):
    found = [re.search(rb'([0-9]+) entr(?:y|ies) ' + what, stderr) for what in (b'missing', b'of nothing')]
    return tuple(int(one[1]) if one else 0 for one in found)


def wrong_record(before, after, words, how):
    """What is wrong with what a document says of its processing."""
    def lists(of):
        return [{one.get('id'): one for one in of.all(name)} for name in ('software', 'dataProcessing')]

    def steps(processing):
        return [(one.get('order'), one.get('softwareRef'), [tuple(sorted(term.attrib.items())) for term in one])
                for one in processing]

    (_, old), (software, new) = lists(before), lists(after)
    for name in ('software', 'dataProcessing'):
        for one in after.all(name + 'List'):
            if int(one.get('count')) != len(list(one)):
                return f'{name}List says {one.get("count")}'
    reference = next(after.all('spectrumList')).get('defaultDataProcessingRef')
    was = next(before.all('spectrumList')).get('defaultDataProcessingRef')
    if how.keep_metadata or not old:
        return (reference != was or old.keys() != new.keys()) and 'something is recorded'
    if any(one.get('defaultDataProcessingRef') != other.get('defaultDataProcessingRef')
           for one, other in zip(before.all('chromatogramList'), after.all('chromatogramList'), strict=True)):
        return 'of chromatograms, too'
    if any(one.get('dataProcessingRef') == was for one in after.all('spectrum')):
        return 'a spectrum refers to the steps before'
    if steps(old[was]) != steps(new[was]) or steps(old[was]) != steps(new[reference])[:-1]:
        return 'other steps before'
    order, by, terms = steps(new[reference])[-1]
    options = [(dict(term)['name'], dict(term).get('value')) for term in terms if 'accession' not in dict(term)]
    if int(order) <= max(int(one[0]) for one in steps(old[was])) or not software[by].get('version'):
        return f'order {order}, software {by}'
    if [one.tag for one in after.root.iter(NAMESPACE + 'dataProcessing') if one.get('id') == reference] == []:
        return 'a reference to nothing'
    if 'preset' in ' '.join(words):
        return False
    by_and_order = [('--by', how.by or 'mz')] + [('--descending', None)] * bool(how.descending)
    wanted = [f'--{name}' for name in ('mz-range', 'drop-zero', 'min-intensity', 'remove-precursor', 'all-charges',
                                       'min-relative', 'dedupe', 'merge', 'top', 'per', 'around', 'min-peaks')
              if getattr(how, name.replace('-', '_')) not in (None, False)]
    return [name for name, _ in options] != wanted + [name for name, _ in by_and_order] and f'options {options}, not {wanted}'


def written(text, words, *more):
    """What specsort writes as mzML, and says."""
    done = specsort(text, '--to', 'mzml', *more, *words)
    if done.returncode != 0:
        fail(text, words, done.stderr.decode())
    return done


def compare_documents(text, words, found, wanted, numbered, stderr):
    """Are these the wanted spectra (id and arrays), is the list around them right, all else as it was? Returns the document."""
    after = Document(found)
    form = without_forms if '--merge' in words or 'dreams' in words else lambda arrays: arrays
    if repr([(one.id, form(one.arrays)) for one in after.spectra]) != repr([(name, form(arrays)) for name, arrays in wanted]):
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
    changes, told = index_changes(text, [name for name, _ in wanted]), told_index_changes(stderr)
    if changes != told:
        fail(text, words, f'missing and surplus entries: {told} in the place of {changes}')
    return after


def check_metadata(text, words, found, how):
    """Are the values that are made of peaks right, and the record of what was done?"""
    before, after = Document(text), Document(found)
    wanted = {one.id: of_peaks_after(one, one.arrays, how) for one in before.spectra}
    for one in after.spectra:
        if any(term != other or not math.isclose(value, right, rel_tol=1e-6, abs_tol=1e-30)
               for (term, value), (other, right) in zip(one.of_peaks, wanted[one.id], strict=True)):
            fail(text, words, f'{one.id}: {one.of_peaks} in the place of {wanted[one.id]}')
    if why := wrong_record(before, after, words, how):
        fail(text, words, why)


def compare_selection(text, words):
    how = mgf.parse_options(words)
    done = written(text, words)
    wanted = [(one.id, left_of(one, how)) for one in Document(text).spectra]
    stay = [(name, arrays) for name, arrays in wanted if arrays is not None]
    some_go = bool(how.min_peaks and int(how.min_peaks))
    after = compare_documents(text, words, done.stdout, stay, some_go, done.stderr)
    check_metadata(text, words, done.stdout, how)
    if some_go:
        gone = {name for name, arrays in wanted if arrays is None}
        stray = sum(name in gone for one in after.spectra for name in one.references)
        told = re.search(rb': ([0-9]+) references? to (?:a spectrum that was|spectra that were) left out stay', done.stderr)
        if stray != (int(told[1]) if told else 0):
            fail(text, words, f'{stray} references to what left: {done.stderr.decode()}')


def texts_of(paths):
    for path in paths:
        with open(path, 'rb') as file:
            yield file.read()


SELECTIONS = [['--merge', '0.5'], ['--preset', 'dreams'], ['--min-peaks', '1'], ['--min-peaks', '200'], ['--min-peaks', '100000'], ['--preset', 'casanovo'],
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
        compare_selection(maker.text(), options + maker.some([], [], ['--keep-metadata']))


if __name__ == '__main__':
    main()
