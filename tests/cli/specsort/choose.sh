# specsort --ms-level, --rt, --index, --sample and the other options that choose spectra, against a reference in plain Python.
. "$ORDO_SOURCE/tests/cli/lib.sh"

reference="$ORDO_SOURCE/tests/reference/specsort_choice_reference.py"
sample="$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz"
printf 'COM=head\n\nBEGIN IONS\nTITLE=one\nPEPMASS=500\nCHARGE=2-\nRTINSECONDS=60\n2 1\n1 3\nEND IONS\n\n# of two\nBEGIN IONS\nTITLE=two\nMSLEVEL=2\n1 9\nEND IONS\n' > in.mgf
printf 'COM=head\n\n# of two\nBEGIN IONS\nTITLE=two\nMSLEVEL=2\n1 9\nEND IONS\n' > two
printf 'COM=head\n\nBEGIN IONS\nTITLE=one\nPEPMASS=500\nCHARGE=2-\nRTINSECONDS=60\n1 3\n2 1\nEND IONS\n\n# of two\n' > one

# Each option and its inverse; to a file, a stream and the input itself.
for choice in --ms-level=2 --rt='!0.5min:1min' --charge='!-2' --charge=0 --polarity='!negative' --precursor='!500:500' --title='t?o' --title='!o*'; do
  expect 0 specsort in.mgf "$choice" --quiet; cmp out two
done
for choice in --ms-level='!2' --rt=1:1min --charge=-3:-1 --polarity=negative --precursor=:500 --title='!t*'; do
  expect 0 specsort - "$choice" --quiet < in.mgf; cmp out one
done
cp in.mgf same.mgf; expect 0 specsort same.mgf --title two --sample 1 -o same.mgf; cmp same.mgf two
expect 0 specsort in.mgf --ms-level 2
[[ $(< err) == 'specsort: warning: in.mgf: 1 spectrum does not state an MS level, and is not chosen' ]] || fail "warning: $(< err)"
expect 0 specsort in.mgf --scan 7
grep -q 'specsort: warning: in.mgf: none of 2 spectra is left' err || fail "nothing left: $(< err)"
expect 0 specsort in.mgf --min-peaks 9
[[ ! $(grep BEGIN out) && $(< err) == 'specsort: warning: in.mgf: none of 2 spectra is left' ]] || fail "--min-peaks: $(< err)"
expect 0 specsort in.mgf --min-peaks 1; [[ ! -s err ]] || fail "--min-peaks: $(< err)"
# An input without spectra, alone or among others, plain or not.
printf '\n# nothing\nCOM=head\n' > header.mgf
: > empty.mgf; gzip -c empty.mgf > empty.mgf.gz
for empty in empty.mgf empty.mgf.gz header.mgf; do
  for more in '--by mz' '--top 1' '--check' 'in.mgf'; do
    # shellcheck disable=SC2086
    expect 0 specsort $empty $more
    [[ $(< err) == "specsort: warning: $empty: there are no spectra" ]] || fail "$empty $more: $(< err)"
  done
done
printf 'BEGIN IONS\nMSLEVEL=x\nEND IONS\n' > bad.mgf
expect 0 specsort bad.mgf --title '*' --quiet
expect_error specsort bad.mgf --ms-level 2
[[ $(< err) == "specsort: not a number: bad.mgf:2: the value of 'MSLEVEL=x'" ]] || fail "error: $(< err)"

# Charges as MGF writes them, and names in any case.
printf 'BEGIN IONS\nTITLE=%s\nCHARGE=%s\nEND IONS\n' a 2+ b 3+ c 2- d 1- > charges.mgf
while read -r list want; do
  expect 0 specsort charges.mgf "--charge=$list" --quiet
  [[ $(sed -n 's/TITLE=//p' out | tr -d '\n') == "$want" ]] || fail "--charge $list: $(< out)"
done << 'END'
2+ a
+2 a
2- c
-2 c
2+,1- ad
2+-3+ ab
2+:3+ ab
2-:1- cd
2--1- cd
-2--1 cd
1-:2+ ad
2-3 ab
2+: ab
:1- cd
!2+ bcd
END
for bad in 2+- + - 2++ -2+ +2- 3+-2+ 2+3+ 2x; do expect_error specsort in.mgf "--charge=$bad"; done
expect 0 specsort in.mgf --preset casanovo --to mgf --by intensity --quiet; mv out want
expect 0 specsort in.mgf --preset Casanovo --to MGF --by Intensity --quiet; cmp out want
expect 0 specsort in.mgf --preset CASANOVO@5.0 --polarity Negative --rt 0.5MIN:1Min --unique-spectra=Identical --spectra-by RT --quiet
expect 0 specsort in.mgf --unique-spectra=20PPM,0.9,0.02da --remove-precursor 20PPM:INF --quiet
expect_error specsort in.mgf --preset Casanov; grep -q "no such preset: --preset: 'Casanov'; choose from" err || fail "$(< err)"
expect_error specsort in.mgf --to mzXML; grep -q "invalid value: --to: 'mzXML': choose from mgf, mzml" err || fail "$(< err)"

