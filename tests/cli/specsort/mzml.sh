# specsort: mzML in, mzML and MGF out.
. "$ORDO_SOURCE/tests/cli/lib.sh"

gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML

# Which format comes out: by the option, by the name, else that of the input.
expect 0 specsort run.mzML; cmp out run.mzML
expect 0 specsort run.mzML -o result; cmp result run.mzML
expect 0 specsort run.mzML --to mgf; mv out run.mgf
[[ $(grep -c '^BEGIN IONS$' run.mgf) == 25 && $(grep -c '^[0-9]' run.mgf) == 6895 ]] ||
  fail 'to MGF: spectra or peaks are missing'
for name in a.mgf A.MGF a.mgf.gz a.MGF.bgz a.mgf.zst; do
  expect 0 specsort run.mzML -o $name
  expect 0 specsort $name; cmp out run.mgf
done
expect 0 specsort run.mzML -o a.mzML.gz; gzip -dc a.mzML.gz | cmp - run.mzML
expect 0 specsort run.mzML --to mzml -o b.mgf; cmp b.mgf run.mzML
expect 0 specsort run.mzML --to mgf -o b.mzML; cmp b.mzML run.mgf
expect 0 specsort run.mgf --to mgf; cmp out run.mgf
# Names of formats that are not written.
for name in a.mzXML b.imzML.gz c.RAW d.sptxt; do
  for order in '' '--spectra-by rt'; do
    for in in run.mzML run.mgf; do
      expect_error specsort $in $order -o $name
      grep -q "^specsort: format not written: -o $name: " err || fail "$name: $(< err)"
    done
  done
  [[ ! -e $name ]] || fail "$name is there"
done
expect 0 specsort run.mzML --to mzml -o a.mzXML; cmp a.mzXML run.mzML
for how in '-o a.parquet' '-o a.feather' '-o a.arrow.gz' '--to=parquet' '--to=arrow'; do
  for order in '' '--spectra-by rt' '--summary'; do
    if [[ $how == -o* && $order == --summary ]]; then continue; fi
    expect_error specsort run.mzML $order $how
    grep -q "^specsort: format not written: $how: the Python package writes it, " err || fail "$how: $(< err)"
  done
done
[[ ! $(compgen -G 'a.[paf]*') ]] || fail "output of columns: $(compgen -G 'a.[paf]*')"
# An input that cannot be read is that, whatever the output is called; and one of nothing is not mzML.
printf '<?xml version="1.0"?>\n<mzData version="1">\n</mzData>\n' > foreign.mzXML
for to in '-o y.mzML' '-o y.mzXML' '--to mzml' '-o y.mgf' '--check' '--summary' '--spectra-by rt -o y.mzML' '--spectra-by rt -o y.mgf'; do
  expect_error specsort foreign.mzXML $to
  grep -q '^specsort: not MGF: foreign.mzXML:1: it looks like mzData; that cannot be read' err || fail "$to: $(< err)"
done
: > empty.mzML; gzip -c empty.mzML > empty.mzML.gz; printf '\n \n' > blank.mzML; : > empty.imzML
for name in empty.mzML empty.mzML.gz blank.mzML empty.imzML; do
  for to in '' '-o y.mzML' '--to mgf' '--check' '--summary' '--spectra-by rt -o y.mzML' '--spectra-by rt -o y.mgf' '--split-count 2 -o y.mgf'; do
    expect_error specsort $name $to
    grep -q "^specsort: empty: $name: it holds no spectra" err || fail "$name $to: $(< err)"
  done
done
[[ ! -e y.mzML && ! -e y.mgf ]] || fail 'output of nothing'
expect_error specsort run.mzML --to mzXML

# The input is known by its bytes: under any name, compressed, as standard input, as its own output.
cp run.mzML run.mgf.mgf
expect 0 specsort run.mgf.mgf --to mzml; cmp out run.mzML
for how in gzip bgzip bzip2 xz 'zstd -q'; do
  $how -c run.mzML > packed
  expect 0 specsort packed --to mgf; cmp out run.mgf
  expect 0 specsort - --to mgf < packed; cmp out run.mgf
  expect 0 specsort - --to mgf < <(cat packed); cmp out run.mgf
