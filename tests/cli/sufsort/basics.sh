# sufsort: build, check, locate and info on small files, whole and damaged.
. "$ORDO_SOURCE/tests/cli/lib.sh"

# numbers WIDTH FILE: prints the entries of an array of WIDTH bytes each on one line.
numbers() { od -An -v -w1000000 -tu"$1" "$2" | xargs; }
want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }

printf '>one first\nBAN\nana\n>two\n\n>three\nANA\n' > in.fa
expect 0 sufsort build in.fa -o x --lcp --bwt
[[ ! -s out && ! -s err ]] || fail "build is not silent: $(cat out err)"
want "$(cat x.seq)" BANANAANA residues
want "$(numbers 4 x.sa)" '5 8 3 6 1 0 4 7 2' sa
want "$(numbers 4 x.lcp)" '0 1 1 3 3 0 0 2 2' lcp
want "$(cat x.bwt)" 'A$ANNN$B$AAA' bwt
expect 0 sufsort check x
want "$(cat out)" 'x: right: seq, sa, lcp, bwt of 9 residues in 3 records' check
expect 0 sufsort check x --quiet
[[ ! -s out && ! -s err ]] || fail "check --quiet is not silent"

expect 0 sufsort build in.fa -o wide --width 64
want "$(numbers 8 wide.sa)" '5 8 3 6 1 0 4 7 2' 'sa of 64 bits'
[[ ! -e wide.lcp && ! -e wide.bwt ]] || fail 'arrays that nobody wanted'
expect 0 sufsort check wide
want "$(cat out)" 'wide: right: seq, sa of 9 residues in 3 records' check
expect 0 sufsort build in.fa -o cased --mask keep
want "$(cat cased.seq)" BANanaANA 'residues as they are'
expect 0 sufsort check cased

# Occurrences are in order of position, never cross the end of a record, and have the index's case.
expect 0 sufsort locate x ANA nan AA Q
want "$(cat out)" "$(printf 'ANA\t3\tone\t1\t+\nANA\t3\tone\t3\t+\nANA\t3\tthree\t0\t+\nnan\t1\tone\t2\t+\nAA\t0\t.\t.\t.\nQ\t0\t.\t.\t.')" locate
printf 'B\r\nANA' | expect 0 sufsort locate wide -
want "$(cut -f2-4 out | xargs)" '1 one 0 3 one 1 3 one 3 3 three 0' 'patterns from standard input'
printf ' B\t\r\nANA  \nnan' | expect 0 sufsort locate x -
want "$(cut -f1,2 out | uniq | xargs)" 'B 1 ANA 3 nan 1' 'blanks around patterns'
printf 'ANA\nANA B\n' | expect_error sufsort locate x -
want "$(cat err)" "sufsort: blank in a pattern: standard input:2: 'ANA B': a blank is not a residue" 'a blank inside'
expect_error sufsort locate x 'ANA '
expect 0 sufsort locate cased ana ANA NA
want "$(cat out)" "$(printf 'ana\t1\tone\t3\t+\nANA\t1\tthree\t0\t+\nNA\t1\tthree\t1\t+')" 'locate in their own case'
expect_error sufsort locate x ''
printf 'A\n\nB\n' | expect_error sufsort locate x -
grep -q 'standard input:2: ' err || fail "an empty pattern without its line: $(cat err)"

# Names and patterns are taken literally, including brackets.
cp in.fa '[x]'; cp in.fa '++'
expect 0 sufsort build '[x]' -o '[y,z]'
expect 0 sufsort build ++ '[x]' -o '[]'
expect_error sufsort build '[in.fa]' -o y
expect 0 sufsort locate '[y,z]' ANA '[ANA,NAN]' '++'
want "$(cut -f1,2 out | uniq | xargs)" 'ANA 3 [ANA,NAN] 0 ++ 0' 'patterns with brackets'
cmp x.sa '[y,z].sa'

