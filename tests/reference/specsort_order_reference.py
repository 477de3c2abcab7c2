#!/usr/bin/env python3
"""The order of spectra that specsort makes, as plainly as it can be said, for tests.

  specsort_order_reference.py files [FILE...]       specsort on these, with many options, against that
  specsort_order_reference.py random SEED CASES     and on inputs and options made at random
"""
import gzip
import os
import re
import subprocess
import sys

from specsort_reference import NUMBER, PEAK, PROTON, Maker, header, parse_options, real, spectrum_text

BOM = b'\xef\xbb\xbf'
ABOUT = (b'COM', b'USERNAME', b'USEREMAIL')
KEYS = ('pepmass', 'mass', 'rt', 'scan', 'charge', 'title', 'peaks')


class Refused(Exception):
    pass


def lines_of(text):
    return re.findall(rb'[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$', text)


def words_of(line):
    line = line.rstrip(b'\r\n')
    return (line[3:] if line.startswith(BOM) else line).strip(b' \t')


def is_parameter(words):
    return re.match(rb'[^= \t#;!/][^= \t]*=', words) is not None


class Spectrum:
    def __init__(self, lines, number, offset):
        self.lines, self.number, self.offset = lines, number, offset
        self.before, self.behind = b'', b''


def taken_apart(text, lenient):
    """Head, spectra, and what stands behind the last one."""
    lines = lines_of(text)
    if lines and not lines[-1].endswith((b'\r', b'\n')):
        ends = re.findall(rb'\r\n|\r|\n', text)
        lines[-1] += ends[-1] if ends else b'\n'
    head, spectra, carried, offset, inside, last = b'', [], b'', 0, None, None
    for line in lines:
        words = words_of(line)
        if inside is not None:
            if words == b'BEGIN IONS':
                raise Refused('END IONS')
            inside.lines.append(line)
            if words == b'END IONS':
                last, inside = inside, None
        elif words == b'BEGIN IONS':
            mark = 3 if line.startswith(BOM) else 0
            if mark and not spectra and not head:
                head, line = BOM, line[3:]
                offset, mark = 3, 0
            inside = Spectrum([line], len(spectra), offset + mark)
            inside.before, carried = carried, b''
            spectra.append(inside)
        elif not spectra:
            head += line
        elif not words and last is not None:
            last.behind += line
        else:
            if is_parameter(words) and not lenient:
                raise Refused('parameter between spectra')
            carried += line
            last = None
        offset += len(line)
    if inside is not None:
        raise Refused('END IONS')
    return head, spectra, carried


class Heads:
    """What stands before the spectra of all inputs, made one."""

    def __init__(self):
        self.front, self.first, self.decided = b'', True, None

    def take(self, head, any_spectra):
        marked = head.startswith(BOM)
        head = head[3:] if marked else head
        if self.first and marked:
            self.front = BOM
        self.first = False
        others, about, rest = [], [], b''
        for line in lines_of(head):
            key, equals, value = words_of(line).partition(b'=')
            if not is_parameter(words_of(line)):
                rest += line
            elif key in ABOUT:
                about.append((key, value.strip(b' \t')))
            else:
                others.append((key, value.strip(b' \t')))
        others.sort()
        silent = not any_spectra and not others and not about
        if self.decided is None:
            self.front += head
            if not silent:
                self.decided = (head, others)
            return b''
        if silent:
            return rest
        if others != self.decided[1]:
            raise Refused('global parameters')
        return b'' if head == self.decided[0] else rest


def values_of(spectrum, peaks):
    texts = [line for line in spectrum.lines if not PEAK.match(line.rstrip(b'\r\n'))]
    mz, charge = header(texts)
    mz = mz if mz and mz > 0 else None
    fields = {}
    for line in texts:
        key, equals, value = line.strip(b' \t\r\n').partition(b'=')
        if equals and value.strip(b' \t'):
            fields.setdefault(key, value.strip(b' \t'))
    title = None
    for line in texts:
        key, equals, value = line.strip(b' \t\r\n').partition(b'=')
        if key == b'TITLE' and equals:
            title = value.strip(b' \t')
            break
    rt = fields.get(b'RTINSECONDS')
    scan = fields.get(b'SCANS')
    return {'pepmass': mz, 'mass': mass_of(mz, charge), 'rt': real(rt) if rt else None,
            'scan': int(re.match(rb'[0-9]+', scan).group()) if scan else None, 'charge': charge or None,
            'title': title or None, 'peaks': peaks}


