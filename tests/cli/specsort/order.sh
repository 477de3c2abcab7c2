# specsort --spectra-by, --map and parts, against a reference in plain Python; names of parts, and what is refused.
. "$ORDO_SOURCE/tests/cli/lib.sh"

reference="$ORDO_SOURCE/tests/reference/specsort_order_reference.py"
printf 'COM=head\n\nBEGIN IONS\nTITLE=one\nPEPMASS=500\n3.5 1\n1.5 3 b\nEND IONS\n\n# of two\nBEGIN IONS\nTITLE=two\nPEPMASS=400\n1 9\nEND IONS\n' > in.mgf
printf 'COM=head\n\n# of two\nBEGIN IONS\nTITLE=two\nPEPMASS=400\n1 9\nEND IONS\nBEGIN IONS\nTITLE=one\nPEPMASS=500\n1.5 3 b\n3.5 1\nEND IONS\n\n' > by_pepmass

# To a file, a stream, a compressed file, the input itself, and into a file that is shared.
expect 0 specsort in.mgf --spectra-by pepmass; cmp out by_pepmass; [[ ! -s err ]]
expect 0 specsort - --spectra-by pepmass -o result < in.mgf; cmp result by_pepmass
expect 0 specsort - --spectra-by pepmass < <(cat in.mgf); cmp out by_pepmass
expect 0 specsort in.mgf --spectra-by pepmass -o result.mgf.gz; gzip -dc result.mgf.gz | cmp - by_pepmass
gzip -c in.mgf > zipped
expect 0 specsort zipped --spectra-by title --descending-spectra; cmp out by_pepmass
cp in.mgf same.mgf; expect 0 specsort same.mgf --spectra-by pepmass -o same.mgf; cmp same.mgf by_pepmass
{ echo before; specsort in.mgf --spectra-by pepmass; echo after; } > shared
{ echo before; cat by_pepmass; echo after; } | cmp - shared
: > empty; expect 0 specsort empty empty --spectra-by rt -o result; [[ ! -s result ]] || fail "something from nothing"
expect 0 specsort empty in.mgf empty --spectra-by pepmass; cmp out by_pepmass
cp in.mgf a; cp in.mgf b
expect 0 specsort a b --spectra-by pepmass -o b; [[ $(grep -c TITLE=two b) == 2 ]] || fail "an input that is the output"
status=0; specsort in.mgf a --spectra-by pepmass >> a 2> err || status=$?
[[ $status == 2 ]] || fail "an input that is written to: status $status"
complaint specsort
cmp a in.mgf

