#!/usr/bin/env python3
"""The spectra that specsort's options choose, as plainly as they can be said, for tests.

  specsort_choice_reference.py files [FILE...]                    specsort on these, with many options, against that
  specsort_choice_reference.py random SEED CASES [pyteomics]      and on files and options made at random; with pyteomics, which
                                                                  has to be installed, as one more reader of input and output
"""
import fnmatch
import gzip
import random
import re
import subprocess
import sys

from mzml_documents import Document, Maker

MASK = (1 << 64) - 1
LISTS = ('ms-level', 'scan', 'charge')
RANGES = ('rt', 'precursor')
UNITS = {'': 1, 's': 1, 'sec': 1, 'min': 60, 'h': 3600}


def fail(text, options, why):
    with open('failed', 'wb') as file:
        file.write(text)
    sys.exit(f'specsort {options}: {why}; see the file failed')


class Values:
    """What a spectrum states; None where it does not."""
    level = rt = scan = polarity = precursor = title = native_id = None
    charges = ()
    others = ()  # the m/z and charges of other precursors


def mgf_values(lines):
    made, fields = Values(), {}
    for line in lines:
        key, equals, value = line.strip(' \t').partition('=')
        if equals and value.strip(' \t'):
            fields.setdefault(key, value.strip(' \t'))
    made.level = int(fields['MSLEVEL']) if 'MSLEVEL' in fields else None
    made.rt = float(fields['RTINSECONDS'].split('-')[0]) if 'RTINSECONDS' in fields else None
    made.scan = int(fields['SCANS'].split('-')[0]) if 'SCANS' in fields else None
    made.title = fields.get('TITLE')
    found = re.search('NativeID:"([^"]*)"', made.title or '')
    made.native_id = found and found[1]
    words = fields.get('PEPMASS', '').split()
    made.precursor = float(words[0]) if words and float(words[0]) > 0 else None
    made.charges = charges_of(fields.get('CHARGE', '')) or charges_of(' '.join(words[2:3]))
    if fields.get('IONMODE', '')[:1].lower() in ('p', '+', 'n', '-') and fields.get('IONMODE'):
        made.polarity = 'positive' if fields['IONMODE'][0].lower() in ('p', '+') else 'negative'
    elif made.charges:
        made.polarity = 'negative' if made.charges[0] < 0 else 'positive'
    return made


def charges_of(text):
    found = [-int(digits) if '-' in (sign, behind) else int(digits)
             for sign, digits, behind in re.findall(r'([+-]?)([0-9]+)([+-]?)', text)]
    return [charge for charge in found if charge != 0]


def mzml_values(one):
    made = Values()
    made.level, made.rt, made.scan, made.precursor, made.charges = one.level, one.rt, one.scan, one.precursor, one.charges
    made.title, made.native_id, made.others = one.title, one.id, one.ions[1:]
    if one.negative != one.positive:
        made.polarity = 'negative' if one.negative else 'positive'
    return made


