# strsort against the installed sort: the same bytes, the same exit status.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C

# same ARGUMENT...: both tools, each with stdin from the file `stdin` and its own folder to write in, must agree in status,
# stdout and in a file named made. Where sort complains, so must strsort.
same() {
  local theirs=0 ours=0
  rm -f sort.made strsort.made
  sort "$@" < stdin > sort.out 2> sort.err || theirs=$?
  [[ ! -e made ]] || mv made sort.made
  strsort ${compat[@]+"${compat[@]}"} "$@" < stdin > strsort.out 2> strsort.err || ours=$?
  [[ ! -e made ]] || mv made strsort.made
  [[ $ours == "$theirs" ]] || fail "exit status $ours instead of $theirs: strsort $*: $(head -c 300 strsort.err)"
  cmp sort.out strsort.out || fail "other output: strsort $*"
  [[ ! -e sort.made && ! -e strsort.made ]] || cmp sort.made strsort.made || fail "other file: strsort $*"
  [[ -s sort.err ]] && local complained=1 || local complained=
  [[ -n $complained ]] && [[ ! -s strsort.err ]] && fail "no message: strsort $*"
  [[ -z $complained ]] && [[ -s strsort.err ]] && fail "a message: strsort $*: $(head -c 300 strsort.err)"
  return 0
}

# The disorder line is the same but for the tool's name.
same_words() {
  same "$@"
  sed 's/^sort:/strsort:/' sort.err | cmp - strsort.err || fail "other words: strsort $*: $(cat strsort.err)"
}

# Files to sort. What is random is the same in every run.
random() { awk -v seed="$1" -v n="$2" -v letters="$3" 'BEGIN {
  srand(seed); k = split(letters, letter, " ")
  for (i = 0; i < n; ++i) printf "%s", sprintf("%c", letter[1 + int(k * rand())] + 0) }'; }
printf 'pear\napple\nfig\napple\n\nZebra\n' > plain
printf '' > empty
printf '\n' > newline
printf '\n\n\nb\n\na\n\n' > blank
printf 'b\na' > unended
printf 'c\r\na\r\nb\na\n\r\n' > returns
printf 'a\0b\na\na\0\n\0\n\na\0a\n' > nuls
printf '\377\n\200\n\177\n\t\n \n\n\001\n' > high
printf 'b\0a\0\0c\0a\nb\0a' > zeros
random 1 20000 '10 97 98' > few_letters
random 2 20000 '10 0 255 13 9' > odd_letters
random 3 20000 '0 10 97' > many_nuls
head -c 100000 "$(command -v strsort)" > binary
awk 'BEGIN { for (i = 0; i < 3000; ++i) { s = "/usr/share/common/prefix/of/all/"; for (j = 0; j < i % 7; ++j) s = s "dir" (i * j % 5) "/"
  print s i * 7919 % 3001 } }' > paths
awk 'BEGIN { s = ""; for (i = 0; i < 120; ++i) { s = s "A"; print s; print s } }' | awk '{ line[NR * 77 % 241] = $0 } END {
  for (i = 0; i < 241; ++i) print line[i] }' > nested
awk 'BEGIN { for (i = 0; i < 5000; ++i) print "the same line, over and over again, longer than any window of symbols that is looked at in one go" }' > equal
{ head -c 300000 /dev/zero | tr '\0' x; echo y; head -c 300000 /dev/zero | tr '\0' x; echo a; echo x; } > huge
cp plain stdin

files=(plain empty newline blank unended returns nuls high zeros few_letters odd_letters many_nuls binary paths nested equal huge)
# Each with some of the flags, each flag with some of the files: all of them with all are unit tests.
sorting=('' -r -u -s -z -ru -rs -us -zu -zr -rusz)
quiet=(-C -Cu -Cr -Cz -Cruz)
checking=(-c -cu -cr -cru -cz -czr)
ordering=('' -r -u -z)
turn=0
for file in "${files[@]}"; do
  for ((i = 0; i < 4; ++i)); do same ${sorting[(4 * turn + i) % 11]} "$file"; done
  same "${quiet[turn % 5]}" "$file"
  same_words "${checking[turn % 6]}" "$file"
  flags=${ordering[turn % 4]}
  sort $flags "$file" > ordered
  same_words $flags -c ordered
  same_words $flags "${checking[(turn + 1) % 6]}" ordered
  ((++turn))
