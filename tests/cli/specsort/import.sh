# specsort: mzXML and MSP in, MGF out.
. "$ORDO_SOURCE/tests/cli/lib.sh"

gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
python3 - << 'END'
import base64
import struct
import sys

sys.path.insert(0, __import__('os').environ['ORDO_SOURCE'] + '/tests/reference')
from mzml_documents import Document

# The same spectra in each format, their peaks turned round.
xml, msp, mgf = ['<mzXML><msRun><parentFile fileName="run.raw"/>'], [], []
for number, one in enumerate(Document(open('run.mzML').read()).spectra, 1):
    peaks = [(m, struct.unpack('f', struct.pack('f', h))[0]) for m, h in one.peaks()]
    peaks = [(struct.unpack('f', struct.pack('f', m))[0], h) for m, h in peaks]
    charge = one.charges[0] if one.charges else None
    data = b''.join(struct.pack('>ff', *peak) for peak in reversed(peaks))
    said = '' if charge is None else f' precursorCharge="{charge}"'
    xml.append(f'<scan num="{number}" msLevel="{one.level}" peaksCount="{len(peaks)}" retentionTime="PT{number}S">'
               f'<precursorMz{said}>{one.precursor}</precursorMz><peaks precision="32" byteOrder="network" '
               f'contentType="m/z-int">{base64.b64encode(data).decode()}</peaks></scan>\n')
    said = '' if charge is None else f'Charge: {charge}\n'
    msp.append(f'Name: run.{number}.{number}.{charge or ""}\nPRECURSORMZ: {one.precursor}\n{said}RETENTIONTIME: {number} s\nScan: {number}\n'
               f'Num Peaks: {len(peaks)}\n' + ''.join(f'{m!r}\t{h!r}\t"an ion"\n' for m, h in reversed(peaks)) + '\n')
open('run.mzXML', 'w').write(''.join(xml) + '</msRun></mzXML>')
open('library.msp', 'w').write(''.join(msp))
END
expect 0 specsort run.mzXML; mv out run.mgf
[[ $(grep -c '^BEGIN IONS$' run.mgf) == 25 && $(grep -c '^[0-9]' run.mgf) == 6895 ]] || fail 'mzXML: spectra or peaks are missing'
expect 0 specsort run.mgf --check
expect 0 specsort library.msp
python3 - run.mgf out << 'END'
import struct
import sys
# Numbers of MSP have the digits of doubles: the values of 32 bits are the same. The name is a parameter, too.
a, b = ([struct.pack('2f', *map(float, line.split())) if line[0].isdigit() else line
         for line in open(name) if not line.startswith('NAME=')] for name in sys.argv[1:])
