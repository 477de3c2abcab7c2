"""Documents of mzML for the tests of specsort: read as plainly as can be, by the standard library's XML, base64 and zlib, and
made at random in all the forms that writers may choose."""
import base64
import math
import random
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

NAMESPACE = '{http://psi.hupo.org/ms/mzml}'
TYPES = {'MS:1000521': 'f', 'MS:1000523': 'd', 'MS:1000519': 'i', 'MS:1000522': 'q'}
MZ, INTENSITY, ZLIB = 'MS:1000514', 'MS:1000515', 'MS:1000574'
UNITS = {  # of time: so many seconds; or so many of them are one
    None: (1, 1), 'UO:0000010': (1, 1), 'MS:1000039': (1, 1), 'UO:0000031': (60, 1), 'MS:1000038': (60, 1),
    'UO:0000032': (3600, 1), 'UO:0000028': (1, 1e3), 'UO:0000029': (1, 1e6), 'UO:0000150': (1, 1e9), 'UO:0000030': (1, 1e12),
    'UO:0000033': (86400, 1)}
TIC, BASE_MZ, BASE_HEIGHT, HIGHEST, LOWEST, POINTS = OF_PEAKS = (
    'MS:1000285', 'MS:1000504', 'MS:1000505', 'MS:1000527', 'MS:1000528', 'MS:1003060')


NUMPRESS = {'MS:1002312': 'linear', 'MS:1002313': 'pic', 'MS:1002314': 'slof',
            'MS:1002746': 'linear', 'MS:1002747': 'pic', 'MS:1002748': 'slof'}  # the last three with zlib


def half_bytes(number):
    """A number of 32 bits without its leading half bytes of 0 or of 15."""
    digits = [number >> 4 * place & 15 for place in range(8)]
    fill = digits[7] if digits[7] in (0, 15) else None
    while digits and digits[-1] == fill and (fill == 0 or len(digits) > 1):
        digits.pop()
    return [8 - len(digits) + (8 if fill == 15 else 0)] + digits


def to_numpress(method, values, scale):
    if method == 'slof':
        return struct.pack('>d', scale) + struct.pack(f'<{len(values)}H', *(
            min(65535, round(math.log(value + 1) * scale)) for value in values))
    whole = [round(value * (scale if method == 'linear' else 1)) for value in values]
    head, rest = b'', whole
    if method == 'linear':
        head = struct.pack('>d', scale) + struct.pack(f'<{len(whole[:2])}I', *whole[:2])
        rest = [c - 2 * b + a for a, b, c in zip(whole, whole[1:], whole[2:])]
    halves = [half for one in rest for half in half_bytes(one % 2 ** 32)]
    halves += [0] * (len(halves) % 2)
    return head + bytes(a << 4 | b for a, b in zip(halves[::2], halves[1::2]))


def from_numpress(method, data, count):
    scale = struct.unpack('>d', data[:8])[0] if method != 'pic' and data else 1
    if method == 'slof':
        return [math.exp(one / scale) - 1 for one in struct.unpack(f'<{count}H', data[8:])]
    begin = 8 + 4 * min(count, 2) if method == 'linear' else 0
    whole = list(struct.unpack(f'<{min(count, 2)}I', data[8:begin])) if method == 'linear' else []
    halves = iter(half for byte in data[begin:] for half in (byte >> 4, byte & 15))
    while len(whole) < count:
        head = next(halves)
        fill, digits = (0, 8 - head) if head <= 8 else (15, 16 - head)
        number = sum((next(halves) if place < digits else fill) << 4 * place for place in range(8))
        if method == 'linear':
            number = (number if number < 2 ** 31 else number - 2 ** 32) + 2 * whole[-1] - whole[-2]
        whole.append(number)
    return [one / scale for one in whole]


class Spectrum:
    def __init__(self):
        self.id = self.title = self.scan = self.level = self.precursor = self.rt = None
        self.of_peaks, self.has_time_without_unit = [], False  # terms and values that are made of peaks
        self.charges, self.arrays, self.references, self.negative, self.transitions = [], [], [], False, False
        self.positive = False

    def values(self, kind):
        return next((values for terms, values in self.arrays if kind in terms), None)

    def peaks(self):
        """m/z and intensity, or None where there is none."""
        mz, heights = self.values(MZ) or (), self.values(INTENSITY)
        if heights is None or len(heights) != len(mz):
            heights = [math.nan] * len(mz)
        return [(m, None if math.isnan(h) else h) for m, h in zip(mz, heights)]


