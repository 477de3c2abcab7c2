# sufsort repeats, unique and export: small answers, errors, and the answers of other programs where they are installed.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
tabs() { tr ' ' '\t'; }

printf '>one\nACGTTACGTA\n>two\nACGTCACGT\n' > in.fa
expect 0 sufsort build in.fa -o x --lcp --bwt
expect 0 sufsort build in.fa -o bare
expect 0 sufsort build in.fa -o part --lcp

expect 0 sufsort repeats x --min-length 4
want "$(cat out)" "$(printf '%s\n' '1 4 4 one 0 +' '1 4 4 one 5 +' '1 4 4 two 0 +' '1 4 4 two 5 +' | tabs)" repeats
expect 0 sufsort repeats x -l 4 --limit 2
want "$(cut -f3,4,5 out | xargs)" '4 one 5 4 two 5' 'repeats within the limit, the first in suffix order'
want "$(cat err)" 'sufsort: warning: not all printed: 1 repeat has more than 2 occurrences: use --limit=0 to print all' \
  'word of the limit'
expect 0 sufsort repeats x -l 4 --pairs
want "$(cut -f1,2,4,5,7 out | sort | xargs)" \
  "one 0 one 5 4 one 0 two 0 4 one 0 two 5 4 one 5 two 0 4 one 5 two 5 4 two 0 two 5 4" pairs
expect_error sufsort repeats bare -l 4
want "$(cat err)" 'sufsort: no array lcp: bare.json: build the index with --lcp --bwt' 'repeats without LCP'
expect_error sufsort repeats part -l 4
grep -q 'no array bwt' err || fail "repeats without BWT: $(cat err)"
expect_error sufsort repeats x
expect_error sufsort repeats x -l 0
expect_error sufsort repeats x -l 2 -o x.lcp

expect 0 sufsort unique x --length 4
want "$(cat out)" \
  "$(printf '%s\n' 'one 0 1 4' 'one 1 5 1' 'one 5 6 4' 'one 6 7 1' 'two 0 1 4' 'two 1 5 1' 'two 5 6 4' | tabs)" unique
expect 0 sufsort unique x --length 11
[[ ! -s out ]] || fail 'k-mers longer than records'
expect_error sufsort unique bare --length 4
want "$(cat err)" 'sufsort: no array lcp: bare.json: build the index with --lcp' 'unique without LCP'
expect_error sufsort unique x --length 0
# Mismatches: ACGTTACGTA and ACGTCACGT.
expect 0 sufsort unique x --length 5 --mismatches 1
want "$(cut -f2-4 out | xargs)" '0 1 3 1 5 2 5 6 3 0 1 3 1 5 2' 'one mismatch'
expect 0 sufsort unique x --length 5 --mismatches 2 --normalize --threads 1
want "$(cut -f2-4 out | xargs)" '0 1 0.333333 1 5 0.5 5 6 0.333333 0 1 0.333333 1 5 0.5' 'two mismatches'
expect 0 sufsort unique x --length 4 --mismatches 0 -o exact
expect 0 sufsort unique x --length 4
cmp out exact
expect_error sufsort unique x --length 4 --mismatches 3
want "$(cat err)" "sufsort: invalid number: --mismatches: '3': it is 0, 1 or 2" 'three mismatches'
expect_error sufsort unique x --minimal --mismatches 1
# No repeat or k-mer holds letters other than A, C, G, T and U unless requested. N differs from every letter: repeats end before
# it, and an index that breaks records at N finds the same ones.
printf '>a\nACGTNNNNNNNNACGTTGCANNNNNNNNTTTT\n>b\nTTRACGTN\n' > runs.fa
expect 0 sufsort build runs.fa -o runs --lcp --bwt
expect 0 sufsort build runs.fa -o broken --lcp --bwt --ambiguous break
for how in '-l 3' '-l 2 --pairs' '-l 1 --limit 0'; do
  # shellcheck disable=SC2086
  expect 0 sufsort repeats broken $how
  [[ ! -s err || $how == *limit* ]] || fail "repeats $how: a warning of what is not there: $(cat err)"
  sort out > right
  # shellcheck disable=SC2086
  expect 0 sufsort repeats runs $how
  sort out | cmp - right
  grep -qx "sufsort: warning: left out: 18 of 40 letters are not A, C, G, T or U, and no repeat holds them: use --letters=all to include them" err ||
    fail "no word of N: $(cat err)"
done
expect 0 sufsort repeats runs -l 4
want "$(cat out)" "$(printf '%s\n' '1 4 3 a 0 +' '1 4 3 a 12 +' '1 4 3 b 3 +' | tabs)" 'repeats of nucleotides'
expect 0 sufsort repeats runs -l 8 --letters all
want "$(cut -f2- out | xargs)" '8 2 a 4 + 8 2 a 20 +' 'repeats of all letters'
[[ ! -s err ]] || fail "a warning where nothing is left out: $(cat err)"
expect 0 sufsort unique runs -k 4
want "$(cat out)" "$(printf '%s\n' 'a 0 1 3' 'a 12 13 3' 'a 13 17 1' 'a 28 29 1' 'b 3 4 3' | tabs)" 'unique of nucleotides'
want "$(cat err)" "sufsort: warning: left out: 26 k-mers of the text hold letters other than A, C, G, T and U: use --letters=all to count them" \
  'word of k-mers with N'
