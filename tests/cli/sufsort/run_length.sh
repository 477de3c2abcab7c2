# sufsort aligner-index, add and check on indexes of ropebwt3: genomes that are alike are inserted, and the bytes are those of a sort.
. "$ORDO_SOURCE/tests/cli/lib.sh"

lambda=$ORDO_SOURCE/datasets/samples/lambda.fa
# Three genomes that are alike, one with N and small letters, in two records.
awk 'NR > 1 { printf "%s", $0 }' "$lambda" > letters
mutate() {  # NAME SEED: every 200th letter or so is another one
  awk -v name="$1" -v seed="$2" '{ srand(seed); n = length($0); for (i = 1; i <= n; i += k) { k = 1 + int(400 * rand())
    s = s substr($0, i, k - 1) substr("ACGTN", 1 + int(4.02 * rand()), 1) } print ">" name " one two\n" substr(s, 1, 20000) "\n>" name "_2\n" tolower(substr(s, 20001)) }' letters > "$1.fa"
}
mutate a 1; mutate b 2; mutate c 3
cat a.fa b.fa c.fa > all.fa
printf '>d\nACGTNNACGTTTGACA\n' > d.fa

# One file of this size is sorted as a whole, several are inserted.
expect 0 sufsort aligner-index --for=ropebwt3 all.fa -o sorted
expect 0 sufsort aligner-index --for=ropebwt3 --ssa a.fa b.fa c.fa -o inserted --stats=stats.json
grep -q '"walk"' stats.json || fail "no insertion: $(cat stats.json)"
cmp sorted.fmd inserted.fmd
expect 0 sufsort aligner-index --for=ropebwt3-fmr all.fa -o sorted
expect 0 sufsort aligner-index --for=ropebwt3-fmr a.fa b.fa c.fa -o inserted
cmp sorted.fmr inserted.fmr
if command -v ropebwt3 > /dev/null; then
  ropebwt3 build -do theirs.fmd all.fa 2> log && cmp theirs.fmd sorted.fmd
  ropebwt3 ssa -o theirs.ssa theirs.fmd 2> log && cmp theirs.ssa inserted.fmd.ssa
fi
[[ $(gzip -dc inserted.fmd.len.gz) == "$(awk '/^>/ { print substr($1, 2); next } { print length($0) }' all.fa | paste - -)" ]] || fail 'names and lengths'

# add: to an .fmd and to an .fmr, in place and to another file.
expect 0 sufsort aligner-index --for=ropebwt3 --ssa a.fa -o grown
cp grown.fmd first.fmd
expect 0 sufsort add grown.fmd b.fa --ssa
expect 0 sufsort add grown.fmd --ssa - < c.fa
for end in fmd fmd.ssa fmd.len.gz; do cmp grown.$end inserted.$end; done
# Samples of another index are not left beside a new one.
expect_error sufsort add grown.fmd b.fa
grep -q 'grown.fmd.ssa is of the old index' err || fail "$(< err)"
expect_error sufsort aligner-index --for=ropebwt3 a.fa -o grown
cmp grown.fmd inserted.fmd
expect 0 sufsort aligner-index --for=ropebwt3-fmr a.fa b.fa -o two
expect 0 sufsort add two.fmr c.fa -o three.fmd
cmp three.fmd sorted.fmd
expect 0 sufsort add first.fmd b.fa c.fa -o three.fmr
cmp three.fmr sorted.fmr

# check
expect 0 sufsort check sorted.fmd
grep -qx 'sorted.fmd: right: [0-9,]* letters in 6 records' out || fail "check: $(cat out)"
expect 0 sufsort check sorted.fmd a.fa b.fa c.fa
expect 1 sufsort check sorted.fmd a.fa c.fa b.fa
grep -q "disorder: sorted.fmd: record 3 has other letters than 'c'" err || fail "check: $(cat out err)"
expect 1 sufsort check sorted.fmd a.fa b.fa
expect 1 sufsort check first.fmd a.fa b.fa
expect_error sufsort check a a.fa