done

# Several files, each ended by itself; standard input, named, unnamed and twice; the same file twice.
same unended unended
same unended empty plain
same unended - blank
same -u unended - - unended
same -z zeros zeros unended
same
same -
same -r
printf '' > stdin
same
cp odd_letters stdin
same -u
cp plain stdin

# Options in any place, joined, abbreviated, spelled out.
same plain -r
same plain -ru blank
same -r -- plain blank
same --reverse plain
same --rev --uniq plain
same --u --z plain
same --st plain
same --sta plain
same --stab --zero-t zeros
same --che plain
same --check=quiet plain
same --check=silent plain
same --check=q plain
same --check=diagnose-first plain
same --check=d plain
same --parallel=1 plain
same --parallel 3 plain
same --parallel=' +2' plain
same --par=99 plain
same -s -s -r -r plain
cp plain ./-r
same -- -r
same -u -- -r
export POSIXLY_CORRECT=1
same plain -r
same -r plain
same plain -o made
unset POSIXLY_CORRECT

# -o, in all its places; an input that is the output.
same plain -o made
same -o made plain
same -omade -r plain
same --output=made plain
same --out made plain
same -o made -o made plain
for tool in sort strsort; do
  cp plain "$tool.same"
  "$tool" -u "$tool.same" blank -o "$tool.same"
done
cmp sort.same strsort.same

# A list of files.
printf 'plain\0unended\0blank' > list
same --files0-from=list
same --files0-from=list -r -o made
cp list stdin
same --files0-from=-
same --files0=- -u
printf -- 'plain\0-\0' > list
same --files0-from=list
printf 'plain\0\0blank' > list
same --files0-from=list
printf -- '-\0' > stdin
same --files0-from=-
same --files0-from=empty
same --files0-from=absent
same --files0-from=list plain
cp plain stdin
# GNU sort replaces the list; strsort keeps it.
printf 'plain\0' > list; cp list kept; ln -sf list link
for output in list link ./list; do
  expect_error strsort --files0-from=list -o $output
  [[ $(< err) == "strsort: cannot write: $output: it is the same file as the input list" ]] || fail "$(< err)"
  expect_error strsort --files0-from=list --distinct-estimate -o $output
done
expect_error strsort --files0-from=- -o list < list
cmp list kept
rm -f list link kept

# Errors. Before a word is read: what is wrong with the flags, then the inputs, then the output.
same -cC plain
same -c plain blank
same -C plain blank
same -c -o made plain
same -o made -o other plain
expect_error strsort --check=loud plain  # where sort exits with 1, which is for disorder
expect_error strsort --check= plain
same --parallel=0 plain
same --parallel=x plain
same --parallel= plain
same --parallel=-1 plain
same --no-such-option plain
same --re plain
same --reverse=yes plain
same -o
same -1 plain
same absent
same plain absent -o made
[[ ! -e strsort.made ]] || fail 'output in spite of a missing input'
same -c absent
same ''
same .
same -c .
same plain -o absent/made
same plain -o .
[[ $(sort absent -o absent/made 2>&1) == *'cannot read: absent:'* ]]
[[ $(strsort absent -o absent/made 2>&1) == *'cannot read: absent:'* ]] || fail 'the output was looked at before the input'

strsort -- +1 2> err && fail 'a file that is not there' || grep -q 'cannot read: +1' err

# gzip is known by its bytes.
gzip -c plain > packed
gzip -c unended > packed.gz
cat packed packed.gz > packed_twice
for files in packed packed.gz packed_twice 'packed plain'; do
  expect 0 strsort $files
  for file in $files; do zcat -f "$file"; done | sort > want
  [[ $files == 'packed plain' ]] && sort plain plain > want
  cmp want out || fail "gzip: $files"
