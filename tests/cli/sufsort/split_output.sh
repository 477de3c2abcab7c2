# sufsort build --split-output: parts of a suffix array are as the array to every command; what is wrong with them is named.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
sizes() { stat -c %s "$1".sa.* | xargs; }
letters() { LC_ALL=C awk -v n="$1" -v seed="${2-1}" 'BEGIN {
  srand(seed); print ">one"; for (i = 0; i < n; ++i) { s = s substr("ACGT", int(rand() * 4) + 1, 1); if (i % 70 == 69) { print s; s = "" } } print s }'; }
whole() { cat "$1".sa.[0-9]*; }
unit=$((65536 * 4))  # bytes: entries have 4

# Sizes around those of parts, more parts than there are pages, other widths and rows.
letters 200001 > all.fa
for n in 0 1 65535 65536 131073; do
  letters $n > n$n.fa
  expect 0 sufsort build n$n.fa -o w
  for parts in 1 2 3 9; do
    rm -f s.*
    expect 0 sufsort build n$n.fa -o s --split-output=$parts
    [[ ! -e s.sa && $(find . -name 's.sa.*' | wc -l) == "$parts" ]] || fail "$parts parts of $n letters: $(ls)"
    whole s | cmp - w.sa || fail "$parts parts of $n letters"
    for ((k = 1; k < parts; ++k)); do (($(stat -c %s s.sa.000$k) % unit == 0)) || fail "$parts parts of $n letters: $(sizes s)"; done
    expect 0 sufsort check s
  done
done
want "$(sizes s)" "0 0 0 0 $unit 0 0 0 $((unit + 4))" 'nine parts of two units'
for options in '--width=40 --lcp' --width=64 --sample=2 '--ambiguous=skip --lcp' '--strands=both --ambiguous=break' '--lcp --threads=1'; do
  # shellcheck disable=SC2086
  { expect 0 sufsort build all.fa -o w $options; expect 0 sufsort build all.fa -o s --split-output=2 $options; }
  whole s | cmp - w.sa || fail "$options"
  expect 0 sufsort check s
done
expect 0 sufsort build n1.fa n65536.fa --out-dir each --split-output=2
whole each/n65536 | cmp -n $unit - <(sufsort build n65536.fa -o w; cat w.sa)
expect 0 sufsort count each/n1 A

# Every command, as of one file.
arrays=(--lcp --bwt --fm --kmer-table=4 --force-kmer-table)
expect 0 sufsort build all.fa -o w "${arrays[@]}"
expect 0 sufsort build all.fa -o s "${arrays[@]}" --split-output=3
for name in seq lcp bwt fm kmers; do cmp w.$name s.$name; done
want "$(sizes s)" "$unit $unit $((200001 * 4 - 2 * unit))" 'three parts'
want "$(sufsort info s | grep -c '^part')" 3 'parts in info'
sufsort info s | grep -v ^part | cmp - <(sufsort info w)
sed -n '2,9p' all.fa | sed 's/^.\{9\}/&\n/' > list; { echo '>q'; sed -n '20,40p' all.fa; } > q.fa
letters 3000 2 > more.fa
same() {  # of one index: the same output with w and s
  "$@" > out.s; local k command=("$@")
  for k in "${!command[@]}"; do [[ ${command[k]} != s ]] || command[k]=w; done
  "${command[@]}" | cmp - out.s || fail "$*"
}
for command in 'count s -f list' 'locate s -f list --both-strands' 'mem s q.fa --min-length=12' 'ms s q.fa' 'unique s -k 9' 'spectrum s -k 9' \
  'repeats s --min-length=14' 'export s --format=raw40 -o -' 'export s --format=sdsl -o -' 'export s --format=sufr -o -'; do
  # shellcheck disable=SC2086
  same sufsort $command