# A build that ends early goes on from its checkpoint.
printf '>d\nACGT ACGT\n' > bad.fa
expect_error sufsort aligner-index --for=ropebwt3 --checkpoint=30K a.fa b.fa bad.fa -o killed
[[ -s killed.fmd.checkpoint && ! -e killed.fmd ]] || fail 'no checkpoint, or half an index'
cp killed.fmd.checkpoint kept
expect_error sufsort aligner-index --for=ropebwt3 --checkpoint=30K b.fa a.fa c.fa -o killed
grep -q 'the checkpoint is of other files' err || fail "other files: $(cat err)"
expect_error sufsort aligner-index --for=ropebwt3 --checkpoint=30K d.fa -o killed
head -c 1000 kept > killed.fmd.checkpoint
expect_error sufsort aligner-index --for=ropebwt3 --checkpoint=30K a.fa b.fa c.fa -o killed
cp kept killed.fmd.checkpoint
expect 0 sufsort aligner-index --for=ropebwt3 --ssa --checkpoint=30K a.fa b.fa c.fa -o killed
for end in fmd fmd.ssa fmd.len.gz; do cmp killed.$end inserted.$end; done
[[ ! -e killed.fmd.checkpoint ]] || fail 'the checkpoint is left'
# What is no checkpoint, or one whose numbers of records are not those of its index.
expect 0 sufsort aligner-index --for=ropebwt3 d.fa -o d
cp d.fmd fresh.fmd
not_one() {
  expect_error sufsort aligner-index --for=ropebwt3 --checkpoint=30K a.fa b.fa -o fresh
  [[ $(< err) == "sufsort: cannot read: fresh.fmd.checkpoint: $1: remove it" ]] || fail "a wrong checkpoint: $(< err)"
  cmp d.fmd fresh.fmd
}
for content in '' 'ORDORLC' 'a text that is longer than the begin of a checkpoint'; do
  printf '%s' "$content" > fresh.fmd.checkpoint; not_one 'not a checkpoint of sufsort'
done
for at in 8 16; do  # the records of the index to which others are added, and the others
  cp kept fresh.fmd.checkpoint; printf '\11' | dd of=fresh.fmd.checkpoint bs=1 seek=$at conv=notrunc 2> log
  not_one 'the checkpoint is damaged'
done
rm fresh.fmd.checkpoint
# Too little memory for genomes that are not alike.
expect_error sufsort aligner-index --for=ropebwt3 "$lambda" d.fa -o fresh --device=cpu --memory=1K
grep -q '^sufsort: out of memory: index of runs: .*: --memory [0-9]*K suffices if it grows so$' err || fail "memory: $(< err)"
cmp d.fmd fresh.fmd
# Names and lengths of other records.
cp first.fmd named.fmd; cp grown.fmd.ssa named.fmd.ssa; gzip -c <(printf 'a\t20000\n') > named.fmd.len.gz
cp named.fmd.len.gz lengths.gz
expect_error sufsort add named.fmd d.fa --ssa
grep -q '^sufsort: cannot read: named.fmd.len.gz: 1 line for an index of 2 records$' err || fail "lengths: $(< err)"
cmp first.fmd named.fmd; cmp grown.fmd.ssa named.fmd.ssa; cmp lengths.gz named.fmd.len.gz
# Files without records.
: > empty
expect_error sufsort aligner-index --for=ropebwt3 --ssa empty -o fresh
grep -q '^sufsort: no records: [^:]*: an index needs at least one$' err || fail "no records: $(< err)"
[[ $(echo fresh.*) == fresh.fmd ]] && cmp d.fmd fresh.fmd || fail "outputs of errors: $(echo fresh.*)"
no_leftovers
cp first.fmd grown.fmd
rm grown.fmd.ssa grown.fmd.len.gz
expect_error sufsort add --checkpoint=30K grown.fmd b.fa bad.fa
cmp first.fmd grown.fmd
expect 0 sufsort add --checkpoint=30K grown.fmd b.fa c.fa
cmp grown.fmd sorted.fmd

# What is no index of ropebwt3, or a damaged one: an error, and the old file.
for size in 0 3 7 60 100 1000 $(($(stat -c %s sorted.fmd) - 1)); do
  head -c "$size" sorted.fmd > bad.fmd
  expect_error sufsort add bad.fmd d.fa
done
for size in 3 4 12 50 1000 $(($(stat -c %s sorted.fmr) - 1)); do
  head -c "$size" sorted.fmr > bad.fmr
  expect_error sufsort add bad.fmr d.fa -o bad.fmd
done
cp sorted.fmd bad.fmd; printf 'x' >> bad.fmd; expect_error sufsort check bad.fmd
for at in 4 20 30 40 100 500 2000 9000 $(($(stat -c %s sorted.fmd) - 30)); do
  cp sorted.fmd bad.fmd
  printf '\377\001' | dd of=bad.fmd bs=1 seek=$at conv=notrunc 2> log
  status=0; sufsort check bad.fmd a.fa b.fa c.fa > out 2> err || status=$?
  [[ $status == 1 || $status == 2 ]] || fail "a byte at $at: status $status: $(cat out err)"
done
cp a.fa bad.fmd; expect_error sufsort add bad.fmd d.fa
expect_error sufsort add missing.fmd d.fa
expect_error sufsort add sorted.fmd reads.fq -o x.fmd
expect_error sufsort add sorted.fmd d.fa -o x.fa
expect_error sufsort add sorted.fmd sorted.fmd
expect_error sufsort add first.fmd d.fa --ssa -o other.fmd  # no names of its records
expect_error sufsort aligner-index --for=bwa --ssa a.fa -o x
expect_error sufsort aligner-index --for=ropebwt3-fmr --ssa a.fa -o x
expect_error sufsort aligner-index --for=ropebwt3 --checkpoint=0 a.fa -o x
expect 0 sufsort build a.fa -o plain
expect_error sufsort add plain b.fa -o x.fmd
expect_error sufsort check plain a.fa
