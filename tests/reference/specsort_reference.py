#!/usr/bin/env python3
"""specsort's selections and orders, as plainly as they can be said, for tests.

  specsort_reference.py apply [OPTION...] < IN > OUT       what specsort with these options writes
  specsort_reference.py files [FILE...]                    specsort on these, with many options, against that
  specsort_reference.py random SEED CASES                  and on inputs and options made at random
"""
import argparse
import decimal
import math
import random
import re
import subprocess
import sys

PROTON = 1.00727646688
NUMBER = rb'[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?'
PEAK = re.compile(rb'[ \t]*(' + NUMBER + rb')(?:[ \t]+(' + NUMBER + rb')(?:[ \t].*)?)?[ \t]*$', re.DOTALL)
PRESETS = {
    'casanovo': ['--mz-range', '50:2500', '--remove-precursor', '2', '--all-charges', '--min-relative', '0.0001', '--top', '150',
                 '--min-peaks', '20'],
    'casanovo@4.2.1': ['--mz-range', '50:2500', '--remove-precursor', '2', '--all-charges', '--min-relative', '0.01', '--top',
                       '150'],
    'xtandem': ['--mz-range', '150:', '--min-relative', '0.01', '--top', '50', '--min-peaks', '15'],
    'gicops': ['--top', '100'],
    'sage': ['--top', '150', '--min-peaks', '15'],
    'sage@0.14.7': ['--mz-range', '150:2000', '--top', '150', '--min-peaks', '15'],
    'instanovo@1.1': ['--mz-range', '50:2500', '--remove-precursor', '2', '--all-charges', '--min-relative', '0.01', '--top', '200'],
    'instanovo': ['--mz-range', '50:2500', '--min-intensity', '0.01', '--remove-precursor', '2', '--top', '200'],
    'gnps': ['--remove-precursor', '17:15', '--top', '6', '--around', '50'],
    'dreams': ['--drop-zero', '--min-intensity', '0', '--merge', '0', '--top', '100'],
    'matchms@0.25.0': ['--mz-range', '0:1000', '--min-relative', '0.001', '--top', '1000'],
}


def parse_options(words):
    parser = argparse.ArgumentParser()
    for name in ('by', 'preset', 'mz-range', 'min-intensity', 'remove-precursor', 'min-relative', 'dedupe', 'merge', 'top',
                 'per', 'around', 'min-peaks'):
        parser.add_argument('--' + name)
    for name in ('descending', 'drop-zero', 'all-charges', 'lenient', 'keep-metadata'):
        parser.add_argument('--' + name, action='store_true')
    first = parser.parse_args(words)
    if first.preset:
        made = parser.parse_args(PRESETS[first.preset] + words)
        if first.per:
            made.around = None
        if first.dedupe:
            made.merge = None
        return made
    return first


class Peak:
    def __init__(self, line, at, mz, height):
        self.line, self.at, self.mz, self.height = line, at, mz, height


def merged(peaks, tolerance):
    """From the greatest down, each peak with the sum of those near it; the sum in this order: its own, above, below."""
    left, used = [], set()
    in_order = sorted(peaks, key=lambda p: (p.mz, p.at))
    for p in sorted(peaks, key=rank):
        if p.at in used:
            continue
        place, total = in_order.index(p), p.height
        for q in in_order[place + 1:] + in_order[:place][::-1]:
            if q.at in used or abs(q.mz - p.mz) > near(tolerance, p.mz):
                continue
            used.add(q.at)
            if total is not None and q.height is not None and math.isfinite(total) and math.isfinite(q.height):
                total = max(-sys.float_info.max, min(total + q.height, sys.float_info.max))
        used.add(p.at)
        left.append(p if total == p.height else Peak(with_height(p.line, total), p.at, p.mz, total))
    return left


def with_height(line, height):
    """A line of MGF with another intensity: as few digits as give it back, and no exponent."""
    if line is None:
        return None
    digits = str(int(height)) if abs(height) >= 2**53 else format(decimal.Decimal(repr(height)), 'f')
    return re.sub(rb'^([ \t]*[^ \t]+[ \t]+)[^ \t\r\n]+', lambda found: found[1] + digits.removesuffix('.0').encode(), line)


