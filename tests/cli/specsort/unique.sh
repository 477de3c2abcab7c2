# specsort --unique-spectra, against a reference in plain Python.
. "$ORDO_SOURCE/tests/cli/lib.sh"

peaks='100 1\n200.5 2\n300 3'
{
  printf "BEGIN IONS\nTITLE=a\nPEPMASS=500\nCHARGE=2+\n$peaks\nEND IONS\n"
  printf "BEGIN IONS\nTITLE=b\nPEPMASS=500\nCHARGE=2+\n300 3\n100 1\n200.5 2\nEND IONS\n"
  printf "BEGIN IONS\nTITLE=c\nPEPMASS=500\nCHARGE=3+\n$peaks\nEND IONS\n"
  printf "BEGIN IONS\nTITLE=d\nPEPMASS=500.005\nCHARGE=2+\n100.01 1\n200.5 2\n300 3.1\nEND IONS\n"
  printf "BEGIN IONS\nTITLE=e\nPEPMASS=501\nCHARGE=2+\n$peaks\nEND IONS\n"
  printf "BEGIN IONS\nTITLE=f\n$peaks\nEND IONS\nBEGIN IONS\nTITLE=g\n$peaks\nEND IONS\n"
} > in.mgf
titles() { sed -n 's/^TITLE=//p' "$@" | tr '\n' ' '; }
while read -r value want; do
  expect 0 specsort in.mgf "--unique-spectra${value#-}"
  [[ $(titles out) == "$want " ]] || fail "$value: $(titles out)"
done << 'END'
- a c d e f
=identical a c d e f
=0.01,0.99 a c e f g
=20ppm,0.99 a c e f g
=5ppm,0.99 a c d e f g
=1Da,0.99 a c f g
=0.01,0.99,0.001 a c d e f g
=0.01,0.5,10ppm a c e f g
END
# Equal peaks have a cosine of 1, whatever the sums are rounded to, and so have multiples. Bounds are included: of precursors, of
# peaks and of the cosine, which is 0.6 for c. Intensities may be all 0, missing, or too large or small to be squared.
spectrum() { printf "BEGIN IONS\nTITLE=$1\nPEPMASS=$2\n$3\nEND IONS\n"; }
bounds() {
  expect 0 specsort bounds.mgf "--unique-spectra=$1" --quiet
  [[ $(titles out) == "$2 " ]] || fail "at a bound: $1: $(titles out)"
}
third='100.1 0.1\n200.2 0.7\n300.3 1685860.2\n400.4 35.01\n'
{ spectrum a 500 "$third"; spectrum b 500 "$third"; spectrum c 500 "$(sed 's/35.01/80/' <<< "$third")"; } > bounds.mgf
bounds 20ppm,1 'a c'
{ spectrum a 500 '100 3\n200 4'; spectrum b 500.02 '100.05 7'; spectrum c 500 '100 21'; spectrum d 500 '200 0.3\n100 0.225'; } > bounds.mgf
bounds 0.02,0.6 'a'
bounds 0.02,1 'a b'
bounds 0.019,1,0.06 'a b c'
bounds 40ppm,1,0.049 'a b c'
bounds 39ppm,0.6 'a b'
bounds 0.02Da,0.6,500ppm 'a'
bounds 0.02Da,0.6,499ppm 'a b'
for peaks in '100 0\n200 0' '100\n200' '100 1e300\n200 3e300' '100 1e-300\n200 3e-300' '100 1e-320' '100 7' '100 inf' ''; do
  { spectrum a 500 "$peaks"; spectrum b 500 "$peaks"; } > bounds.mgf
  expect 0 specsort bounds.mgf --unique-spectra=0,1 --lenient --quiet
  [[ $(titles out) == 'a ' ]] || fail "twice '$peaks': $(titles out)"
done
# Each spectrum of a library is found again.
expect 0 specsort "$ORDO_SOURCE/datasets/samples/massbank_cc0.mgf.gz" "$ORDO_SOURCE/datasets/samples/massbank_cc0.mgf.gz" --unique-spectra=20ppm,1 --quiet
[[ $(grep -c 'BEGIN IONS' out) -le 368 ]] || fail "identical spectra are kept: $(grep -c 'BEGIN IONS' out)"

# In one order, from several inputs, chosen, in mzML, and twice.
expect 0 specsort in.mgf in.mgf --unique-spectra --spectra-by title; [[ $(titles out) == 'a c d e f ' ]] || fail "two: $(titles out)"
expect 0 specsort in.mgf --unique-spectra --title '!a'
[[ $(titles out) == 'b c d e f ' ]] || fail "chosen: $(titles out)"
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
expect 0 specsort run.mzML run.mzML --unique-spectra --to=mzml -o unique.mzML
grep -q '<spectrumList count="25"' unique.mzML || fail "of mzML: $(grep '<spectrumList' unique.mzML)"
grep -q '<userParam name="--unique-spectra" value="identical"/>' unique.mzML || fail 'no step is recorded'
expect 0 specsort unique.mzML --unique-spectra=20ppm,0.95 --to=mzml; cmp <(grep -c '<spectrum ' out) <(echo 25)

