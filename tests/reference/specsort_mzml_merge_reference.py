#!/usr/bin/env python3
"""Many documents of mzML in one, and one in parts, as plainly as it can be said, for tests.

  specsort_mzml_merge_reference.py files FILE...         specsort on these, with many options, against that
  specsort_mzml_merge_reference.py random SEED CASES     and on documents and options made at random

Each document alone is what specsort makes of it, which specsort_mzml_reference.py checks."""
import glob
import hashlib
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from mzml_documents import MZ, NAMESPACE, Document, Maker
from specsort_order_reference import KEYS, by_keys, mass_of

# Attributes that refer to elements of the head.
REFERENCES = {'sourceFileRef': 'sourceFile', 'dataProcessingRef': 'dataProcessing', 'softwareRef': 'software',
              'instrumentConfigurationRef': 'instrumentConfiguration', 'scanSettingsRef': 'scanSettings'}
REF_ELEMENTS = {'referenceableParamGroupRef': 'referenceableParamGroup', 'softwareRef': 'software',
                'sourceFileRef': 'sourceFile'}


class Resolved:
    """A document whose elements are compared with all that they refer to."""

    def __init__(self, text, name):
        self.root, self.name = ElementTree.fromstring(text), name
        self.known = {(one.tag.removeprefix(NAMESPACE), one.get('id')): one for one in self.root.iter() if one.get('id')}
        self.run = next(self.root.iter(NAMESPACE + 'run'))
        self.source = self.run.get('defaultSourceFileRef')
        first = next(self.root.iter(NAMESPACE + 'sourceFile'), None)
        if not self.source and first is not None:
            self.source = first.get('id')
        self.instrument = self.run.get('defaultInstrumentConfigurationRef')

    def target(self, kind, name):
        if kind == 'sourceFile' and name is None:
            return 'sourceFile', (('location', 'file:///'), ('name', self.name))
        return self.of(self.known[kind, name]) if (kind, name) in self.known else (kind, name) if name else None

    def of(self, element, suffixes=('', ''), processing=None):
        """All that an element says, with the defaults of the document; ids with a suffix."""
        tag = element.tag.removeprefix(NAMESPACE)
        if tag in REF_ELEMENTS:
            return self.target(REF_ELEMENTS[tag], element.get('ref'))
        says = {}
        for name, value in element.attrib.items():
            if name in REFERENCES:
                says[name] = self.target(REFERENCES[name], value)
            elif name == 'spectrumRef':
                says[name] = value + suffixes[0]
            elif name == 'id' and tag in ('spectrum', 'chromatogram'):
                says[name] = value + suffixes[tag == 'chromatogram']
            elif name not in ('id', 'index'):
                says[name] = value
        if tag in ('spectrum', 'chromatogram'):
            says.setdefault('dataProcessingRef', self.target('dataProcessing', processing))
        if tag == 'spectrum':
            says.setdefault('sourceFileRef', self.target('sourceFile', self.source))
            if says['sourceFileRef'][0] == 'sourceFile' and len(says['sourceFileRef']) > 2:
                is_file = dict(says['sourceFileRef'][1]).get('location') == 'file:///'
                says['sourceFileRef'] = says['sourceFileRef'][:2] if is_file else says['sourceFileRef']
        if tag == 'scan':
            says.setdefault('instrumentConfigurationRef', self.target('instrumentConfiguration', self.instrument))
        inner = [self.of(one, suffixes) for one in element]
        return (tag, tuple(sorted(says.items())), (element.text or '').strip() if tag == 'binary' else '', *inner)

    def lists(self, name, element, suffixes=('', '')):
        return [self.of(one, suffixes, every.get('defaultDataProcessingRef'))
                for every in self.run.iter(NAMESPACE + name) for one in every if one.tag == NAMESPACE + element]


def fail(words, why):
    sys.exit(f'FAILED: specsort {" ".join(words)}: {why}')


