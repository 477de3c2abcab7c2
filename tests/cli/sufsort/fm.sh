# FM indexes of sufsort: the answers are those of the suffix array, which may be missing.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }

lambda=$ORDO_SOURCE/datasets/samples/lambda.fa
{ cat "$lambda"; printf '>none\n>poly\n%s\n>n\nACGTNNNNRYACGT\n' "$(head -c 3000 /dev/zero | tr '\0' A)"; } > in.fa
awk '!/^>/ { s = s $0 } END { srand(3); for (i = 0; i < 300; ++i) print substr(s, 1 + int(rand() * 40000), 1 + int(rand() * 60)) }' "$lambda" > patterns
awk 'BEGIN { srand(5); print ">changed" } !/^>/ { s = s $0 }
  END { for (i = 1; i <= 9000; ++i) { c = substr(s, i, 1); if (rand() < 0.02) c = substr("ACGTN", 1 + int(5 * rand()), 1); printf "%s", c }
        print "\n>short\nACGT\n>poly"; for (i = 0; i < 200; ++i) printf "A"; print "\n>part"; print substr(s, 20000, 3000) }' "$lambda" > changed.fa
printf 'A\nAAAAAAAAAA\nNN\nRY\nGATTACAGATTACA\n' >> patterns
for policy in '' '--strands both' '--ambiguous break' '--mask keep' '--width 40' '--width 64'; do
  # shellcheck disable=SC2086
  expect 0 sufsort build in.fa -o x --fm --bwt $policy
  # shellcheck disable=SC2086
  expect 0 sufsort build in.fa -o bare --fm --fm-sample 5 --without-sa --bwt $policy
  [[ ! -e bare.sa ]] || fail 'a suffix array that was not wanted'
  expect 0 sufsort check x
  expect 0 sufsort check bare
  for command in 'count' 'locate' 'locate --limit 3' 'locate --format bed --context 4'; do
    # shellcheck disable=SC2086
    expect 0 sufsort $command x -f patterns --quiet; cp out array
    # shellcheck disable=SC2086
    expect 0 sufsort $command x -f patterns --quiet --fm; cmp array out
    # shellcheck disable=SC2086
    expect 0 sufsort $command bare -f patterns --quiet --threads 1; cmp array out
  done
  for command in 'mem -l 14' 'mem -l 12 --both-strands --format mummer' 'mem --unique -l 15' 'mem --super-maximal -l 9' 'mem --rare 3 -l 12' 'ms'; do
    case $policy$command in *both*both*) continue ;; esac
    # shellcheck disable=SC2086
    expect 0 sufsort ${command%% *} x changed.fa ${command#"${command%% *}"}; cp out array
    # shellcheck disable=SC2086
    expect 0 sufsort ${command%% *} x changed.fa ${command#"${command%% *}"} --fm; cmp array out
    # shellcheck disable=SC2086
    expect 0 sufsort ${command%% *} bare changed.fa ${command#"${command%% *}"} --threads 1; cmp array out
    have_gpu || continue
    # shellcheck disable=SC2086
    expect 0 sufsort ${command%% *} x changed.fa ${command#"${command%% *}"} --device gpu --quiet; cmp array out
  done
done
# A GPU without a use is no error, and -v says why it is left.
expect 0 sufsort mem x changed.fa --rare 2 -v --device cpu
want "$(grep -c 'on the cpu: a GPU finds all matches within records only' err)" 1 'the machine of mem'
# The FM index of DNA holds the text: matches need no other file of it.
expect 0 sufsort build in.fa -o bare --fm --without-sa
for command in 'mem -l 14' 'mem --super-maximal -l 12 --both-strands' 'ms'; do
  # shellcheck disable=SC2086
  expect 0 sufsort ${command%% *} bare changed.fa ${command#"${command%% *}"}; cp out array
  cp bare.seq bare.kept
  tr ACGT CATG < bare.kept > bare.seq
  # shellcheck disable=SC2086
  expect 0 sufsort ${command%% *} bare changed.fa ${command#"${command%% *}"}; cmp array out
  mv bare.kept bare.seq
done
expect 0 sufsort build in.fa -o x --fm
expect 0 sufsort locate x -f patterns --both-strands --quiet; cp out array
expect 0 sufsort locate x -f patterns --both-strands --quiet --fm; cmp array out
expect 0 sufsort info x
grep -q '^array	fm	' out && grep -q '^fm	' out || fail "no word of the FM index: $(cat out)"

# Any text: the letter '$' is no end of a record.
printf 'a$b\n\n$$\na\tb$\n' > lines
for what in '--format lines' '--format bytes' "--format bytes --separator $"; do
  # shellcheck disable=SC2086
  expect 0 sufsort build lines -o y --fm --fm-sample 2 $what
  for pattern in '$' 'b' '$$' 'a$b' 'zz'; do
    expect 0 sufsort locate y -- "$pattern"; cp out array
    expect 0 sufsort locate y --fm -- "$pattern"; cmp array out
  done
done
: > none; printf '>a\n>b\n' > names
expect 0 sufsort build names -o names --fm --without-sa; expect 0 sufsort count names A
want "$(cat out)" "$(printf 'A\t0')" 'nothing in nothing'
expect 0 sufsort check names

# An index without a suffix array says so. It is replaced as a whole, and its array is not forgotten.
expect 0 sufsort build in.fa -o bare --fm --without-sa
for command in 'repeats bare -l 9' 'unique bare -k 9' 'kmers bare --length 3' \
  'export bare --format raw32 -o o'; do
  # shellcheck disable=SC2086
  expect_error sufsort $command
done
expect_error sufsort export bare --format raw32 -o o
want "$(cat err)" 'sufsort: no suffix array: bare.json: the index has an FM index instead, for count, locate, mem and ms only: build it without --without-sa' 'no array'
expect 0 sufsort build in.fa -o bare
[[ -s bare.sa && ! -e bare.fm ]] || fail 'files of the old index'
expect_error sufsort count bare A --fm
want "$(cat err)" 'sufsort: no FM index: bare.json: build the index with --fm' 'no FM index'
expect 0 sufsort build in.fa -o bare --fm --without-sa
[[ ! -e bare.sa && -s bare.fm ]] || fail 'the suffix array of the old index is left'
cp x.sa bare.sa; expect 1 sufsort check bare; rm bare.sa
expect_error sufsort build in.fa -o z --fm --sample 2
expect_error sufsort build in.fa -o z --fm --ambiguous skip
expect_error sufsort build in.fa -o z --without-sa
expect_error sufsort build in.fa -o z --without-sa --fm --lcp

# A BWT alone.
expect 0 sufsort build in.fa -o both --bwt
expect 0 sufsort build in.fa -o bare --bwt --without-sa
[[ ! -e bare.sa && ! -e bare.fm ]] || fail 'more than a BWT'
cmp bare.bwt both.bwt || fail 'another BWT without the suffix array'
expect 0 sufsort check bare
printf 'B' | dd of=bare.bwt bs=1 seek=9 conv=notrunc 2> dd.err; expect 1 sufsort check bare
for command in 'count bare A' 'mem bare in.fa' 'ms bare in.fa' 'repeats bare -l 3' 'unique bare -k 3' 'kmers bare -k 2' \
  'merge bare both -o z' 'add bare in.fa' 'spectrum bare -k 3' 'export bare --format raw32 -o o'; do
  # shellcheck disable=SC2086
  expect_error sufsort $command
done
expect_error sufsort locate bare A
want "$(cat err)" 'sufsort: no suffix array: bare.json: the index has a BWT alone: build it without --without-sa' 'a BWT alone'
expect_error sufsort build in.fa -o z --without-sa --bwt --lcp
expect_error sufsort build in.fa -o z --fm --fm-sample 0
expect_error sufsort build in.fa -o z --fm --memory 1K

# Damage.
cp x.fm good
truncate -s -1 x.fm; expect_error sufsort count x A
: > x.fm; expect_error sufsort count x A
cp good x.fm; printf 'X' | dd of=x.fm bs=1 seek=3 conv=notrunc 2> dd.err; expect_error sufsort count x A --fm
want "$(cat err)" 'sufsort: bad index: x.fm: it does not begin as an FM index does' 'a wrong beginning'
for at in 9 20 60 5000 30000; do
  cp good x.fm; printf '\245' | dd of=x.fm bs=1 seek="$at" conv=notrunc 2> dd.err
  cmp -s good x.fm && continue
  sufsort check x > out 2> err && fail "check does not see byte $at"
  sufsort locate x --fm -f patterns --quiet > out 2> err || complaint sufsort
done
rm x.fm; expect_error sufsort count x A --fm
