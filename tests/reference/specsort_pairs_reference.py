#!/usr/bin/env python3
"""All pairs of similar spectra by brute force, as matchms's CosineGreedy and ModifiedCosineGreedy score them, for tests.

  specsort_pairs_reference.py random SEED CASES [matchms] [OPTION...]   specsort on random spectra, with these options, against
                                                                       that; with matchms, which has to be installed, as well
"""
import math
import random
import subprocess
import sys


def matches(a, b, far, shift):
    return [(x * y, i, j) for i, (m, x) in enumerate(a) for j, (n, y) in enumerate(b)
            if not (n + shift > m + far(m) or n + shift < m - far(m))]


def score(a, b, far, shift):
    """Returns the cosine and the number of matches; a shift of None is the plain cosine."""
    found = matches(a, b, far, 0.0)
    if shift is not None:
        found += matches(a, b, far, shift)
    order = sorted(range(len(found)), key=lambda k: found[k][0])[::-1]  # of equal products the last one first
    used, total, count = (set(), set()), 0.0, 0
    for k in order:
        product, i, j = found[k]
        if i not in used[0] and j not in used[1]:
            used[0].add(i), used[1].add(j)
            total, count = total + product, count + 1
    norm = math.sqrt(sum(x * x for _, x in a)) * math.sqrt(sum(y * y for _, y in b))
    return (total / norm if norm else 0.0), count


def distance(value, ppm):
    return lambda mz: mz * value * 1e-6 if ppm else value


def pairs(spectra, precursor, least, peaks, modified):
    """spectra: (precursor or None, peaks). precursor: (value, is ppm), or None for any."""
    far, found = distance(*peaks), {}
    ordered = [sorted(one[1], key=lambda peak: peak[0]) for one in spectra]
    for i, (p, _) in enumerate(spectra):
        for j in range(i + 1, len(spectra)):
            q = spectra[j][0]
            if (precursor or modified) and (p is None or q is None):
                continue
            if precursor and abs(p - q) > distance(*precursor)(p) * (1 + 1e-12) + 1e-12 * bool(precursor[0]):
                continue
            shift = p - q if modified and abs(p - q) > far(p) else None
            cosine, count = score(ordered[i], ordered[j], far, shift)
            if cosine >= least - 1e-9:
                found[i + 1, j + 1] = cosine, count
    return found


def made(r):
    """Returns spectra, many of which are like others, and the lines of MGF."""
    spectra, text = [], ''
    for number in range(r.choice((0, 1, 2, 12, 30, 60))):
        if spectra and r.random() < 0.5:
            precursor, peaks = r.choice(spectra)
            move = r.choice((0.0, 0.0, 14.0, -0.25))
            peaks = [(m + r.choice((0, 0, 0.03125, move)), x * r.choice((1, 1, 2))) for m, x in peaks]
            precursor = precursor and precursor + r.choice((0.0, 0.0078125, move, 0.25))
        else:
            precursor = r.choice((None, 400.0, 500.0, 500.0078125, 514.0, 700.0))
            peaks = [(r.choice((100.0, 100.5, 100.03125, 101.0, float(r.randrange(100, 130)))),
                      r.choice((0.0, 1.0, 2.0, 0.1, 3.7, 250.0))) for _ in range(r.choice((0, 1, 4, 8, 20)))]
        spectra.append((precursor, peaks))
        text += f'BEGIN IONS\nTITLE={number}\n' + (f'PEPMASS={precursor}\n' if precursor else r.choice(('', 'PEPMASS=0\n')))
        text += ''.join(f'{m} {x}\n' for m, x in peaks) + 'END IONS\n'
    return spectra, text


def compare_matchms(spectra, peak, modified):
    """Compares the scores of all pairs with those of matchms, which knows no tolerance in ppm. Returns their number."""
    import logging
    import numpy
    from matchms import Spectrum
    from matchms.similarity import CosineGreedy, ModifiedCosineGreedy
    logging.getLogger('matchms').setLevel(logging.ERROR)
    measure = (ModifiedCosineGreedy if modified else CosineGreedy)(tolerance=peak[0])
    ordered = [(p, sorted(peaks, key=lambda one: one[0])) for p, peaks in spectra
               if any(x for _, x in peaks) and (p or not modified)]
    theirs = [Spectrum(numpy.array([m for m, _ in peaks]), numpy.array([x for _, x in peaks]), {'precursor_mz': p} if p else {})
              for p, peaks in ordered]
    compared = 0
    for i, (p, a) in enumerate(ordered):
        for j in range(i + 1, len(ordered)):
            q, b = ordered[j]
            shift = p - q if modified and abs(p - q) > peak[0] else None
            own, found = score(a, b, distance(*peak), shift), measure.pair(theirs[i], theirs[j])
            assert abs(own[0] - float(found['score'])) < 1e-12 and own[1] == int(found['matches']), (p, a, q, b, own, found)
            compared += 1
    return compared


def compare(case, r, with_matchms, options):
    """Returns the numbers of pairs that are similar, and of those that matchms scored."""
    spectra, text = made(r)
    precursor = r.choice((None, (0.0, False), (0.25, False), (15.625, True), (200.0, False)))
    least = r.choice((0.01, 0.3, 0.7, 0.95))
    peak = r.choice(((0.0, False), (0.03125, False), (0.5, False), (1.0, False), (312.5, True)))
    modified = r.random() < 0.5
    want = pairs(spectra, precursor, least, peak, modified)
    with open('random.mgf', 'w') as file:
        file.write(text)
    unit = lambda value: f'{value[0]}{"ppm" * value[1]}'
    similar = f'--similar={unit(precursor) if precursor else "any"},{least},{unit(peak)}'
    command = ['specsort', 'random.mgf', '--pairs=-', similar, *['--analogues'] * modified, *options]
    outputs = [subprocess.run([*command, '--threads', threads], capture_output=True, text=True, check=True).stdout
               for threads in ('1', '3')]
    assert outputs[0] == outputs[1], case
    rows = [line.split('\t') for line in outputs[0].splitlines()[1:]]
    got = {(int(row[0]), int(row[1])): (float(row[4]), int(row[8])) for row in rows}
    assert list(got) == sorted(got), (case, 'order')
    for pair in want.keys() | got.keys():
        if pair not in got or pair not in want:
            assert abs((got.get(pair) or want[pair])[0] - least) < 1e-9, (case, command, pair, got.get(pair), want.get(pair))
        else:
            is_same = abs(got[pair][0] - want[pair][0]) < 1e-12 and got[pair][1] == want[pair][1]
            assert is_same, (case, pair, got[pair], want[pair])
    return len(got), compare_matchms(spectra, peak, modified) if with_matchms and not peak[1] else 0


def main():
    if sys.argv[1:2] != ['random'] or len(sys.argv) < 4:
        sys.exit(__doc__)
    seed, cases, options = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    with_matchms = options[:1] == ['matchms']
    r = random.Random(seed)
    counts = [compare(case, r, with_matchms, options[with_matchms:]) for case in range(cases)]
    print(f'{cases} sets: {sum(one[0] for one in counts)} pairs as by brute force'
          + f'; {sum(one[1] for one in counts)} scores as those of matchms' * with_matchms)


if __name__ == '__main__':
    main()