expect 0 sufsort info x
for line in $'residues\t9' $'records\t3' $'width\t32' $'record\tone\t0\t6' $'record\ttwo\t6\t0' $'record\tthree\t6\t3'; do
  grep -qx "$line" out || fail "info does not say: $line"
done

# The same text gives the same bytes in any form.
gzip -nc in.fa > in.fa.gz
bgzip -c in.fa > in.fa.bgz
sed 's/$/\r/' in.fa > crlf.fa
head -3 in.fa > part1; tail -n +4 in.fa > part2
for form in in.fa.gz in.fa.bgz crlf.fa 'part1 part2' '-' 'part1 -'; do
  input=in.fa
  if [[ $form == 'part1 -' ]]; then input=part2; fi
  rm -f again.*
  # shellcheck disable=SC2086
  expect 0 sufsort build $form -o again --lcp --bwt < $input
  for array in seq sa lcp bwt; do cmp x.$array again.$array; done
  cmp x.json again.json
done
# Any number of threads is accepted; no more are started than there are processors.
(ulimit -v 4000000; expect 0 sufsort build in.fa.bgz -o threads --threads 40000)
cmp x.sa threads.sa
size=$(stat -c %s in.fa.bgz)
head -c $((size - 28)) in.fa.bgz > unmarked.bgz
for ((cut = 0; cut < size; ++cut)); do
  head -c "$cut" in.fa.bgz | expect_error sufsort build - -o from_cut
done
[[ ! -e from_cut.json ]] || fail 'an index of a truncated pipe'

# Every kind of damage is found.
# put FILE OFFSET BYTES: overwrites bytes of a file.
put() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
# damaged ARRAY STATUS TEXT: expects this from check, and repairs the array.
damaged() {
  expect "$2" sufsort check x
  complaint sufsort
  grep -q "x.$1: .*$3" err || fail "check on a damaged $1: $(cat err)"
  [[ ! -s out ]] || fail "check on a damaged $1: $(cat out)"
  local each
  for each in seq sa lcp bwt json; do cp again.$each x.$each; done
  expect 0 sufsort check x
}
put x.sa 0 '\x08\x00\x00\x00\x05\x00\x00\x00'; damaged sa 1 'out of order'
put x.sa 0 '\x08\x00\x00\x00'; damaged sa 1 'row [0-9]*: position 8 occurs twice'
put x.sa 4 '\x05\x00\x00\x00'; damaged sa 1 'row 1: position 5 occurs twice'
put x.sa 8 '\xff\xff\xff\xff'; damaged sa 1 'row 2: there is no position 4294967295'
# locate names row and file when it reads an invalid row.
put x.sa 16 '\xff\xff\xff\xff'  # in the middle, where a search begins
expect_error sufsort locate x ANA
want "$(cat err)" 'sufsort: bad index: x.sa: row 4: position 4294967295 of 9 residues' 'locate on a damaged sa'
damaged sa 1 'row 4: there is no position 4294967295'
put x.lcp 12 '\x02'; damaged lcp 1 'row 3: not the length of the common prefix'
put x.lcp 12 '\x04'; damaged lcp 1 'row 3: not the length of the common prefix'
put x.bwt 11 'N'; damaged bwt 1 'row 11: not the residue before'
put x.bwt 0 'N'; damaged bwt 1 "row 0: not the residue before the record's end"
put x.seq 0 'C'; damaged seq 1 'the checksum differs'  # not the BWT, which was made of the text as it was
for array in seq sa lcp bwt; do
  truncate -s -1 x.$array; damaged $array 2 'bytes'
  truncate -s +1 x.$array; damaged $array 2 'bytes'
  rm x.$array; damaged $array 2 'No such file'