def rank(peak):
    """Sorts the greatest first."""
    missing = peak.height is None
    return (missing, 0 if missing else -peak.height, peak.mz, peak.at)


def near(text, centre):
    """How far from a centre is near to it."""
    return float(text[:-3]) * 1e-6 * abs(centre) if text.endswith('ppm') else float(text.removesuffix('Da'))


def real(value):
    """The number that a header's value begins with."""
    found = re.match(NUMBER, value)
    return float(found.group()) if found else None


def header(lines):
    fields = {}
    for line in lines:
        key, equals, value = line.strip(b' \t\r\n').partition(b'=')
        if equals:
            fields.setdefault(key, []).append(value.strip(b' \t'))
    pepmass = fields.get(b'PEPMASS', [b''])[0].split()
    mz = real(pepmass[0]) if pepmass else None
    if not mz or mz < 0:
        mz = real(fields.get(b'PRECURSOR_MZ', [b''])[0])
    charge = 0
    for field in fields.get(b'CHARGE', []) + pepmass[2:3]:
        for sign, digits, behind in re.findall(rb'([+-]?)([0-9]+)([+-]?)', field):
            if charge == 0:
                charge = -int(digits) if b'-' in (sign, behind) else int(digits)
    return mz, charge


def is_ms1(lines):
    levels = [found[1] for line in lines if (found := re.match(rb'[ \t]*MSLEVEL=[ \t]*([0-9]+)', line))]
    return bool(levels) and int(levels[0]) == 1


def select(peaks, mz, charge, how):
    if how.mz_range:
        least, most = how.mz_range.split(':')
        peaks = [p for p in peaks if (not least or p.mz >= float(least)) and (not most or p.mz <= float(most))]
    if how.drop_zero:
        peaks = [p for p in peaks if p.height is None or p.height != 0]
    if how.min_intensity:
        peaks = [p for p in peaks if p.height is not None and p.height >= float(how.min_intensity)]
    if how.remove_precursor and mz:
        centres = [mz]
        if how.all_charges:
            proton = math.copysign(PROTON, charge)
            centres += [(mz - proton) * abs(charge) / c + proton for c in range(1, abs(charge))]
        below, _, above = how.remove_precursor.partition(':')
        peaks = [p for p in peaks if all(abs(p.mz - c) > near(below if p.mz < c else above or below, c) for c in centres)]
    if how.min_relative:
        base = max([p.height for p in peaks if p.height is not None], default=0)
        if base > 0:
            peaks = [p for p in peaks if p.height is not None and p.height >= float(how.min_relative) * base]
    if how.dedupe:
        left = []
        for p in sorted(peaks, key=rank):
            if all(abs(p.mz - q.mz) > near(how.dedupe, q.mz) for q in left):
                left.append(p)
        peaks = left
    if how.merge:
        peaks = merged(peaks, how.merge)
    if how.top and how.around:
        def surpassing(p):
            heights = {q.height for q in peaks if abs(q.mz - p.mz) < float(how.around) and q.height is not None}
            return sum(p.height is None or height > p.height for height in heights)

        peaks = [p for p in peaks if surpassing(p) < int(how.top)]
    elif how.top:
        windows = {}
        for p in sorted(peaks, key=rank):
            windows.setdefault(math.floor(p.mz / float(how.per)) if how.per else 0, []).append(p)
        peaks = [p for window in windows.values() for p in window[:int(how.top)]]
    return sorted(peaks, key=lambda p: p.at)


def put_in_order(peaks, how):
    if how.by == 'intensity':
        with_height = sorted([p for p in peaks if p.height is not None], key=lambda p: p.height, reverse=how.descending)
        return with_height + [p for p in peaks if p.height is None]
    return sorted(peaks, key=lambda p: p.mz, reverse=how.descending)


