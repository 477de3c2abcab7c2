#!/usr/bin/env python3
"""The policies of sufsort build, and what is found in its indexes, as plainly as they can be said, for tests.

  sufsort_reference.py random SEED CASES       indexes of FASTA and policies made at random, and what is found in them
  sufsort_reference.py files [FILE...]         of these, with every policy: the text and the rows of sa and lcp that stay
"""
import gzip
import json
import random
import re
import struct
import subprocess
import sys

NUCLEOTIDES = set('ACGTUacgtu')
COMPLEMENT = dict(zip('ACGTURYSWKMBDHVN-*.', 'TGCAAYRSWMKVHDBN-*.'))
COMPLEMENT.update({a.lower(): b.lower() for a, b in list(COMPLEMENT.items())})


def sufsort(*words):
    done = subprocess.run(['sufsort', *words], capture_output=True, text=True)
    if done.returncode > 2:
        raise SystemExit(f'sufsort {words}: status {done.returncode}: {done.stderr}')
    return done


def expect(condition, *what):
    if not condition:
        raise SystemExit('WRONG: ' + ' '.join(map(str, what)))


class Policy:
    def __init__(self, strands='forward', ambiguous='symbol', mask='fold', sample=1):
        self.strands, self.ambiguous, self.mask, self.sample = strands, ambiguous, mask, sample

    def options(self):
        return ['--strands', self.strands, '--ambiguous', self.ambiguous, '--mask', self.mask, '--sample', str(self.sample)]

    def pieces(self, records):
        """(letters, record, offset, reverse) of each record of the text."""
        cut = []
        for record, letters in enumerate(records):
            kept = ''.join(' ' if (self.mask == 'break' and c.islower()) or (self.ambiguous == 'break' and c not in NUCLEOTIDES)
                           else c for c in letters)
            if self.mask == 'fold':
                kept = kept.upper()
            found = [(one.group(), record, one.start(), False) for one in re.finditer('[^ ]+', kept)]
            cut.append(found or [('', record, 0, False)])
        text = set(''.join(one[0] for found in cut for one in found).upper())
        rna = 'U' in text and 'T' not in text
        def other(c):
            return {'A': 'U', 'a': 'u'}.get(c, COMPLEMENT[c]) if rna else COMPLEMENT[c]
        if self.strands == 'both':
            cut = [found + [(''.join(map(other, reversed(one[0]))), *one[1:3], True) for one in reversed(found)]
                   for found in cut]
        return [one for found in cut for one in found]

    def has_row(self, piece, i):
        return i % self.sample == 0 and not (self.ambiguous == 'skip' and piece[0][i] not in NUCLEOTIDES)


def common(a, b):
    n = min(len(a), len(b))
    return next((i for i in range(n) if a[i] != b[i]), n)


def entries(path, width):
    data, size = open(path, 'rb').read(), width // 8
    return [int.from_bytes(data[at:at + size], 'little') for at in range(0, len(data), size)]


def rows_of(pieces, policy):
    """(piece, place in it) of all rows in their order."""
    rows = [(p, i) for p, piece in enumerate(pieces) for i in range(len(piece[0])) if policy.has_row(piece, i)]
    return sorted(rows, key=lambda row: (pieces[row[0]][0][row[1]:], row))