def rank(number, seed):
    def mixed(value):
        value = (value + 0x9e3779b97f4a7c15) & MASK
        value = ((value ^ (value >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        value = ((value ^ (value >> 27)) * 0x94d049bb133111eb) & MASK
        return value ^ (value >> 31)
    return mixed(number ^ mixed(seed))


def in_list(text, value):
    for part in text.split(','):
        first, colon, last = part.partition(':')
        if not colon and '-' in part[1:]:
            first, colon, last = part[0] + part[1:].partition('-')[0], '-', part[1:].partition('-')[2]
        last = last if colon else first
        if (not first or int(first) <= value) and (not last or value <= int(last)):
            return True
    return False


def in_range(text, value):
    def bound(text_of, unit_of_other):
        digits = text_of.rstrip('abcdefghijklmnopqrstuvwxyz')
        unit = text_of[len(digits):] or unit_of_other
        return float(digits) * UNITS[unit]
    for part in text.split(','):
        first, _, last = part.partition(':')
        units = [end[len(end.rstrip('abcdefghijklmnopqrstuvwxyz')):] for end in (first, last)]
        if (not first or bound(first, units[1]) <= value) and (not last or value <= bound(last, units[0])):
            return True
    return False


def accepts(option, text, one, number, listed):
    """Does the option, without a leading !, choose the spectrum?"""
    if option == 'ms-level':
        return one.level is not None and in_list(text, one.level)
    if option == 'scan':
        return one.scan is not None and in_list(text, one.scan)
    if option == 'charge':
        return any(in_list(text, charge) for charges in [one.charges or [0]] + [ion[1] for ion in one.others] for charge in charges)
    if option == 'rt':
        return one.rt is not None and in_range(text, one.rt)
    if option == 'precursor':
        return any(mz is not None and in_range(text, mz) for mz in [one.precursor] + [ion[0] for ion in one.others])
    if option == 'polarity':
        return one.polarity == text
    if option in ('title', 'native-id'):
        value = one.title if option == 'title' else one.native_id
        return value is not None and fnmatch.fnmatchcase(value, text.replace('[', '[[]'))
    return number in listed  # --index


def chosen(spectra, options, listed):
    """The numbers of the chosen spectra. @param options  of names to texts"""
    left = list(range(len(spectra)))
    for option, text in options.items():
        if option not in ('sample', 'seed'):
            inverse = text.startswith('!')
            left = [k for k in left if accepts(option, text.removeprefix('!'), spectra[k], k, listed) != inverse]
    if 'sample' in options:
        text, seed = options['sample'].removeprefix('!'), int(options.get('seed', '0'))
        if text.endswith('%'):
            sampled = {k for k in left if rank(k, seed) < int(float(text[:-1]) / 100 * 2**64)}
        else:
            sampled = set(sorted(left, key=lambda k: rank(k, seed))[:int(text)])
        left = [k for k in left if (k in sampled) != options['sample'].startswith('!')]
    return left


class Options:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def list_of(self, values):
        r = self.random
        parts = []
        for _ in range(r.choice((1, 1, 2, 3))):
            first, last = sorted((r.choice(values), r.choice(values)))
            forms = [f'{first}', f'{first}:{last}', f'{first}:', f':{last}']
            parts.append(r.choice(forms + [f'{first}-{last}'] * (first >= 0)))
        return ','.join(parts)

    def range_of(self, values, units):
        r = self.random
        first, last = sorted((r.choice(values), r.choice(values)))
        unit = r.choice(units)
        scaled = [f'{value / UNITS[unit]:.6f}' for value in (first, last)]
        form = r.choice((0, 0, 0, 1, 2, 3))
        return (f'{scaled[0]}{unit}:{scaled[1]}{unit}', f'{scaled[0]}:{scaled[1]}{unit}', f'{scaled[0]}{unit}:',
                f':{scaled[1]}{unit}')[form]

    def made(self, spectra, count):
        r, options = self.random, {}
        numbers = {'ms-level': [one.level for one in spectra] + [2], 'scan': [one.scan for one in spectra] + [3],
                   'charge': [charge for one in spectra for charge in one.charges] + [0, 2, 3]}
        for _ in range(r.choice((1, 1, 1, 2, 3))):
            option = r.choice(('ms-level', 'scan', 'charge', 'rt', 'precursor', 'polarity', 'title', 'native-id', 'index', 'sample'))
            if option in numbers:
                text = self.list_of([value for value in numbers[option] if value is not None])
            elif option == 'rt':
                text = self.range_of([one.rt for one in spectra if one.rt is not None] + [30.0], ('', 's', 'sec', 'min', 'h'))
            elif option == 'precursor':
                text = self.range_of([one.precursor for one in spectra if one.precursor] + [200.0, 400.0], ('',))
            elif option == 'polarity':
                text = r.choice(('positive', 'negative'))
            elif option in ('title', 'native-id'):
                texts = [one.title if option == 'title' else one.native_id for one in spectra] + ['none']
                text = ''.join(r.choice((c, c, c, c, '?', '*')) for c in r.choice([text for text in texts if text]))
                text = r.choice((text, '*' + text[len(text) // 2:], text[:len(text) // 2] + '*', '*1*'))
                if '\\' in text or text.startswith('!'):
                    continue
            elif option == 'index':
                text = 'list'
            else:
                text = r.choice((str(r.randrange(1, count + 3)), '30%', '100%', '0.5%'))
                if r.random() < 0.5:
                    options['seed'] = str(r.randrange(5))
            options[option] = r.choice(('', '', '!')) + text
        return options


class MgfMaker:
    """MGF with headers of all kinds, and peaks in order."""

    def __init__(self, seed, plain):
        self.random, self.plain = random.Random(seed), plain  # without what pyteomics does not read

    def spectrum(self, number):
        r = self.random
        lines = []
        def add(share, *texts):
            text = r.choice(texts)
            odd = text.endswith('=') or text in ('CHARGE=0', 'PEPMASS=0', 'PEPMASS=300.5 2 3-') or (text.startswith('RTINS') and '-' in text)
            if r.random() < share and not (self.plain and odd):
                lines.append(text)
        add(0.8, f'TITLE=run.{number}.{number}.2 File:"a", NativeID:"controllerType=0 scan={number}"', f'TITLE=no [{number}]', 'TITLE=')
        add(0.8, f'PEPMASS={r.uniform(100, 900):.4f}', f'PEPMASS={r.randrange(100, 900)} 1e5', 'PEPMASS=0', 'PEPMASS=300.5 2 3-')
        add(0.7, 'CHARGE=2+', 'CHARGE=3+', 'CHARGE=1-', 'CHARGE=2+ and 3+', 'CHARGE=-2', 'CHARGE=0', 'CHARGE=')
        add(0.7, f'RTINSECONDS={r.uniform(0, 4000):.3f}', f'RTINSECONDS={r.randrange(4000)}-{r.randrange(4000, 5000)}')
        add(0.7, f'SCANS={number}', f'SCANS={number}-{number + 2}')
        add(0.6, 'MSLEVEL=1', 'MSLEVEL=2', 'MSLEVEL=3')
        add(0.4, 'IONMODE=Positive', 'IONMODE=negative', 'IONMODE=N/A', 'IONMODE=+')
        if r.random() < 0.3:
            r.shuffle(lines)
        peaks = sorted(r.uniform(50, 2000) for _ in range(r.choice((0, 1, 5, 40))))
        return ['BEGIN IONS'] + lines + [f'{mz:.5f} {r.uniform(0, 1e4):.2f}' for mz in peaks] + ['END IONS']

    def text(self):
        """The lines before the first spectrum; then of each spectrum its lines, and the lines behind them."""
        r = self.random
        head = r.choice(([], ['COM=head', ''], ['# remark']))
        spectra = [(self.spectrum(k), r.choice(([], [], [''], ['', ''], ['', '# remark', ''])))
                   for k in range(r.choice((0, 1, 3, 20, 60)))]
        return head, spectra


def without_empty(lines):
    """The lines from the first one that is not empty."""
    at = 0
    while at < len(lines) and not lines[at].strip():
        at += 1
    return lines[at:]


def run(text, options, more=()):
    with open('in', 'wb') as file:
        file.write(text)
    words = [f'--{name}={value}' for name, value in options.items()] + list(more)
    return specsort_file('in', words)


def specsort_file(name, words):
    import subprocess
    return subprocess.run(['specsort', name, '-o', '-', *words], capture_output=True, check=False)


def check_warnings(text, options, spectra, left, stderr):
    def counts(name, value):
        states = {'ms-level': value.level, 'rt': value.rt, 'scan': value.scan, 'polarity': value.polarity,
                  'precursor': value.precursor, 'native-id': value.native_id}
        return name in states and states[name] is None
    for name in options:
        missing = sum(counts(name, one) for one in spectra)
        if missing and f' {missing} {"spectrum does" if missing == 1 else "spectra do"} not state '.encode() not in stderr:
            fail(text, options, f'{missing} without {name}: {stderr.decode()}')
    if spectra and not left and b'is left' not in stderr:
        fail(text, options, f'nothing left: {stderr.decode()}')


def write_list(r, listed):
    with open('list', 'w', encoding='utf-8') as file:
        if r.random() < 0.5:
            file.write(''.join(f'{k + 1}\n' for k in listed))
        else:
            file.write('output\tspectrum\tinput\tnumber\toffset\n')
            file.write(''.join(f'x.mgf\t{n}\t{name}\t{k + 1}\t77\n' for n, k in enumerate(listed, 1) for name in ('other', 'in')))


def compare_mgf(maker, words, pyteomics):
    r = maker.random
    head, spectra = maker.text()
    end = r.choice(('\n', '\n', '\r\n', '\r'))
    lines = head + [line for lines, behind in spectra for line in lines + behind]
    text = ''.join(line + end for line in lines).encode()
    values = [mgf_values(lines) for lines, _ in spectra]
    options = words.made(values, len(values))
    listed = [k for k in range(len(values) + 3) if r.random() < 0.4] or [0]
    write_list(r, listed)
    left = chosen(values, options, set(listed))
    done = run(text, options, r.choice(((), (), ('--threads=1',), ('--by=mz',))))
    kept = set(left)
    wanted = list(head)
    for k, (of_spectrum, behind) in enumerate(spectra):
        wanted += of_spectrum + behind if k in kept else without_empty(behind)
    if done.returncode != 0 or done.stdout != ''.join(line + end for line in wanted).encode():
        with open('wanted', 'wb') as file:
            file.write(''.join(line + end for line in wanted).encode())
        fail(text, options, f'another choice than {left}: {done.stderr.decode()}')
    check_warnings(text, options, values, left, done.stderr)
    if pyteomics and end != '\r':
        compare_pyteomics(text, done.stdout, left, 'mgf', options, values)


def compare_mzml(maker, words, pyteomics):
    r = words.random
    text = maker.text()
    document = Document(text)
    values = [mzml_values(one) for one in document.spectra]
    options = words.made(values, len(values))
    listed = [k for k in range(len(values) + 3) if r.random() < 0.4] or [0]
    write_list(r, listed)
    left = chosen(values, options, set(listed))
    done = run(text, options)
    if done.returncode != 0:
        fail(text, options, done.stderr.decode())
    found = Document(done.stdout)
    if [one.id for one in found.spectra] != [document.spectra[k].id for k in left]:
        fail(text, options, f'another choice than {left}: {[one.id for one in found.spectra]}')
    if [one.index for one in found.spectra] != [str(k) for k in range(len(left))]:
        fail(text, options, 'other numbers')
    for one, k in zip(found.spectra, left):
        if sorted(map(repr, one.peaks())) != sorted(map(repr, document.spectra[k].peaks())):
            fail(text, options, f'other peaks in {one.id}')
    check_warnings(text, options, values, left, done.stderr)
    if pyteomics:
        compare_pyteomics(text, done.stdout, left, 'mzml', options, values)
    # The same in MGF: those of level 2 and above with an ion, once or for each ion.
    every = r.random() < 0.5
    printed = run(text, options, ('--to=mgf', '--precursors=all') if every else ('--to=mgf',))
    ids = []
    for k in left:
        one = document.spectra[k]
        if (one.level or 0) >= 2:
            ids += [(one.title + f' ion={i + 1}' * (i != 0), mz or 0) for i, (mz, _) in enumerate(one.ions if every else one.ions[:1])]
    if any(len(one.values('MS:1000514') or ()) != len(one.values('MS:1000515') or ()) for one in document.spectra):
        return  # may be refused
    found = re.findall(r'TITLE=(.*)\n(?:RT.*\n)?PEPMASS=([0-9.]+)', printed.stdout.decode())
    if [(title, float(mz)) for title, mz in found] != ids:
        fail(text, {**options, 'to': 'mgf'}, f'{ids} in MGF: {printed.stderr.decode()}')


def compare_pyteomics(text, output, left, kind, options, expected):
    import io
    from pyteomics import mgf, mzml
    def values_in(params):
        charges = [int(charge) for charge in params.get('charge', [])]
        level, scan = params.get('mslevel'), params.get('scans')
        return (params.get('title'), charges, params.get('rtinseconds'), params.get('pepmass', (None,))[0],
                None if level is None else int(level), None if scan is None else int(scan.split('-')[0]))
    def read(data):
        if kind == 'mgf':
            return [(values_in(one['params']), list(one['m/z array'])) for one in mgf.MGF(io.StringIO(data.decode()))]
        return [(one['id'], None) for one in mzml.MzML(io.BytesIO(data), use_index=False, decode_binary=False)]
    before, after = read(text), read(output)
    for (values, _), one in zip(before, expected):
        read_here = (one.title, list(one.charges), one.rt, one.precursor, one.level, one.scan)
        if kind == 'mgf' and values != read_here:
            fail(text, options, f'pyteomics reads {values}, not {read_here}')
    if [before[k] for k in left] != after:
        fail(text, options, f'pyteomics reads another choice than {left}')


def files(names):
    words = Options(7)
    for name in names:
        with (gzip.open if name.endswith('.gz') else open)(name, 'rb') as file:
            text = file.read()
        if b'<mzML' in text[:4096]:
            values = [mzml_values(one) for one in Document(text).spectra]
        else:
            values = [mgf_values(one.splitlines()) for one in re.findall('BEGIN IONS.*?END IONS', text.decode(), re.DOTALL)]
        for _ in range(12):
            options = words.made(values, len(values))
            options.pop('index', None)
            left = chosen(values, options, set())
            done = run(text, options)
            count = len(re.findall(rb'(?m)^BEGIN IONS|<spectrum ', done.stdout))
            if done.returncode != 0 or count != len(left):
                fail(text, options, f'{count} of {len(left)} spectra: {done.stderr.decode()}')


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == 'files':
        return files(rest)
    seed, cases, pyteomics = int(rest[0]), int(rest[1]), 'pyteomics' in rest[2:]
    mgf_maker, mzml_maker, words = MgfMaker(seed, pyteomics), Maker(seed), Options(seed)
    for _ in range(cases):
        compare_mgf(mgf_maker, words, pyteomics)
        compare_mzml(mzml_maker, words, pyteomics)


if __name__ == '__main__':
    main()
