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
ln -s elsewhere linked.json
expect 0 sufsort build in.fa -o linked
[[ -L linked.json && -s elsewhere ]] || fail 'a symbolic link was replaced'
expect 0 sufsort build in.fa -o linked
[[ -L linked.json ]] || fail 'a symbolic link was removed'
expect 0 sufsort check linked
ln -s other.sa other.seq
expect_error sufsort build in.fa -o other
for bad in '' folder/; do expect_error sufsort build in.fa -o "$bad"; done

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
