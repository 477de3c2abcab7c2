# specsort --pairs and --clusters, against a brute force in plain Python that follows matchms's CosineGreedy.
. "$ORDO_SOURCE/tests/cli/lib.sh"

spectrum() { printf "BEGIN IONS\nTITLE=$1\nPEPMASS=$2\n$3\nEND IONS\n"; }
titles() { sed -n 's/^TITLE=//p' "$@" | tr '\n' ' '; }
edges() { sed 1d "$@" | cut -f 1,2,5,9 | tr '\t\n' ', '; }
columns=$'CLUSTERID1\tCLUSTERID2\tDeltaMZ\tMEH\tCosine\tOtherScore\tComponentIndex\tEdgeAnnotation\tMatchedPeaks'

# Bounds are included: of precursors and of the cosine, which is 0.6 for b. Spectra without intensities are similar to none.
{
  spectrum a 500 '100 3\n200 4'; spectrum b 500.01 '100 7'; spectrum c 500 '200 8\n100 6'; spectrum 'd&<' 600 '100 3\n200 4'
  spectrum e 500 '100 0\n200 0'; spectrum f 500 ''; spectrum g 0 '100 3\n200 4'
} > in.mgf
expect 0 specsort in.mgf --pairs=out.tsv --similar=20ppm,0.6
[[ $(head -1 out.tsv) == "$columns" && $(edges out.tsv) == '1,2,0.6,1 1,3,1,2 2,3,0.6,1 ' ]] || fail "pairs: $(< out.tsv)"
[[ ! -s out && $(sed -n '2s/.*/&|/p' out.tsv | cut -f 3,4,6-8) == $'-0.009999999999990905\t\t\t1\t' ]] || fail "a row: $(< out.tsv)"
expect 0 specsort in.mgf --pairs=- --similar=20ppm,0.61; [[ $(edges out) == '1,3,1,2 ' ]] || fail "above 0.6: $(< out)"
expect 0 specsort in.mgf --pairs=- --similar=any,1
[[ $(edges out) == '1,3,1,2 1,4,1,2 1,7,1,2 3,4,1,2 3,7,1,2 4,7,1,2 ' ]] || fail "any precursor: $(< out)"
# Of the spectra that are chosen, of the peaks that are kept, of several inputs.
expect 0 specsort in.mgf in.mgf --pairs=- --title '[!b]' --similar=0,1 --quiet; [[ $(edges out) == '' ]] || fail "chosen: $(< out)"
expect 0 specsort in.mgf in.mgf --pairs=- --title '?' --min-peaks=1 --drop-zero --top=1 --similar=0,1
[[ $(edges out) == '1,3,1,1 1,5,1,1 1,7,1,1 2,6,1,1 3,5,1,1 3,7,1,1 5,7,1,1 ' ]] || fail "kept: $(edges out)"
# As GraphML, which names each spectrum, with spectra of clusters; compressed.
expect 0 specsort in.mgf --pairs=out.graphml.gz --similar=20ppm,0.6 --clusters=greedy
gzip -dc out.graphml.gz > out.graphml
grep -q '<node id="4"><data key="title">d&amp;&lt;</data><data key="input">in.mgf</data><data key="number">4</data><data key="componentindex">-1</data><data key="cluster">4</data><data key="precursor_mz">600</data></node>' out.graphml || fail "a node: $(< out.graphml)"
grep -q '<edge source="1" target="2"><data key="cosine_score">0.6</data>.*<data key="matched_peaks">1</data></edge>' out.graphml || fail "an edge: $(< out.graphml)"
if [[ $(command -v python3) ]]; then python3 -c 'import xml.dom.minidom as x; assert len(x.parse("out.graphml").getElementsByTagName("node")) == 7'; fi

