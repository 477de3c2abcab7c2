#!/usr/bin/env python3
"""Libraries from MGF to MSP and back, as pyteomics and matchms read them, which have to be installed.

  libraries_reference.py files FILE...          these files, in MGF or MSP
  libraries_reference.py random SEED CASES      libraries made at random
"""
import random
import re
import subprocess
import sys
import warnings

import matchms.importing
import matchms.logging_functions
from pyteomics import mgf

# Keys of values that MGF writes in its own way, and values that state nothing.
READ = ('numpeaks', 'numpeak', 'precursormz', 'charge', 'retentiontime', 'rt', 'rtinseconds', 'ionmode', 'ionizationmode', 'polarity',
        'spectrumtype', 'mslevel', 'mstype', 'scan', 'scans', 'scannumber', 'precursorintensity', 'numalphapeaks')
# Parameters of MGF that MSP has in another way: polarities and levels have one spelling, and a charge has the sign of the
# polarity; the head of the file is left out.
WRITTEN_ANEW = ('ionmode', 'charge', 'ms_level', 'num_peaks', 'num peaks', 'precursor_mz', 'precursormz', 'com')
NONE = 'n/?a|nan|none|null|unknown'
STYLES = ('msp', 'msp-massbank', 'msp-matchms')
# What matchms finds in MGF and in MSP with its own keys, which has no place for lists of keys.
COMMON = ('compound_name', 'smiles', 'inchi', 'inchikey', 'formula', 'adduct', 'collision_energy', 'ionmode', 'precursor_mz',
          'charge', 'instrument', 'instrument_type', 'comment', 'spectrum_id', 'retention_time')


def specsort(*words):
    subprocess.run(['specsort', '--quiet', *words], check=True)


def spectra(path):
    """The spectra of MGF by pyteomics: parameters and peaks."""
    all_ = []
    with mgf.MGF(path) as file:
        for one in file:
            params = {key: str(value) for key, value in one['params'].items()}
            charges = [int(charge or 0) for charge in one['charge array']] if 'charge array' in one else []
            all_.append((params, list(one['m/z array']), list(one['intensity array']), charges))
    return all_


def check_values(path):
    """Every text that a line "key: value" of MSP states is a value of the MGF, unless it is a number or stands for none."""
    with open('before.mgf', encoding='utf-8', errors='surrogateescape') as file:
        written = {line.partition('=')[2].strip() for line in file if '=' in line}
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            key, colon, value = line.strip().partition(':')
            name, value = re.sub('[ _]', '', key.lower()), ' '.join(value.split())
            if not colon or not key[:1].isalpha() or '\t' in line or name in READ or '$' in key or not value:
                continue
            if value not in {' '.join(text.split()) for text in written} and not re.fullmatch(NONE, value.lower()):
                sys.exit(f'{path}: {line.strip()!r} is not in the MGF')


def is_number_in(value, params):
    """Is it a number that one of the parameters is, in other digits?"""
    try:
        return any(float(value) == float(other) for other in params.values() if re.fullmatch('[-+0-9.e]+', other))
    except ValueError:
        return False


