# The output may be the input: by name, by another name for it, by a symbolic and by a hard link.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in specsort strsort; do
  sample "$tool" 5000 > original
  work "$tool" original sorted
  ! cmp -s original sorted || fail "$tool: the sample is in order already"

  cp original f; expect 0 work "$tool" f f; cmp f sorted
  cp original f; expect 0 work "$tool" ./f "$PWD/f"; cmp f sorted

  cp original f; ln -sf f link
  expect 0 work "$tool" f link
  cmp f sorted; [[ -L link ]] || fail "$tool: a symbolic link was replaced"
  cp original f
  expect 0 work "$tool" link f
  cmp f sorted; [[ -L link ]] || fail "$tool: a symbolic link was replaced"

  cp original f; ln -f f hard
  expect 0 work "$tool" f hard
  cmp hard sorted; cmp f sorted
  [[ $(stat -c %h f) == 2 ]] || fail "$tool: a hard link was broken"
  rm hard

  # Read through stdin while it is written.
  cp original f; expect 0 work "$tool" - f < f; cmp f sorted

  chmod 640 f; expect 0 work "$tool" original f
  [[ $(stat -c %a f) == 640 ]] || fail "$tool: the mode of the replaced file is lost"
  no_leftovers
done

# A report replaces neither the result nor what the command reads, by none of its names; nor does an index what it is made of.
for tool in "${tools[@]}"; do
  rm -rf place; mkdir place
  sample "$tool" 20 > place/in
  cp place/in original
  ln -s in place/link; ln place/in place/hard
  for same in place/in place/link place/hard; do expect_error work "$tool" place/in place/out --stats $same; done
  expect_error work "$tool" - place/out --stats place/link < place/in
  file=$(result "$tool" place/out)
  ln -s "$(basename "$file")" place/dangling
  for same in "$file" "./$file" place/../"$file" place/dangling; do
    expect_error work "$tool" place/in place/out --stats "$same"
  done
  expect_error work "$tool" place/in place/out --stats ''
  [[ $(ls -A place) == $'dangling\nhard\nin\nlink' ]] || fail "$tool: written in spite of an error: $(ls -A place)"
  cmp place/in original
  expect 0 work "$tool" place/in place/out --stats place/report
  grep -q '"tool"' place/report
done
for tool in specsort strsort; do
  sample "$tool" > in
  expect 2 "$tool" in --stats - > both  # to one regular file
  expect_error "$tool" in -o x --stats x
  expect_error "$tool" in -o ''
done
printf 'in\0' > list
expect_error strsort --files0-from=list --stats list
sample sufsort > in.fa
sufsort build in.fa -o index
for name in json seq sa lcp bwt; do
  expect_error sufsort build in.fa -o index --stats index.$name
  expect_error sufsort check index --stats index.$name
  cp in.fa again.$name
  expect_error sufsort build again.$name -o again
  cmp in.fa again.$name
done
expect_error sufsort locate index - --stats in.fa < in.fa
cp index.sa index.copy
for command in check info 'locate A'; do
  read -r name pattern <<< "$command"
  status=0; sufsort "$name" index $pattern >> index.sa 2> err || status=$?
  [[ $status == 2 ]] || fail "sufsort $name index >> index.sa: status $status"
  complaint sufsort
done
cmp index.sa index.copy
expect 0 sufsort check index
# Neither do hits, matches and statistics replace their queries, nor ranges or text what an index was made of, by none of its names.
printf '>q\nGATTACAGATTACA\n' > q.fa
printf '{"text": "a line of words that is here twice"}\n{"text": "a line of words that is here twice"}\n' > q.jsonl
printf 'words\n' > q.txt
cp q.fa original; cp q.jsonl original.jsonl; ln -s q.fa q.link; ln q.fa q.hard
sufsort build q.jsonl -o jq; sufsort build q.txt -o tq --format lines
for same in q.fa ./q.fa q.link q.hard "$PWD/q.fa"; do
  for command in 'count index -f' 'count index --by-record -f' 'locate index -f' 'mem index -l 4' 'ms index'; do
    expect_error sufsort $command q.fa -o "$same"
    expect_error sufsort $command - -o "$same" < q.fa
    cmp q.fa original
  done
done
expect_error sufsort mem index original q.fa -o q.fa
expect_error sufsort locate index GATT -f original -f q.link -o q.fa
for format in text annotated tsv jsonl; do
  expect_error sufsort duplicates jq -l 9 --format $format -o q.jsonl
  expect_error sufsort duplicates jq -l 9 --format $format -o x --report q.jsonl
done
expect_error sufsort duplicates tq -l 2 --format text -o q.txt
expect_error sufsort duplicates jq -l 9 -o x --resume x
expect_error sufsort duplicates jq -l 9 -o x --stats q.jsonl
printf '5\n' > lens.seq
expect_error sufsort build q.txt -o lens --format bytes --lengths lens.seq --stats lens.seq
expect_error sufsort build q.txt -o lens --format bytes --lengths lens.seq
cmp q.jsonl original.jsonl; cmp q.fa original; [[ $(cat q.txt) == words ]]
ln -s elsewhere linked.json
expect 0 sufsort build in.fa -o linked
[[ -L linked.json && -s elsewhere ]] || fail 'a symbolic link was replaced'
expect 0 sufsort build in.fa -o linked
[[ -L linked.json ]] || fail 'a symbolic link was removed'
expect 0 sufsort check linked
ln -s other.sa other.seq
expect_error sufsort build in.fa -o other
for bad in '' folder/; do expect_error sufsort build in.fa -o "$bad"; done

# A number, another format and sorted lines replace no file that is read, of which they are no sorted form.
printf 'b\na\n' > f; printf 'a\nb\n' > order
expect_error strsort --distinct-estimate f -o f
expect_error strsort --order-file=order f -o order
expect_error strsort --order-file=order f --stats order
printf 'b\na\n' | cmp - f; printf 'a\nb\n' | cmp - order
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML; cp run.mzML original
for options in '' '--spectra-by rt'; do
  # shellcheck disable=SC2086
  expect_error specsort run.mzML --to=mgf $options -o run.mzML
  cmp run.mzML original
  # shellcheck disable=SC2086
  expect 0 specsort run.mzML $options -o run.mzML
  cp original run.mzML
done

# What is appended to the file that is read would be read, too. sort reads all before it writes, and so does strsort.
sample specsort 5000 > f; cp f original
status=0; specsort f >> f 2> err || status=$?
[[ $status == 2 ]] || fail "specsort f >> f: status $status"
complaint specsort; grep -q 'input file is output file' err; cmp f original
status=0; specsort - < f >> f 2> err || status=$?
[[ $status == 2 ]] || fail "specsort - < f >> f: status $status"
expect_error specsort f -o /dev/fd/5 5>> f; cmp f original
: > empty
specsort empty >> empty
sample strsort 100 > f; cp f original
strsort f >> f
LC_ALL=C sort original | cat original - | cmp - f

# A descriptor by name is written where it stands.
printf 'b\na\n' > in
{ echo first; strsort in -o /dev/fd/5 5>&1; strsort in -o /dev/stdout; echo last; } > f
printf 'first\na\nb\na\nb\nlast\n' | cmp - f
no_leftovers