sys.exit('MSP and mzXML give other spectra' if a != b else 0)
END
expect 0 specsort run.mzXML --to mgf -o x.mgf --threads 2; cmp x.mgf run.mgf
gzip -c run.mzXML > packed; expect 0 specsort packed; cmp out run.mgf
expect 0 specsort - < <(cat run.mzXML); cmp out run.mgf
expect 1 specsort --check run.mzXML
grep -q "^specsort: run.mzXML:1: disorder: spectrum 1 'run.1.1" err || fail "--check: $(< err)"
expect 1 specsort --check library.msp
expect 0 specsort --summary run.mzXML; grep -q '^spectra  *25$' out || fail "--summary: $(< out)"
expect 0 specsort --summary library.msp; grep -q '^peaks  *6,895$' out || fail "--summary: $(< out)"
# A library of mzSpecLib, from the one in MSP.
{ echo '<mzSpecLib>'
  awk -F ': ' '/^Name/ { print "<Spectrum=" ++n ">\nMS:1003061|library spectrum name=" $2 } /^PREC/ { print "MS:1000744|selected ion m/z=" $2 }
    /^Charge/ { print "MS:1000041|charge state=" $2 } /^Scan/ { print "MS:1003057|scan number=" $2 }
    /^RET/ { print "[1]MS:1000894|retention time=" $2 + 0 "\n[1]UO:0000000|unit=UO:0000010|second" }
    /^Num/ { print "MS:1003059|number of peaks=" $2 "\n<Peaks>" } /^[0-9]/ || /^$/' library.msp; } > library.mzSpecLib.txt
expect 0 specsort library.msp; mv out want
expect 0 specsort library.mzSpecLib.txt; cmp out want
expect 0 specsort - --threads 2 < library.mzSpecLib.txt; cmp out want
# Spectra of several formats in one order, chosen, and selected.
expect 0 specsort run.mzXML library.msp run.mgf --spectra-by scan --map map.tsv -o ordered.mgf
[[ $(grep -c '^BEGIN IONS$' ordered.mgf) == 75 && $(wc -l < map.tsv) == 76 ]] || fail 'ordered: spectra are missing'
expect 0 specsort run.mzXML --scan 3-5 --top 7
[[ $(grep -c '^BEGIN IONS$' out) == 3 && $(grep -c '^[0-9]' out) == 21 ]] || fail "chosen: $(< out)"
head -c 3000 run.mzXML > cut.mzXML; expect_error specsort cut.mzXML
grep -q '^specsort: truncated: cut.mzXML:1: the input ends inside the scan that begins here$' err || fail "cut: $(< err)"
# MSP is known by its content, or else by its name; wrong numbers of peaks are accepted by --lenient.
printf 'COMPOUND_NAME: a\nRETENTION_TIME: 7\nPRECURSOR_MZ: 9\nNUM PEAKS: 3\n3\t4\n1\t2\n' > counts.msp
expect_error specsort counts.msp
[[ $(< err) == 'specsort: not MSP: counts.msp:1: the record that begins here has 2 peaks, where Num Peaks is 3' ]] || fail "counts: $(< err)"
expect 0 specsort counts.msp --lenient
[[ $(< out) == $'BEGIN IONS\nTITLE=a\nRTINSECONDS=7\nPEPMASS=9\nNAME=a\n1 2\n3 4\nEND IONS' ]] || fail "--lenient: $(< out)"
grep -q 'counts.msp: 1 record has another number of peaks than it states' err || fail "--lenient: $(< err)"
grep -q 'counts.msp: 1 retention time states no unit, and counts as seconds (--rt-unit=min: as minutes)' err || fail "unit: $(< err)"
expect 0 specsort counts.msp --lenient --rt-unit min; grep -q '^RTINSECONDS=420$' out || fail "--rt-unit: $(< out)"
expect 1 grep unit err
expect 0 specsort counts.msp --lenient --rt-unit s --spectra-by rt; grep -q '^RTINSECONDS=7$' out || fail "--rt-unit: $(< out)"
expect_error specsort counts.msp --rt-unit h
for name in x.msp x.SPTXT x.msp.gz; do
  printf 'neither\nof them\n' > x; [[ $name == *.gz ]] && gzip x && mv x.gz x
  mv x "$name"
  for how in '' --lenient --check; do
    expect_error specsort "$name" ${how:--o none}
    grep -q "^specsort: not MSP: $name:1: 'neither' where a record begins" err || fail "$name: $(< err)"
  done
done
printf 'neither\nof them\n' > text; expect 2 specsort text --lenient -o none; grep -q '^specsort: not MGF: text:1: ' err || fail "$(< err)"
{ for ((i = 0; i < 200; ++i)); do echo '# a comment of more than twenty characters'; done; echo 'Name: a'; echo 'Num Peaks: 0'; } > comments
expect 0 specsort comments; grep -q '^TITLE=a$' out || fail "comments: $(< out)"
[[ ! -e none ]] || fail 'text was copied'
[[ ! -e x.mzML ]] || fail 'mzML was written'

# Libraries: MSP by three sets of names becomes the same MGF; from MGF to MSP and back nothing is lost.
gzip -dc "$ORDO_SOURCE/datasets/samples/massbank_cc0.mgf.gz" > massbank.mgf
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli.mgf.gz" > openms.mgf
for mgf in massbank openms; do
  expect 0 specsort $mgf.mgf -o sorted.mgf
  for style in msp msp-massbank msp-matchms; do
    expect 0 specsort $mgf.mgf --to $style -o library; [[ ! -s err ]] || fail "$mgf: $style: $(< err)"
    expect 0 specsort library --rt-unit s -o back.mgf --quiet
    [[ $(grep -c '^NAME=' back.mgf) == $(grep -c '^TITLE=' back.mgf) ]] || fail "$mgf: $style: names"
    python3 - sorted.mgf back.mgf << 'PYTHON'
import sys
# The same spectra, but for the order of parameters, NAME, and digits.
def spectra(path):
    all_, now = [], None
    for line in map(str.strip, open(path)):
        if line == 'BEGIN IONS':
            now = {'peaks': []}
        elif line == 'END IONS':
            all_.append(now)
        elif line[:1].isdigit():
            now['peaks'].append(tuple(map(float, line.split())))
        elif '=' in line and not line.startswith('NAME='):
            key, _, value = line.partition('=')
            now[key] = tuple(map(float, value.split())) if key in ('PEPMASS', 'RTINSECONDS') else value
    return all_
a, b = map(spectra, sys.argv[1:])
for one, other in zip(a, b, strict=True):
    if one != other:
        sys.exit(f'{one}\n{other}')
PYTHON
  done
  expect 0 specsort library -o library.mzspeclib --quiet; expect 0 specsort library.mzspeclib --to msp-matchms
  python3 - library out << 'PYTHON'
import sys
# The same records, but for the order of their lines.
a, b = ([sorted(record.splitlines()) for record in open(path).read().split('\n\n')] for path in sys.argv[1:])
sys.exit(next((f'{x}\n{y}' for x, y in zip(a, b, strict=True) if x != y), 0))
PYTHON
  expect 0 specsort library -o again.msp --quiet; expect 0 specsort again.msp --to msp --quiet; cmp out again.msp
done
expect 0 specsort massbank.mgf openms.mgf --spectra-by pepmass -o both.msp --quiet
[[ $(grep -c '^Name: ' both.msp) == $(cat massbank.mgf openms.mgf | grep -c '^BEGIN IONS') ]] || fail 'MSP of two inputs'
mkdir folder; expect 0 specsort massbank.mgf run.mzXML --to msp-matchms --out-dir folder --quiet
[[ -s folder/massbank.msp && $(grep -c '^COMPOUND_NAME: ' folder/run.msp) == 25 ]] || fail "MSP in a folder: $(ls folder)"
expect 0 specsort massbank.mgf --to msp --summary; grep -q -- '--to msp' out || fail "a summary: $(< out)"
expect_error specsort massbank.mgf -o x.sptxt; grep -q 'format not written: -o x.sptxt: choose --to=mgf, msp, mzspeclib or mzml' err || fail "$(< err)"
# Libraries of two inputs, in a folder, in parts and in clusters.
expect 0 specsort massbank.mgf openms.mgf --spectra-by pepmass -o both.mzSpecLib.txt --quiet
expect 0 specsort both.msp -o want.mgf --quiet; expect 0 specsort both.mzSpecLib.txt -o got.mgf --quiet
cmp <(grep -v = want.mgf) <(grep -v = got.mgf); cmp <(grep TITLE want.mgf) <(grep TITLE got.mgf)
[[ $(head -n 3 both.mzSpecLib.txt | tail -n 1) == 'MS:1003188|library name=massbank' ]] || fail "name: $(head -n 3 both.mzSpecLib.txt)"
expect 0 specsort massbank.mgf run.mzXML --to mzspeclib --out-dir folder --quiet
[[ $(grep -c '^<Spectrum=' folder/massbank.mzspeclib folder/run.mzspeclib | cut -d : -f 2 | xargs) == '368 25' ]] || fail "$(ls folder)"
expect 0 specsort massbank.mgf --split-count 2 -o part.mzspeclib --quiet
for part in part.0001.mzspeclib part.0002.mzspeclib; do expect 0 specsort --check $part; grep -q '^<Spectrum=1>$' $part || fail "$part"; done
expect 0 specsort massbank.mgf --clusters=greedy,consensus -o clusters.mzspeclib; expect 0 specsort --check clusters.mzspeclib
expect_error specsort massbank.mgf --to mzspeclib --renumber; grep -q 'MGF and MSP only: --renumber: ' err || fail "$(< err)"

# A precursor must be finite. In mzML such a one is none.
for mz in inf 1e999; do
  printf "Name: a\nPrecursorMZ: $mz\nNum Peaks: 1\n100 5\n" > infinite.msp
  expect_error specsort infinite.msp; grep -q "infinite.msp:2: PrecursorMZ is '$mz', which is no number" err || fail "$(< err)"
  expect 0 specsort infinite.msp --lenient; grep -qx PEPMASS=0 out || fail "$mz: $(< out)"
done
# Peaks that are not finite are not there: no rule counts them.
printf 'Name: a\nPrecursorMZ: 5\nNum Peaks: 4\n100 5\n200 inf\nnan 7\n50 3\n' > odd.msp
python3 - > odd.mzML << 'END'
import base64, math, struct
def array(kind, *values):
    data = base64.b64encode(struct.pack("<4d", *values)).decode()
    return (f'<binaryDataArray encodedLength="{len(data)}"><cvParam accession="MS:1000523"/><cvParam accession="MS:1000576"/>'
            f'<cvParam accession="{kind}"/><binary>{data}</binary></binaryDataArray>')
print('<mzML xmlns="http://psi.hupo.org/ms/mzml"><run id="r"><spectrumList count="1"><spectrum index="0" id="a" '
      'defaultArrayLength="4"><cvParam accession="MS:1000511" value="2"/><precursorList count="1"><precursor><selectedIonList '
      'count="1"><selectedIon><cvParam accession="MS:1000744" value="5"/></selectedIon></selectedIonList></precursor>'
      '</precursorList><binaryDataArrayList count="2">' + array("MS:1000514", 100, 200, math.nan, 50) +
      array("MS:1000515", 5, math.inf, 7, 3) + '</binaryDataArrayList></spectrum></spectrumList></run></mzML>')
END
while read -r options; do
  read -r peaks
  for input in odd.msp odd.mzML; do
    # shellcheck disable=SC2086
    expect 0 specsort $input --to=mgf $options
    [[ $(grep '^[0-9]' out | xargs) == "$peaks" ]] || fail "$input $options: $(< out)"
    if [[ $peaks ]]; then grep -q '2 peaks are not finite and are left out$' err || fail "$input $options: $(< err)"; fi
  done
done << 'END'

50 3 100 5
--top 1
100 5
--min-relative 0.7
100 5
--min-peaks 2
50 3 100 5
--min-peaks 3

--by intensity --descending
100 5 50 3
END