def compare(path):
    specsort(path, '--to', 'mgf', '-o', 'before.mgf', '--lenient')
    before = spectra('before.mgf')
    if path.lower().endswith('.msp'):
        check_values(path)
    for style in STYLES:
        specsort('before.mgf', '--to', style, '-o', 'library.msp')
        specsort('library.msp', '--rt-unit', 's', '-o', 'after.mgf')
        after = spectra('after.mgf')
        if len(before) != len(after):
            sys.exit(f'{path}: {style}: {len(after)} spectra, and not {len(before)}')
        for number, (one, other) in enumerate(zip(before, after), 1):
            # Keys may get another name, as COMPOUND_NAME and NAME; values stay.
            stated = {key: value for key, value in one[0].items() if key not in WRITTEN_ANEW and value not in ('', '0+')}
            lost = [value for value in stated.values() if value not in other[0].values() and not is_number_in(value, other[0])]
            changed = [key for key in stated if key in other[0] and stated[key] != other[0][key]]
            if lost or changed or one[1:] != other[1:]:
                sys.exit(f'{path}: {style}: spectrum {number}: {lost} {changed}\n{one}\n{other}')
        specsort('library.msp', '--to', style, '-o', 'again.msp', '--rt-unit', 's')
        specsort('again.msp', '--rt-unit', 's', '-o', 'again.mgf')
        if spectra('again.mgf') != after:
            sys.exit(f'{path}: {style}: other spectra from MSP to MSP')
    specsort('before.mgf', '--to', 'msp-matchms', '-o', 'library.msp')
    one, other = ([spectrum for spectrum in load(name) if spectrum is not None] for load, name in (
        (matchms.importing.load_from_mgf, 'before.mgf'), (matchms.importing.load_from_msp, 'library.msp')))
    if not all(len(spectrum.peaks.mz) for spectrum in one):
        return  # matchms does not read records without peaks
    if len(one) != len(other):
        sys.exit(f'{path}: matchms reads {len(other)} spectra of MSP, and {len(one)} of MGF')
    for number, (in_mgf, in_msp) in enumerate(zip(one, other), 1):
        for key in COMMON:
            values = [spectrum.get(key) for spectrum in (in_mgf, in_msp)]
            if key == 'compound_name' and values[0] is None:
                values[0] = in_mgf.get('title')
            if key in ('precursor_mz', 'charge'):  # 0 states that there is none
                values = [value or None for value in values]
            if key == 'charge' and isinstance(values[1], str):  # of several, matchms reads one in MGF
                values[1] = int(values[1].split(',')[0])
            if values[0] != values[1]:
                sys.exit(f'{path}: matchms: spectrum {number}: {key} is {values[0]!r} in MGF, {values[1]!r} in MSP')
        if not (in_mgf.peaks.mz == in_msp.peaks.mz).all() or not (in_mgf.peaks.intensities == in_msp.peaks.intensities).all():
            sys.exit(f'{path}: matchms: spectrum {number}: other peaks')


def made_at_random(r):
    words = ['CCO', 'a b', '[M+H]+', 'x: y', 'C#N', '35 eV', '60 % (nominal)', 'InChI=1S/CH4/h1H4', 'é', '"q"', 'a;b', '1.50']
    keys = ['SMILES', 'INCHI', 'INCHIKEY', 'FORMULA', 'ADDUCT', 'COLLISION_ENERGY', 'COMMENT', 'NAME', 'INSTRUMENT',
            'INSTRUMENT_TYPE', 'SPECTRUMID', 'LIBRARYQUALITY', 'PI', 'ONTOLOGY', 'FEATURE_ID', 'SEQ', '1/K0', 'ORGANISM', 'CAS']
    lines = []
    for _ in range(r.randrange(1, 20)):
        lines += ['BEGIN IONS', f'TITLE={r.choice(words)} {r.randrange(99)}', f'PEPMASS={r.uniform(1, 999):.4f}']
        lines += [f'CHARGE={r.choice(("1+", "2-", "2+ and 3+", "3+"))}'] * r.randrange(2)
        lines += [f'RTINSECONDS={r.uniform(0, 9999):.3f}'] * r.randrange(2) + [f'SCANS={r.choice(("7", "17-19"))}'] * r.randrange(2)
        lines += [f'IONMODE={r.choice(("positive", "negative"))}'] * r.randrange(2) + [f'MSLEVEL={r.randrange(1, 4)}'] * r.randrange(2)
        lines += [f'{key}={r.choice(words)}' for key in r.sample(keys, r.randrange(len(keys)))]
        lines += [f'{r.uniform(50, 999):.5f} {r.uniform(0, 1e6):.2f}' for _ in range(r.randrange(1, 30))] + ['END IONS', '']
    return '\n'.join(lines)


def main():
    warnings.simplefilter('ignore')
    matchms.logging_functions.set_matchms_logger_level('ERROR')
    command, *rest = sys.argv[1:]
    if command == 'files':
        for path in rest:
            compare(path)
        return
    r = random.Random(int(rest[0]))
    for _ in range(int(rest[1])):
        with open('made.mgf', 'w', encoding='utf-8') as file:
            file.write(made_at_random(r))
        compare('made.mgf')


if __name__ == '__main__':
    main()