# --explain begins with the choice.
cat > steps << 'END'
The steps apply to each spectrum in this order:
 1. --ms-level 2                 spectra that it does not choose go
 2. --title !a                   spectra that it does not choose go
 3. --unique-spectra identical   spectra that repeat an earlier one go
 4. --filter-ms-level 2          filters below apply to these MS levels; others keep all peaks
 5. --top 150                    the 150 greatest stay; of equal ones those of less m/z
END
expect 0 specsort --explain --unique-spectra --title '!a' --top 150 --ms-level=2 --filter-ms-level 2; head -n 6 out | diff steps -
expect_error specsort --explain --ms-level x

# Filters of one MS level.
expect 0 specsort in.mgf --top 1 --min-peaks 2 --filter-ms-level 2 --quiet; cmp out one

# Lists: numbers, and what --map wrote; of several inputs, too.
printf '# mine\n2\r\n' > list
expect 0 specsort in.mgf --index list; cmp out two
expect 0 specsort in.mgf --index '!list'; cmp out one
cp in.mgf b.mgf
expect 0 specsort in.mgf b.mgf --spectra-by title --descending-spectra --map map.tsv -o result --quiet
expect 0 specsort in.mgf --index map.tsv
grep -v 'b.mgf' map.tsv | sed '2d' > rows
expect 0 specsort in.mgf --index rows; cmp out one
expect 0 specsort in.mgf b.mgf --split-count 1 --index rows -o part.mgf; { cat one; echo '# of two'; } | cmp - part.0001.mgf
for bad in 'x' '0' '1 2' $'a\tb' $'o\t1\tother.mgf\t1\t0'; do
  printf '%s\n' "$bad" > bad
  expect_error specsort in.mgf --index bad
done
expect_error specsort in.mgf b.mgf --spectra-by rt --index list
expect_error specsort in.mgf --index none
zcat "$sample" > run.mzML
expect 0 specsort run.mzML --spectra-by pepmass --map map.tsv -o result.mgf
expect 0 specsort run.mzML --index <(sed -n 2,4p map.tsv) -o part.mzML
expect 0 specsort run.mzML --index <(sed -n 2,4p map.tsv) --spectra-by pepmass -o part.mgf
cmp part.mgf <(awk '{ print } /^END IONS/ && ++n == 3 { exit }' result.mgf)
[[ $(grep -c '<spectrum ' part.mzML) == 3 ]] || fail "a list of mzML"
grep -q 'userParam name="--index" value="3 spectra"' part.mzML || fail "no record of the choice"

# Samples: the same for the same seed, in two parts that make the whole, from files alone if a number is wanted.
seq 1 500 | awk '{ print "BEGIN IONS\nTITLE=" $1 "\n1 1\nEND IONS" }' > many.mgf
expect 0 specsort many.mgf --sample 100 --seed 5; mv out sampled
expect 0 specsort many.mgf --sample 100 --seed 5 --threads 1; cmp out sampled
expect 0 specsort many.mgf --sample '!100' --seed 5; [[ $(grep -c TITLE sampled) == 100 && $(grep -c TITLE out) == 400 ]] || fail "sizes"
[[ $(grep -h TITLE sampled out | sort | uniq | wc -l) == 500 ]] || fail "a sample and the rest overlap"
expect 0 specsort many.mgf --sample 100 --seed 6; if cmp -s out sampled; then fail "a seed changes nothing"; fi
expect 0 specsort - --sample 10% < <(cat many.mgf); [[ -s out ]] || fail "a share of a stream"
expect_error specsort - --sample 10 < many.mgf
expect_error specsort <(cat many.mgf) --sample 10