done
put wide.seq 0 'C'  # still in order: only the checksum tells
expect 1 sufsort check wide
grep -q 'wide.seq: .*checksum' err || fail "check on altered residues: $(cat err)"
sed -i 's/"one"/"ONE"/' x.json; damaged json 1 'checksum'
sed -i 's/"width": 32/"width": 31/' x.json; damaged json 2 'unsupported width of 31 bits'
head -c 100 x.json > cut && mv cut x.json; damaged json 2 'parse error'
expect_error sufsort check missing
expect_error sufsort info missing
expect_error sufsort locate missing A

# An old index is removed or complete: there is never an old description with new arrays.
printf '>x\nCCCC\n' > other.fa
expect 0 sufsort build other.fa -o x
expect 0 sufsort check x
want "$(cat out)" 'x: right: seq, sa of 4 residues in 1 record' 'check of an index built anew'
[[ ! -e x.lcp && ! -e x.bwt ]] || fail 'arrays of the old index beside a new one'
cp again.lcp x.lcp  # as somebody else may
expect 1 sufsort check x
complaint sufsort
grep -q 'x.lcp: of another index' err || fail "check beside an array of another index: $(cat err)"
expect_error sufsort build other.fa x.lcp -o x
grep -q 'x.lcp: it is the same file as the input' err || fail "an input with the name of an array: $(cat err)"
cmp again.lcp x.lcp
expect 0 sufsort build other.fa -o x --bwt
[[ ! -e x.lcp ]] || fail 'an array of another index beside a new one'
expect 0 sufsort check x
# Symbolic links stay; their targets are replaced or removed.
mkdir there
for each in seq sa lcp bwt json; do mv again.$each there/; ln -s there/again.$each again.$each; done
expect 0 sufsort build other.fa -o again --lcp
expect 0 sufsort check again
want "$(cat out)" 'again: right: seq, sa, lcp of 4 residues in 1 record' 'check of an index built anew after links'
[[ -L again.json && -L again.lcp && -f there/again.json && -f there/again.lcp && ! -e there/again.bwt ]] || fail "$(ls -l)"

# An index of many records is opened in little more memory than its description takes.
peak() { sufsort info "$1" --stats stats.json > out && sed -n 's/.*"peak_memory": \([0-9]*\).*/\1/p' stats.json; }
awk 'BEGIN { for (i = 0; i < 200000; ++i) printf ">record_%06d\nA\n", i }' > many.fa
expect 0 sufsort build many.fa -o many
more=$(($(peak many) - $(peak x)))
((more < 200 * 200000)) || fail "$more bytes more for 200000 records"

# Memory limits hold: freed blocks go back to the system; copies for check count, too.
{ echo '>m'; for _ in $(seq 5000); do printf 'ACGTTGCAAT%.0s' {1..100}; done; echo; } > tandem.fa
expect 0 sufsort build tandem.fa -o tandem --device cpu --threads 2 --memory 60000000 --stats stats.json
taken=$(sed -n 's/.*"peak_memory": \([0-9]*\).*/\1/p' stats.json)
((taken < 76000000)) || fail "$taken bytes within 60 MB"
# Similar genomes take 12 bytes a residue at most, within the limit, and 16 MB for the program.
awk 'BEGIN { srand(1); n = 25000; for (i = 0; i < n; ++i) g[i] = substr("ACGT", 1 + int(4 * rand()), 1)
  for (r = 0; r < 200; ++r) { printf ">v%d\n", r; for (k = 0; k < 10; ++k) g[int(n * rand())] = substr("ACGT", 1 + int(4 * rand()), 1)
    for (i = 0; i < n; ++i) printf "%s", g[i]; print "" } }' > alike.fa
