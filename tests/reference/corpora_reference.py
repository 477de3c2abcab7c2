#!/usr/bin/env python3
"""Indexes of texts that are no FASTA, and what is found in them, as plainly as they can be said, for tests.

  corpora_reference.py random SEED CASES       indexes of random bytes, lines, tokens and separated records
"""
import gzip
import json
import random
import re
import shutil
import subprocess
import sys


def sufsort(*words):
    done = subprocess.run(['sufsort', *words], capture_output=True)
    if done.returncode > 2:
        raise SystemExit(f'sufsort {words}: status {done.returncode}: {done.stderr}')
    return done


def expect(condition, *what):
    if not condition:
        raise SystemExit('WRONG: ' + ' '.join(map(str, what)))


def common(a, b):
    n = min(len(a), len(b))
    return next((i for i in range(n) if a[i] != b[i]), n)


def entries(path, size):
    data = open(path, 'rb').read()
    return [int.from_bytes(data[at:at + size], 'little') for at in range(0, len(data), size)]


def printable(data):
    """As sufsort prints bytes in a column."""
    try:
        data.decode()
        utf8 = True
    except UnicodeDecodeError:
        utf8 = False
    named = {9: b'\\t', 10: b'\\n', 13: b'\\r', 92: b'\\\\'}
    return b''.join(named[b] if b in named else b'\\x%02x' % b if b < 32 or b == 127 or (b > 127 and not utf8) else bytes([b])
                    for b in data)


def split(data, separator):
    records = data.split(separator)
    return records[:-1] if records[-1] == b'' else records


def npy(rows, kind, size, big):
    """An array of NumPy, format 1.0. Rows have the same length; one row is an array of one dimension."""
    shape = f'({len(rows[0])},)' if len(rows) == 1 else f'({len(rows)}, {len(rows[0])})'
    order = '|' if size == 1 else '>' if big else '<'
    text = f"{{'descr': '{order}{kind}{size}', 'fortran_order': False, 'shape': {shape}, }}"
    text += ' ' * (-(len(text) + 11) % 64) + '\n'
    return (b'\x93NUMPY\1\0' + len(text).to_bytes(2, 'little') + text.encode() +
            b''.join(x.to_bytes(size, 'big' if big else 'little') for row in rows for x in row))