for bad in '=5' '=0.01,0' '=0.01,1.1' '=x,0.9' '=0.01,x' '=0.01,0.9,1,1' '=,' '=-1,0.9' '=600000ppm,0.9' ' --check'; do
  # shellcheck disable=SC2086
  expect_error specsort in.mgf --unique-spectra$bad
done
expect 0 specsort in.mgf --unique-spectra=0.01,0.99 --summary
grep -q '^spectra  *7  *5$' out || fail "--summary: $(< out)"
expect_error specsort - --unique-spectra < in.mgf
grep -q 'need a file' err || fail "a stream: $(< err)"

if [[ $(command -v python3) ]]; then
  python3 - << 'END'
import fractions
import random
import subprocess

r = random.Random(7)


def is_alike(a, b, far, least):
    """Compares the cosine with its bound in exact numbers. Equal peaks are alike, even if all intensities are 0."""
    exact = fractions.Fraction
    pairs = sorted((-x * y, i, j) for i, (m, x) in enumerate(a) for j, (n, y) in enumerate(b)
                   if x * y > 0 and abs(m - n) <= far)
    used, total = (set(), set()), exact(0)
    for product, i, j in pairs:
        if i not in used[0] and j not in used[1]:
            used[0].add(i), used[1].add(j)
            total += exact(a[i][1]) * exact(b[j][1])
    squares = sum(exact(x) ** 2 for _, x in a) * sum(exact(y) ** 2 for _, y in b)
    return a == b or squares != 0 and total ** 2 >= exact(str(least)) ** 2 * squares


for case in range(60):
    spectra, text = [], ''
    for number in range(r.choice((0, 1, 5, 40, 120, 400))):
        if spectra and r.random() < 0.4:
            precursor, charge, level, peaks = r.choice(spectra)
            peaks = [(m + r.choice((0, 0, 0.03125)), x) for m, x in peaks]
            times = r.choice((1, 1, 0.125, 2))  # the same direction
            peaks = [(m, x * times) for m, x in peaks]
            precursor = precursor and precursor + r.choice((0, 0, 0.25, 0.5))
        else:
            precursor = r.choice((None, 500.0, 500.25, 501.5, 700.0))
            charge, level = r.choice((0, 2, 2, 3)), r.choice((0, 2))
            peaks = [(float(r.randrange(100, 110)), r.choice((0.0, 1.0, 2.0, 0.1, 3.7))) for _ in range(r.choice((0, 1, 4, 8)))]
        spectra.append((precursor, charge, level, peaks))
        r.shuffle(peaks)
        text += f'BEGIN IONS\nTITLE={number}\n' + (f'PEPMASS={precursor}\n' if precursor else '')
        text += (f'CHARGE={charge}+\n' if charge else '') + (f'MSLEVEL={level}\n' if level else '')
        text += ''.join(f'{m} {x}\n' for m, x in peaks) + 'END IONS\n'
    far, ppm = r.choice(((0.0, False), (0.25, False), (1.0, False), (600.0, True)))
    least, peak_far = r.choice((0.3, 0.9, 0.99, 1.0)), r.choice((0.0, 0.03125, 1.0))
    identical, kept = r.random() < 0.3, []
    for number, one in enumerate(spectra):
        sorted_peaks = sorted(one[3])
        for other in kept:
            before = spectra[other]
            same = one[:3] == before[:3] and sorted_peaks == sorted(before[3])
            if identical and same:
                break
            if not identical and one[0] and before[0] and one[1:3] == before[1:3]:
                near = abs(one[0] - before[0]) <= (before[0] * far * 1e-6 if ppm else far)
                if near and is_alike(sorted(before[3]), sorted_peaks, peak_far, least):
                    break
        else:
            kept.append(number)
    open('random.mgf', 'w').write(text)
    value = '' if identical else f'={far}{"ppm" * ppm},{least},{peak_far}'
    for how in ['--threads', '1'], ['--threads', '3', '--memory', '1K'], ['--memory', '1K', '-T', '.']:
        done = subprocess.run(['specsort', 'random.mgf', f'--unique-spectra{value}', *how], capture_output=True,
                              text=True, check=True)
        found = [int(line[6:]) for line in done.stdout.splitlines() if line.startswith('TITLE=')]
        assert found == kept, (case, value, found, kept)
END
fi
no_leftovers