def one_random(chance, number):
    letters = chance.choice(['ACGT', 'ACGTN', 'ACGTNRYSWKMBDHVacgtnry', 'AaN', 'ACGUacgun', 'Aan-', 'ACNNNNNN', 'ACXX',
                             'ACDEFGHIKLMNPQRSTVWY'])
    records = [''.join(chance.choice(letters) for _ in range(chance.choice([0, 1, 7, 30, 60])))
               for _ in range(chance.randint(1, 4))]
    if chance.random() < 0.5:
        records.append(records[0] + ('N' * 9 if 'N' in letters else '') + records[-1])
    policy = Policy(chance.choice(['forward', 'both']), chance.choice(['symbol', 'break', 'skip']),
                    chance.choice(['fold', 'keep', 'break']), chance.choice([1, 1, 2, 3, 40]))
    if set(letters.upper()) - set('ACGTURYSWKMBDHVN-'):  # other policies are for nucleotides
        policy.strands, policy.ambiguous = 'forward', 'symbol'
    width = chance.choice([32, 40, 64])
    with open('r.fa', 'w') as out:
        for record, text in enumerate(records):
            out.write(f'>r{record} of {number}\n' + '\n'.join(re.findall('.{1,17}', text)) + '\n')
    all_rows = policy.ambiguous != 'skip' and policy.sample == 1
    built = sufsort('build', 'r.fa', '-o', 'r', '--lcp', '--width', str(width), *policy.options(), *['--bwt'] * all_rows)
    what = (number, policy.options(), width, records)
    expect(built.returncode == 0, *what, built.stderr)
    pieces = policy.pieces(records)
    text = ''.join(one[0] for one in pieces)
    expect(open('r.seq').read() == text, *what, 'text', text)
    begins = [sum(len(one[0]) for one in pieces[:p]) for p in range(len(pieces))]
    rows = rows_of(pieces, policy)
    order = [begins[p] + i for p, i in rows]
    expect(entries('r.sa', width) == order, *what, 'sa')
    suffixes = [pieces[p][0][i:] for p, i in rows]
    expect(entries('r.lcp', width) == [common(*pair) for pair in zip([''] + suffixes, suffixes)], *what, 'lcp')
    told = json.load(open('r.json'))
    expect([str(told[key]) for key in ('strands', 'ambiguous', 'mask', 'sample')] == policy.options()[1::2], *what, 'json')
    checked = sufsort('check', 'r')
    expect(checked.returncode == 0, *what, 'check', checked.stdout, checked.stderr)
    raw = sufsort('export', 'r', '--format', 'raw64', '-o', 'r.raw')
    expect(raw.returncode == 0 and entries('r.raw', 64) == order, *what, 'export')
    for _ in range(4):
        try_pattern(chance, what, policy, pieces, records)
    try_unique(chance, what, policy, pieces)
    if all_rows:
        try_repeats(chance, what, pieces)
    try_table(chance, what, len(order), width)
    damage(chance, what, order, width)


def places(pieces, pattern, strands):
    """Where it is found. In a text of both strands T and U are the one that this has."""
    if strands == 'both' and any('U' in one[0].upper() for one in pieces):
        pattern = pattern.replace('T', 'U')
    elif strands == 'both':
        pattern = pattern.replace('U', 'T')
    return {(record, offset + (len(letters) - i - len(pattern) if reverse else i), '-' if reverse else '+')
            for letters, record, offset, reverse in pieces
            for i in range(len(letters) - len(pattern) + 1) if letters[i:i + len(pattern)] == pattern}


def places_told(located):
    lines = [line.split('\t') for line in located.stdout.splitlines()]
    return sorted((int(line[2][1:]), int(line[3]), line[4]) for line in lines if line[1] != '0')


def try_pattern(chance, what, policy, pieces, records):
    longest = max((one[0] for one in pieces), key=len)
    begin = chance.randrange(len(longest) + 1)
    pattern = longest[begin:begin + chance.randint(1, 8)]
    if not pattern.strip('-') or pattern.startswith('-') or chance.random() < 0.3:
        pattern = ''.join(chance.choice('ACGTU') for _ in range(chance.randint(1, 4)))
    hits = places(pieces, pattern, policy.strands)
    can_be_found = all(any(policy.ambiguous != 'skip' or pattern[i] in NUCLEOTIDES
                           for i in range(first, len(pattern), policy.sample)) for first in range(policy.sample))
    located = sufsort('locate', 'r', '--limit', '0', '--', pattern)
    counted = sufsort('count', 'r', '--', pattern)
    if not can_be_found:
        expect(located.returncode == 2 and counted.returncode == 2, *what, pattern, 'found in spite of left out rows')
        return
    found = places_told(located)
    expect(found == sorted(hits), *what, pattern, found, sorted(hits), located.stderr)
    expect(counted.stdout == f'{pattern}\t{len(hits)}\n', *what, pattern, counted.stdout, counted.stderr)
    if policy.strands == 'both':  # --both-strands finds nothing twice
        again = sufsort('locate', 'r', '--limit', '0', '--both-strands', '--', pattern)
        expect(again.stdout == located.stdout, *what, pattern, again.stdout)
        forward = sum(hit[2] == '+' for hit in hits)
        both = sufsort('count', 'r', '--both-strands', '--', pattern)
        expect(both.stdout == f'{pattern}\t{len(hits)}\t{forward}\t{len(hits) - forward}\n', *what, pattern, both.stdout)
    elif set(''.join(records)) <= set(COMPLEMENT):  # with --both-strands as if the text had both
        other = Policy('both', policy.ambiguous, policy.mask, policy.sample)
        again = sufsort('locate', 'r', '--limit', '0', '--both-strands', '--', pattern)
        hits = places(other.pieces(records), pattern, 'both')
        expect(places_told(again) == sorted(hits), *what, pattern, 'both strands', again.stdout, again.stderr, sorted(hits))