def specsort(words):
    done = subprocess.run(['specsort', *words], capture_output=True, check=False)
    if done.returncode != 0:
        fail(words, done.stderr.decode())
    return done.stderr.decode()


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def check_numbers(words, text):
    """Are counts, numbers, the index and the checksum of a document right?"""
    root = ElementTree.fromstring(text)
    entries = []
    for kind in ('spectrum', 'chromatogram'):
        for one in root.iter(f'{NAMESPACE}{kind}List'):
            if int(one.get('count')) != len(list(one)):
                fail(words, f'{kind}List says {one.get("count")}')
            if [int(each.get('index')) for each in one] != list(range(len(list(one)))):
                fail(words, f'{kind}s are not numbered')
        tags = list(re.finditer(f'<{kind} [^>]*?\\bid="([^"]*)"'.encode(), text))
        entries += [(one[1], b'%d' % one.start()) for one in tags]
        if len({one[1] for one in tags}) != len(tags):
            fail(words, f'ids of {kind}s are not unique')
        if len(re.findall(f'<index name="{kind}">'.encode(), text)) != bool(tags):
            fail(words, f'not one index of {kind}s')
    for one in root.iter():
        if one.tag.endswith('List') and one.tag.removeprefix(NAMESPACE)[:-4] in (
                'cv', 'sourceFile', 'referenceableParamGroup', 'sample', 'software', 'instrumentConfiguration', 'dataProcessing'):
            if int(one.get('count')) != len(list(one)):
                fail(words, f'{one.tag} says {one.get("count")}')
            names = [each.get('id') for each in one]
            if len(set(names)) != len(names):
                fail(words, f'{one.tag}: ids are not unique')
    if re.findall(rb'<offset idRef="([^"]*)">([0-9]*)</offset>', text) != entries:
        fail(words, 'the index is wrong')
    if entries and int(re.search(rb'<indexListOffset>([0-9]*)<', text)[1]) != text.index(b'<indexList '):
        fail(words, 'the index is not where it is said to be')
    at = text.index(b'<fileChecksum>') + len('<fileChecksum>')
    if text[at:at + 41].decode() != hashlib.sha1(text[:at]).hexdigest() + '<':
        fail(words, 'the checksum is wrong')


def suffixes_of(documents, kind):
    """What the ids of each document get."""
    seen, all_ = set(), []
    for number, one in enumerate(documents, 1):
        ids = [each.get('id') for each in one.root.iter(NAMESPACE + kind)]
        suffix = ''
        while any(name + suffix in seen for name in ids):
            suffix, number = f' file={number}', number + 1
        seen |= {name + suffix for name in ids}
        all_.append(suffix)
    return all_


def values_of(one, arrays):
    charge = one.charges[0] if one.charges else None
    peaks = next((len(values) for terms, values in arrays if MZ in terms), 0)
    return {'pepmass': one.precursor, 'mass': mass_of(one.precursor, charge), 'rt': one.rt, 'scan': one.scan, 'charge': charge,
            'title': one.title.encode() or None, 'peaks': peaks}


def compare(paths, keys, options, parts, more):
    """Merges files, whole or in parts."""
    alone, origins = [], []
    for number, path in enumerate(paths):
        specsort([path, '--to=mzml', '-o', f'alone{number}.mzML', *options])
        alone.append(Resolved(read(f'alone{number}.mzML'), os.path.basename(path)))
    spectra = suffixes_of(alone, 'spectrum')
    suffixes = list(zip(spectra, suffixes_of(alone, 'chromatogram'), strict=True))
    wanted, chromatograms = [], []
    for number, one in enumerate(alone):
        document = Document(read(f'alone{number}.mzML'))
        # Offsets and numbers of the map are those of the input.
        text = read(paths[number])
        places = {name: (at, begin) for at, (name, begin) in enumerate(
            (each[1].decode('latin-1'), each.start()) for each in re.finditer(rb'<spectrum [^>]*?\bid="([^"]*)"', text))}
        for element, spectrum in zip(one.lists('spectrumList', 'spectrum', suffixes[number]), document.spectra, strict=True):
            wanted.append((element, (paths[number], *places[spectrum.id]), values_of(spectrum, spectrum.arrays)))
        chromatograms += one.lists('chromatogramList', 'chromatogram', suffixes[number])
    wanted = by_keys(wanted, keys, '--descending-spectra' in more)
    words = [*paths, '--to=mzml', '-o', 'joined.mzML', '--map', 'map.tsv', *options, *more]
    words += ['--spectra-by=' + ','.join(keys)] if keys else []
    words += parts
    for old in glob.glob('joined*.mzML'):
        os.remove(old)
    specsort(words)
    outputs = sorted(glob.glob('joined*.mzML'))
    found, first, rows = [], True, []
    for path in outputs:
        text = read(path)
        check_numbers(words, text)
        one = Resolved(text, '')
        if len(paths) == 1:
            one.name = os.path.basename(paths[0])
        some = one.lists('spectrumList', 'spectrum')
        found += some
        rows += [(path, str(number)) for number in range(1, len(some) + 1)]
        if one.lists('chromatogramList', 'chromatogram') != (chromatograms if first else []):
            fail(words, f'{path}: other chromatograms')
        first = False
        if parts and parts[0] == '--split-size' and len(some) > 1 and len(text) > int(parts[1]):
            fail(words, f'{path}: {len(text)} bytes')
    if found != [one[0] for one in wanted]:
        for one, other in zip(found, wanted):
            if one != other[0]:
                fail(words, f'\n{one}\nin the place of\n{other[0]}')
        fail(words, f'{len(found)} spectra in the place of {len(wanted)}')
    if parts and parts[0] == '--split-count' and len(outputs) != int(parts[1]):
        fail(words, f'{len(outputs)} parts')
    rows = ['\t'.join((*row, one[1][0], str(one[1][1] + 1), str(one[1][2]), '')) for row, one in zip(rows, wanted, strict=True)]
    if [row for row in read('map.tsv').decode().splitlines()[1:] if not row.startswith('\t')] != rows:  # without dropped ones
        fail(words, 'the map says something else')