class Document:
    """All of it in memory."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.groups = {group.get('id'): group for group in self.all('referenceableParamGroup')}
        source = next(self.all('sourceFile'), None)
        self.source = None
        if source is not None and any(term.get('accession') == 'MS:1000768' for term in source):
            self.source = source.get('name').rpartition('.')[0] or source.get('name')
        self.spectra = [self.spectrum(one) for one in self.all('spectrum')]

    def all(self, name, of=None):
        return (self.root if of is None else of).iter(NAMESPACE + name)

    def terms(self, of):
        """The parameters of an element and of the groups that it refers to: accession, value, unit; in their order."""
        found = []
        for one in of:
            if one.tag == NAMESPACE + 'cvParam':
                found.append((one.get('accession'), one.get('value', ''), one.get('unitAccession')))
            if one.tag == NAMESPACE + 'referenceableParamGroupRef':
                found += self.terms(self.groups[one.get('ref')])
        return found

    def spectrum(self, element):
        made = Spectrum()
        made.id, made.count = element.get('id'), int(element.get('defaultArrayLength'))
        made.index = element.get('index')
        for accession, value, _ in self.terms(element):
            if accession == 'MS:1000511':
                made.level = int(value)
            made.title = value if accession == 'MS:1000796' else made.title
            if accession in OF_PEAKS:
                made.of_peaks.append((accession, float(value)))
            if accession == 'MS:1000579' and made.level is None:
                made.level = 1
            made.negative |= accession == 'MS:1000129'
            made.positive |= accession == 'MS:1000130'
            made.transitions |= accession in ('MS:1000583', 'MS:1000581')
        scan = next(self.all('scan', element), None)
        for accession, value, unit in [] if scan is None else self.terms(scan):
            if accession == 'MS:1000016':
                many, part = UNITS[unit]
                made.rt = float(value) * many / part
                made.has_time_without_unit = unit is None
        self.take_ion(made, element)
        made.references = [one.get('spectrumRef') for one in element.iter() if one.get('spectrumRef')]
        made.arrays = [self.array(one, made.count) for one in self.all('binaryDataArray', element)]
        words = dict(word.split('=', 1) for word in made.id.split(' ') if '=' in word)
        made.scan = int(words['scan']) if words.get('scan', '').isdigit() else None
        if not made.title and self.source is not None:
            scan = words.get('scan', '')
            made.title = f'{self.source}.{scan}.{scan}.{made.charge_text}'
        made.title = made.title or made.id
        return made

    def take_ion(self, made, element):
        """All selected ions, with the target of the isolation window where none of a precursor has an m/z; the first one counts."""
        made.charge_text, made.ions, made.has_target = '', [], False
        for precursor in self.all('precursor', element):
            before = len(made.ions)
            for ion in self.all('selectedIon', precursor):
                made.ions.append(self.ion(made, ion, len(made.ions) == 0))
            window = next(self.all('isolationWindow', precursor), None)
            target = None if window is None else next((float(v) for a, v, _ in self.terms(window) if a == 'MS:1000827'), None)
            if target and all(mz is None for mz, _ in made.ions[before:]):
                made.has_target |= before == 0
                if before == len(made.ions):
                    made.ions.append((None, []))
                made.ions[before] = (target, made.ions[before][1])
        made.has_ion = bool(made.ions)
        if made.ions:
            made.precursor, made.charges = made.ions[0]

    def ion(self, made, element, is_first):
        """Its m/z, or None, and its charges."""
        mz, charges, possible, text = None, [], [], ''
        for accession, value, _ in self.terms(element):
            if accession == 'MS:1000744':
                mz = float(value) if float(value) > 0 else None
            if accession == 'MS:1000041':
                charges, text = [int(value)] if int(value) else [], value
            if accession == 'MS:1000633':
                possible += [int(value)] if int(value) else []
        if is_first:
            made.charge_text = text
        charges = charges if text else possible
        return mz, [-abs(charge) for charge in charges] if made.negative else charges

    def array(self, element, count):
        terms = [accession for accession, _, _ in self.terms(element)]
        data = base64.b64decode(''.join(next(self.all('binary', element)).itertext()))
        method = next((term for term in terms if term in NUMPRESS), None)
        if (ZLIB in terms or method in list(NUMPRESS)[3:]) and data:
            data = zlib.decompress(data)
        count = int(element.get('arrayLength', count))
        if method:
            return terms, tuple(from_numpress(NUMPRESS[method], data, count))
        letter = next(TYPES[term] for term in terms if term in TYPES)
        return terms, struct.unpack(f'<{count}{letter}', data)


class Maker:
    """Documents of all the forms that writers of mzML may choose."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.odd = True  # are there m/z that are no numbers?

    def some(self, *choices):
        return self.random.choice(choices)

    def term(self, accession, value='', more=''):
        return f'<cvParam cvRef="MS" accession="{accession}" name="a name" value="{value}"{more}/>'

    def array(self, terms, values, shared, count):
        r = self.random
        letter = self.some('f', 'd') if any(value != int(value) for value in values if math.isfinite(value)) or any(
            not math.isfinite(value) for value in values) else self.some('f', 'd', 'i', 'q')
        data = struct.pack(f'<{len(values)}{letter}', *(values if letter in 'fd' else map(int, values)))
        accession = next(key for key, value in TYPES.items() if value == letter)
        packed = r.random() < 0.5
        method = None
        if all(0 <= value < 1e6 for value in values) and r.random() < 0.25:
            method = list(NUMPRESS)[self.some(0, 1, 2) + 3 * packed]
            data = to_numpress(NUMPRESS[method], values, self.some(100., 1000.))
            one_term = packed or r.random() < 0.5
            terms += self.term(accession) + self.term(method) + ('' if one_term else self.term('MS:1000576'))
        elif shared and letter == 'd':
            terms = f'<referenceableParamGroupRef ref="{"zipped" if packed else "plain"}"/>' + terms
        else:
            terms += self.term(accession) + self.term(ZLIB if packed else 'MS:1000576')
        text = base64.b64encode(zlib.compress(data) if packed else data).decode()
        length = len(text)
        if r.random() < 0.2:
            text = '\n'.join(text[i:i + 76] for i in range(0, len(text), 76)) + '\n'
        own = f' arrayLength="{len(values)}"' if len(values) != count or r.random() < 0.1 else ''
        binary = '<binary/>' if not text and r.random() < 0.5 else f'<binary>{text}</binary>'
        return f'<binaryDataArray encodedLength="{length}"{own}>{terms}{binary}</binaryDataArray>'

    def spectrum(self, number, shared):
        r = self.random
        count = self.some(0, 1, 5, 5, 30, 200)
        few = r.random() < 0.5
        mz = [r.randrange(200, 230) / 2 if few else r.uniform(60, 500) for _ in range(count)]
        heights = [float(r.randrange(4)) if few else r.lognormvariate(2, 3) for _ in range(count)]
        if r.random() < 0.5:
            mz.sort()
        if count and r.random() < 0.1:
            heights[r.randrange(count)] = math.nan
        if self.odd and count and r.random() < 0.1:
            mz[r.randrange(count)] = math.nan
        terms = self.term('MS:1000511', self.some(1, 2, 2, 3)) if r.random() < 0.8 else ''
        terms += self.term('MS:1000579') if r.random() < 0.1 and 'MS:1000511' not in terms else ''
        for accession in OF_PEAKS:
            terms += self.term(accession, self.some('0', '7.5', '1e3')) if r.random() < 0.3 else ''
        polarity = r.random()
        terms += self.term('MS:1000129') if polarity < 0.2 else self.term('MS:1000130') if polarity < 0.5 else ''
        terms += self.term('MS:1000796', f'title {number}') if r.random() < 0.2 else ''
        said = [f'index="{number}"', f'id="{self.some("scan", "controllerType=0 scan", "index")}={number}"',
                f'defaultArrayLength="{count}"']
        r.shuffle(said)
        made = f'<spectrum {" ".join(said)}>{terms}'
        if r.random() < 0.8:
            unit = self.some(None, 'UO:0000031', self.some(*UNITS))
            unit = f' unitAccession="{unit}"' if unit else ''
            made += f'<scanList count="1"><scan>{self.term("MS:1000016", round(r.uniform(0, 90), 3), unit)}</scan></scanList>'
        if r.random() < 0.7:
            made += self.precursors()
        arrays = []
        if r.random() < 0.9:
            arrays.append(self.array(self.term(MZ), mz, shared, count))
        if r.random() < 0.95:
            cut = r.random() < 0.05 and count > 1
            arrays.append(self.array(self.term(INTENSITY), heights[:-1] if cut else heights, shared, count))
        if r.random() < 0.2:
            charges = [float(i % 3) for i in range(count - self.some(0, 0, count // 2))]
            arrays.append(self.array(self.term('MS:1000516'), charges, shared, count))
        if r.random() < 0.2:
            r.shuffle(arrays)
        return made + f'<binaryDataArrayList count="{len(arrays)}">{"".join(arrays)}</binaryDataArrayList></spectrum>'

    def precursors(self):
        r, all_of_them = self.random, ''
        number = self.some(1, 1, 1, 2)
        for _ in range(number):
            ions = ''
            for _ in range(self.some(0, 1, 1, 1, 2)):
                ions += '<selectedIon>' + self.term('MS:1000744', self.some('250.25', '150', '0', '1e2'))
                ions += self.term('MS:1000041', self.some(1, 2, 3, 0)) if r.random() < 0.6 else ''
                ions += self.term('MS:1000633', self.some(2, 3)) if r.random() < 0.2 else ''
                ions += '</selectedIon>'
            ref = f' spectrumRef="{self.some("scan=1", "scan=0", "no such")}"' if r.random() < 0.3 else ''
            ions = ions and f'<selectedIonList count="1">{ions}</selectedIonList>'
            if r.random() < 0.3:
                ions = f'<isolationWindow>{self.term("MS:1000827", self.some("400.5", "250.25", "0"))}</isolationWindow>{ions}'
            all_of_them += f'<precursor{ref}>{ions}</precursor>'
        return f'<precursorList count="{number}">{all_of_them}</precursorList>'

    def text(self):
        r = self.random
        between = self.some('', '\n', '\r\n', '\n    ', '\n<!-- <spectrum> -->\n')
        shared, indexed = r.random() < 0.3, r.random() < 0.5
        spectra = [self.spectrum(i, shared) for i in range(self.some(0, 1, 2, 9, 30))]
        made = self.some('', '<?xml version="1.0" encoding="utf-8"?>\n', '<?xml version="1.0" encoding="ISO-8859-1"?>\n')
        made += '<indexedmzML xmlns="http://psi.hupo.org/ms/mzml">\n' if indexed else ''
        made += '<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0">\n<fileDescription><sourceFileList count="1">'
        made += f'<sourceFile id="s" name="run.1.raw">{self.term(self.some("MS:1000768", "MS:1000777"))}</sourceFile>'
        made += '</sourceFileList></fileDescription>\n'
        lists, chromatograms = r.random() < 0.7, r.random() < 0.4
        if shared:
            made += '<referenceableParamGroupList count="2">'
            for name, packing in (('zipped', ZLIB), ('plain', 'MS:1000576')):
                made += f'<referenceableParamGroup id="{name}">{self.term("MS:1000523")}{self.term(packing)}'
                made += '</referenceableParamGroup>'
            made += '</referenceableParamGroupList>\n'
        made += self.lists() if lists else ''
        made += f'<run id="r">\n<spectrumList count="{len(spectra)}" defaultDataProcessingRef="d">'
        made += ''.join(between + one for one in spectra) + f'{between}</spectrumList>\n'
        if chromatograms:
            made += '<chromatogramList count="1" defaultDataProcessingRef="d"><chromatogram index="0" id="TIC" '
            made += 'defaultArrayLength="0"></chromatogram></chromatogramList>'
        made += '</run>\n</mzML>\n'
        return (made + self.index(made) if indexed else made).encode('latin-1')

    def lists(self):
        """Of software and processing, with more than one of each, or not."""
        line = self.some('', '\n', '\n  ', '\r\n\t')
        others = self.some([], ['x'])
        made = f'<softwareList count="{1 + len(others)}">'
        for name in others + ['s']:
            made += f'{line}<software id="{name}" version="2">{self.term("MS:1000799")}{line}</software>'
        made += f'{line}</softwareList>\n<dataProcessingList count="{1 + len(others)}">'
        for name in ['d'] + others:
            made += f'{line}<dataProcessing id="{name if name == "d" else "ordo"}">'
            for order in range(self.some(1, 2)):
                made += f'{line}<processingMethod order="{order}" softwareRef="s">{self.term("MS:1000544")}</processingMethod>'
            made += f'{line}</dataProcessing>'
        return made + f'{line}</dataProcessingList>\n'

    def index(self, made):
        """As it should be, or damaged."""
        r = self.random
        indexes = ''
        for name in ('spectrum', 'chromatogram'):
            entries = [(one[1], one.start()) for one in re.finditer(f'<{name} [^>]*id="([^"]*)"[^>]*>', made)]
            if name == 'chromatogram' and (not entries or r.random() < 0.2):
                continue
            if r.random() < 0.5:
                entries = [one for one in entries if r.random() < 0.8]
                if r.random() < 0.3:
                    entries.insert(r.randint(0, len(entries)), (self.some('none', 'scan=x'), 7))
                if r.random() < 0.3:
                    r.shuffle(entries)
                if entries and r.random() < 0.3:
                    entries.append(entries[0])
                entries = [(one, self.some(at, at, 9)) for one, at in entries]
            if not entries and r.random() < 0.5:
                indexes += self.some('', f'<index name="{name}"/>')
                continue
            entries = ''.join(f'<offset idRef="{one}">{at}</offset>\n' for one, at in entries)
            indexes += f'<index name="{name}">\n{entries}</index>'
        rest = f'<indexListOffset>{self.some(len(made), 3)}</indexListOffset>\n' if r.random() < 0.9 else ''
        rest += '<fileChecksum>0</fileChecksum>\n' if r.random() < 0.9 else ''
        if r.random() < 0.1:
            return rest + '</indexedmzML>\n'
        count = indexes.count('<index ')
        lists = f'<indexList count="{count}">{indexes}</indexList>\n' if indexes or r.random() < 0.5 else '<indexList count="0"/>\n'
        return lists + rest + '</indexedmzML>\n'