done
expect 0 specsort - < run.mzML; cmp out run.mzML
expect 0 specsort - < <(cat run.mzML); cmp out run.mzML
{ cat packed; } | head -c 20000 > cut; expect_error specsort cut --to mgf

# By intensity, and back: nothing is lost, nothing but the order changes.
expect 1 specsort --check --by intensity run.mzML
grep -q "^specsort: run.mzML:[0-9]*: disorder: spectrum 1 'controllerType=0 controllerNumber=1 scan=[0-9]*': [0-9.]* [0-9.]*$" err ||
  fail "check: $(< err)"
expect 0 specsort --check run.mzML
expect 0 specsort run.mzML --by intensity --descending -o turned.mzML --stats report.json --threads 2
expect 0 specsort --check --by intensity --descending turned.mzML
expect 1 specsort --check turned.mzML --stats check.json
[[ $(stat -c %s turned.mzML) == $(stat -c %s run.mzML) ]] || fail 'uncompressed arrays have another length'
diff <(sed 's/<binary>.*//' run.mzML) <(sed 's/<binary>.*//' turned.mzML) || fail 'more than arrays has changed'
[[ $(sed -n 's/.*"name": "\(.*\)".*/\1/p' report.json | tr '\n' ' ') == 'read parse unpack sort pack write commit ' ]] ||
  fail "phases: $(cat report.json)"
cp turned.mzML again.mzML
expect 0 specsort again.mzML -o again.mzML; cmp again.mzML run.mzML
expect 0 specsort turned.mzML --to mgf; cmp out run.mgf
if have_gpu; then
  expect 0 specsort turned.mzML --device gpu; cmp out run.mzML
fi

# Selections: of mzML as of the MGF that it makes.
for options in '--top 20' '--preset casanovo' '--mz-range 200:900 --min-relative 0.02' '--top 5 --by intensity --descending' \
               '--min-relative 0.1 --min-peaks 30'; do
  expect 0 specsort run.mgf $options; mv out expected
  expect 0 specsort turned.mzML --to mgf $options; cmp out expected
done
expect 0 specsort run.mgf --top 20; mv out expected
expect 0 specsort turned.mzML --top 20 -o top.mzML
grep -q '<spectrum .*defaultArrayLength="20"' top.mzML || fail 'a spectrum of 20 peaks does not say so'
expect 0 specsort top.mzML --to mgf; cmp out expected

# An indexedmzML gets an index that is right, and the checksum that sha1sum would give it.
ids=$(sed -n 's/.*<spectrum .*\bid="\([^"]*\)".*/\1/p' run.mzML)
{
  echo '<?xml version="1.0" encoding="ISO-8859-1"?>'
  echo '<indexedmzML xmlns="http://psi.hupo.org/ms/mzml" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
  tail -n +2 turned.mzML
  echo '<indexList count="1"><index name="spectrum">'
  while read -r id; do echo "<offset idRef=\"$id\">1</offset>"; done <<< "$ids"
  echo '</index></indexList><indexListOffset>-1</indexListOffset>'
  echo '<fileChecksum>0</fileChecksum></indexedmzML>'
} > indexed.mzML
expect 0 specsort indexed.mzML -o result.mzML
sed -n 's/.*<offset idRef="\([^"]*\)">\([0-9]*\)<.*/\2:\1/p' result.mzML > told
grep -bo '<\(spectrum\|chromatogram\) .*\bid="[^"]*"' result.mzML | sed 's/:.*\bid="\([^"]*\)"$/:\1/' > found
[[ $(wc -l < found) == 26 && $(grep -c ':TIC$' told) == 1 ]] || fail 'the index lacks the chromatogram'
grep -q '<indexList count="2">' result.mzML || fail 'the list of indexes does not say that they are two'
diff told found || fail 'the index is wrong'
at=$(sed -n 's/.*<indexListOffset>\([0-9]*\)<.*/\1/p' result.mzML)
[[ $(tail -c +$((at + 1)) result.mzML | head -c 10) == '<indexList' ]] || fail "no index list at $at"
sum=$(sed -n 's/.*<fileChecksum>\([0-9a-f]*\)<.*/\1/p' result.mzML)
at=$(grep -bo '<fileChecksum>' result.mzML | cut -d : -f 1)
[[ $(head -c $((at + 14)) result.mzML | sha1sum) == "$sum "* ]] || fail "the checksum is wrong: $sum"
expect 0 specsort result.mzML; cmp out result.mzML
# A document that was changed after it was written: an error of a check, and a warning.
expect 0 specsort --check result.mzML
sed 's/scan=11462/scan=91462/' result.mzML > changed.mzML
expect 2 specsort --check changed.mzML; [[ ! -s out ]] || fail "--check: $(< out)"
[[ $(< err) == "specsort: wrong checksum: changed.mzML: fileChecksum is '$sum', and the SHA-1 of the document is "* ]] || fail "$(< err)"
for how in '' '--to mgf' '--summary' '--spectra-by rt'; do
  expect 0 specsort changed.mzML $how
  grep -q "^specsort: warning: changed.mzML: fileChecksum is '$sum', and the SHA-1 .* it was changed after it was written$" err || fail "$how: $(< err)"