# Precursors: the target of an isolation window where no ion is selected, several ions, levels and mobilities.
term() { printf '<cvParam cvRef="MS" accession="MS:%s" name="x" value="%s"/>' "$1" "$2"; }
ion() { printf '<selectedIon>%s%s</selectedIon>' "$(term 1000744 "$1")" "$(term 1000041 "$2")"; }
window() { printf '<isolationWindow>%s%s</isolationWindow>' "$(term 1000827 "$1")" "$(term 1000828 1)"; }
spectrum() { printf '<spectrum index="%s" id="scan=%s" defaultArrayLength="0">%s<scanList count="1"><scan>%s</scan></scanList><precursorList count="2">%s</precursorList></spectrum>\n' "$1" "$1" "$(term 1000511 "$2")" "$3" "$4"; }
{
  printf '<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0"><run id="r"><spectrumList count="4" defaultDataProcessingRef="d">\n'
  spectrum 0 2 '' "<precursor>$(window 400.5)</precursor>"
  spectrum 1 3 "$(term 1002815 0.85)" "<precursor>$(window 1)$(ion 500.25 2)$(ion 600.5 3)</precursor><precursor>$(window 700.5)</precursor>"
  spectrum 2 2 '' "<precursor>$(window 300.5)$(ion 0 4)</precursor>"
  spectrum 3 2 '' '<precursor></precursor>'
  printf '</spectrumList></run></mzML>\n'
} > ions.mzML
expect 0 specsort ions.mzML --to mgf
[[ $(grep -E 'TITLE|PEPMASS|CHARGE|MSLEVEL|MOBILITY' out | tr '\n' ' ') == \
  'TITLE=scan=0 PEPMASS=400.5 TITLE=scan=1 PEPMASS=500.25 CHARGE=2+ MSLEVEL=3 ION_MOBILITY=0.85 TITLE=scan=2 PEPMASS=300.5 CHARGE=4+ ' ]] ||
  fail "precursors: $(< out)"
