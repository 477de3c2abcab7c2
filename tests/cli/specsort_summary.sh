# specsort --summary: what is in an input, for people and for programs.
. "$ORDO_SOURCE/tests/cli/lib.sh"

printf 'BEGIN IONS\nTITLE=one\nPEPMASS=500.25\nCHARGE=2+\nRTINSECONDS=12.5\n3.5 1\n1.5 0\n3.5 2\nEND IONS\n' > in.mgf
printf 'BEGIN IONS\nPEPMASS=400\nMSLEVEL=2\n7\nEND IONS\nBEGIN IONS\nEND IONS\n' >> in.mgf
cat > table << 'END'
in.mgf
spectra                 3
  in order of m/z       2 (66.67%)
  without peaks         1 (33.33%)
  with a title          1 (33.33%)
  with a scan           0 (0%)
peaks                   4
  of intensity 0        1 (25%)
  without intensity     1 (25%)
  of an m/z seen before 1 (25%)
m/z                     1.5 to 7
intensity               0 to 2
precursor m/z           400 to 500.25, 1 without
retention time, s       12.5 to 12.5, 2 without
charges                 none: 2, 2+: 1
MS levels               2: 1, 2 without
peaks a spectrum        0 to 3, median 1, mean 1.3
                   0  ######################################## 1
                   1  ######################################## 1
                 2-3  ######################################## 1
END
expect 0 specsort --summary in.mgf; cmp out table
expect 0 specsort in.mgf --summary; cmp out table
[[ ! -s err ]] || fail "stderr: $(< err)"
expect 0 specsort - --summary < in.mgf; sed 1d table | cmp - <(sed 1d out)
: > empty; expect 0 specsort --summary empty; grep -q '^spectra  *0$' out

if [[ $(command -v python3) ]]; then
  expect 0 specsort --summary=json in.mgf --stats report.json
  python3 - << 'END'
import json
found = json.load(open('out'))
assert found['spectra'] == 3 and found['spectra_in_order'] == 2 and found['peaks'] == 4 and found['lines'] == 16, found
assert found['mz'] == {'least': 1.5, 'greatest': 7.0, 'count': 4}, found
assert found['charges'] == {'none': 2, '2': 1} and found['ms_levels'] == {'2': 1}, found
assert found['peaks_a_spectrum']['histogram'][2] == {'from': 2, 'to': 3, 'spectra': 1}, found
END
  expect 0 specsort --summary=json empty
  python3 -c "import json; found = json.load(open('out')); assert found['mz'] is None and found['spectra'] == 0"
fi

# A parameter that is no number is warned of; peaks that are none are errors, as ever.
printf 'BEGIN IONS\nPEPMASS=1,5\n1 1\nEND IONS\n' > comma.mgf
expect 0 specsort --summary comma.mgf
[[ $(< err) == "specsort: warning: decimal comma: comma.mgf:2: 'PEPMASS=1,5'; a point is expected" ]] || fail "$(< err)"
printf 'BEGIN IONS\n1,5 1\nEND IONS\n' > comma.mgf
expect_error specsort --summary comma.mgf
printf '<mzML>\n' > spectra.mzML
expect_error specsort --summary spectra.mzML
expect_error specsort --summary=xml in.mgf
expect_error specsort --summary --check in.mgf
expect_error specsort --summary in.mgf -o result
expect_error specsort --summary in.mgf --top 5
expect_error specsort --quiet=false in.mgf

# By all threads and one the same.
for sample in "$ORDO_SOURCE"/datasets/samples/*.mgf*; do
  expect 0 specsort --summary=json "$sample" --threads 1; mv out one
  expect 0 specsort --summary=json "$sample"; cmp out one
done

# mzML: compressed, and what MGF of it says of the same spectra. specsort_mzml.sh has it against a reference.
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
expect 0 specsort --summary run.mzML; sed 1d out > table
grep -q '^MS levels               2: 25$' table || fail "mzML: $(< out)"
for how in gzip bgzip 'zstd -q'; do
  $how -c run.mzML > packed
  expect 0 specsort --summary packed; sed 1d out | cmp - table
  expect 0 specsort --summary - < <(cat packed); sed 1d out | cmp - table
done
head -c 100000 run.mzML > cut; expect_error specsort --summary cut
expect 0 specsort run.mzML --to mgf -o run.mgf
expect 0 specsort --summary run.mgf
diff <(sed '1d; s/^MS levels.*//; s/^intensity.*//' out) <(sed 's/^MS levels.*//; s/^intensity.*//' table) ||
  fail 'not as of MGF'
no_leftovers