class Tokens:
    """Records of tokens in some files, made at random."""

    def __init__(self, chance):
        self.size = chance.choice([2, 4])
        self.format = {2: 'u16', 4: 'u32'}[self.size]
        top = 256 ** self.size
        alphabet = chance.choice([[0, 1], [top - 1, 0, 7], range(300), range(40000, 60000), [255, 256, 65535, top // 2]])
        self.big, self.files, self.records, self.names = chance.random() < 0.3, [], [], []
        kind = chance.choice(['raw', 'raw', 'separator', 'lengths', 'npy', 'rows'])
        ends = chance.choice([[top - 1], [0, 1], [256]]) if kind == 'separator' else []
        self.more = ['--separator', ' '.join(map(str, ends))] if ends else []
        for number in range(1 if kind in ('lengths', 'rows') else chance.randint(1, 3)):
            length = chance.randint(1, 20)
            parts = [[chance.choice(alphabet) for _ in range(length if kind == 'rows' else chance.choice([0, 1, 5, 30, 90]))]
                     for _ in range(chance.randint(2, 6))]
            if chance.random() < 0.4:
                parts.append(list(parts[0]))
            if kind in ('raw', 'npy'):
                parts = [sum(parts, [])]
            joined = sum(([*part, *ends] for part in parts), [])
            if ends and chance.random() < 0.5:
                joined = joined[:-len(ends)]
            name = f't{number}.bin'
            with open(name, 'wb') as out:
                if kind in ('npy', 'rows'):
                    size = chance.choice([s for s in (1, 2, 4, 8) if max(joined, default=0) < 256 ** s // 2])
                    out.write(npy(parts, chance.choice('ui'), size, self.big))
                else:
                    out.write(b''.join(x.to_bytes(self.size, 'big' if self.big else 'little') for x in joined))
            self.files.append(name)
            found = split_list(joined, ends) if ends else parts
            self.records += found
            self.names += [f'{name}:{r + 1}' for r in range(len(found))] if len(found) != 1 else [name]
            if kind == 'lengths':
                open('lengths', 'w').write('\n'.join(str(len(part)) for part in parts))
                self.more = ['--lengths', 'lengths']
        if self.big and kind not in ('npy', 'rows'):
            self.more += ['--byte-order', 'big']
        self.records = [tuple(record) for record in self.records]
        self.ends = self.data(ends)

    def options(self):
        return ['--format', self.format, *self.more]

    def data(self, record):
        return b''.join(x.to_bytes(self.size, 'little') for x in record)

    def printable(self, some):
        return ','.join(map(str, some)).encode()

    def random_pattern(self, chance):
        return tuple(chance.choice([0, 1, 255, 256, 65535]) for _ in range(chance.randint(1, 3)))

    def spell(self, chance, pattern):
        told = chance.choice([' ', ',', ', ']).join(map(str, pattern)).encode()
        return told, chance.choice([[], ['--pattern-format', 'tokens']])


def split_list(data, ends):
    records, one, at = [], [], 0
    while at < len(data):
        if data[at:at + len(ends)] == ends:
            records.append(one)
            one, at = [], at + len(ends)
        else:
            one.append(data[at])
            at += 1
    return records + [one] if one else records


class Corpus:
    """Records of bytes in some files, made at random."""
    size = 1

    def __init__(self, chance):
        self.format = chance.choice(['bytes', 'bytes', 'lines', 'jsonl'])
        self.separator = chance.choice([None, b'\n', b'\0', b'ab', b'\xff\xff', b'aa']) if self.format == 'bytes' else None
        letters = chance.choice([range(256), b'ab', b'ab\n', b'\0\1', b'$a', b'a\xff\xfe', 'aäö€'.encode(), b'a\tb\\c'])
        ends = self.ends = self.separator or (b'' if self.format == 'bytes' else b'\n')
        self.files, self.records, self.names, self.lines = [], [], [], []
        for number in range(chance.randint(1, 3)):
            parts = [bytes(chance.choice(letters) for _ in range(chance.choice([0, 1, 5, 30, 90])))
                     for _ in range(chance.randint(1, 6))]
            if chance.random() < 0.4:
                parts.append(parts[0] * chance.choice([1, 2, 3]))
            if self.format == 'jsonl':
                parts = [''.join(chance.choice('aab"\\\n\u20ac\U0001f600 ') for _ in part).encode() for part in parts]
                lines = [chance.choice([b'', b' ']) if not part else json.dumps(
                    {'id': [{'b': 'no'}, 1.5, None], 'a': {'b': part.decode(), 'c': '}'}, 'b': 'no'},
                    ensure_ascii=chance.random() < 0.5).encode() for part in parts]
            data = ends.join(lines if self.format == 'jsonl' else parts) + (ends if chance.random() < 0.5 else b'')
            if chance.random() < 0.1:
                data = b''
            name = f'f{number}.txt'
            if chance.random() < 0.3:
                name += '.gz'
                gzip.open(name, 'wb').write(data)
            else:
                open(name, 'wb').write(data)
            self.files.append(name)
            found = split(data, ends) if ends else [data]
            if self.format == 'jsonl':
                found = parts[:len(found)]
                self.lines += lines[:len(found)]
            self.records += found
            has_lines = self.format in ('lines', 'jsonl')  # else a file that is one record gives it its name
            self.names += [f'{name}:{r + 1}' for r in range(len(found))] if has_lines or len(found) != 1 else [name]

    def options(self):
        words = ['--format', self.format, *['--field', 'a.b'] * (self.format == 'jsonl')]
        if self.separator is not None:
            words += ['--separator', ''.join(f'\\x{b:02x}' for b in self.separator)]
        return words

    @staticmethod
    def data(record):
        return record

    @staticmethod
    def printable(some):
        return printable(some)

    @staticmethod
    def random_pattern(chance):
        return bytes(chance.choice(b'ab\0\xff$') for _ in range(chance.randint(1, 4)))

    @staticmethod
    def spell(chance, pattern):
        if chance.random() < 0.5 or 0 in pattern or b'\n' in pattern or pattern[:1] == b'-':
            return pattern.hex().encode(), ['--pattern-format', 'hex']
        return pattern, []


def one_random(chance, number):
    corpus = chance.choice([Corpus, Tokens])(chance)
    width, sample = chance.choice([32, 40, 64]), chance.choice([1, 1, 1, 2, 3])
    options = [*corpus.options(), '--width', str(width), '--sample', str(sample), *['--bwt'] * (sample == 1 and corpus.size == 1)]
    what = (number, options, corpus.files, corpus.records)
    built = sufsort('build', *corpus.files, '-o', 'c', '--lcp', *options)
    if not corpus.records:
        expect(built.returncode == 2 and b'no records' in built.stderr, *what, built.stderr)
        return
    expect(built.returncode == 0, *what, built.stderr)
    text = b''.join(map(corpus.data, corpus.records))
    expect(open('c.seq', 'rb').read() == text, *what, 'seq')
    starts = [sum(map(len, corpus.records[:r])) for r in range(len(corpus.records))]
    expect(entries('c.starts', 8) == starts, *what, 'starts')
    rows = sorted(((r, i) for r, record in enumerate(corpus.records) for i in range(0, len(record), sample)),
                  key=lambda row: (corpus.records[row[0]][row[1]:], row))
    expect(entries('c.sa', width // 8) == [starts[r] + i for r, i in rows], *what, 'sa')
    suffixes = [corpus.records[r][i:] for r, i in rows]
    expect(entries('c.lcp', width // 8) == [common(*pair) for pair in zip([corpus.records[0][:0]] + suffixes, suffixes)], *what, 'lcp')
    if sample == 1 and corpus.size == 1:
        bwt = b''.join(record[-1:] or b'$' for record in corpus.records)
        bwt += b''.join(corpus.records[r][i - 1:i] if i else b'$' for r, i in rows)
        expect(open('c.bwt', 'rb').read() == bwt, *what, 'bwt')
    told = json.load(open('c.json'))
    expect(told['input'] == corpus.format and [file['name'] for file in told['files']] == corpus.files, *what, 'json')
    checked = sufsort('check', 'c')
    expect(checked.returncode == 0, *what, 'check', checked.stdout, checked.stderr)
    sizes = re.search(r' of (\d+) residues? in (\d+) records?$', checked.stdout.decode().strip())
    expect([int(number) for number in sizes.groups()] == [len(text) // corpus.size, len(corpus.records)], *what, checked.stdout)
    told = [line.split(b'\t') for line in sufsort('info', 'c').stdout.splitlines() if line.startswith(b'record\t')]
    expect(told == [[b'record', name.encode(), b'%d' % start, b'%d' % len(record)]
                    for name, start, record in zip(corpus.names, starts, corpus.records)], *what, 'info', told)
    for _ in range(3):
        try_pattern(chance, what, corpus, sample)
    try_unique(chance, what, corpus, sample)
    if sample == 1:
        try_repeats(chance, what, corpus)
    try_duplicates(chance, what, corpus)
    try_infini_gram(chance, what, corpus)
    damage(chance, what, len(text))


def places(corpus, pattern):
    return [(r, i) for r, record in enumerate(corpus.records) for i in range(len(record) - len(pattern) + 1)
            if record[i:i + len(pattern)] == pattern]


def try_pattern(chance, what, corpus, sample):
    longest = max(corpus.records, key=len)
    begin = chance.randrange(len(longest) + 1)
    pattern = longest[begin:begin + chance.randint(1, 8)]
    if not pattern or chance.random() < 0.2:
        pattern = corpus.random_pattern(chance)
    hits = places(corpus, pattern)
    told, words = corpus.spell(chance, pattern)
    words = list(words)
    by_file = chance.random() < 0.5
    if by_file:
        open('patterns', 'wb').write(told + b'\n')
        words += ['-f', 'patterns']
    else:
        words += ['--', told]
    counted = sufsort('count', 'c', *words)
    if len(pattern) < sample:
        if not by_file:
            expect(counted.returncode == 2, *what, pattern, 'found in spite of left out rows')
        return
    name = printable(told)
    expect(counted.stdout == b'%s\t%d\n' % (name, len(hits)), *what, pattern, counted.stdout, counted.stderr)
    context = chance.choice([0, 3])
    located = sufsort('locate', 'c', '--limit', '0', '--context', str(context), *words)
    right = b''
    for r, i in hits:
        right += b'%s\t%d\t%s\t%d\t+' % (name, len(hits), corpus.names[r].encode(), i)
        if context:
            record, end = corpus.records[r], i + len(pattern)
            for side in record[max(0, i - context):i], record[end:end + context]:
                right += b'\t' + (corpus.printable(side) or b'.')
        right += b'\n'
    if not hits:
        right = name + b'\t0\t.\t.\t.' + b'\t.\t.' * (context != 0) + b'\n'
    expect(located.stdout == right, *what, pattern, located.stdout, located.stderr, right)


def try_unique(chance, what, corpus, sample):
    length = chance.randint(1, 5)
    told = sufsort('unique', 'c', '-k', str(length))
    if sample != 1:
        expect(told.returncode == 2 and b'rows are left out' in told.stderr, *what, 'unique of a sample')
        return
    words = [record[i:i + length] for record in corpus.records for i in range(len(record) - length + 1)]
    right = {(name, i): words.count(record[i:i + length])
             for name, record in zip(corpus.names, corpus.records) for i in range(len(record) - length + 1)}
    found = {}
    for line in told.stdout.decode().splitlines():
        name, begin, end, count = line.split('\t')
        found.update({(name, at): int(count) for at in range(int(begin), int(end))})
    expect(found == right and not told.stderr, *what, 'unique', length, found, right, told.stderr)


def try_repeats(chance, what, corpus):
    """Maximal repeats are what maximal pairs have in common. The ends of records are like no others."""
    least = chance.randint(1, 6)
    alone = iter(range(10 ** 9, 2 * 10 ** 9))
    text, where = [next(alone)], [None]
    for name, record in zip(corpus.names, corpus.records):
        text += [*record, next(alone)]
        where += [(corpus.names.index(name), i) for i in range(len(record))] + [None]
    pairs, words = [], {}
    row = [0] * (len(text) + 1)  # symbols that two places have in common, from the last place on
    for p in reversed(range(len(text))):
        last, row = row, [0] * (len(text) + 1)
        for q in range(p + 1, len(text)):
            if text[p] == text[q]:
                row[q] = last[q + 1] + 1
                if row[q] >= least and text[p - 1] != text[q - 1]:
                    pairs.append((where[p], where[q], row[q]))
                    words.setdefault(tuple(text[p:p + row[q]]), set())
    for word in words:
        words[word] = sorted(where[p] for p in range(len(text)) if tuple(text[p:p + len(word)]) == word)
    told = sufsort('repeats', 'c', '-l', str(least), '--limit', '0', '--pairs')
    number = {name: r for r, name in enumerate(corpus.names)}
    found = []
    for line in told.stdout.decode().splitlines():
        c = line.split('\t')
        found.append(((number[c[0]], int(c[1])), (number[c[3]], int(c[4])), int(c[6])))
    expect(sorted(found) == sorted(pairs), *what, 'pairs', least, sorted(found), sorted(pairs), told.stderr)
    told = sufsort('repeats', 'c', '-l', str(least), '--limit', '0')
    found = {}
    for line in told.stdout.decode().splitlines():
        repeat, length, count, name, offset, strand = line.split('\t')
        found.setdefault((int(repeat), int(length), int(count)), []).append((number[name], int(offset)))
    expect(sorted((length, count, at) for (_, length, count), at in found.items()) ==
           sorted((len(word), len(at), at) for word, at in words.items()), *what, 'repeats', least, found, words, told.stderr)


def without(line, ranges):
    """A line of JSONL, as Corpus makes it, without some bytes of its string."""
    begin = line.index(b'"a": {"b": "') + len(b'"a": {"b": "')
    end = line.rindex(b'", "c": "}"}')
    text, at = '', 0
    for one in re.findall(r'\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]', line[begin:end].decode(), re.S):
        if not any(first <= at < last for first, last in ranges):
            text += one
        at += len(json.loads(f'"{one}"').encode())
    return line[:begin] + text.encode() + line[end:]


def annotated(line, ranges):
    return line[:-1] + b',"duplicate_ranges":' + json.dumps(ranges, separators=(',', ':')).encode() + b'}'


def strings(records, length):
    seen = {}
    for r, record in enumerate(records):
        for i in range(len(record) - length + 1):
            seen.setdefault(record[i:i + length], []).append((r, i))
    return seen


def try_duplicates(chance, what, corpus):
    """A residue is in a range if it is in a string of K residues that occurs elsewhere, or before."""
    length, keep = chance.randint(1, 8), chance.choice(['first', 'none', 'longest', 'best'])
    sources = chance.sample(corpus.files, chance.randint(1, len(corpus.files)))
    utf8 = corpus.size == 1 and chance.random() < 0.3
    form = chance.choice(['tsv', 'jsonl', 'pairs', 'text', 'annotated'])
    scope = chance.choice(['', '', '--within', '--across', '--against'])
    words, other = [scope] if scope else [], []
    if scope == '--against':
        other = [record[:chance.randint(0, len(record))] for record in corpus.records if chance.random() < 0.5]
        other.append(corpus.records[0][:0])
        joined = b''.join(map(corpus.data, other))
        open('other.bin', 'wb').write(joined)
        open('other.lengths', 'w').write('\n'.join(str(len(record)) for record in other))
        built = sufsort('build', 'other.bin', '-o', 'o', '--format', {1: 'bytes', 2: 'u16', 4: 'u32'}[corpus.size],
                        '--lengths', 'other.lengths')
        expect(built.returncode == 0, *what, 'other', built.stderr)
        words.append('o')
    index = chance.choice('cd')
    if index == 'd':
        built = sufsort('build', *corpus.files, '-o', 'd', '--text-only', *corpus.options())
        expect(built.returncode == 0, *what, 'a text', built.stderr)
        for array in ('seq', 'starts'):
            expect(open(f'd.{array}', 'rb').read() == open(f'c.{array}', 'rb').read(), *what, 'a text', array)
    told = sufsort('duplicates', index, '-l', str(length), '--keep', keep, '--format', form, *words,
                   *[f'--sources={",".join(sources)}'] * (keep == 'best'), *['--utf-8'] * utf8,
                   *['--resume', 'kept'] * (chance.random() < 0.5))
    jsonl = corpus.format == 'jsonl'
    if form == 'annotated' and not jsonl:
        expect(told.returncode == 2 and b'no JSONL' in told.stderr, *what, 'lists of no JSONL')
        return
    utf8 |= jsonl and form in ('text', 'annotated')
    def order(r, i):
        file = corpus.names[r].rsplit(':', 1)[0]
        rank = sources.index(file) if file in sources else len(sources)
        return ({'longest': -len(corpus.records[r]), 'best': rank}.get(keep, 0), r, i)

    copies, others = [[False] * len(record) for record in corpus.records], strings(other, length)
    for word, at in strings(corpus.records, length).items():
        for r, i in at:
            rest = [(q, k) for q, k in at if (q, k) != (r, i) and (keep == 'none' or order(q, k) < order(r, i))]
            if scope in ('--within', '--across'):
                rest = [(q, k) for q, k in rest if (q == r) == (scope == '--within')]
            if (word in others) if scope == '--against' else rest:
                copies[r][i:i + length] = [True] * length
    ranges = []
    for r, marks in enumerate(copies):
        i = 0
        while i < len(marks):
            end = i
            while end < len(marks) and marks[end]:
                end += 1
            if end != i:
                record, begin, stop = corpus.records[r], i, end
                if utf8:
                    while begin < stop and record[begin] & 0xc0 == 0x80:
                        begin += 1
                    while begin < stop and stop < len(record) and record[stop] & 0xc0 == 0x80:
                        stop -= 1
                if begin != stop:
                    ranges.append((r, begin, stop))
            i = end + 1
    if form == 'tsv':
        right = b''.join(b'%s\t%d\t%d\n' % (corpus.names[r].encode(), begin, end) for r, begin, end in ranges)
    elif form == 'jsonl':
        right = b''.join(b'{"record":"%s","begin":%d,"end":%d}\n' % (corpus.names[r].encode(), begin, end)
                         for r, begin, end in ranges)
    elif form == 'pairs':
        starts = [sum(map(len, corpus.records[:r])) for r in range(len(corpus.records))]
        right = b''.join((starts[r] + p).to_bytes(8, 'little') for r, *range_ in ranges for p in range_)
    elif jsonl:
        change = without if form == 'text' else annotated
        right = b''.join((change(line, [range_ for q, *range_ in ranges if q == r]) if line.strip() else line) + b'\n'
                         for r, line in enumerate(corpus.lines))
    else:
        kept = [list(record) for record in corpus.records]
        for r, begin, end in ranges:
            kept[r][begin:end] = [None] * (end - begin)
        right = b''.join(corpus.data(type(corpus.records[0])(x for x in record if x is not None)) + corpus.ends for record in kept)
    expect(told.stdout == right and told.returncode == 0, *what, 'duplicates', length, keep, scope, other, form, utf8, told.stdout,
           right, told.stderr)


def try_infini_gram(chance, what, corpus):
    """Raw bytes of records behind tokens of all ones, and the positions of tokens in the order of what follows in the shard."""
    size, limit = corpus.size, chance.choice([None, None, 1, 60, 200])
    ones = b'\xff' * size
    shutil.rmtree('g', ignore_errors=True)
    told = sufsort('export', 'c', '--format', 'infini-gram', '-o', 'g', *['--shard-size', str(limit)] * (limit is not None))
    records = [corpus.data(record) for record in corpus.records]
    if any(record[at:at + size] == ones for record in records for at in range(0, len(record), size)):
        expect(told.returncode == 2 and (b'holds the byte 255' if corpus.size == 1 else b'holds the token') in told.stderr, *what, 'all ones', told.stderr)
        return
    expect(told.returncode == 0, *what, 'infini-gram', told.stderr)
    shards = [[]]
    for record in records:
        if shards[-1] and limit is not None and sum(map(len, shards[-1])) + size + len(record) > limit:
            shards.append([])
        shards[-1].append(ones + record)
    for k, shard in enumerate(shards):
        data = b''.join(shard)
        expect(open(f'g/tokenized.{k}', 'rb').read() == data, *what, 'tokenized', k, limit)
        expect(entries(f'g/offset.{k}', 8) == [sum(map(len, shard[:r])) for r in range(len(shard))], *what, 'offset', k, limit)
        bytes_ = next(b for b in range(1, 9) if 256 ** b >= len(data))
        order = sorted(range(0, len(data), size), key=lambda p: data[p:])
        expect(entries(f'g/table.{k}', bytes_) == order, *what, 'table', k, limit)


def damage(chance, what, n):
    if n == 0:
        return
    data = bytearray(open('c.seq', 'rb').read())
    data[chance.randrange(n)] ^= 1 << chance.randrange(8)
    open('c.seq', 'wb').write(data)
    expect(sufsort('check', 'c').returncode == 1, *what, 'another byte')


def main(words):
    for number in range(int(words[2])):
        one_random(random.Random(f'{words[1]} {number}'), number)


if __name__ == '__main__':
    main(sys.argv[1:])