done
strsort < packed | cmp - <(sort plain)
strsort -c packed 2> err && fail 'disorder in a gzip file' || grep -q '^strsort: packed:2: disorder: apple$' err

# A line that no memory holds.
truncate -s 1000T sparse 2> /dev/null || truncate -s 8T sparse
(export ORDO_DEVICE=cpu; ulimit -v 400000; expect_error strsort sparse -o made)  # a driver does not start under it
grep -q 'bytes' err || fail "no figures: $(cat err)"
[[ ! -e made ]] || fail 'output without memory'
# What lies before the place where standard input stands takes none.
truncate -s 8T far
printf 'b\na\n' >> far
{ dd skip=8T iflag=skip_bytes count=0 status=none; strsort; } < far | cmp - <(printf 'a\nb\n')

# Several GPUs of a host; without one, an error.
random 3 200000 '97 98 10' > letters
if have_gpu; then
  for given in -s -r -u --count -n --head=5 --unique\ --count; do
    strsort $given plain unended letters blank > expected
    strsort --device all $given plain unended letters blank -o made
    cmp expected made
    ORDO_DEVICE=all strsort $given - unended letters blank < <(cat plain) | cmp expected -
  done
else
  expect_error strsort --device all plain
  ORDO_DEVICE=gpu:0-1 expect_error strsort plain
fi
expect_error strsort --device gpu:3-1 plain

# A program that only starts does not ask the processor for its features, as a constructor of the compiler's library would: in a
# virtual machine that takes longer than all of main().
if command -v nm > /dev/null; then
  nm "$(command -v strsort)" > symbols 2> err || true
  ! grep __cpu_indicator_init symbols || fail 'the features of the processor are looked up before main()'
fi

# --out-dir: each file alone, to a file of its name; in their own folder, in place.
mkdir lists; printf 'b\na\n' > lists/x; printf '2\n10\n' | gzip > lists/y.gz; printf 'k\n2\n1\n' > lists/z
expect 0 strsort lists/x lists/y.gz --out-dir made/inner
[[ $(echo made/inner/*) == 'made/inner/x made/inner/y.gz' ]] || fail "names: $(echo made/inner/*)"
strsort lists/x | cmp - made/inner/x; gzip -dc made/inner/y.gz | cmp - <(printf '10\n2\n')
expect 2 strsort -r lists/x lists/missing lists/z --out-dir some --stats stats.json
[[ $(< err) == 'strsort: cannot read: lists/missing: No such file or directory
strsort: failed: 1 of 3 inputs' ]] || fail "a missing file: $(< err)"
[[ $(echo some/*) == 'some/x some/z' && $(< some/x) == $'b\na' ]] || fail "the others: $(echo some/*)"
grep -q '"input_bytes": 10,' stats.json || fail "the bytes of all: $(< stats.json)"
expect 0 strsort --csv -k k:n lists/z --out-dir some; [[ $(< some/z) == $'k\n1\n2' ]] || fail "by a column: $(< some/z)"
expect_error strsort lists/missing --out-dir never; [[ ! -e never ]] || fail 'an empty folder is left'
expect 0 strsort lists/x lists/z --out-dir lists/../lists; [[ $(< lists/x) == $'a\nb' ]] || fail "in place: $(< lists/x)"
mkdir linked; ln -s ../lists/z linked/x; sum=$(md5sum lists/*)
expect_error strsort lists/x lists/z --out-dir linked; grep -q 'it would replace the input lists/z' err || fail "$(< err)"
expect_error strsort lists/x linked/x --out-dir never; grep -q 'two inputs of one name: never/x' err || fail "$(< err)"
for option in '-o x' -c -m --debug --distinct-estimate; do expect_error strsort lists/x --out-dir never $option; done
expect_error strsort - --out-dir never < lists/x
[[ ! -e never && $(md5sum lists/*) == "$sum" ]] || fail 'something was written'
no_leftovers