# What is missing is told, unless --quiet; bad values are errors.
expect 0 specsort in.mgf --spectra-by charge,mass,title
[[ $(cat err) == 'specsort: warning: 2 of 2 spectra have no charge and come last
specsort: warning: 2 of 2 spectra have no precursor m/z or charge and come last' ]] || fail "warnings: $(< err)"
expect 0 specsort in.mgf --spectra-by rt --quiet; [[ ! -s err ]] || fail "--quiet: $(< err)"
printf 'BEGIN IONS\nPEPMASS=1,5\n1 1\nEND IONS\n' > comma.mgf
expect_error specsort comma.mgf --spectra-by pepmass -o result
[[ $(< err) == "specsort: decimal comma: comma.mgf:2: 'PEPMASS=1,5'; a point is expected" ]] || fail "error: $(< err)"
expect 0 specsort comma.mgf --spectra-by scan
printf 'CHARGE=2+\n' | cat - in.mgf > other.mgf
expect_error specsort in.mgf other.mgf --spectra-by pepmass
grep -q 'other global parameters: other.mgf: it has CHARGE=2+, and in.mgf has no CHARGE' err || fail "error: $(< err)"

# Where each came from.
expect 0 specsort zipped in.mgf --spectra-by pepmass --map map.tsv -o result
printf 'output\tspectrum\tinput\tnumber\toffset\tdropped\nresult\t1\tzipped\t2\t76\t\nresult\t2\tin.mgf\t2\t76\t\nresult\t3\tzipped\t1\t10\t\nresult\t4\tin.mgf\t1\t10\t\n' |
  cmp - map.tsv
expect_error specsort in.mgf --spectra-by pepmass --map in.mgf -o result
expect_error specsort in.mgf --spectra-by pepmass --map result -o result
expect_error specsort in.mgf --spectra-by pepmass --map no/such/folder/map

# Parts.
mkdir parts
for name in out.mgf out 'a.b/out.mgf.gz' out.gz; do
  rm -rf parts/*; mkdir -p "parts/$(dirname "$name")"
  expect 0 specsort in.mgf --spectra-by pepmass --split-count 3 -o "parts/$name"
  case $name in
    out.mgf) want='out.0001.mgf out.0002.mgf out.0003.mgf ' ;;
    out) want='out.0001 out.0002 out.0003 ' ;;
    a.b/*) want='a.b/out.0001.mgf.gz a.b/out.0002.mgf.gz a.b/out.0003.mgf.gz ' ;;
    out.gz) want='out.0001.gz out.0002.gz out.0003.gz ' ;;
  esac
  [[ $(cd parts; find . -type f | sed 's:^\./::' | sort | tr '\n' ' ') == "$want" ]] || fail "parts of $name: $(find parts)"
  case $name in *.gz) gzip -dc "parts/${want%% *}" ;; *) cat "parts/${want%% *}" ;; esac | head -1 | grep -q COM=head
done
rm -rf parts/*
expect 0 specsort in.mgf --split-size 1 -o parts/out.mgf
[[ $(ls parts) == $'out.0001.mgf\nout.0002.mgf' ]] || fail "parts: $(ls parts)"
{ cat parts/out.0001.mgf; tail -n +3 parts/out.0002.mgf; } | cmp - <(specsort in.mgf)
rm parts/*
expect_error specsort in.mgf --split-size 1
expect_error specsort in.mgf --split-count 2 -o -
printf 'BEGIN IONS\nbad\nEND IONS\n' | cat in.mgf - > bad.mgf
for how in '--split-size 1' '--split-count 5' '--spectra-by rt --split-size 1'; do
  # shellcheck disable=SC2086
  expect_error specsort bad.mgf $how -o parts/out.mgf
  [[ -z $(ls -A parts) ]] || fail "left after an error: $(ls -A parts)"
done
mkdir parts/out.0002.mgf  # the second one cannot be had
expect_error specsort in.mgf --split-size 1 -o parts/out.mgf
[[ $(ls -A parts) == out.0002.mgf ]] || fail "left after an error: $(ls -A parts)"
cp in.mgf parts/in.0001.mgf
expect 0 specsort parts/in.0001.mgf --split-size 1 -o parts/in.mgf
[[ $(grep -h TITLE parts/in.000?.mgf | tr '\n' ' ') == 'TITLE=one TITLE=two ' ]] || fail "a part that is the input"

# What makes no sense.
for bad in '--spectra-by none' '--spectra-by pepmass,' '--spectra-by rt,rt' '--descending-spectra' '--map map --check' '--map map --summary' '--memory 1M' '-T .' \
           '--spectra-by rt --memory x' '--spectra-by rt --memory 0' '--split-size 0 -o o' '--split-count 0 -o o' \
           '--split-size 5 --split-count 5 -o o' '--spectra-by rt --check' '--spectra-by rt --summary'; do
  # shellcheck disable=SC2086
  expect_error specsort in.mgf $bad
done
for option in --spectra-by --map --memory --split-size --split-count -T --top --mz-range --preset; do
  expect_error specsort in.mgf "$option" '' -o o
  [[ $(< err) == "specsort: empty value: ${option/-T/--temporary-directory}: ''" ]] || fail "error: $(< err)"
done
# The origins of the spectra that filters leave of one input; its format stays.
printf 'BEGIN IONS\nTITLE=one\n1 1\nEND IONS\n\nBEGIN IONS\nTITLE=two\n3 1\n2 1\nEND IONS\n' > two.mgf
expect 0 specsort two.mgf --min-peaks 2 --map map.tsv -o result
[[ $(< map.tsv) == $'output\tspectrum\tinput\tnumber\toffset\tdropped\nresult\t1\ttwo.mgf\t2\t35\t\n\t\ttwo.mgf\t1\t0\t--min-peaks 2' ]] ||
  fail "the map: $(< map.tsv)"
specsort two.mgf --min-peaks 2 | cmp - result
expect 0 specsort two.mgf --map map.tsv; specsort two.mgf | cmp - out; [[ $(cut -f 4 map.tsv | tr '\n' ' ') == 'number 1 2 ' ]] || fail "$(< map.tsv)"
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
expect 0 specsort run.mzML --min-peaks 200 --map map.tsv; mv out kept
specsort run.mzML --min-peaks 200 | cmp - kept
[[ $(wc -l < map.tsv) == 26 && $(sed -n 2p map.tsv) == '-'$'\t1\trun.mzML\t'* && $(grep -c '^-' map.tsv) == 13 ]] || fail "the map: $(< map.tsv)"
# Spectra that are dropped come last, each with the first option that did it; a list that the map is takes the others.
expect 0 specsort run.mzML run.mzML --scan '!11461' --min-peaks 200 --unique-spectra --spectra-by rt --map map.tsv -o x.mgf --quiet
[[ $(grep -c "^x.mgf" map.tsv) == 12 && $(wc -l < map.tsv) == 51 && $(grep -c -- $'--scan !11461$' map.tsv) == 2 ]] || fail "dropped: $(< map.tsv)"
[[ $(grep -c -- $'\t--unique-spectra identical$' map.tsv) == 24 && $(grep -c -- $'\t--min-peaks 200$' map.tsv) == 12 ]] || fail "dropped: $(< map.tsv)"
head -n 1000 map.tsv | sed '1d' | awk -F '\t' '$1 == "" { dropped = 1; next } dropped { exit 1 }' || fail 'a row of the output after dropped ones'
expect 0 specsort run.mzML --min-peaks 200 --rt 83.35min: --map map.tsv -o y.mzML
[[ $(grep -c '^y.mzML' map.tsv) == $(grep -c '<spectrum ' y.mzML) && $(wc -l < map.tsv) == 26 ]] || fail "dropped: $(< map.tsv)"
expect 0 specsort run.mzML --index map.tsv -o z.mzML; [[ $(grep -c '<spectrum ' z.mzML) == $(grep -c '<spectrum ' y.mzML) ]] || fail 'a map as a list'
{ cat run.mzML | sed '0,/name="ms level" value="2"/s//name="ms level" value="1"/'; } > one.mzML
expect 0 specsort one.mzML --map map.tsv -o one.mgf; [[ $(grep -c -- $'\t--to mgf$' map.tsv) == 1 ]] || fail "MS1: $(< map.tsv)"
expect_error specsort - --map map.tsv < run.mzML; grep -q 'missing option: --to' err || fail "a pipe: $(< err)"
expect 0 specsort - --to mzml --min-peaks 200 --map map.tsv < run.mzML; cmp out kept
# Without an order the spectra of several inputs follow one another.
cp in.mgf a.mgf
expect 0 specsort in.mgf a.mgf by_pepmass --map map.tsv -o result
{ specsort in.mgf; tail -n +3 in.mgf | specsort -; tail -n +3 by_pepmass; } | grep -v '^COM\|^$' | cmp - <(grep -v '^COM\|^$' result)
[[ $(cut -f 3,4 map.tsv | tail -n +2 | tr '\n\t' '  ') == 'in.mgf 1 in.mgf 2 a.mgf 1 a.mgf 2 by_pepmass 1 by_pepmass 2 ' ]] ||
  fail "the map: $(< map.tsv)"
expect_error specsort in.mgf in.mgf --check
expect_error specsort in.mgf missing --spectra-by rt -o result2

# mzML comes in as the MGF that --to mgf makes of it.
mzml="$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz"
for how in '|' '--top 5|--by intensity' '--preset casanovo|--descending'; do
  selected=${how%|*} peaks=${how#*|}
  # shellcheck disable=SC2086
  { specsort "$mzml" --to mgf $selected $peaks > run.mgf
    specsort run.mgf --spectra-by title,rt $peaks > want
    expect 0 specsort "$mzml" --spectra-by title,rt $selected $peaks; }
  cmp out want
done
specsort "$mzml" --to mgf | sed 's/^TITLE=/&openms_ecoli_25./' > run.mgf  # of several inputs, the run is named
specsort run.mgf in.mgf run.mgf --spectra-by pepmass,title --quiet > want
expect 0 specsort "$mzml" in.mgf "$mzml" --spectra-by pepmass,title; cmp out want
gzip -dc "$mzml" > whole.mzML; head -c 150000 whole.mzML > cut.mzML
expect_error specsort cut.mzML in.mgf --spectra-by rt -o result2
grep -q cut.mzML err || fail "error: $(< err)"
expect_error specsort "$mzml" comma.mgf --spectra-by pepmass -o result2  # the other fails while there is more of it
[[ ! -e result2 ]]

# Or one stays mzML: as a file, a stream, compressed, in any memory, in its own place; and the same spectra in MGF.
by=(--spectra-by charge,pepmass --descending-spectra)
expect 0 specsort whole.mzML "${by[@]}" -o ordered.mzML --map map.tsv
[[ $(wc -l < map.tsv) == 26 && $(sed -n 2p map.tsv) == "ordered.mzML"$'\t1\twhole.mzML\t'* ]] || fail "map: $(< map.tsv)"
offset=$(sed -n 2p map.tsv | cut -f 5)
[[ $(tail -c +$((offset + 1)) whole.mzML | head -c 10) == '<spectrum ' ]] || fail "no spectrum at $offset"
[[ $(stat -c %s ordered.mzML) == $(stat -c %s whole.mzML) ]]
expect 1 cmp ordered.mzML whole.mzML
expect 0 specsort "$mzml" "${by[@]}" --to mzml --memory 64K; cmp out ordered.mzML
expect 0 specsort - "${by[@]}" --to mzml < <(cat whole.mzML); cmp out ordered.mzML
expect 0 specsort whole.mzML "${by[@]}" -o zipped.mzML.gz --threads 1; gzip -dc zipped.mzML.gz | cmp - ordered.mzML
cp whole.mzML same.mzML; expect 0 specsort same.mzML "${by[@]}" -o same.mzML; cmp same.mzML ordered.mzML
expect 0 specsort ordered.mzML --spectra-by scan -o again.mzML; cmp again.mzML whole.mzML
expect 0 specsort whole.mzML "${by[@]}" --to mgf; mv out want
expect 0 specsort ordered.mzML --to mgf; cmp out want
expect_error specsort cut.mzML "${by[@]}" -o result2.mzML --map map2.tsv
grep -q '^specsort: truncated: cut.mzML:' err || fail "error: $(< err)"
[[ ! -e result2.mzML && ! -e map2.tsv ]] || fail "output in spite of an error"

expect 0 specsort in.mgf --spectra-by rt --stats report.json
[[ $(sed -n 's/.*"name": "\(.*\)".*/\1/p' report.json | tr '\n' ' ') == 'read scan sort move order spill write commit ' ]] ||
  fail "phases are not in the order of the work: $(cat report.json)"

# Many blocks and runs: the same bytes in any memory, by any number of threads, and what the checker says.
ordo_generate spectra --count 8k -o large.mgf 2> /dev/null
expect 0 specsort large.mgf --spectra-by charge,rt --descending-spectra -o wanted --map map.tsv
for how in '--memory 2M' '--memory 8M --threads 1' '--memory 20M -T .' '--threads 3'; do
  # shellcheck disable=SC2086
  expect 0 specsort large.mgf --spectra-by charge,rt --descending-spectra -o result $how
  cmp result wanted
done

# The checker says so, and finds what is wrong.
by=(--spectra-by charge,rt --descending-spectra)
expect 0 ordo_check_spectra "${by[@]}" --map map.tsv -o wanted large.mgf
grep -q '^8000 spectra in' out || fail "checked: $(< out)"
specsort large.mgf "${by[@]}" -o part.mgf --split-count 3 --map parts.tsv
expect 0 ordo_check_spectra "${by[@]}" --map parts.tsv -o part.0001.mgf -o part.0002.mgf -o part.0003.mgf large.mgf
expect 0 ordo_check_spectra "${by[@]}" -o wanted part.000?.mgf
ordo_generate spectra --count 10 -o few.mgf 2> /dev/null
cat few.mgf few.mgf > twice.mgf
specsort few.mgf few.mgf --spectra-by charge -o ties --map ties.tsv
expect 0 ordo_check_spectra --spectra-by charge -o ties twice.mgf
expect 0 ordo_check_spectra --spectra-by charge -o ties --map ties.tsv few.mgf few.mgf
finds() { expect 1 ordo_check_spectra "${@:2}"; grep -q "$1" err || fail "found: $(< err)"; }
finds 'out of order' --spectra-by pepmass -o wanted large.mgf
finds 'out of order' --spectra-by charge,rt -o wanted large.mgf
finds 'out of order' "${by[@]}" -o part.0002.mgf -o part.0001.mgf -o part.0003.mgf large.mgf
head -c -2000 wanted > short
finds 'no end of the spectrum' "${by[@]}" -o short large.mgf
finds 'instead of 8000' "${by[@]}" -o part.0001.mgf large.mgf
sed '0,/^TITLE=/s//TITLE=x/' wanted > other
finds 'other lines' "${by[@]}" -o other large.mgf
finds 'another one' "${by[@]}" --map <(sed 's/^wanted/other/' map.tsv) -o other large.mgf
finds 'order of the inputs' --map map.tsv -o wanted large.mgf
finds 'the map says' "${by[@]}" --map <(head -7000 map.tsv) -o wanted large.mgf
finds 'more than there are' "${by[@]}" --map <(cat map.tsv; echo more) -o wanted large.mgf
finds 'the second time' --spectra-by charge --map <(sed 's/few.mgf/twice.mgf/' ties.tsv) -o ties twice.mgf
if [[ $(command -v python3) ]]; then
  python3 "$reference" files "$ORDO_SOURCE"/datasets/samples/massbank_cc0.mgf.gz
  python3 "$reference" random 1 150
  python3 "$ORDO_SOURCE/tests/reference/specsort_mzml_order_reference.py" files whole.mzML ordered.mzML
  python3 "$ORDO_SOURCE/tests/reference/specsort_mzml_order_reference.py" random 1 100
fi
no_leftovers

# Titles by a template, and new numbers; lines of MGF keep their ends.
printf 'COM=x\r\nBEGIN IONS\r\nSCANS=7\r\nTITLE=a {b}\r\nPEPMASS=5.5\r\nCHARGE=2+\r\n2 1\r\n1 1\r\nEND IONS\r\n\r\nBEGIN IONS\r\n3 1\r\nEND IONS\r\n' > t.mgf
expect 0 specsort t.mgf --title-template '{run}.{scan}.{scan}.{charge} {index} {mz} {title} {level}' -o u.mgf
printf 'COM=x\r\nBEGIN IONS\r\nSCANS=7\r\nTITLE=t.7.7.2 0 5.5 a {b} \r\nPEPMASS=5.5\r\nCHARGE=2+\r\n1 1\r\n2 1\r\nEND IONS\r\n\r\nBEGIN IONS\r\nTITLE=t... 1   \r\n3 1\r\nEND IONS\r\n' |
  cmp - u.mgf
expect 0 specsort t.mgf --renumber --top 1
printf 'COM=x\r\nBEGIN IONS\r\nSCANS=1\r\nTITLE=a {b}\r\nPEPMASS=5.5\r\nCHARGE=2+\r\n1 1\r\nEND IONS\r\n\r\nBEGIN IONS\r\nSCANS=2\r\n3 1\r\nEND IONS\r\n' | cmp - out
printf 'BEGIN IONS\n1 1\nEND IONS' > u.mgf; expect 0 specsort u.mgf --renumber; printf 'BEGIN IONS\nSCANS=1\n1 1\nEND IONS\n' | cmp - out
expect 0 specsort run.mzML --to mgf --renumber --split-count 2 --title-template '{run}.{scan}.{scan}.{charge}' -o part.mgf
[[ $(grep -h '^SCANS' part.0*.mgf | tail -1) == SCANS=25 && $(sed -n 3p part.0001.mgf) == TITLE=run.11461.11461.2 ]] || fail 'numbers of parts'
expect 0 specsort run.mzML --to msp --renumber --descending-spectra --spectra-by rt; [[ $(grep -c '^Scans: ' out) == 25 && $(sed -n 2p out) == 'Scans: 1' ]] || fail "MSP"
expect 0 specsort run.mzML --to mgf --title-template same -o x.mgf
[[ $(< err) == 'specsort: warning: run.mzML: 24 spectra have the title of another one' ]] || fail "equal titles: $(< err)"
expect 0 specsort x.mgf; [[ ! -s err ]] || fail "titles that stay: $(< err)"
for bad in '--renumber' '--title-template {run}'; do
  expect_error specsort run.mzML $bad -o x.mzML; grep -q 'MGF and MSP only' err || fail "mzML: $(< err)"
done
for bad in '{x}' '{run' 'a{}'; do expect_error specsort run.mzML --to mgf --title-template "$bad" -o x.mgf; done
grep -q "no field ''" err || fail "a template: $(< err)"