expect 0 sufsort unique runs -k 8 --letters all
grep -qx "$(echo 'a 4 5 2' | tabs)" out || fail "unique of all letters: $(cat out)"
# All letters of proteins, including X.
printf '>p\nMKLVXXEPMKLV\n' > protein.fa
expect 0 sufsort build protein.fa -o protein --lcp --bwt
expect 0 sufsort unique protein -k 4
want "$(cat out)" "$(printf '%s\n' 'p 0 1 2' 'p 1 8 1' 'p 8 9 2' | tabs)" 'unique of a protein'
expect 0 sufsort repeats protein -l 4
want "$(cut -f2- out | xargs)" '4 2 p 0 + 4 2 p 8 +' 'repeats of a protein'
[[ ! -s err ]] || fail "a warning of a protein: $(cat err)"
expect 0 sufsort unique protein -k 4 --letters nucleotides
[[ ! -s out ]] || fail "nucleotides of a protein: $(cat out)"
expect_error sufsort unique protein -k 4 --letters dna
# Groups of rows that extend across the parts of threads.
{ echo '>a'; head -c 200000 /dev/zero | tr '\0' A; printf 'C\n>b\nAAAC\n'; } > run.fa
expect 0 sufsort build run.fa -o run --lcp
expect 0 sufsort unique run -k 3
want "$(cat out)" "$(printf '%s\n' 'a 0 199998 199999' 'a 199998 199999 2' 'b 0 1 199999' 'b 1 2 2' | tabs)" 'unique of a run'

# The same answers from entries of 40 bits.
expect 0 sufsort kmers x --length 2
mkdir forty; cp x.seq x.bwt forty/
crc32() { gzip -nc "$1" | tail -c 8 | od -An -tx4 -N4 | tr -d ' '; }
bytes() { stat -c %s "$1"; }
cp x.json forty/x.json
for array in sa lcp kmers; do
  od -An -v -w4 -tx1 x.$array | sed 's/ /\\x/g; s/$/\\x00/' | while read -r entry; do printf "$entry"; done > forty/x.$array
  sed -i "s/\"name\": \"$array\", \"bytes\": [0-9]*, \"crc32\": \"[0-9a-f]*\"/\"name\": \"$array\", \"bytes\": $(bytes forty/x.$array), \"crc32\": \"$(crc32 forty/x.$array)\"/" forty/x.json
done
sed -i 's/"width": 32/"width": 40/; /^  "crc32"/d' forty/x.json
for command in 'check X' 'locate X ACG TTAC A --context 2' 'count X ACG TT' 'repeats X -l 2' 'repeats X -l 2 --pairs' \
  'unique X -k 3' 'export X --format raw32 -o -' 'export X --format raw40 -o -' 'export X --format raw64 -o -' \
  'export X --format sufr -o -'; do
  sufsort ${command/X/x} > narrow
  expect 0 sufsort ${command/X/forty/x}
  sed -i 's#^forty/##' out
  cmp out narrow
done
printf '\x01' | dd of=forty/x.sa bs=1 seek=24 conv=notrunc status=none
expect_error sufsort locate forty/x A --limit 0
grep -q 'bad index: forty/x.sa: row 4: position 42949' err || fail "a damaged index of 40 bits: $(cat err)"
expect 1 sufsort check forty/x

for format in raw32 raw40 raw64 sdsl sufr; do
  expect 0 sufsort export x --format $format -o x.$format
  sufsort export x --format $format -o - | cmp - x.$format
done
cmp x.raw32 x.sa
od -An -v -w4 -tu4 x.sa | tr -d ' ' > positions
od -An -v -w8 -tu8 x.raw64 | tr -d ' ' | cmp - positions
od -An -v -w5 -tu1 x.raw40 | awk '{ print $1 + 256 * $2 }' | cmp - positions
expect_error sufsort export bare --format sufr -o y
want "$(cat err)" 'sufsort: no LCP array: bare.json: sufr needs one (build --lcp)' 'sufr without LCP'
expect_error sufsort export x --format bam -o y
expect_error sufsort export x --format raw32
expect_error sufsort export x --format raw32 -o x.seq
expect_error sufsort export missing --format raw32 -o y
[[ ! -e y ]] || fail 'an export in spite of an error'
if command -v ordo_read_sdsl > /dev/null; then
  for width in 32 64; do
    expect 0 sufsort build in.fa -o w --width $width
    expect 0 sufsort export w --format sdsl -o w.sdsl
    (echo $width; cat positions) | cmp - <(ordo_read_sdsl w.sdsl)
  done
fi
if command -v repeat-match > /dev/null; then
  awk 'BEGIN { srand(7); print ">r"; for (i = 0; i < 400; ++i) { if (i % 5) line = ""; for (k = length(line); k < 60; ++k) line = line substr("ACGT", int(rand() * 4) + 1, 1); print line } }' > random.fa
  "$ORDO_SOURCE/tests/reference/readers/repeat_match.sh" random.fa 9 > compared 2>&1 || fail "repeat-match: $(cat compared)"
fi
no_leftovers

# An array built with 40 bits equals the export of one of 32 bits.
expect 0 sufsort build in.fa -o five --lcp --width 40
sufsort export x --format raw40 -o - | cmp - five.sa
expect 0 sufsort check five
sufsort export five --format raw32 -o - | cmp - x.sa