done
expect 0 sufsort kmers s -k 3 --force-kmer-table; want "$(sizes s)" "$unit $unit $((200001 * 4 - 2 * unit))" 'after kmers'
expect 0 sufsort check s
rm -f [ws].fm [ws].kmers; expect 0 sufsort build all.fa -o w --lcp; expect 0 sufsort build all.fa -o s --lcp --split-output=3
same sufsort count s -f list
expect 0 sufsort build all.fa more.fa -o both --lcp --split-output=3
expect 0 sufsort add s more.fa; whole both | cmp - <(whole s); cmp both.json s.json
expect 0 sufsort build all.fa -o s --lcp --split-output=3; expect 0 sufsort build more.fa -o m --lcp
expect 0 sufsort merge s m -o s; whole both | cmp - <(whole s); cmp both.json s.json
expect 0 sufsort merge w m -o one; whole both | cmp - one.sa
seq 30000 > lines; expect 0 sufsort build lines --format=lines -o w --lcp; expect 0 sufsort build lines --format=lines -o s --lcp --split-output=2
seq 9000 12000 > some; expect 0 sufsort build some --format=lines -o t --lcp --split-output=2
same sufsort duplicates s --min-length=6
same sufsort duplicates s --min-length=5 --against t
[[ -s out.s ]] || fail 'no duplicates'

# A rebuild both ways, and with other parts: the files are those of the new index. A file that is no part of it stays.
only() { want "$(cd "$1" && ls -A | xargs)" "$2" "$3"; }
mkdir d
for parts in 2 5 0 3 1 0; do
  expect 0 sufsort build more.fa -o d/x --split-output=9
  if ((parts)); then
    expect 0 sufsort build n65536.fa -o d/x --split-output=$parts
    only d "x.json$(for ((k = 1; k <= parts; ++k)); do printf ' x.sa.000%d' $k; done) x.seq" "$parts parts of 9"
  else
    expect 0 sufsort build n65536.fa -o d/x
    only d 'x.json x.sa x.seq' 'one file of 9 parts'
    expect 0 sufsort build n131073.fa -o d/x --split-output=2
    only d 'x.json x.sa.0001 x.sa.0002 x.seq' 'two parts of one file'
  fi
  expect 0 sufsort check d/x
