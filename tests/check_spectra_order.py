#!/usr/bin/env python3
"""Is an MGF file the spectra of others in order? Independent of specsort, in little memory, for files of any size.

  check_spectra_order.py --spectra-by KEY[,KEY...] [--descending-spectra] [--map FILE] OUTPUT INPUT...

Checks that OUTPUT has the spectra of all INPUT, each as often, with the same lines in whatever order; and that their keys are
in order, what is missing last. With the map that specsort wrote: that each spectrum is the one that the map says, that the map
names each spectrum of the inputs once, and that equal ones are in the order of the inputs. Files are not compressed.
Exit status 1: something is wrong, which is told.
"""
import argparse
import hashlib
import re
import sys

PROTON = 1.00727646688
NUMBER = re.compile(rb'[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?')


def wrong(what):
    sys.exit(f'check_spectra_order.py: {what}')


def spectra(file):
    """Offset and lines of each spectrum, line ends off."""
    lines, begin, offset = None, 0, 0
    for line in file:
        words = line.strip(b' \t\r\n')
        if words == b'BEGIN IONS':
            lines, begin = [], offset
        if lines is not None:
            lines.append(words)
        if words == b'END IONS':
            yield begin, lines
            lines = None
        offset += len(line)


def digest(lines):
    return int.from_bytes(hashlib.blake2b(b'\n'.join(sorted(lines)), digest_size=16).digest(), 'little')


def first_number(text):
    found = NUMBER.match(text)
    return float(found.group()) if found else None


def values(lines):
    fields, peaks = {}, 0
    for line in lines[1:-1]:
        if line[:1] in b'0123456789.+-' and b'=' not in line.split()[0]:
            peaks += 1
            continue
        key, equals, value = line.partition(b'=')
        if equals:
            fields.setdefault(key, value.strip(b' \t'))
    pepmass = fields.get(b'PEPMASS', b'').split()
    mz = first_number(pepmass[0]) if pepmass else None
    found = re.match(rb'([+-]?)([0-9]+)([+-]?)', fields.get(b'CHARGE', b'') or (pepmass[2] if len(pepmass) > 2 else b''))
    charge = int(found[2]) * (-1 if b'-' in (found[1], found[3]) else 1) if found else None
    scan = re.match(rb'[0-9]+', fields.get(b'SCANS', b''))
    return {'pepmass': mz or None, 'charge': charge or None, 'rt': first_number(fields.get(b'RTINSECONDS', b'')),
            'mass': None if not mz or not charge else
            (mz - PROTON) * charge if charge > 0 else (mz + PROTON) * -charge,
            'scan': int(scan.group()) if scan else None, 'title': fields.get(b'TITLE') or None, 'peaks': peaks}


def is_before(a, b, keys, descending):
    """Must a stand before b, behind it, or does it not matter? 1, -1, 0."""
    for key in keys:
        if a[key] == b[key]:
            continue
        if a[key] is None or b[key] is None:
            return 1 if b[key] is None else -1
        return 1 if (a[key] < b[key]) != descending else -1
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--spectra-by', required=True)
    parser.add_argument('--descending-spectra', action='store_true')
    parser.add_argument('--map')
    parser.add_argument('output')
    parser.add_argument('inputs', nargs='+')
    given = parser.parse_args()
    keys = given.spectra_by.split(',')

    count, total, origins = 0, 0, 0
    for path in given.inputs:
        with open(path, 'rb') as file:
            for number, (offset, lines) in enumerate(spectra(file), 1):
                count += 1
                total += digest(lines)
                origins += digest([b'%b %d %d' % (path.encode(), number, offset)])
    again = {path: open(path, 'rb') for path in given.inputs}
    places = {path: index for index, path in enumerate(given.inputs)}
    rows = open(given.map, encoding='utf-8') if given.map else None
    if rows and next(rows) != 'output\tspectrum\tinput\tnumber\toffset\n':
        wrong('the map has another header')
    last, last_place = None, None
    with open(given.output, 'rb') as file:
        for at, (offset, lines) in enumerate(spectra(file), 1):
            where = f'{given.output}: spectrum {at}, at byte {offset}'
            count -= 1
            own = digest(lines)
            total -= own
            now, place = values(lines), None
            if rows:
                row = next(rows, '').rstrip('\n').split('\t')
                if len(row) != 5 or row[1] != str(at) or row[2] not in again:
                    wrong(f'{where}: the map says {row}')
                place = (places[row[2]], int(row[3]))
                origins -= digest([b'%b %d %d' % (row[2].encode(), int(row[3]), int(row[4]))])
                again[row[2]].seek(int(row[4]))
                if digest(next(spectra(again[row[2]]))[1]) != own:
                    wrong(f'{where}: it is not that of {row[2]}, spectrum {row[3]}')
            order = is_before(last, now, keys, given.descending_spectra) if last else 1
            if order < 0:
                wrong(f'{where}: out of order')
            if order == 0 and place and place < last_place:
                wrong(f'{where}: equal ones are not in the order of the inputs')
            last, last_place = now, place
    if count != 0 or total != 0:
        wrong(f'{given.output}: not the spectra of the inputs: {abs(count)} {"missing" if count > 0 else "too many"}')
    if rows and (origins != 0 or next(rows, None) is not None):
        wrong(f'{given.map}: it does not name each spectrum once')


main()
