# sufsort build --fm=run-length: searches find what they find in an ordinary index of both strands; add, check, info and export.
. "$ORDO_SOURCE/tests/cli/lib.sh"

lambda=$ORDO_SOURCE/datasets/samples/lambda.fa
# Three genomes that are alike, in two records each, with N and small letters. In the plain text N is for every other letter.
awk 'NR > 1 && NR < 90 { printf "%s", $0 }' "$lambda" > letters
mutate() {  # NAME SEED
  awk -v name="$1" -v seed="$2" '{ srand(seed); n = length($0); for (i = 1; i <= n; i += k) { k = 1 + int(200 * rand())
    s = s substr($0, i, k - 1) substr("ACGTNR", 1 + int(5 * rand()), 1) }
    print ">" name "#1#one two\n" substr(s, 1, 2000) "\n>" name "#2#one\n" tolower(substr(s, 2001)) }' letters > "$1.fa"
}
mutate a 1; mutate b 2; mutate c 3
printf '>empty\n\n>short\nAC\n' >> c.fa
cat a.fa b.fa c.fa | awk '/^>/ { print; next } { $0 = toupper($0); gsub(/[^ACGT]/, "N"); print }' > plain.fa
expect 0 sufsort build --fm=run-length a.fa b.fa c.fa -o runs --fm-sample=8
expect 0 sufsort build plain.fa -o rows --strands=both --fm --without-sa
[[ $(echo runs.*) == 'runs.json runs.pieces runs.rlfm' ]] || fail "files: $(echo runs.*)"

printf '>p\nGATTA\n>q\nCCCGC\n>n\nNNN\n>none\nGATTACAGATTACAGATTACA\n' > patterns
{ printf '>read\n'; sed -n 2p a.fa | cut -c 300-700; printf '>other\n'; sed -n 4p b.fa | cut -c 100-900 | rev | tr acgt tgca; } > reads
same() {
  expect 0 sufsort "$1" rows "${@:2}"; mv out expected
  expect 0 sufsort "$1" runs "${@:2}"
  cmp out expected || fail "$*: $(diff out expected | head -5)"
  [[ -s out ]] || fail "nothing: $*"
}
same count -f patterns
same count -f patterns --by-record
same locate -f patterns
same locate -f patterns --format=bed
same mem reads -l 15
same mem reads --super-maximal
same mem reads --rare=2 --format=paf
same mem reads --unique --both-strands
same ms reads
expect_error sufsort locate runs GATTA --context=3
expect_error sufsort count runs GATTA --circular=all
for command in 'repeats runs --min-length=20' 'kmers runs' 'merge runs runs -o x' 'export runs --format=raw32 -o x'; do
  expect_error sufsort $command
done

# add and check
expect 0 sufsort build --fm=run-length a.fa -o grown --fm-sample=8
expect 0 sufsort add grown b.fa c.fa
for end in rlfm pieces json; do cmp grown.$end runs.$end; done
expect 0 sufsort check runs
grep -qx 'runs: right: pieces, rlfm of [0-9,]* residues in 8 records' out || fail "check: $(cat out)"
expect 0 sufsort info runs
grep -qx 'fm	position of each 8. row, 5 letters' out || fail "info: $(cat out)"
for at in 70 3000 20000; do
  cp runs.json damaged.json; cp runs.pieces damaged.pieces; cp runs.rlfm damaged.rlfm
  printf '\125' | dd of=damaged.rlfm bs=1 seek=$at conv=notrunc 2> log
  status=0; sufsort check damaged > out 2> err || status=$?
  [[ $status != 0 ]] || fail "a wrong byte at $at"
done

# Run heads and lengths, of the index and of an .fmd, and the letters that they give.
expect 0 sufsort export runs --format=rlbwt -o ours
expect 0 sufsort aligner-index --for=ropebwt3 a.fa b.fa c.fa -o theirs
expect 0 sufsort export theirs.fmd --format=rlbwt -o theirs
cmp ours.bwt.heads theirs.bwt.heads && cmp ours.bwt.len theirs.bwt.len
[[ $(stat -c %s ours.bwt.len) == $((5 * $(stat -c %s ours.bwt.heads))) ]] || fail 'a length of 5 bytes for each head'
od -An -v -tu1 -w5 ours.bwt.len | awk '{ sum += $1 + 256 * $2 + 65536 * $3 } END { print sum }' > rows
sufsort info runs | awk '$1 == "residues" { n = $2 } $1 == "records" { n += 2 * $2 } END { print n }' | cmp - rows
[[ $(tr -d -c '\0' < ours.bwt.heads | wc -c) == 1 ]] || fail 'one NUL'
expect_error sufsort export rows --format=rlbwt -o none
expect_error sufsort export runs rows --format=rlbwt -o none
[[ $(< err) == 'sufsort: several indexes: rows: --format=rlbwt is of one' ]] || fail "two indexes: $(< err)"

# Options that a run-length index does not have.
for option in --lcp --bwt --kmer-table=4 --ambiguous=break --mask=keep --plan; do
  expect_error sufsort build --fm=run-length a.fa -o x $option
done
expect_error sufsort build --fm=run-length --format=lines letters -o x
# Files without records, and too little memory.
: > empty; printf '\n\n' > blank
expect_error sufsort build --fm=run-length empty blank -o x
[[ $(< err) == 'sufsort: no records: empty: an index needs at least one' ]] || fail "no records: $(< err)"
expect_error sufsort build --fm=run-length "$lambda" a.fa -o x --device=cpu --memory=1K
grep -q '^sufsort: out of memory: index of runs: .*: --memory [0-9]*K suffices if it grows so$' err || fail "memory: $(< err)"
[[ -z $(compgen -G 'x.*') && -z $(compgen -G 'none.*') ]] || fail "left behind: $(compgen -G '[xn]*')"
no_leftovers
