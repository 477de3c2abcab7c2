# specsort: many mzML in, one out; and parts of mzML, against a reference in plain Python.
. "$ORDO_SOURCE/tests/cli/lib.sh"

gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
spectra() { grep -o '<spectrum .*\bid="[^"]*"' "$@" | sed 's/.*\bid="//; s/"$//'; }

# One after the other; by a key; the inputs as files, streams and compressed, the output, too, and in the place of an input.
expect 0 specsort run.mzML run.mzML -o both.mzML; [[ ! -s err ]] || fail "warnings: $(< err)"
{ spectra run.mzML; spectra run.mzML | sed 's/$/ file=2/'; } | diff - <(spectra both.mzML)
grep -q '<spectrumList count="50"' both.mzML || fail 'another number of spectra'
[[ $(grep -c '<sourceFile ' both.mzML) == 2 && $(grep -c '<chromatogram ' both.mzML) == 2 ]] || fail 'source files, chromatograms'
cp run.mzML second.mzML
expect 0 specsort run.mzML second.mzML --to=mzml; mv out second
expect 0 specsort --to=mzml run.mzML second.mzML -o second.mzML; cmp second second.mzML
expect 0 specsort run.mzML run.mzML -o both.mzML.gz; gzip -dc both.mzML.gz | cmp - both.mzML
# In MGF, titles that are ids name the run. What is left of equal titles is counted.
cp run.mzML second.mzML
expect 0 specsort run.mzML second.mzML --to=mgf; mv out want
[[ ! -s err && -z $(grep TITLE want | sort | uniq -d) ]] || fail "titles of two runs: $(< err)"
[[ $(grep -c '^TITLE=run\.controllerType=0 controllerNumber=1 scan=' want) == 25 ]] || fail "titles: $(grep TITLE want)"
[[ $(grep -c '^TITLE=second\.controllerType=0 controllerNumber=1 scan=' want) == 25 ]] || fail "titles: $(grep TITLE want)"
expect 0 specsort both.mzML --to=mgf; sed 's/ file=2$//' out | cmp - <(sed 's/^TITLE=\(run\|second\)\./TITLE=/' want)
expect 0 specsort run.mzML run.mzML --to=mgf
repeated='25 spectra have the title of another one: --map records the input of each'
[[ $(< err) == "specsort: warning: $repeated" ]] || fail "equal titles: $(< err)"
cp out twice.mgf
for how in '' '--spectra-by title' '--memory 64K --spectra-by pepmass' '--split-count 3 -o part.mgf'; do
  # shellcheck disable=SC2086
  expect 0 specsort run.mzML run.mzML --to=mgf $how
  [[ $(< err) == "specsort: warning: $repeated" ]] || fail "equal titles, $how: $(< err)"
done
rm -f part.*
expect 0 specsort twice.mgf <(printf 'BEGIN IONS\n1 1\nEND IONS\nBEGIN IONS\n1 1\nEND IONS\nBEGIN IONS\nTITLE= run.new \nEND IONS\n')
[[ $(< err) == "specsort: warning: $repeated" ]] || fail "equal titles of MGF: $(< err)"
expect 0 specsort twice.mgf --spectra-by rt; [[ ! -s err ]] || fail "one input: $(< err)"
expect 0 specsort run.mzML run.mzML --to=mgf --unique-spectra; [[ ! -s err ]] || fail "those that stay: $(< err)"
expect 0 specsort run.mzML second.mzML --to=mgf --title='controllerType=0 controllerNumber=1 scan=11461' --spectra-by title --descending-spectra
[[ $(sed -n 's/TITLE=\([a-z]*\).*/\1/p' out | tr '\n' ' ') == 'second run ' ]] || fail "chosen by their own titles: $(grep TITLE out)"
id=$(sed -n 's/.*<run id="\([^"]*\)".*/\1/p' run.mzML | head -n 1)
printf '<mzXML><msRun><scan num="7" msLevel="2" peaksCount="0"><precursorMz>500.25</precursorMz></scan></msRun></mzXML>' | tee a.mzXML > B.MZXML
expect 0 specsort a.mzXML B.MZXML --to=mgf; [[ ! -s err && $(sed -n 's/TITLE=//p' out | tr '\n' ' ') == 'a.scan=7 B.scan=7 ' ]] || fail "mzXML: $(< out)"
expect 0 specsort a.mzXML --to=mgf; grep -q '^TITLE=scan=7$' out || fail "one mzXML: $(< out)"
expect 0 specsort - second.mzML --to=mgf < run.mzML; grep -q "^TITLE=$id\.controllerType" out || fail "standard input: $(grep TITLE out)"
expect 0 specsort both.mzML --to=mzml; cmp out both.mzML
expect 0 specsort run.mzML run.mzML --spectra-by=pepmass -o ordered.mzML --map map.tsv --stats report.json
expect 0 specsort both.mzML --spectra-by=pepmass --to=mzml; diff <(spectra out) <(spectra ordered.mzML)
[[ $(wc -l < map.tsv) == 51 ]] || fail "the map: $(< map.tsv)"
for how in '--memory 64K' '--memory 200K --threads 1'; do
  expect 0 specsort run.mzML run.mzML --spectra-by=pepmass $how --to=mzml; cmp out ordered.mzML