# The modified cosine: all peaks are shifted by the difference of the precursors.
{ spectrum a 500 '100 3\n200 4'; spectrum b 514 '114 3\n214 4'; spectrum c 528 '100 3\n228 4'; } > analogues.mgf
expect 0 specsort analogues.mgf --pairs=- --similar=any,0.1; [[ $(edges out) == '1,3,0.36,1 ' ]] || fail "plain: $(< out)"
expect 0 specsort analogues.mgf --pairs=- --similar=100,0.1 --analogues
[[ $(edges out) == '1,2,1,2 1,3,1,2 2,3,0.64,1 ' ]] || fail "analogues: $(< out)"
expect 0 specsort analogues.mgf --pairs=- --similar=20,0.1 --analogues; [[ $(edges out) == '1,2,1,2 2,3,0.64,1 ' ]] || fail "near: $(< out)"

# Clusters: chains are connected; greedy ones are not. One of each stays as it is, or one is made of all.
chain() { spectrum a 500 '100 10\n200 1'; spectrum b 500 '100 10\n200 6'; spectrum c 500 '100 10\n200 15'; spectrum x 700 '1 1'; spectrum d 500 '200 5\n100 1'; }
chain > chain.mgf
expect 0 specsort chain.mgf --pairs=- --similar=0,0.85; [[ $(cut -f 1,2 out | sed 1d | tr '\t\n' ', ') == '1,2 2,3 3,5 ' ]] || fail "chain: $(< out)"
expect 0 specsort chain.mgf --clusters --similar=0,0.85; [[ $(titles out) == 'c x ' ]] || fail "connected: $(titles out)"
expect 0 specsort chain.mgf --clusters=greedy --similar=0,0.85; [[ $(titles out) == 'b x d ' ]] || fail "greedy: $(titles out)"
expect 0 specsort chain.mgf --clusters=greedy --similar=0,0.85 --map=map.tsv -o out.mgf
[[ $(grep -c -- '--clusters greedy$' map.tsv) == 2 && $(titles out.mgf) == 'b x d ' ]] || fail "--map: $(< map.tsv)"
expect 0 specsort chain.mgf --clusters --pairs=both.tsv --similar=0,0.85 --spectra-by pepmass --descending-spectra -o out.mgf
[[ $(titles out.mgf) == 'x c ' && $(sed -n 4p both.tsv | cut -f 7,10,11) == $'1\t3\t3' ]] || fail "both: $(< both.tsv)"
expect 0 specsort chain.mgf --clusters=connected,consensus --similar=0,0.85
[[ $(titles out) == 'c x ' ]] && grep -q '^100 ' out && grep -q '^1 1$' out || fail "consensus: $(< out)"
{ spectrum a 500 '100 3\n200 4\n300.5 1e-3'; spectrum b 500 '100.02 30\n200 40'; spectrum c 500 '100.01 3\n200 4'; } > same.mgf
expect 0 specsort same.mgf --clusters=greedy,consensus --quiet --to msp
grep -q '^Num Peaks: 2$' out && grep -q '^100.01[ 	]3$' out && grep -q '^200[ 	]4$' out || fail "of three: $(< out)"
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
expect 0 specsort run.mzML run.mzML --clusters --similar=20ppm,0.99 --to=mzml -o out.mzML
grep -q '<spectrumList count="2[0-5]"' out.mzML || fail "of mzML: $(grep '<spectrumList' out.mzML)"
expect 0 specsort - --pairs=- < chain.mgf