done

# Spectra that leave: to MGF as to mzML; as a file, a stream, compressed, and in the place of the input.
expect 0 specsort result.mzML --min-peaks 260 -o few.mzML; [[ ! -s err ]] || fail "$(< err)"
[[ $(grep -c '<spectrum ' few.mzML) == 12 && $(grep -c '<offset ' few.mzML) == 13 ]] ||
  fail "not 12 spectra: $(grep -c '<spectrum ' few.mzML)"
grep -q '<spectrumList count="12"' few.mzML || fail "the list says $(grep '<spectrumList' few.mzML)"
expect 0 specsort few.mzML; cmp out few.mzML
expect 0 specsort few.mzML --min-peaks 260; cmp out few.mzML
expect 0 specsort few.mzML --min-peaks 1 --keep-metadata; cmp out few.mzML
expect 0 specsort few.mzML --to mgf; mv out expected
expect 0 specsort result.mzML --to mgf --min-peaks 260; cmp out expected
expect 0 specsort - --min-peaks 260 < <(gzip -c result.mzML); cmp out few.mzML
expect 0 specsort result.mzML --min-peaks 260 -o few.mzML.gz; gzip -dc few.mzML.gz | cmp - few.mzML
cp result.mzML same.mzML; expect 0 specsort same.mzML --min-peaks 260 -o same.mzML; cmp same.mzML few.mzML
if [[ $(command -v python3) ]]; then
  reference="$ORDO_SOURCE/tests/reference/specsort_mzml_reference.py"
  python3 "$reference" files run.mzML result.mzML turned.mzML
  python3 "$reference" random 1 150
fi
# What follows the number of spectra is put aside, in a temporary file if it is much.
awk '{ print } /<\/spectrum>/ { ++n } n == 25 { exit }' run.mzML > head
{ cat head; for i in {1..30}; do sed -n '/<spectrum /,$p' head; done; sed '1,/<spectrum /d' run.mzML | sed -n '/<\/spectrumList>/,$p'; } > large.mzML
expect 0 specsort large.mzML --min-peaks 260 -o few.mzML
grep -q '<spectrumList count="372"' few.mzML || fail "the list says $(grep '<spectrumList' few.mzML)"
TMPDIR=/no/such expect_error specsort large.mzML --min-peaks 260 -o result
grep -q "^specsort: cannot create temporary file in '/no/such'" err || fail "no folder: $(< err)"

# What was done is recorded, and what was made of peaks made anew; once, though it is done twice; or not.
grep -q '<software id="ordo_specsort" version=' top.mzML || fail 'no software is recorded'
grep -q '<spectrumList count="25" defaultDataProcessingRef="ordo_specsort_processing">' top.mzML || fail 'no processing is recorded'
grep -q '<userParam name="--top" value="20"/>' top.mzML || fail 'no option is recorded'
grep -q '<userParam name="total ion current" type="xsd:double" value="8986.03515625"/>' run.mzML || fail 'another sample'
! grep -q '"total ion current" type="xsd:double" value="8986.03515625"' top.mzML || fail 'the total ion current is that of all peaks'
expect 0 specsort top.mzML --top 20; cmp out top.mzML
expect 0 specsort run.mzML --top 20 --keep-metadata -o kept.mzML
diff <(sed '/<binary/d; s/defaultArrayLength="[0-9]*"//' run.mzML) <(sed '/<binary/d; s/defaultArrayLength="[0-9]*"//' kept.mzML) ||
  fail '--keep-metadata: more than arrays has changed'

