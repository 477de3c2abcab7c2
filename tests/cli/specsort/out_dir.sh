# specsort --out-dir: an output for each input; and summaries of many inputs.
. "$ORDO_SOURCE/tests/cli/lib.sh"

samples=$ORDO_SOURCE/datasets/samples
mkdir runs more
gzip -dc "$samples/openms_ecoli_25.mzML.gz" > runs/a.mzML
cp "$samples/openms_ecoli_25.mzML.gz" runs/b.mzML.gz
for n in 1 2; do
  printf 'BEGIN IONS\nTITLE=%s\nPEPMASS=500.25\nRTINSECONDS=%s\n3.5 1\n1.5 0\n3.5 2\nEND IONS\n' $n $n
  printf 'BEGIN IONS\nTITLE=%s\nPEPMASS=400\n7 1\nEND IONS\n' "second $n"
done > runs/c.mgf
printf 'Name: a\nPrecursorMZ: 100.5\nNum Peaks: 2\n60 1\n50 2\n' > runs/d.v2.msp
alone() { specsort "$@" > /dev/null 2>&1; }

# Each output is the one of a command for this input alone; its name is that of the input, with the extension of its format.
expect 0 specsort runs/* --to=mgf --top=5 --out-dir new/inner --quiet
[[ $(echo new/inner/*) == 'new/inner/a.mgf new/inner/b.mgf.gz new/inner/c.mgf new/inner/d.v2.mgf' ]] || fail "names: $(echo new/inner/*)"
for name in a.mgf:a.mzML b.mgf.gz:b.mzML.gz c.mgf:c.mgf d.v2.mgf:d.v2.msp; do
  specsort "runs/${name#*:}" --to=mgf --top=5 -o "want.${name%%:*}" --quiet
  cmp "want.${name%%:*}" "new/inner/${name%%:*}"
done
expect 0 specsort runs/* --out-dir same --stats stats.json --threads 1; no_leftovers
[[ $(echo same/*) == 'same/a.mzML same/b.mzML.gz same/c.mgf same/d.v2.mgf' ]] || fail "names: $(echo same/*)"
specsort runs/a.mzML -o want.mzML; cmp want.mzML same/a.mzML; gzip -dc same/b.mzML.gz | cmp - want.mzML
grep -q '"input_bytes": [1-9]' stats.json || fail "the stats: $(< stats.json)"
# What is there is replaced. Spectra are ordered, chosen and compared within each input.
cp runs/c.mgf more/e.mgf
expect 0 specsort runs/c.mgf more/e.mgf --out-dir same --spectra-by=pepmass --unique-spectra --sample=2 --memory=8M
specsort runs/c.mgf -o want.mgf --spectra-by=pepmass --unique-spectra --sample=2
cmp want.mgf same/c.mgf; cmp want.mgf same/e.mgf
expect 0 specsort runs/c.mgf more/e.mgf --out-dir same --index <(printf 'x\t1\truns/c.mgf\t2\t0\n'); [[ $(grep -c BEGIN same/*.mgf | tr '\n' ' ') == *'c.mgf:1 '*'e.mgf:0 ' ]]
# One page for all, and their total.
expect 0 specsort runs/*.mz* --out-dir same --top=5 --report page.html
grep -q '<td>50</td><td>50</td>' page.html || fail 'a page of two runs'
expect_error specsort runs/c.mgf --out-dir same --report same/c.mgf

# Refused before anything is written.
cp runs/c.mgf more/c.mgf
expect_error specsort runs/c.mgf more/c.mgf --out-dir never
[[ $(< err) == 'specsort: two inputs of one name: never/c.mgf: runs/c.mgf and more/c.mgf would both become this file' ]] || fail "$(< err)"
cp runs/c.mgf more/a.mgf
expect_error specsort runs/a.mzML more/a.mgf --to=mgf --out-dir never; grep -q 'two inputs of one name: never/a.mgf' err
sum=$(md5sum runs/* more/*)
for inputs in 'runs/a.mzML runs/c.mgf --out-dir runs' 'runs/a.mzML runs/c.mgf --out-dir more/../runs/' 'more/e.mgf link/e.mgf --out-dir link' \
  'more/a.mgf more/e.mgf --out-dir more' 'runs/a.mzML more/a.mgf --to=mgf --out-dir more'; do
  [[ -e link ]] || ln -s more link
  # shellcheck disable=SC2086
  expect_error specsort $inputs
  grep -qE 'it would replace the input|two inputs of one name' err || fail "$inputs: $(< err)"
done
mkdir linked; ln -s e.mgf linked/c.mgf; touch linked/e.mgf
expect_error specsort runs/c.mgf more/e.mgf --out-dir linked; grep -q 'the same file' err
[[ $(md5sum runs/* more/*) == "$sum" ]] || fail 'an input was replaced'
for options in '-o x' '--check' '--summary' '--map m' '--split-count=2' '--split-size=9' '--memory=8M'; do
  # shellcheck disable=SC2086
  expect_error specsort runs/c.mgf --out-dir never $options
done
expect_error specsort - runs/c.mgf --out-dir never < runs/c.mgf; grep -q 'standard input has no name' err
expect_error specsort runs/c.mgf --out-dir ''
expect_error specsort --out-dir never
expect_error specsort runs/c.mgf --out-dir runs/a.mzML; grep -q 'cannot make the folder: runs/a.mzML' err
expect_error specsort runs/a.mzML runs/c.mgf -o new/; grep -q -- 'use --out-dir' err
[[ ! -e never ]] || fail 'the folder of a command that is refused'

# A faulty input is reported, the others are written, and its old output stays. The status is 2.
printf 'BEGIN IONS\n2 1\n1 1\n' > more/cut.mgf; mkdir kept more/folder.mgf; echo old > kept/cut.mgf
expect 2 specsort more/cut.mgf no.mgf runs/c.mgf more/folder.mgf runs/a.mzML --out-dir kept
[[ $(wc -l < err) == 4 && $(tail -n 1 err) == 'specsort: failed: 3 of 5 inputs' ]] || fail "$(< err)"
grep -q '^specsort: .*cut.mgf' err; grep -q '^specsort: .*no.mgf' err; grep -q '^specsort: .*folder.mgf' err
[[ $(echo kept/*) == 'kept/a.mzML kept/c.mgf kept/cut.mgf' && $(< kept/cut.mgf) == old ]] || fail "outputs: $(echo kept/*)"
expect_error specsort more/cut.mgf --out-dir never/inner; [[ ! -e never ]] || fail 'an empty folder is left'
expect 2 specsort runs/c.mgf <(cat runs/c.mgf) --out-dir kept; grep -q 'not a regular file' err
if [[ $(id -u) != 0 ]]; then
  mkdir locked; chmod a-w locked
  expect_error specsort runs/c.mgf --out-dir locked; expect_error specsort runs/c.mgf --out-dir locked/in
fi
# A full disk ends all: no later output would fit.
mkdir kept/e.mgf
expect_error specsort more/e.mgf runs/c.mgf --out-dir kept; grep -q "kept/e.mgf" err

# Summaries: a row for each input and one for all; the names, which come last, move no column.
long=$(printf 'long%.0s' {1..40}).mgf
cp runs/c.mgf "$long"
expect 0 specsort --summary runs/c.mgf "$long"
cat > table << END
spectra  in order  peaks  MS levels        m/z         retention time, s  file
      4         2      8  none, 4 without  1.5 to 7    1 to 2             runs/c.mgf
      4         2      8  none, 4 without  1.5 to 7    1 to 2             $long
      8         4     16  none, 8 without  1.5 to 7    1 to 2             total
END
sed -i 's/m\/z         ret/m\/z       ret/; s/to 7    1/to 7  1/' table
cmp out table || fail "a table: $(< out)"
expect 0 specsort --summary runs/c.mgf "$long" --drop-zero
cat > table << END
spectra  after  peaks  after  file
      4      4      8      6  runs/c.mgf
      4      4      8      6  $long
      8      8     16     12  total
END
cmp out table || fail "a table before and after: $(< out)"
expect 2 specsort --summary more/cut.mgf runs/c.mgf; grep -q 'failed: 1 of 2 inputs' err; [[ $(wc -l < out) == 3 ]] || fail "$(< out)"
expect 0 specsort --summary=json runs/c.mgf - < runs/a.mzML; mv out both.json
expect 0 specsort --summary=json runs/c.mgf; mv out one.json
expect 0 specsort --summary=json --top=1 runs/c.mgf runs/a.mzML; mv out top.json
if [[ $(command -v python3) ]]; then
  python3 - << 'END'
import json
both, one, top = (json.load(open(name + '.json')) for name in ('both', 'one', 'top'))
assert both['files'][0] == one and both['files'][1]['name'] == 'standard input', both
assert both['total']['spectra'] == 29 and both['total']['peaks'] == sum(of['peaks'] for of in both['files']), both['total']
assert top['files'][0]['after']['peaks'] == 4 and top['total']['before']['spectra'] == 29, top
assert [step['option'] for step in top['total']['steps']] == ['--top 1'], top['total']
END
fi
expect 0 specsort runs/c.mgf "$long" --report page.html; grep -q '<th>spectra</th><td>8</td>' page.html || fail 'a page of two inputs'
# A long condition moves no column of a comparison either.
expect 0 specsort --summary runs/c.mgf --title "!$long" --drop-zero
[[ $(sed -n '/^taken/,$p' out | awk '{ print length }' | uniq | wc -l) == 1 ]] || fail "columns: $(< out)"