def letters_option(chance, pieces):
    """Options of unique and repeats, and which letters these count; None: all."""
    text = ''.join(one[0] for one in pieces).upper()
    proteins = sum(c in 'EFIJLOPQZ' for c in text)
    usual = None if proteins and proteins >= len(text) // 100 else NUCLEOTIDES
    return chance.choice([([], usual), ([], usual), (['--letters', 'nucleotides'], NUCLEOTIDES), (['--letters', 'all'], None)])


def try_unique(chance, what, policy, pieces):
    length = chance.randint(1, 5)
    options, counted = letters_option(chance, pieces)
    told = sufsort('unique', 'r', '-k', str(length), *options)
    if policy.sample != 1:
        expect(told.returncode == 2 and 'rows are left out' in told.stderr, *what, 'unique of a sample')
        return
    words = [letters[i:i + length] for letters, *_ in pieces for i in range(len(letters) - length + 1)]
    right = {(record, offset + i): words.count(letters[i:i + length])
             for letters, record, offset, reverse in pieces if not reverse
             for i in range(len(letters) - length + 1)
             if (policy.ambiguous != 'skip' or letters[i] in NUCLEOTIDES)
             and (counted is None or set(letters[i:i + length]) <= counted)}
    left_out = 0 if counted is None else sum(not set(word) <= counted for word in words)
    warning = re.match(r'sufsort: warning: left out: (\d+) k-mers of the', told.stderr)
    expect(int(warning[1] if warning else 0) == left_out, *what, 'unique', options, told.stderr, left_out)
    found = {}
    for line in told.stdout.splitlines():
        name, begin, end, count = line.split('\t')
        found.update({(int(name[1:]), at): int(count) for at in range(int(begin), int(end))})
    expect(found == right, *what, 'unique', length, found, right)


def try_repeats(chance, what, pieces):
    """Maximal repeats are what maximal pairs have in common. Ends of records, and letters that are not counted, are like no
    others."""
    least = chance.randint(1, 6)
    options, counted = letters_option(chance, pieces)
    alone = iter(range(10 ** 9, 2 * 10 ** 9))
    text = [next(alone)]
    where = [None]
    for letters, record, offset, reverse in pieces:
        text += [c if counted is None or c in counted else next(alone) for c in letters] + [next(alone)]
        where += [(record, offset, reverse, i, len(letters)) for i in range(len(letters))] + [None]
    def place(p, length):
        record, offset, reverse, i, letters = where[p]
        return record, offset + (letters - i - length if reverse else i), '-' if reverse else '+'
    pairs, words = [], {}
    # Letters that two places have in common, from the last place on.
    row = [0] * (len(text) + 1)
    for p in reversed(range(len(text))):
        last, row = row, [0] * (len(text) + 1)
        for q in range(p + 1, len(text)):
            if text[p] == text[q]:
                row[q] = last[q + 1] + 1
                if row[q] >= least and text[p - 1] != text[q - 1]:
                    pairs.append(tuple(sorted((place(p, row[q]), place(q, row[q])))) + (row[q],))
                    words.setdefault(tuple(text[p:p + row[q]]), set())
    for word in words:
        words[word] = {place(p, len(word)) for p in range(len(text)) if tuple(text[p:p + len(word)]) == word}
    told = sufsort('repeats', 'r', '-l', str(least), '--limit', '0', '--pairs', *options)
    found = []
    for line in told.stdout.splitlines():
        c = line.split('\t')
        found.append(((int(c[0][1:]), int(c[1]), c[2]), (int(c[3][1:]), int(c[4]), c[5]), int(c[6])))
    expect(sorted(found) == sorted(pairs), *what, 'pairs', least, options, sorted(found), sorted(pairs))
    told = sufsort('repeats', 'r', '-l', str(least), '--limit', '0', *options)
    found = {}
    for line in told.stdout.splitlines():
        number, length, count, record, offset, strand = line.split('\t')
        found.setdefault((int(number), int(length), int(count)), []).append((int(record[1:]), int(offset), strand))
    right = sorted((len(word), len(places), sorted(places)) for word, places in words.items())
    expect(sorted((length, count, sorted(places)) for (_, length, count), places in found.items()) == right,
           *what, 'repeats', least, options, found, right)
    apart = 0 if counted is None else sum(c not in counted for one in pieces for c in one[0])
    warning = re.match(r'sufsort: warning: left out: (\d+) of (\d+) letters', told.stderr)
    expect([int(x) for x in warning.groups()] == [apart, len(text) - len(pieces) - 1] if apart else not told.stderr,
           *what, 'repeats', options, told.stderr)