# Entries that an index lacks, and those of nothing.
sed '/<offset idRef="[^"]*11470"/d; s/<indexListOffset>/&1/' result.mzML | sed '0,/<offset /s//<offset idRef="none">1<\/offset>\n<offset /' > damaged.mzML
expect 0 specsort damaged.mzML; cmp out result.mzML
[[ $(< err) == 'specsort: warning: damaged.mzML: the index was wrong and is made anew: 1 entry missing, 1 entry of nothing in the document, 1 wrong offset' ]] ||
  fail "a damaged index: $(< err)"

# A byte of Windows-1252 in UTF-8.
sed 's/id="controllerType=0 controllerNumber=1 scan=11461"/id="\xb5 scan=11461"/; s/ISO-8859-1/UTF-8/' run.mzML > micro.mzML
line=$(LC_ALL=C grep -an $'\xb5' micro.mzML | cut -d : -f 1)
for to in '' '--to mgf' '--check' '--summary' '--top 5' '--spectra-by rt --to mzml'; do
  expect_error specsort micro.mzML $to
  grep -q "^specsort: not UTF-8: micro.mzML:$line: byte 0xb5, " err || fail "$to: $(< err)"
done
expect 0 specsort micro.mzML --lenient; cmp out micro.mzML
[[ $(< err) == 'specsort: warning: micro.mzML: 1 byte is no UTF-8: it is read as Windows-1252, and stays as it is' ]] ||
  fail "--lenient: $(< err)"
expect 0 specsort micro.mzML --lenient --to mgf; grep -q $'^TITLE=\xc2\xb5 scan=11461$' out || fail 'another title'

# What is wrong is named with its line, and nothing is written.
rm -f result
sed '100s/</</; /<\/scanList>/{s///;:a;n;ba}' run.mzML > broken.mzML
expect_error specsort broken.mzML -o result
grep -q '^specsort: malformed XML: broken.mzML:[0-9]*: mismatched tag$' err || fail "broken: $(< err)"
head -n 200 run.mzML > short.mzML
expect_error specsort short.mzML -o result
grep -q '^specsort: truncated: short.mzML:[0-9]*: the input ends inside the spectrum that begins here$' err ||
  fail "short: $(< err)"
[[ ! -e result ]] || fail 'output in spite of an error'
# Tags with two prefixes, which name nothing; what follows the index; and an index of no document. The output before stays.
echo before > result
for tag in cvParam userParam binaryDataArray binary; do
  sed "/<spectrum /,\$s/<$tag\b/<a:b:$tag/; s/<\/$tag>/<\/a:b:$tag>/" run.mzML > prefixed.mzML
  line=$(grep -n -m 1 '<a:b:' prefixed.mzML | cut -d : -f 1)
  for to in '-o result' '--to mgf' '--check' '--lenient'; do
    expect_error specsort prefixed.mzML $to
    grep -q "^specsort: malformed XML: prefixed.mzML:$line: " err || fail "$tag: $(< err)"
  done
done
line=$(grep -n '</indexList>' indexed.mzML | cut -d : -f 1)
for tag in '<chromatogram id="late"/>' '<chromatogram id="late"></chromatogram>'; do
  sed "${line}s|\$|\n$tag|" indexed.mzML > late.mzML
  expect_error specsort late.mzML -o result
  [[ $(< err) == "specsort: not mzML: late.mzML:$((line + 1)): a chromatogram after the index" ]] || fail "late: $(< err)"
done
printf '<?xml version="1.0"?>\n<indexedmzML xmlns="http://psi.hupo.org/ms/mzml"/>\n' > index_alone.mzML
expect_error specsort index_alone.mzML -o result
grep -q '^specsort: malformed XML: index_alone.mzML:2: ' err || fail "an index alone: $(< err)"
# A spectrum that says to have more peaks than can be.
sed '0,/defaultArrayLength="[0-9]*"/s//defaultArrayLength="18446744073709551615"/' run.mzML > endless.mzML
line=$(grep -n -m 1 '<spectrum ' endless.mzML | cut -d : -f 1)
for to in '--to mgf -o result' '--spectra-by rt --to mgf -o result'; do
  expect_error specsort endless.mzML $to
  grep -qx "specsort: too large: endless.mzML:$line: more than 2^32 peaks in spectra that follow one another" err ||
    fail "$to: $(< err)"