def by_keys(all_, keys, descending):
    """What ends with values of keys, in their order; those without last."""
    for key in reversed(keys):
        there = [one for one in all_ if one[-1][key] is not None]
        there.sort(key=lambda one: one[-1][key], reverse=descending)  # which keeps the order of equal ones
        all_ = there + [one for one in all_ if one[-1][key] is None]
    return all_


def mass_of(mz, charge):
    if not mz or not charge:
        return None
    return (mz - PROTON) * charge if charge > 0 else (mz + PROTON) * -charge


def ordered(inputs, keys, descending, how):
    """Front, [(text, input, number, offset)] in order, tail, and how many lack each key."""
    heads, carried, all_ = Heads(), b'', []
    for index, text in enumerate(inputs):
        head, spectra, behind = taken_apart(text, how.lenient)
        carried += heads.take(head, bool(spectra))
        for one in spectra:
            text = spectrum_text(one.lines, how, False)
            carried += one.before
            if not text:  # it goes, and what stands behind it stays
                carried += one.behind
                continue
            peaks = sum(1 for line in lines_of(text) if PEAK.match(line.rstrip(b'\r\n')))
            all_.append((carried + text + one.behind, index, one.number, one.offset, values_of(one, peaks)))
            carried = b''
        carried += behind
    missing = [sum(1 for one in all_ if one[4][key] is None) for key in keys]
    return heads.front, [one[:4] for one in by_keys(all_, keys, descending)], carried, missing