def try_table(chance, what, rows, width):
    """A table is not larger than the array, unless it is forced, or of one letter."""
    length = chance.choice(['auto', 1, 2, 3, 4])
    force = chance.random() < 0.3
    made = sufsort('kmers', 'r', '--length', str(length), *['--force-kmer-table'] * force)
    if made.returncode == 0:
        entries_of_table = len(entries('r.kmers', width))
        told = json.load(open('r.json'))
        expect(entries_of_table == len(told['kmer_letters']) ** told['kmer_length'] + 1, *what, 'table')
        expect(length in ('auto', told['kmer_length']), *what, 'length', length)
        expect(force or told['kmer_length'] == 1 or entries_of_table <= rows, *what, 'a large table', length)
        if length == 'auto':
            larger = len(told['kmer_letters']) ** (told['kmer_length'] + 1) + 1
            expect(told['kmer_length'] == 30 or larger > rows // 4, *what, 'a small table')
            expect(told['kmer_length'] == 1 or entries_of_table <= rows // 4, *what, 'a large table')
    else:
        expect(not force and 'large table' in made.stderr, *what, 'no table', length, made.stderr)
        most = int(re.search(r'use at most (\d+) letters', made.stderr)[1])
        expect(most < length, *what, 'no table', length, made.stderr)
        expect(sufsort('kmers', 'r', '--length', str(most)).returncode == 0, *what, 'no table', most)
        expect(sufsort('kmers', 'r', '--length', str(most + 1)).returncode == 2, *what, 'a large table', most + 1)


def damage(chance, what, order, width):
    """An entry of sa that is another one's, or missing, is a fault; so is another letter."""
    if len(order) < 2:
        return
    a, b = chance.sample(range(len(order)), 2)
    size = width // 8
    data = bytearray(open('r.sa', 'rb').read())
    data[a * size:(a + 1) * size], data[b * size:(b + 1) * size] = data[b * size:(b + 1) * size], data[a * size:(a + 1) * size]
    open('r.sa', 'wb').write(data)
    checked = sufsort('check', 'r')
    expect(checked.returncode == 1 and 'r.sa: row' in checked.stderr, *what, 'a swap', checked.stdout, checked.stderr)
    data[a * size:(a + 1) * size] = data[b * size:(b + 1) * size]
    open('r.sa', 'wb').write(data)
    expect(sufsort('check', 'r').returncode == 1, *what, 'twice the same')


def read_records(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as file:
        records = file.read().split('>')[1:]
    return [''.join(''.join(record.split('\n')[1:]).split()) for record in records]


def one_file(path, policy):
    """The index of all rows is taken for right; sufsort check proves it."""
    records = read_records(path)
    pieces = policy.pieces(records)
    text = ''.join(one[0] for one in pieces)
    kept = bytearray(b''.join(bytes(policy.has_row(one, i) for i in range(len(one[0]))) for one in pieces))
    whole = Policy(policy.strands, 'break' if policy.ambiguous == 'break' else 'symbol', policy.mask, 1)
    for prefix, which in ('all', whole), ('some', policy):
        done = sufsort('build', path, '-o', prefix, '--lcp', *which.options())
        expect(done.returncode == 0, path, which.options(), done.stderr)
    expect(open('some.seq').read() == text, path, policy.options(), 'text')
    order, lengths, least = [], [], None
    def numbers(name):
        data = open(name, 'rb').read()
        return struct.unpack(f'<{len(data) // 4}I', data)
    for p, length in zip(numbers('all.sa'), numbers('all.lcp')):
        least = length if least is None else min(least, length)
        if kept[p]:
            order.append(p)
            lengths.append(least)
            least = None
    expect(list(numbers('some.sa')) == order, path, policy.options(), 'sa')
    expect(list(numbers('some.lcp')) == lengths, path, policy.options(), 'lcp')
    for prefix in 'all', 'some':
        checked = sufsort('check', prefix)
        expect(checked.returncode == 0, path, policy.options(), checked.stderr)


def main(words):
    if words[0] == 'random':
        for number in range(int(words[2])):
            one_random(random.Random(f'{words[1]} {number}'), number)
    else:
        for path in words[1:]:
            for policy in (Policy('both'), Policy('forward', 'break'), Policy('both', 'break', 'break'),
                           Policy('forward', 'skip'), Policy('both', 'skip', 'keep', 3),
                           Policy('forward', 'symbol', 'fold', 4)):
                one_file(path, policy)


if __name__ == '__main__':
    main(sys.argv[1:])