expect 0 specsort chain.mgf --clusters --explain; grep -q -- '--clusters connected' out || fail "--explain: $(< out)"
for bad in --similar=20ppm,0.7 --analogues '--pairs=x.csv' '--pairs=' '--pairs=a.tsv --similar=1' '--pairs=a.tsv --similar=1,0' \
    '--pairs=a.tsv --similar=x,1' '--pairs=a.tsv --similar=1,1.1' '--pairs=a.tsv --similar=1,1,1,1' '--pairs=a.tsv --similar=any,nan' \
    '--pairs=a.tsv --check' '--pairs=a.tsv --summary' '--pairs=a.tsv --out-dir=d' '--pairs=- -o -' '--clusters=some' \
    '--clusters --unique-spectra' '--clusters=greedy,consensus --map=m' '--clusters=greedy,consensus --to=mzml' \
    '--pairs=a.tsv --memory=1' '--pairs=a.tsv --similar=1,1,600000ppm' '--pairs=chain.mgf' '--pairs=a.tsv -o a.tsv'; do
  # shellcheck disable=SC2086
  expect_error specsort chain.mgf $bad
  [[ ! -e a.tsv && ! -e m && ! -e d ]] || fail "something is left of $bad"
done
expect_error specsort - --clusters < chain.mgf
grep -q 'need a file' err || fail "a stream: $(< err)"

if [[ $(command -v python3) ]]; then
  cat > brute_force.py << 'END'
"""All pairs of similar spectra by brute force, as matchms's CosineGreedy and ModifiedCosineGreedy score them."""
import math


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
END
  python3 - << 'END'
import random
import subprocess

import brute_force

r = random.Random(11)
for case in range(50):
    spectra, text = [], ''
    for number in range(r.choice((0, 1, 2, 12, 30, 60))):
        if spectra and r.random() < 0.5:
            precursor, peaks = r.choice(spectra)
            move = r.choice((0.0, 0.0, 14.0, -0.25))
            peaks = [(m + r.choice((0, 0, 0.03125, move)), x * r.choice((1, 1, 2))) for m, x in peaks]
            precursor = precursor and precursor + r.choice((0.0, 0.0078125, move, 0.25))
        else:
            precursor = r.choice((None, 400.0, 500.0, 500.0078125, 514.0, 700.0))
            peaks = [(r.choice((100.0, 100.5, 100.03125, 101.0, float(r.randrange(100, 130)))), r.choice((0.0, 1.0, 2.0, 0.1, 3.7, 250.0)))
                     for _ in range(r.choice((0, 1, 4, 8, 20)))]
        spectra.append((precursor, peaks))
        text += f'BEGIN IONS\nTITLE={number}\n' + (f'PEPMASS={precursor}\n' if precursor else r.choice(('', 'PEPMASS=0\n')))
        text += ''.join(f'{m} {x}\n' for m, x in peaks) + 'END IONS\n'
    precursor = r.choice((None, (0.0, False), (0.25, False), (15.625, True), (200.0, False)))
    least, peak = r.choice((0.01, 0.3, 0.7, 0.95)), r.choice(((0.0, False), (0.03125, False), (0.5, False), (1.0, False), (312.5, True)))
    modified = r.random() < 0.5
    want = brute_force.pairs(spectra, precursor, least, peak, modified)
    open('random.mgf', 'w').write(text)
    unit = lambda value: f'{value[0]}{"ppm" * value[1]}'
    similar = f'--similar={unit(precursor) if precursor else "any"},{least},{unit(peak)}'
    outputs = [subprocess.run(['specsort', 'random.mgf', '--pairs=-', similar, *['--analogues'] * modified, '--threads', threads],
                              capture_output=True, text=True, check=True).stdout for threads in ('1', '3')]
    assert outputs[0] == outputs[1], case
    rows = [line.split('\t') for line in outputs[0].splitlines()[1:]]
    got = {(int(row[0]), int(row[1])): (float(row[4]), int(row[8])) for row in rows}
    assert list(got) == sorted(got), (case, 'order')
    for pair in want.keys() | got.keys():
        if pair not in got or pair not in want:
            assert abs((got.get(pair) or want[pair])[0] - least) < 1e-9, (case, similar, modified, pair, got.get(pair), want.get(pair))
        else:
            assert abs(got[pair][0] - want[pair][0]) < 1e-12 and got[pair][1] == want[pair][1], (case, pair, got[pair], want[pair])
END
fi
no_leftovers
