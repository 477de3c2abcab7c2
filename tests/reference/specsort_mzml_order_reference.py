#!/usr/bin/env python3
"""The order of spectra that specsort makes in mzML, as plainly as it can be said, for tests.

  specsort_mzml_order_reference.py files [FILE...]       specsort on these, with many options, against that
  specsort_mzml_order_reference.py random SEED CASES     and on documents and options made at random
"""
import random
import re
import sys

import specsort_reference as mgf
from mzml_documents import MZ, Document, Maker
from specsort_mzml_reference import compare_documents, fail, left_of, texts_of, written
from specsort_order_reference import KEYS, by_keys, mass_of


def values_of(one, arrays):
    charge = one.charges[0] if one.charges else None
    peaks = next((len(values) for terms, values in arrays if MZ in terms), 0)
    return {'pepmass': one.precursor, 'mass': mass_of(one.precursor, charge), 'rt': one.rt, 'scan': one.scan, 'charge': charge,
            'title': one.title.encode() or None, 'peaks': peaks}


def compare(text, keys, descending, options, more):
    words = ['--spectra-by', ','.join(keys)] + ['--descending-spectra'] * descending + options + more
    with open('map.tsv', 'wb'):
        pass
    done = written(text, words, '--map', 'map.tsv')
    how, all_ = mgf.parse_options(options), []
    for number, one in enumerate(Document(text).spectra):
        arrays = left_of(one, how)
        if arrays is not None:
            all_.append((number, one.id, arrays, values_of(one, arrays)))
    for key in keys:
        missing = sum(one[-1][key] is None for one in all_)
        if missing and not re.search(rf'warning: {missing} of {len(all_)} spectr(um|a) ha(s|ve) no '.encode(), done.stderr):
            fail(text, words, f'{missing} without {key}: {done.stderr.decode()}')
    all_ = by_keys(all_, keys, descending)
    compare_documents(text, words, done.stdout, [one[1:3] for one in all_], True, done.stderr)
    begins = [at.start() for at in re.finditer(rb'<spectrum ', text)]
    wanted = ['output\tspectrum\tinput\tnumber\toffset\tdropped']
    wanted += [f'-\t{place}\t-\t{one[0] + 1}\t{begins[one[0]]}\t' for place, one in enumerate(all_, 1)]
    kept = {one[0] for one in all_}
    wanted += [f'\t\t-\t{number + 1}\t{begin}\t--min-peaks {how.min_peaks}'
               for number, begin in enumerate(begins) if number not in kept]
    with open('map.tsv', encoding='utf-8') as file:
        if file.read().splitlines() != wanted:
            fail(text, words, 'the map says something else')


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == 'files':
        for text in texts_of(rest):
            for key in KEYS:
                compare(text, [key], False, [], [])
                compare(text, [key, 'title' if key != 'title' else 'rt'], True, ['--top', '50', '--min-peaks', '50'],
                        ['--memory', '64K'])
        return
    maker, words, r = Maker(int(rest[0])), mgf.Maker(int(rest[0])), random.Random(int(rest[0]))
    maker.odd = False
    for _ in range(int(rest[1])):
        keys = r.sample(KEYS, r.choice((1, 1, 2, 3, 7)))
        options = words.options() if r.random() < 0.6 else []
        if '--top' not in options:  # left_of() speaks of selections alone
            options += ['--top', '100000']
        if r.random() < 0.4 and '--min-peaks' not in options:
            options += ['--min-peaks', r.choice(('1', '5', '30'))]
        compare(maker.text(), keys, r.random() < 0.4, options, r.choice(([], ['--memory', '64K'], ['--memory', '1'])))


if __name__ == '__main__':
    main()