done
expect 0 sufsort build more.fa -o d/x --bwt --without-sa; only d 'x.bwt x.json x.seq' 'no array of two parts'
echo mine > d/x.sa.0001
expect 0 sufsort build more.fa -o d/x; expect 0 sufsort check d/x
want "$(< d/x.sa.0001)" mine 'a file of the user'
echo mine > d/x.sa.0003
expect 0 sufsort build more.fa -o d/x --split-output=2; want "$(< d/x.sa.0003)" mine 'a file after the parts'
expect 1 sufsort check d/x; grep -qx 'sufsort: disorder: d/x.sa.0003: of another index: the description does not list it' err || fail "$(< err)"
rm d/x.sa.0003; echo mine > d/x.sa; expect 1 sufsort check d/x; grep -q 'disorder: d/x.sa: of another' err || fail "$(< err)"
# Parts that are links stay links.
rm -f d/*; mkdir e; for k in 1 2 3; do ln -s ../e/part$k d/x.sa.000$k; done
for fa in more.fa n131073.fa; do
  expect 0 sufsort build $fa -o d/x --split-output=3
  [[ -L d/x.sa.0002 && -f e/part3 && $(ls -A e | xargs) == 'part1 part2 part3' ]] || fail "links: $(ls -A d e)"
  expect 0 sufsort check d/x
done
expect 0 sufsort build more.fa -o d/x; only e '' 'parts of another folder'
expect 0 sufsort check d/x

# Parts that are missing, of another size, no files, or of another index.
expect 0 sufsort build all.fa -o s --split-output=3 --lcp; mkdir kept; cp s.* kept
refused() {  # FILE WHY: every command says so
  local command
  for command in 'count s A' 'check s' 'merge s s -o made' 'add s more.fa' 'info s' 'kmers s -k 2'; do
    # shellcheck disable=SC2086
    expect_error sufsort $command
    grep -qx "sufsort: .*: $1: $2" err || fail "$command: $(< err)"
  done
  cp kept/* .
}
rm s.sa.0002; refused s.sa.0002 'No such file or directory'
rm s.sa.0001; cat kept/s.sa.* > s.sa; refused s.sa.0001 'No such file or directory'; rm s.sa
truncate -s -1 s.sa.0003; refused s.sa.0003 '275715 bytes, expected 275716'
truncate -s 4096 s.sa.0001; refused s.sa.0001 "4096 bytes, expected $unit"
: > s.sa.0002; refused s.sa.0002 "0 bytes, expected $unit"
echo >> s.sa.0003; refused s.sa.0003 '275717 bytes, expected 275716'
rm s.sa.0002; mkdir s.sa.0002; expect_error sufsort count s A; grep -q 's.sa.0002: Is a directory' err || fail "$(< err)"
rmdir s.sa.0002; cp kept/* .
expect 0 sufsort build n131073.fa -o w --split-output=2
cp w.sa.0001 s.sa.0002; expect 1 sufsort check s; grep -q 'disorder: s.sa.000[12]: ' err || fail "$(< err)"; cp kept/* .
cp kept/s.sa.0001 s.sa.0002; cp kept/s.sa.0002 s.sa.0001; expect 1 sufsort check s; grep -q 'disorder: s.sa.000[12]: row ' err || fail "$(< err)"; cp kept/* .
printf '\1' | dd of=s.sa.0003 bs=1 seek=4000 conv=notrunc 2> /dev/null
expect 1 sufsort check s; grep -q 'disorder: s.sa.0003: row 13[0-9]*: ' err || fail "$(< err)"; cp kept/* .
for edit in 's/262144, "crc32/262143, "crc32/' 's/275716/275712/' 's/"parts": \[/"parts": [], "part": [/' 's/"parts"/"pieces"/' 's/"name": "sa"/"name": "lcp"/'; do
  sed "$edit" kept/s.json > s.json; cmp -s s.json kept/s.json && fail "$edit changes nothing"
  expect_error sufsort count s A
  grep -q '^sufsort: bad index: s.json: ' err || fail "$edit: $(< err)"
done
cp kept/* .
expect_error sufsort count s.sa.0002 A; grep -q 'it is a file of an index: its prefix is s$' err || fail "$(< err)"

# What is refused, and what cannot be written, leaves the old index.
for options in --split-output=0 --split-output=x --split-output=-1 --split-output=10000 --split-output= --split-output=99999999999999999999 \
  '--split-output=2 --fm --without-sa' '--split-output=2 --fm=run-length' '--split-output=2 --text-only --format=lines'; do
  # shellcheck disable=SC2086
  expect_error sufsort build more.fa -o s $options
done
cp more.fa s.sa.0004; expect_error sufsort build s.sa.0004 -o s --split-output=4
want "$(< err)" 'sufsort: cannot write: s.sa.0004: it is the same file as the input s.sa.0004' 'an input that is a part'
expect_error sufsort build more.fa s.sa.0002 -o s
rm s.sa.0004
expect_error sufsort locate s GATTACA -o s.sa.0002
expect_error sufsort build more.fa -o s --split-output=2 --stats=s.sa.0002
(ulimit -f 100; expect_error sufsort build all.fa -o s --split-output=3)
(ulimit -n 30; expect_error sufsort build more.fa -o s --split-output=50; grep -q 's.sa.00[0-9]*: Too many open files' err || fail "$(< err)")
mkdir s.sa.0004; expect_error sufsort build more.fa -o s --split-output=4; rmdir s.sa.0004
ln -s s.sa.0002 s.sa.0004; expect_error sufsort build more.fa -o s --split-output=4; rm s.sa.0004
for file in kept/*; do cmp "$file" "${file#kept/}"; done
[[ $(ls -A | grep -c '^s\.\|^\.') == "$(ls kept | wc -l)" ]] || fail "left behind: $(ls -A)"
expect 0 sufsort check s