[[ $(cut -d: -f4- err | sort) == ' 1 spectrum has several selected ions, of which the first is written
 1 spectrum of MS level 2 or above has no selected ion and is left out
 2 spectra have no selected ion: the target of their isolation window counts as the precursor' ]] || fail "warnings: $(< err)"
expect 0 specsort ions.mzML --to mgf --precursors all --isolation-target fallback
[[ $(grep -E 'TITLE|PEPMASS' out | tr '\n' ' ') == 'TITLE=scan=0 PEPMASS=400.5 TITLE=scan=1 PEPMASS=500.25 TITLE=scan=1 ion=2 PEPMASS=600.5 TITLE=scan=1 ion=3 PEPMASS=700.5 TITLE=scan=2 PEPMASS=300.5 ' ]] ||
  fail "all precursors: $(< out)"
grep -q -e 'isolation' -e 'several' err && fail "warnings of what was wanted: $(< err)"
expect 0 specsort ions.mzML --to mgf --isolation-target never
[[ $(grep PEPMASS out | tr '\n' ' ') == 'PEPMASS=500.25 PEPMASS=0 ' ]] || fail "never: $(< out)"
expect 0 specsort ions.mzML --precursor 700:701 -o part.mzML; grep -q 'id="scan=1"' part.mzML || fail "a precursor after the first"
expect 0 specsort ions.mzML --precursors all --spectra-by pepmass --descending-spectra -o part.mgf --map map.tsv
[[ $(cut -f4 map.tsv | tr '\n' ' ') == 'number 2 2 2 1 3 4 ' ]] || fail "a map of ions: $(< map.tsv)"

# What a choice leaves out is no reason to say that there are no spectra of MS level 2.
{
  printf '<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0"><run id="r"><spectrumList count="2" defaultDataProcessingRef="d">\n'
  spectrum 0 1 "$(term 1000016 60)" '' | sed 's/<precursorList.*precursorList>//'
  spectrum 1 2 "$(term 1000016 70)" "<precursor>$(window 1)$(ion 500.25 2)</precursor>"
  printf '</spectrumList></run></mzML>\n'
} | sed 's/value="[67]0"/& unitAccession="UO:0000010" unitName="second"/' > levels.mzML
sed -n '1,2p; $p' levels.mzML > ms1.mzML
sed -n '1p; $p' levels.mzML > none.mzML
{
  printf '<mzXML><msRun>\n<scan num="0" msLevel="1" peaksCount="0" retentionTime="PT60S"></scan>\n'
  printf '<scan num="1" msLevel="2" peaksCount="0" retentionTime="PT70S"><precursorMz>500.25</precursorMz></scan>\n</msRun></mzXML>\n'
} > levels.mzXML
sed 3d levels.mzXML > ms1.mzXML
sed '2,3d' levels.mzXML > none.mzXML
warning_of() { # warning_of WANT ARGUMENT...
  local want=$1; shift
  expect 0 specsort "$@" -o levels.mgf
  [[ $(< err) == "${want:+specsort: warning: }$want" ]] || fail "$*: $(< err)"
}
for kind in mzML mzXML; do
  warning_of '' levels.$kind
  warning_of "ms1.$kind: there are no spectra of MS level 2 or above" ms1.$kind
  warning_of "none.$kind: there are no spectra" none.$kind
  for choice in --scan=9 --rt=0:1 --precursor=1:2 --charge=9 --native-id=no --title=no --ms-level=3 --min-peaks=1; do
    expect 0 specsort levels.$kind $choice -o levels.mgf
    grep -q "warning: levels.$kind: none of 2 spectra is left" err || fail "$kind $choice: $(< err)"
    ! grep -q 'MS level 2' err || fail "$kind $choice: $(< err)"
  done
  expect 0 specsort levels.$kind --ms-level=1 -o levels.mgf
  grep -q "warning: levels.$kind: none of the chosen spectra is of MS level 2 or above" err || fail "$kind: $(< err)"
  cp levels.$kind again.$kind
  warning_of '' levels.$kind again.$kind --unique-spectra
  [[ $(grep -c BEGIN levels.mgf) == 1 ]] || fail "$kind: $(< levels.mgf)"
done

# What makes no sense.
for bad in '--ms-level x' '--ms-level 3-2' '--ms-level :' '--ms-level -' '--scan -3' '--rt 5' '--rt 1min:1s' '--rt a:b' '--rt 1day:' '--charge x' '--polarity up' \
           '--precursor 500' '--sample 0' '--sample 0%' '--sample 101%' '--sample x' '--seed 5' '--sample 5 --seed x' '--index !' '--title=' \
           '--filter-ms-level 2' '--check --ms-level 2'; do
  # shellcheck disable=SC2086
  expect_error specsort in.mgf $bad
done

[[ $(command -v python3) ]] || exit 77
python3 "$reference" files "$ORDO_SOURCE"/datasets/samples/{massbank_cc0.mgf.gz,openms_ecoli_25.mzML.gz}
python3 "$reference" random 1 40

# Values of mzML beside the header of MGF; a file for each compensation voltage.
python3 - run.mzML << 'PYTHON'
import re
import sys
number = 0
def with_voltage(tag):
    global number
    number += 1
    return tag[0] + ('<cvParam cvRef="MS" accession="MS:1001581" name="FAIMS compensation voltage" value="%s"/>' % (-45, -60.5)[number % 2]
                     if number != 5 else '')
open('faims.mzML', 'w').write(re.sub('<spectrum [^>]*>', with_voltage, open(sys.argv[1]).read()))
PYTHON
count() { expect 0 specsort faims.mzML "$@" -o some.mgf --quiet; grep -c '^BEGIN IONS' some.mgf || true; }
for case in '12 --faims-cv=-45' '12 --faims-cv=-61:-60' '24 --faims-cv=-45,-60.5' '13 --faims-cv=!-45' '25 --activation=hcd,cid' \
    '0 --activation=ETD' '25 --isolation-width=2' '0 --isolation-width=:1.5' '25 --instrument=*' '0 --instrument=none' '0 --collision-energy=30'; do
  [[ $(count ${case#* }) == "${case%% *}" ]] || fail "chosen: $case: $(count ${case#* })"
done
expect 0 specsort faims.mzML --faims-cv=-45 -o some.mgf
[[ $(< err) == 'specsort: warning: faims.mzML: 1 spectrum does not state a compensation voltage, and is not chosen' ]] || fail "unstated: $(< err)"
sum=$(grep -c 'name="total ion current"' faims.mzML); [[ $sum == 25 && $(count --tic 50000:) -lt 25 && $(count --tic 0:) == 25 ]] || fail 'total ion currents'
expect 0 specsort faims.mzML --split-by faims-cv --top 5 -o by.mzML.gz --quiet
[[ $(echo by.*) == 'by.cv-45.mzML.gz by.cv-60.5.mzML.gz' ]] || fail "voltages: $(echo by.*)"
for voltage in -45 -60.5; do specsort faims.mzML --faims-cv=$voltage --top 5 --quiet | cmp <(zcat by.cv$voltage.mzML.gz | grep -v 'faims-cv') <(grep -v 'faims-cv'); done
expect_error specsort run.mzML --split-by faims-cv -o by.mgf; grep -q 'no compensation voltages: run.mzML' err || fail "$(< err)"
for bad in '--split-by faims-cv' '--split-by x -o y.mgf' '--split-by faims-cv --map m -o y.mgf' '--faims-cv x' '--collision-energy 5:4' '--base-peak 7'; do
  expect_error specsort faims.mzML $bad
done
printf 'BEGIN IONS\nCOLLISION_ENERGY=35.5 eV\n1 10\n2 30\nEND IONS\nBEGIN IONS\nCOLLISION_ENERGY=20\n1 50\nEND IONS\n' > energies.mgf
[[ $(specsort energies.mgf --collision-energy 35:36 | grep -c '^BEGIN') == 1 && $(specsort energies.mgf --tic :40 | grep -c '^1 10') == 1 &&
  $(specsort energies.mgf --base-peak 40: | grep -c '^1 50') == 1 ]] || fail 'energies of MGF'
# Tables of matches: mzTab, USIs, and tables with tabs. They set SEQ=.
printf 'filename\tscannr\tpeptide\tscore\na/run.mzML\tcontrollerType=0 controllerNumber=1 scan=11461\tK.PEPTIDEK.R\t1\nrun.raw\t11466\tSAMPLER\t1\nother.raw\t11467\tX\t2\n' > sage.tsv
printf 'Spectrum\tModified Peptide\nrun.11461.11461.2\tPEPTIDEK\nrun.11466.11466.2\tSAMPLER\n' > msfragger.tsv
printf 'mzspec:PXD1:run:scan:11461:PEPTIDEK/2\nmzspec:PXD1:run:index:4:SAMPLER/2\n' > usi.txt
printf 'MTD\tmzTab-version\t1.0.0\r\nMTD\tms_run[1]-location\tfile:///x/run.mzML.gz\r\nPSH\tsequence\tPSM_ID\tspectra_ref\r\nPSM\tPEPTIDEK\t1\tms_run[1]:scan=11461\r\nPSM\tSAMPLER\t2\tms_run[1]:index=4\r\n' > casanovo.mztab
for table in sage.tsv msfragger.tsv usi.txt casanovo.mztab; do
  expect 0 specsort run.mzML --psms $table -o identified.mgf
  [[ $(grep '^SEQ=\|^SCANS=' identified.mgf | tr '\n' ' ') == 'SCANS=11461 SEQ=PEPTIDEK SCANS=11466 SEQ=SAMPLER ' ]] || fail "$table: $(grep SEQ identified.mgf)"
  expect 0 specsort run.mzML --psms "!$table" -o some.mgf; [[ $(grep -c '^BEGIN IONS' some.mgf) == 23 ]] || fail "not in $table"
done
expect 0 specsort run.mzML --to mgf -o run.mgf; sed -i 's/^PEPMASS=617.*/&\nSEQ=OLD/' run.mgf
expect 0 specsort run.mgf --psms sage.tsv -o identified.mgf
tr -d '\r' < sage.tsv | tr '\n' '\r' > lines.tsv; expect 0 specsort run.mgf --psms lines.tsv; cmp out identified.mgf
[[ $(grep -c . identified.mgf) == $(specsort run.mgf --scan 11461,11466 | awk 'END { print NR + 1 }') && $(grep '^SEQ=' identified.mgf | tr '\n' ' ') == 'SEQ=PEPTIDEK SEQ=SAMPLER ' ]] ||
  fail "SEQ= of MGF: $(grep -n SEQ identified.mgf)"
expect 0 specsort run.mzML run.mgf --psms msfragger.tsv -o identified.mgf --quiet; [[ $(grep -c '^SEQ=' identified.mgf) == 4 ]] || fail 'two inputs'
printf 'a\tb\n1\t2\n' > bad; expect_error specsort run.mzML --psms bad; grep -q 'bad:1: no column names spectra' err || fail "$(< err)"
for lists in --psms --index; do
  expect_error specsort run.mzML $lists '!' -o x.mgf
  grep -qx "specsort: missing file: $lists: '!'" err || fail "$lists: $(< err)"
  [[ ! -e x.mgf ]] || fail "output of $lists '!'"
done
printf 'scan\n' > bad; expect_error specsort run.mzML --psms bad; grep -q 'it names no spectra' err || fail "$(< err)"
printf 'mzspec:x:y:foo:1\n' > bad; expect_error specsort run.mzML --psms bad; grep -q 'bad:1: .*neither by scan, index nor nativeId' err || fail "$(< err)"
expect_error specsort energies.mgf --psms sage.tsv; grep -q 'it has the run run, and not energies' err || fail "$(< err)"
printf 'scan\n7\n' > bad; expect_error specsort run.mzML run.mgf --psms bad -o x.mgf; grep -q 'has no run, where there are several inputs' err || fail "$(< err)"