def varied(r, text, number):
    """A document with more in its head, of which some is in other documents, too."""
    text = text.decode('latin-1')
    some = lambda *choices: r.choice(choices)  # noqa: E731
    if '<dataProcessingList' not in text:
        text = text.replace('<run ', '<softwareList count="1"><software id="s" version="1"/></softwareList>'
                            '<dataProcessingList count="1"><dataProcessing id="d"><processingMethod order="0" softwareRef="s"/>'
                            '</dataProcessing></dataProcessingList><run ')
    text = text.replace(' version="2"', f' version="{some(2, 2, number)}"')
    group = some('', '<referenceableParamGroup id="g"><cvParam cvRef="MS" accession="MS:1000130" name="p" value=""/>'
                 f'<userParam name="x" value="{some(1, number)}"/></referenceableParamGroup>')
    if group and '<referenceableParamGroupList' not in text:
        text = text.replace('<softwareList', f'<referenceableParamGroupList count="1">{group}</referenceableParamGroupList>\n'
                            '<softwareList')
        text = re.sub('(<spectrum [^>]*>)', r'\1<referenceableParamGroupRef ref="g"/>', text)
    if r.random() < 0.5:
        text = text.replace('<fileDescription>', '<cvList count="1"><cv id="MS" fullName="x" URI="u"/></cvList><fileDescription>'
                            f'<fileContent><userParam name="{some("a", "b")}"/></fileContent>')
    source = some('', 'run', 'run', f'other{number}')
    if source:
        text = text.replace('name="run.1.raw"', f'name="{source}.raw" location="file:///data"')
        text = text.replace('<run id="r"', some('<run id="r"', '<run id="r" defaultSourceFileRef="s"',
                                                "<run id='r' startTimeStamp='2020' defaultSourceFileRef='s'"))
    else:
        text = re.sub('<sourceFileList.*?</sourceFileList>', '', text)
        text = text.replace('<fileDescription></fileDescription>', some('', '<fileDescription/>'))
    serial = some('', f'<userParam name="serial" value="{some(1, number)}"/>')
    text = text.replace('<dataProcessingList', '<instrumentConfigurationList count="1"><instrumentConfiguration id="ic">'
                        f'<softwareRef ref="s"/>{serial}</instrumentConfiguration></instrumentConfigurationList>\n'
                        '<dataProcessingList', 1)
    text = text.replace('<run ', '<run defaultInstrumentConfigurationRef="ic" ')
    if r.random() < 0.3:
        text = re.sub('<spectrum (?=[^>]*[02468]" )', '<spectrum dataProcessingRef="d" ', text)
    if r.random() < 0.2:
        text = text.replace('name="a name"', 'name="\xb5"', 3)
    utf8 = text.startswith('<?xml') and 'utf-8' in text[:60] or not text.startswith('<?xml')
    return text.encode('utf-8' if utf8 else 'latin-1')


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == 'files':
        for keys, options, parts, more in (
                ([], [], [], []), (['pepmass'], ['--top', '20'], [], ['--memory', '64K']), (['rt'], [], ['--split-size', '90000'], []),
                ([], ['--min-peaks', '50'], ['--split-count', '4'], ['--threads', '1'])):
            if len(rest) > 1 or parts:  # else nothing is merged
                compare(rest, keys, options, parts, more)
        return
    r, maker = random.Random(int(rest[0])), Maker(int(rest[0]))
    maker.odd = False
    for _ in range(int(rest[1])):
        count, paths = r.choice((1, 2, 2, 3, 5)), []
        for number in range(count):
            paths.append(f'in{number}.mzML')
            with open(paths[-1], 'wb') as file:
                file.write(varied(r, maker.text(), number))
        parts = r.choice(([], ['--split-size', str(r.choice((1, 3000, 20000)))], ['--split-count', r.choice(('1', '2', '7'))]))
        if count == 1 and not parts:
            parts = ['--split-count', '2']
        keys = r.choice(([], r.sample(KEYS, r.choice((1, 1, 2)))))
        options = r.choice(([], ['--top', '5'], ['--min-peaks', '5', '--min-intensity', '1']))
        more = ['--descending-spectra'] if keys and r.random() < 0.3 else []
        more += r.choice(([], ['--memory', '64K'], ['--threads', '1']))
        compare(paths, keys, options, parts, more)


if __name__ == '__main__':
    main()