done
expect_error specsort endless.mzML -o result
grep -q '^specsort: not a binary array: endless.mzML:[0-9]*: it does not hold 18446744073709551615 ' err || fail "$(< err)"
[[ $(< result) == before ]] || fail 'output in spite of an error'
rm result

# What is neither is named, with what to do.
printf '<?xml version="1.0"?>\n<mzData version="1">\n<!-- mzML --></mzData>\n' > run.mzData
printf '\001\241F\000i\000n\000n\000i\000g\000a\000n\000' > run.raw
printf '{"spectra": []}\n' > run.json
printf 'SQLite format 3\0\020\0' > renamed.mgf; cp renamed.mgf analysis.tdf
printf '\001\002\003\004' | tee analysis.tdf_bin > odd.raw
printf '\320\317\021\340\241\261\032\341\0' | tee run.wiff > ole.mgf
while read -r file message; do
  expect_error specsort "$file"
  [[ $(< err) == "specsort: not MGF: $file:1: it looks like $message" ]] || fail "$file: $(< err)"
done << 'END'
run.mzData mzData; that cannot be read, but msconvert --mzML makes mzML of it
run.raw a Thermo RAW file; that cannot be read, but msconvert --mzML or ThermoRawFileParser makes mzML of it
renamed.mgf an SQLite database, as Bruker's .tdf and .tsf are; that cannot be read, but msconvert --mzML makes mzML of the .d folder that holds it
analysis.tdf a file of Bruker (.tdf); that cannot be read, but msconvert --mzML makes mzML of the .d folder that holds it
analysis.tdf_bin a file of Bruker (.tdf_bin); that cannot be read, but msconvert --mzML makes mzML of the .d folder that holds it
odd.raw a file of Thermo (.raw); that cannot be read, but msconvert --mzML makes mzML of it
run.wiff a file of Sciex (.wiff); that cannot be read, but msconvert --mzML makes mzML of it
ole.mgf an OLE2 file, as Sciex's .wiff is; that cannot be read, but msconvert --mzML makes mzML of it
run.json JSON; MGF, mzML, mzXML, MSP and mzSpecLib can be read
END
# The folders of instruments, whatever else is asked for; and a folder for the output.
mkdir -p tims.d agilent.d other.d waters.RAW/ renamed plain
touch tims.d/analysis.tdf renamed/analysis.baf waters.RAW/_FUNC001.DAT
mkdir -p agilent.d/AcqData
while read -r folder software; do
  for how in '' '--check' '--summary' '--spectra-by rt' 'run.mzML'; do
    # shellcheck disable=SC2086
    expect_error specsort $folder $how
    [[ $(< err) == "specsort: cannot read: $folder: it is a folder of $software; that cannot be read, but msconvert --mzML makes mzML of it" ]] ||
      fail "$folder $how: $(< err)"
  done
done << 'END'
tims.d Bruker timsTOF
tims.d/ Bruker timsTOF
renamed Bruker
agilent.d Agilent MassHunter
other.d Bruker or Agilent
waters.RAW Waters MassLynx
END
expect_error specsort plain; grep -q '^specsort: cannot read: plain: Is a directory$' err || fail "a folder: $(< err)"
for output in plain plain/ missing/; do
  expect_error specsort run.mzML -o $output
  [[ $(< err) == "specsort: cannot write: $output: it is a folder, and the output is a file: name it, as ${output%/}/sorted.mgf" ]] || fail "-o $output: $(< err)"
  expect_error specsort run.mzML run.mzML --preset casanovo -o $output
  grep -q 'several inputs become one file: to keep them apart, use --out-dir$' err || fail "-o $output: $(< err)"
done
[[ -z $(ls plain) && ! -e missing ]] || fail 'output in spite of an error'
no_leftovers