def spectrum_text(lines, how, last):
    """Lines of one spectrum, BEGIN IONS first. `last`: it is the end of the input."""
    slots = []
    for at, line in enumerate(lines):
        found = PEAK.match(line.rstrip(b'\r\n'))
        if found:
            slots.append(Peak(line, at, float(found[1]), float(found[2]) if found[2] else None))
    others = [line for at, line in enumerate(lines) if at not in {p.at for p in slots}]
    mz, charge = header(others)
    if is_ms1(others):  # it has no precursor
        mz = None
    left = select(slots, mz, charge, how)
    if how.min_peaks and len(left) < int(how.min_peaks):
        return b''
    ordered = [p.line for p in put_in_order(left, how)]
    # The last line of the input may have no end; where it is followed now it takes the end of the line that comes last.
    bare = [i for i, line in enumerate(ordered) if not line.endswith((b'\r', b'\n'))]
    if last and bare and bare[0] != len(ordered) - 1:
        end = re.search(rb'(\r\n|\r|\n)$', ordered[-1]).group()
        ordered[bare[0]] += end
        ordered[-1] = ordered[-1][:-len(end)]
    places = iter(ordered)
    stay = {p.at for p in left}
    go = {p.at for p in slots} - stay
    return b''.join(next(places) if at in stay else line for at, line in enumerate(lines) if at not in go)


def apply(text, how):
    lines = re.findall(rb'[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$', text)
    out, inside = [], None
    for line in lines:
        words = line.rstrip(b'\r\n')
        words = (words[3:] if words.startswith(b'\xef\xbb\xbf') else words).strip(b' \t')
        if inside is None:
            if words == b'BEGIN IONS':
                inside = [line]
            else:
                out.append(line)
            continue
        if words == b'BEGIN IONS':  # the END IONS before it is missing
            out.append(spectrum_text(inside, how, False))
            inside = [line]
            continue
        inside.append(line)
        if words == b'END IONS':
            out.append(spectrum_text(inside, how, False))
            inside = None
    if inside is not None:
        out.append(spectrum_text(inside, how, True))
    return b''.join(out)