done

# Parts are complete documents, and become the run again.
expect 0 specsort run.mzML --split-size 100K -o part.mzML
[[ $(echo part.*) == 'part.0001.mzML part.0002.mzML part.0003.mzML' ]] || fail "parts: $(echo part.*)"
for part in part.*; do
  [[ $(stat -c %s $part) -le 102400 ]] || fail "$part is too large"
  expect 0 specsort $part; cmp out $part
done
expect 0 specsort part.*.mzML -o joined.mzML; diff <(spectra run.mzML) <(spectra joined.mzML)
expect 0 specsort joined.mzML --to=mgf; mv out want
expect 0 specsort run.mzML --to=mgf; cmp out want
expect 0 specsort run.mzML --split-count 30 -o many.mzML.gz; [[ $(echo many.*.gz | wc -w) == 30 ]] || fail 'not 30 parts'
rm -f part.* many.*

# What cannot be, and what fails on the way: nothing is written.
rm -f result* ; head -c 150000 run.mzML > cut.mzML
printf 'BEGIN IONS\n1 1\nEND IONS\n' > in.mgf
expect_error specsort run.mzML in.mgf -o result.mzML
grep -q '^specsort: cannot be written as mzML: in.mgf: ' err || fail "MGF: $(< err)"
for how in '' '--spectra-by rt' '--split-count 2'; do
  expect_error specsort run.mzML cut.mzML $how -o result.mzML --map result.tsv
  grep -q '^specsort: truncated: cut.mzML:' err || fail "$how: $(< err)"
done
sed 's/version="1.1.0"/version="1.0.0"/' run.mzML > old.mzML
expect_error specsort run.mzML old.mzML -o result.mzML
[[ $(< err) == 'specsort: cannot merge: old.mzML: it is mzML 1.0.0, and only documents of mzML 1.1 can become one' ]] || fail "$(< err)"
LC_ALL=C sed 's/encoding="[^"]*"/encoding="UTF-8"/' run.mzML > utf8.mzML
LC_ALL=C sed 's/encoding="[^"]*"/encoding="ISO-8859-1"/; s/<spectrum /<spectrum n\xf1="1" /' run.mzML > name.mzML
expect_error specsort utf8.mzML name.mzML -o result.mzML
grep -q '^specsort: cannot merge: <spectrum\.\.\.: the name of an element or of an attribute is not ASCII' err || fail "$(< err)"
expect_error specsort run.mzML missing.mzML -o result.mzML
expect_error specsort run.mzML run.mzML --memory 64K -T no/such/folder -o result.mzML
[[ -z $(compgen -G 'result*') ]] || fail "output in spite of an error: $(compgen -G 'result*')"

if [[ $(command -v python3) ]]; then
  reference="$ORDO_SOURCE/tests/reference/specsort_mzml_merge_reference.py"
  python3 "$reference" files run.mzML run.mzML
  python3 "$reference" files run.mzML
  python3 "$reference" random 1 40
fi
no_leftovers