def cut(front, all_, tail, size, count):
    """Parts, as lists of spectra."""
    parts = [[]]
    if size:
        used = len(front)
        for one in all_:
            if parts[-1] and used + len(one[0]) > size:
                parts.append([])
                used = len(front)
            parts[-1].append(one)
            used += len(one[0])
    else:
        count = count or 1
        total, before = sum(len(one[0]) for one in all_), 0
        parts = [[] for _ in range(count)]
        for one in all_:
            parts[before * count // total if total else 0].append(one)
            before += len(one[0])
    return [front + b''.join(one[0] for one in part) + (tail if part is parts[-1] else b'') for part in parts], parts


def fail(words, why):
    sys.exit(f'specsort {" ".join(words)}: {why}; see what is in {os.getcwd()}')


def compare(inputs, names, keys, descending, options, more, size=None, count=None):
    """specsort on these inputs, which are in files of those names."""
    words = (['--spectra-by', ','.join(keys)] if keys else []) + (['--descending-spectra'] if descending else [])
    words += (['--split-size', str(size)] if size else []) + (['--split-count', str(count)] if count else [])
    words += options + more + ['--map', 'map.tsv', '--quiet'] + names
    for path in os.listdir('.'):
        if path.startswith('made'):
            os.remove(path)
    splits = bool(size or count)
    done = subprocess.run(['specsort', '-o', 'made.mgf'] + words, stderr=subprocess.PIPE, check=False)
    try:
        front, all_, tail, _ = ordered(inputs, keys, descending, parse_options(options))
    except Refused as why:
        if done.returncode != 2 or [path for path in os.listdir('.') if path.startswith(('made', '.made'))]:
            fail(words, f'{why} was not refused: exit status {done.returncode} {done.stderr}')
        return False
    if done.returncode != 0:
        fail(words, f'exit status {done.returncode} {done.stderr.decode()}')
    texts, parts = cut(front, all_, tail, size, count)
    rows = 'output\tspectrum\tinput\tnumber\toffset\tdropped\n'
    for index, part in enumerate(parts):
        path = f'made.{index + 1:04}.mgf' if splits else 'made.mgf'
        with open(path, 'rb') as file:
            made = file.read()
        if made != texts[index]:
            with open('wanted.mgf', 'wb') as file:
                file.write(texts[index])
            fail(words, f'{path} is not wanted.mgf')
        rows += ''.join(f'{path}\t{at + 1}\t{names[one[1]]}\t{one[2] + 1}\t{one[3]}\t\n' for at, one in enumerate(part))
    if len([path for path in os.listdir('.') if path.startswith('made')]) != len(parts):
        fail(words, f'other parts than {len(parts)}')
    with open('map.tsv', encoding='utf-8') as file:
        if ''.join(row for row in file if not row.startswith('\t')) != rows:  # without those that were dropped
            fail(words, 'the map is wrong')
    return True


class OrderMaker(Maker):
    def head(self):
        return self.some([], [], [b'COM=head'], [b'CHARGE=2+', b'', b'# comment'], [b'# comment', b'CHARGE=2+', b'COM=other'],
                         [b'1024.6', b'CHARGE=2+'])

    def some_text(self, head):
        """One input: what Maker makes, with more parameters and more between spectra."""
        r = self.random
        ends = self.some([b'\n'], [b'\r\n'], [b'\r'], [b'\n', b'\r\n'])
        lines = list(head)
        for number in range(self.some(0, 1, 3, 12, 60)):
            lines.append(b'BEGIN IONS')
            if r.random() < 0.9:
                lines.append(self.some(b'TITLE=%d' % r.randrange(20), b'TITLE=spectrum number %d' % r.randrange(200), b'TITLE=',
                                       b'TITLE=\xc3\xa9\xff%d' % number))
            if r.random() < 0.9:
                lines.append(b'PEPMASS=' + self.some(b'%d.5' % r.randrange(300, 310), b'%.4f 1e4 3+' % r.uniform(300, 900),
                                                     b'0', b'', b'+4.5e2'))
            if r.random() < 0.8:
                lines.append(b'CHARGE=' + self.some(b'2+', b'3+ and 2+', b'4', b'2-', b'-3', b'0', b''))
            if r.random() < 0.7:
                lines.append(b'RTINSECONDS=' + self.some(b'%d' % r.randrange(9), b'%.3f' % r.uniform(-5, 5000), b'12-15', b''))
            if r.random() < 0.7:
                lines.append(b'SCANS=' + self.some(b'%d' % r.randrange(9), b'%d-%d' % (r.randrange(10**6), 7), b''))
            for _ in range(self.some(0, 1, 3, 20)):
                lines.append(b'%.4f %d' % (r.uniform(100, 900), r.randrange(5)))
                if r.random() < 0.02:
                    lines.append(self.some(b'# inside', b'', b'KEY=5'))
            lines.append(b'END IONS')
            while r.random() < 0.5:
                lines.append(self.some(b'', b'', b' ', b'# between', b'!5 6', b'77.5'))
            if r.random() < 0.002:
                lines.append(b'CHARGE=5+')
            if r.random() < 0.002:
                lines.remove(b'END IONS')
        text = b''.join(line + self.some(*ends) for line in lines)
        text = (BOM if r.random() < 0.1 else b'') + text
        return re.sub(rb'(\r\n|\r|\n)$', b'', text) if r.random() < 0.4 else text

    def case(self):
        r = self.random
        head = self.head()
        inputs = [self.some_text(head if r.random() < 0.97 else self.head()) for _ in range(self.some(1, 1, 2, 3, 7))]
        names = []
        for index, text in enumerate(inputs):
            packed = r.random() < 0.2
            names.append(f'in{index}')
            with open(names[-1], 'wb') as file:
                file.write(gzip.compress(text) if packed else text)
        keys = r.sample(KEYS, self.some(1, 1, 2, 3, 7))
        options = self.options() if r.random() < 0.4 else []
        if r.random() < 0.1:
            options += ['--lenient']
        more = self.some([], ['--memory', '64K'], ['--memory', '64K', '--threads', '1'], ['--threads', '3', '-T', '.'])
        size = count = None
        if r.random() < 0.4:
            size, count = self.some((1, None), (2000, None), (20000, None), (None, 1), (None, 3), (None, 50))
            if r.random() < 0.3:
                keys = []
        return compare(inputs, names, keys, bool(keys) and r.random() < 0.4, options, more, size, count)


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == 'random':
        maker = OrderMaker(int(rest[0]))
        right = sum(maker.case() for _ in range(int(rest[1])))
        if right < int(rest[1]) * 0.5:
            sys.exit(f'only {right} of {rest[1]} cases were put in order')
        return
    for path in rest:
        with open(path, 'rb') as file:
            text = file.read()
        if text.startswith(b'\x1f\x8b'):
            text = gzip.decompress(text)
        for key in KEYS:
            compare([text], [path], [key], False, [], [])
            keys = [key, 'title' if key != 'title' else 'rt']
            compare([text, text], [path, path], keys, True, ['--top', '10'], ['--memory', '64K'])
        compare([text], [path], ['charge', 'peaks', 'pepmass'], False, [], ['--memory', '64K'], count=7)
        compare([text], [path], [], False, ['--min-peaks', '20'], ['--memory', '64K'], size=50000)


if __name__ == '__main__':
    main()