def compare(text, words):
    wanted = apply(text, parse_options(words))
    done = subprocess.run(['specsort', '-', '--quiet', '--threads', '2'] + words, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or done.stdout != wanted:
        with open('failed.mgf', 'wb') as file:
            file.write(text)
        with open('wanted.mgf', 'wb') as file:
            file.write(wanted)
        status = f'exit status {done.returncode} {done.stderr.decode()}'
        sys.exit(f'specsort {" ".join(words)}: {status}; see failed.mgf, wanted.mgf')


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, *choices):
        return self.random.choice(choices)

    def options(self):
        r, words = self.random, []

        def maybe(chance, *more):
            if r.random() < chance:
                words.extend(more)

        if r.random() < 0.1:
            words += ['--preset', self.some(*PRESETS)]
        maybe(0.2, '--mz-range', self.some('100:400', '250:', ':300', '200.5:200.5'))
        maybe(0.2, '--drop-zero')
        maybe(0.2, '--min-intensity', self.some('1', '0', '3.5', '-1'))
        if r.random() < 0.2:
            words += ['--remove-precursor', self.some('2', '0.5Da', '5000ppm', '0', '0ppm', '17:15', '1:5000ppm', '2:inf')]
            maybe(0.6, '--all-charges')
        maybe(0.3, '--min-relative', self.some('0.01', '0.5', '0', '1'))
        maybe(0.3, self.some('--dedupe', '--merge'), self.some('0', '0.25', '1', '20', '1000ppm'))
        if r.random() < 0.5:
            words += ['--top', self.some('1', '2', '5', '20', '150')]
            maybe(0.5, *self.some(['--per', '100'], ['--per', '10'], ['--per', '0.5'], ['--per', '1e-3'], ['--around', '50'],
                                  ['--around', '2'], ['--around', '0.5']))
        maybe(0.2, '--min-peaks', self.some('1', '3', '10'))
        maybe(0.3, '--by', self.some('mz', 'intensity'))
        maybe(0.2, '--descending')
        return words

    def text(self):
        r = self.random
        ends = self.some([b'\n'], [b'\r\n'], [b'\r'], [b'\n', b'\r\n'])
        few = r.random() < 0.5
        in_order = r.random() < 0.4
        lines = [self.some(b'COM=head', b'# 1 2', b'')] if r.random() < 0.3 else []
        for number in range(r.randrange(12)):
            lines += [b'BEGIN IONS', b'TITLE=spectrum %d' % number]
            if r.random() < 0.8:
                lines.append(self.some(b'PEPMASS=250.25', b'PEPMASS=200.5 1e4 3+', b'PEPMASS=0', b'PRECURSOR_MZ=150',
                                       b'PEPMASS='))
            if r.random() < 0.8:
                lines.append(b'CHARGE=' + self.some(b'2+', b'3+ and 2+', b'4', b'2-', b'-3', b'0', b''))
            if r.random() < 0.4:
                lines.append(b'MSLEVEL=' + self.some(b'1', b'2', b'', b'0'))
            peaks = []
            for _ in range(self.some(0, 3, 40, 200)):
                mz = r.randrange(200, 210) / 2 if few else r.uniform(60, 500)
                height = r.randrange(4) if few else self.some(0, r.uniform(0, 10), r.lognormvariate(2, 3))
                peaks.append((mz, height))
            if in_order:
                peaks.sort()
            for mz, height in peaks:
                shown = self.some(b'%.4f', b'%.1f', b'%g', b'+%.2f') % mz
                if r.random() < 0.95:
                    shown += self.some(b' ', b' ', b'\t', b'  ') + self.some(b'%.3f', b'%g', b'%.2e') % height
                    shown += self.some(b'', b'', b'', b' 1+', b' y1', b'  ')
                lines.append(shown)
                if r.random() < 0.02:
                    lines.append(self.some(b'# a comment', b'', b'KEY=5', b'CHARGE=9'))
            lines.append(b'END IONS')
            while r.random() < 0.3:
                lines.append(self.some(b'', b'# between', b'!5 6'))
        lenient = b'BEGIN IONS' in lines and r.random() < 0.3
        if lenient:  # the input ends inside a spectrum
            del lines[len(lines) - 1 - lines[::-1].index(b'END IONS'):]
        text = b''.join(line + self.some(*ends) for line in lines)
        return re.sub(rb'(\r\n|\r|\n)$', b'', text) if r.random() < 0.4 else text, ['--lenient'] if lenient else []


SAMPLE_OPTIONS = [
    ['--top', '10'], ['--top', '5', '--per', '100'], ['--top', '3', '--by', 'intensity', '--descending'],
    ['--min-relative', '0.05', '--descending'], ['--min-intensity', '1000'], ['--drop-zero', '--mz-range', '100:500'],
    ['--dedupe', '0.5'], ['--dedupe', '100ppm', '--top', '20', '--min-peaks', '5'],
    ['--remove-precursor', '0.5'], ['--remove-precursor', '20ppm', '--all-charges'],
    ['--preset', 'casanovo'], ['--preset', 'xtandem'], ['--preset', 'gicops', '--top', '7', '--by', 'intensity'],
    ['--merge', '0.5'], ['--merge', '100ppm', '--top', '20', '--by', 'intensity'], ['--preset', 'dreams'], ['--preset', 'gnps'], ['--preset', 'instanovo@1.1'],
]


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == 'apply':
        sys.stdout.buffer.write(apply(sys.stdin.buffer.read(), parse_options(rest)))
    elif command == 'files':
        for path in rest:
            with open(path, 'rb') as file:
                text = file.read()
            for words in SAMPLE_OPTIONS:
                compare(text, words)
    else:
        maker = Maker(int(rest[0]))
        for _ in range(int(rest[1])):
            text, more = maker.text()
            compare(text, maker.options() + more)


if __name__ == '__main__':
    main()