for options in '' '--lcp'; do
  limit=$((5000000 * (${#options} ? 20 : 11)))
  expect 0 sufsort build alike.fa -o alike --device cpu --threads 2 --memory $limit --stats stats.json $options
  taken=$(sed -n 's/.*"peak_memory": \([0-9]*\).*/\1/p' stats.json)
  ((taken < limit + 16000000)) || fail "alike.fa $options: $taken bytes within $limit"
done
expect 0 sufsort check alike
# Counts of all positions: 20 MB of data, beside the files, are too few.
(ulimit -d 20000; ORDO_DEVICE=cpu expect_error sufsort unique alike -k 20 --threads 1 -o alike.bed)
grep -q '^sufsort: out of memory: ' err || fail "memory for counts: $(cat err)"
[[ ! -e alike.bed ]] || fail 'an output of an error'
head -c 1000000 tandem.fa > part.fa
expect 0 sufsort build part.fa -o wide --lcp --width 40
expect_error sufsort check wide --device cpu --memory 15M
grep -q 'out of memory: entries of 40 bits, unpacked to 64: 15999[0-9]* bytes are needed' err || fail "copies for check: $(cat err)"

# An out-of-memory error states how much suffices, and that much does.
refused_once() {  # MEMORY COMMAND...
  local memory=$1
  shift
  expect_error sufsort "$@" --memory "$memory"
  if [[ $* == *break* ]] && grep -q 'may suffice' err; then  # how many pieces there are is not known yet
    memory=$(sed 's/.*: --memory \([0-9]*[KM]\) may.*/\1/' err)
    sufsort "$@" --memory "$memory" 2> err || complaint sufsort
    [[ -s err ]] || return 0
  fi
  grep -q 'out of memory: .*: --memory [0-9]*[KM] suffices' err || fail "no word of how much would do: $*: $(cat err)"
  memory=$(sed 's/.*: --memory \([0-9]*[KM]\) suffices.*/\1/' err)
  expect 0 sufsort "$@" --memory "$memory"
}
for policy in '' '--lcp --bwt' '--strands both --lcp' '--sample 3 --ambiguous skip --lcp --width 40' '--ambiguous break --mask break' \
  '--width 64 --kmer-table 7' '--kmer-table 10 --force-kmer-table --strands both'; do
  for memory in 10K 45K 80K; do
    # shellcheck disable=SC2086
    refused_once $memory build "$ORDO_SOURCE"/datasets/samples/cholera_iupac.fa.gz -o told --device cpu $policy
  done
  refused_once 50K check told --device cpu
done
refused_once 1M build many.fa part.fa -o told --device cpu
expect_error sufsort build - -o told --memory 1M --device cpu < many.fa
grep -q 'out of memory: standard input: the records take 11800000 bytes, 786432 are allowed: --memory [0-9]*K suffices' err ||
  fail "how much standard input takes: $(cat err)"
# Without the option, free memory is the limit.
(ulimit -v 500000; expect_error sufsort build tandem.fa -o told --device cpu --threads 1 --kmer-table 15 --force-kmer-table)
grep -q ': free memory of [0-9]*M suffices.*, and [0-9]* bytes are free$' err || fail "no word of free memory: $(cat err)"

# Reads of FASTQ are records as those of FASTA: with long lines, CR, a byte order mark, blank lines and standard input.
long=$(head -c 3000000 /dev/zero | tr '\0' C)
printf '>a 1\nACGTacgtN\n>b\n\n>c\nTTTT\n>d\n%s\n>e\nGA\n' "$long" > same.fa
printf '\xef\xbb\xbf\n@a 1\nACGTacgtN\n+a\n@@@@+++++\n@b\n\n+\n\n\n@c\r\nTTTT\r\n+\r\n!!!!\r\n@d\n%s\n+\n%s\n@e\nGA\n+\nII' "$long" "$long" > same.fq
unset long
sufsort build same.fa -o same --bwt
gzip -kf same.fq
for reads in same.fq same.fq.gz -; do
  expect 0 sufsort build "$reads" -o same_reads --bwt < same.fq
  for file in sa bwt seq json; do cmp same.$file same_reads.$file || fail "$reads: $file differs"; done
done
sufsort build same.fa -o same_reads --strands=both
printf '@z\nGATTACA\n+\nIIIIIII\n' > z.fq; printf '>z\nGATTACA\n' > z.fa
sufsort add same_reads z.fq
sufsort build same.fa z.fa -o same --strands=both
for file in sa seq pieces; do cmp same.$file same_reads.$file || fail "added: $file differs"; done
rm same*

# Names that do not identify records: a warning of each kind, with an example.
printf '>a 1\nACGTACGT\n>a 2\nTTTACGT\n>\nACGG\n>b\nA\n>\tx\nA\n>b\nA\n>a\n' > names.fa
expect 0 sufsort build names.fa -o names
want "$(cat err)" "sufsort: warning: duplicate record names: 'a': record 2 has the name of record 1, and 2 more have the name of an earlier one
sufsort: warning: empty record names: record 3 has no name, and 1 more has no name" 'names'
expect 0 sufsort build names.fa -o names --quiet
[[ ! -s err ]] || fail 'not quiet'
expect 0 sufsort build in.fa in.fa -o names
want "$(cat err)" "sufsort: warning: duplicate record names: 'one': record 4 has the name of record 1, and 2 more have the name of an earlier one" \
  'names of two files'

# A file instead of a prefix.
gzip -c in.fa > packed.fa.gz
printf '\xef\xbb\xbf\n>a\nA\n' > marked.fasta
printf '@r\nA\n+\nI\n' > reads.fq
mkdir -p no.dots; cp in.fa no.dots/text; cp in.fa .fa
for command in 'locate FILE ANA' 'locate FILE' 'count FILE -f in.fa' 'check FILE' 'info FILE' 'repeats FILE -l 2' 'unique FILE -k 2' \
  'kmers FILE --length 1' 'export FILE --format raw32 -o y'; do
  # shellcheck disable=SC2086
  expect_error sufsort ${command/FILE/in.fa}
  want "$(cat err)" 'sufsort: no index: in.fa: it is FASTA: build an index of it first: sufsort build in.fa -o in' "$command"
done
no_index() { expect_error sufsort count "$1" A; want "$(cat err)" "sufsort: no index: $1: $2" "$1"; }
no_index packed.fa.gz 'it is FASTA: build an index of it first: sufsort build packed.fa.gz -o packed'
no_index marked.fasta 'it is FASTA: build an index of it first: sufsort build marked.fasta -o marked'
no_index no.dots/text 'it is FASTA: build an index of it first: sufsort build no.dots/text -o no.dots/text'
no_index .fa 'it is FASTA: build an index of it first: sufsort build .fa -o .fa'
no_index reads.fq 'it is FASTQ: build an index of it first: sufsort build reads.fq -o reads'
no_index stats.json 'it is JSON, and no index: write an object a line, which is JSONL'
no_index names.sa 'it is a file of an index: its prefix is names'
no_index names.json 'it is a file of an index: its prefix is names'
expect 0 sufsort build in.fa -o in.fa  # the prefix of an index may be the name of a file
expect 0 sufsort count in.fa A
expect 0 sufsort build marked.fasta -o marked
rm in.fa.*
gzip -c in.fa | head -c 15 > cut.gz
expect_error sufsort count cut.gz A
grep -q '^sufsort: no index: cut.gz: there is no cut.gz.json: ' err || fail "a cut file: $(cat err)"

# Invalid commands and inputs.
bad_reads() {
  printf '%b' "$1" > bad.fq; expect_error sufsort build bad.fq -o y; want "$(cat err)" "sufsort: bad FAST$2" "$1"
}
bad_reads '@r\nA\n+\nI\nq\n' "Q: bad.fq:5: a read must begin with '@'"
bad_reads '@r\nA\n\n+\nI\n' "Q: bad.fq:3: no line with '+' after the letters"
bad_reads '@r x\nAC\n+\nI' 'Q: bad.fq:4: 1 quality for 2 letters'
bad_reads '@r x\nAC\n+\n' "Q: bad.fq:3: read 'r' ends before its qualities"
bad_reads '@r\nA\n+\nI\n\n@r x' "Q: bad.fq:6: read 'r' ends before its letters"
bad_reads '@r\n>C\n+\nII\n' "Q: bad.fq:2: '>' is not a residue"
bad_reads '@r\nA\n+\nI\n@s\nA1\n+\nII\n' "A: bad.fq:6: '1' is not a residue"
bad_reads '@r\nA\n+\nI\n@a\x00\nA\n+\nI\n' "A: bad.fq:5: a NUL byte in the record's name"
printf '>a\nA\n>b\0c\nA\n' > nul.fa
expect_error sufsort build nul.fa -o y
want "$(cat err)" "sufsort: bad FASTA: nul.fa:3: a NUL byte in the record's name" 'a NUL in a name'
printf 'ACGT\n' > bad.fa
expect_error sufsort build bad.fa -o y
grep -q "bad FASTA: bad.fa:1: text before the first '>'" err || fail "no line in: $(cat err)"
# A changed text is blamed, not the arrays that belong to the text as it was. Of other arrays the row is named.
printf '>x\nGATTACAGATTACACCCGGG\n' > tiny.fa
expect 0 sufsort build tiny.fa -o tiny --lcp --bwt
cp tiny.seq whole.seq; printf C | dd of=tiny.seq bs=1 seek=3 conv=notrunc status=none
expect 1 sufsort check tiny
want "$(cat out err)" 'sufsort: disorder: tiny.seq: the checksum differs from that of the bytes written' 'a changed text'
mv whole.seq tiny.seq; printf '\1' | dd of=tiny.sa bs=1 seek=4 conv=notrunc status=none
expect 1 sufsort check tiny
grep -q 'disorder: tiny.sa: row ' out err || fail "a changed row: $(cat out err)"
rm tiny.*
# Memory: what was given, and what is needed in all.
expect_error sufsort build "$ORDO_SOURCE/datasets/samples/ecoli_k12.fa.gz" -o tiny --memory 10M
grep -q 'bytes are needed in all, 10485760 are available: --memory [0-9]*[KM] suffices' err || fail "memory: $(cat err)"
: > empty
expect_error sufsort build empty -o y
expect_error sufsort build in.fa
expect_error sufsort build -o y
expect_error sufsort build in.fa -o y --width 16
expect_error sufsort locate x
expect_error sufsort check x y
[[ -z $(compgen -G 'y*') ]] || fail 'an index of bad input'
no_leftovers

# An index for each file: that of a build of the file alone. A file that cannot be read is reported, and the others are indexed.
mkdir each; printf '>a\nACGTNNAC\n' > each/a.v1.fa; printf '>b\nTTTT\n' | gzip > each/b.fna.gz; printf 'one\ntwo\n' > each/c
expect 0 sufsort build each/*.fa each/*.gz --out-dir made/inner --lcp
[[ $(echo made/inner/*.sa) == 'made/inner/a.v1.sa made/inner/b.sa' ]] || fail "names: $(echo made/inner/*)"
sufsort build each/b.fna.gz -o alone --lcp
for end in sa seq lcp json; do cmp alone.$end made/inner/b.$end; done
expect 2 sufsort build each/c each/missing.fa each/b.fna.gz --out-dir some --format=lines
[[ $(< err) == 'sufsort: cannot read: each/missing.fa: No such file or directory
sufsort: failed: 1 of 3 inputs' ]] || fail "a missing file: $(< err)"
[[ $(echo some/*.sa) == 'some/b.sa some/c.sa' ]] || fail "the others: $(echo some/*)"
expect_error sufsort build each/missing.fa --out-dir never; [[ ! -e never ]] || fail 'an empty folder is left'
cp each/b.fna.gz b.fa
expect_error sufsort build each/b.fna.gz b.fa --out-dir never
[[ $(< err) == 'sufsort: two inputs of one name: never/b: each/b.fna.gz and b.fa would both become this index' ]] || fail "$(< err)"
mkdir self; cp each/c self/c.sa; cp each/c c
expect_error sufsort build c self/c.sa --out-dir self --format=lines; cmp self/c.sa c
for options in '-o x' --plan '--lengths=x'; do expect_error sufsort build each/c --out-dir never $options; done
expect_error sufsort build - --out-dir never < c
expect_error sufsort build c; grep -q 'missing option: --output=PREFIX or --out-dir=DIR' err || fail "no output: $(< err)"

# A description that is none is replaced.
expect 0 sufsort build other.fa -o odd; printf '{"parts": [x' > odd.json
expect_error sufsort check odd
expect 0 sufsort build in.fa -o odd; expect 0 sufsort check odd
# A file of an index must be a regular one.
rm odd.*; ln -s /dev/null odd.sa; mkfifo odd.fmd
expect_error sufsort build in.fa -o odd; want "$(cat err)" 'sufsort: cannot write: odd.sa: no regular file' 'a device'
expect_error sufsort aligner-index --for=ropebwt3 --ssa in.fa -o odd
want "$(cat err)" 'sufsort: cannot write: odd.fmd: no regular file' 'a pipe'
[[ $(echo odd.*) == 'odd.fmd odd.sa' && -L odd.sa && -p odd.fmd ]] || fail "left behind: $(ls -l odd.*)"
rm odd.*
# Nor does a link to standard output make one, whether the array is written or would be removed.
echo important > important; cp important appended
for array in sa json pieces fm; do
  ln -s /dev/stdout odd.$array
  sufsort build in.fa -o odd >> appended 2> err && fail "odd.$array is standard output"
  want "$(cat err)" "sufsort: cannot write: odd.$array: no regular file" "odd.$array"
  cmp important appended && [[ -L odd.$array && $(echo odd.* .odd*) == "odd.$array .odd*" ]] || fail "left behind: $(ls -A)"
  rm odd.$array
done
# A file that is no part of an index may be standard output.
expect 0 sufsort aligner-index --for=ropebwt3 in.fa -o plain
ln -s /dev/stdout odd.fmd; sufsort aligner-index --for=ropebwt3 in.fa -o odd | cmp - plain.fmd; rm odd.fmd plain.fmd
# An exchange that was interrupted: an array has its hidden name, and a folder is in its place. Readers find the array.
expect 0 sufsort build in.fa -o half --lcp
sum_of() { python3 -c 'import sys, zlib; print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' "$1"; }
sum=$(sum_of half.json)
: > ".half.json.$sum"; mv half.lcp ".half.lcp.$sum"; mkdir half.lcp
expect 0 sufsort check half
want "$(cat out)" 'half: right: seq, sa, lcp of 9 residues in 3 records' 'an array with its hidden name'
expect_error sufsort build other.fa -o half
want "$(cat err)" "sufsort: cannot write: half.lcp: Is a directory; the new content is in .half.lcp.$sum" 'a folder'
expect 0 sufsort check half
[[ -e .half.json.$sum && -e .half.lcp.$sum && -d half.lcp ]] || fail "a part is lost: $(ls -A)"
cp half.json kept.json; head -c 99 kept.json > half.json
mark=.half.json.$(sum_of half.json); : > "$mark"
expect_error sufsort check half
grep -q '^sufsort: bad index: half.json: ' err || fail "a cut description: $(cat err)"
[[ -e $mark && -e .half.lcp.$sum ]] || fail "a part is lost: $(ls -A)"
rm "$mark"; mv kept.json half.json; rmdir half.lcp
expect 0 sufsort check half
[[ -f half.lcp && -z $(compgen -G '.half.*') ]] || fail "not completed: $(ls -A)"
no_leftovers
