#!/usr/bin/env python3
"""Indexes of many alike genomes beside those of ropebwt3 3.10 and newer (in PATH), byte for byte, for tests.

  run_index_reference.py SEED CASES       .fmd, .fmr, .fmd.ssa and `add`, of random files of FASTA
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile


def run(*words):
    done = subprocess.run(words, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f'{words}: status {done.returncode}: {done.stderr}')


def letters(rng, n, alphabet):
    return ''.join(rng.choice(alphabet) for _ in range(n))


def changed(rng, text, rate, alphabet):
    """A copy of text with substitutions, and with some letters left out and put in."""
    copy = []
    for letter in text:
        x = rng.random()
        if x < rate:
            copy.append(rng.choice(alphabet))
        elif x < 1.2 * rate:
            continue
        elif x < 1.4 * rate:
            copy += [letter, rng.choice(alphabet)]
        else:
            copy.append(letter)
    return ''.join(copy)


def a_set(rng):
    """The records of each file of a random set."""
    alphabet = rng.choice(['ACGT', 'ACGT', 'ACGT', 'ACGTN', 'A', 'AT', 'ACGTacgtnRYKMSWBDHV'])
    length = rng.choice([1, 2, 5, 30, 62, 63, 64, 65, 200, 700, 3000])
    ancestor = letters(rng, rng.randint(1, length), alphabet)
    if rng.random() < 0.2:  # a tandem repeat
        unit = letters(rng, rng.randint(1, 9), alphabet)
        ancestor = (unit * (length // len(unit) + 1))[:length]
    if rng.random() < 0.15:  # a run of N
        at = rng.randrange(len(ancestor))
        ancestor = ancestor[:at] + 'N' * rng.randint(1, 80) + ancestor[at:]
    rate = rng.choice([0, 0, 0.001, 0.01, 0.1, 1])
    files = []
    for _ in range(rng.randint(1, 6)):
        records = []
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            record = changed(rng, ancestor, rate, alphabet)
            if rng.random() < 0.15:
                record = letters(rng, rng.randint(1, length), alphabet)
            if rng.random() < 0.2:
                record = record[rng.randrange(len(record)) if record else 0:]
            records.append(record or rng.choice(alphabet))
        if rng.random() < 0.1:
            records.append(records[0])
        files.append(records)
    return files


def fasta(rng, path, records, first):
    width = rng.choice([1, 10, 60, 80, 10 ** 6])
    with open(path, 'w') as out:
        for i, record in enumerate(records):
            out.write(f'>r{first + i} of a set\n')
            out.writelines(record[at:at + width] + '\n' for at in range(0, len(record), width))


def same(case, ours, theirs):
    with open(ours, 'rb') as a, open(theirs, 'rb') as b:
        if a.read() != b.read():
            raise SystemExit(f'WRONG: case {case}: {ours} is not {theirs} in {os.getcwd()}')


def check(case, rng):
    files, names, count = a_set(rng), [], 0
    for i, records in enumerate(files):
        names.append(f'{i}.fa')
        fasta(rng, names[-1], records, count)
        count += len(records)
    with open('all.fa', 'wb') as out:
        for name in names:
            out.write(open(name, 'rb').read())
    run('ropebwt3', 'build', '-t1', '-do', 'theirs.fmd', 'all.fa')
    run('ropebwt3', 'ssa', '-t1', '-o', 'theirs.ssa', 'theirs.fmd')
    some = rng.randint(1, len(names))
    run('sufsort', 'aligner-index', '--for=ropebwt3', '--ssa', *names[:some], '-o', 'ours')
    if names[some:]:
        run('sufsort', 'add', 'ours.fmd', *names[some:], '--ssa')
    same(case, 'ours.fmd', 'theirs.fmd')
    same(case, 'ours.fmd.ssa', 'theirs.ssa')
    if rng.random() < 0.2:
        run('ropebwt3', 'build', '-t1', '-bo', 'theirs.fmr', 'all.fa')
        run('sufsort', 'aligner-index', '--for=ropebwt3-fmr', *names, '-o', 'ours')
        same(case, 'ours.fmr', 'theirs.fmr')
    if rng.random() < 0.2:
        run('sufsort', 'check', 'ours.fmd', *names)
    for name in os.listdir('.'):
        os.remove(name)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for program in ['sufsort', 'ropebwt3']:
        if not shutil.which(program):
            raise SystemExit(f'run_index_reference.py: {program} is not in PATH')
    seed, cases = int(sys.argv[1]), int(sys.argv[2])
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    for case in range(cases):
        check(f'{case} of seed {seed}', random.Random(f'{seed} {case}'))
    os.chdir('/')
    shutil.rmtree(folder)
    print(f'{cases} sets: the bytes of ropebwt3')


main()
