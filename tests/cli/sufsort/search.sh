# sufsort count and locate: sources of patterns, strands, limits, formats, context, tables of k-mers.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
tabs() { tr ' ' '\t'; }

printf '>one first\nGATTACAGG\n>two\n\n>three\nTGTAATCAAAA\n' > in.fa
expect 0 sufsort build in.fa -o x --lcp --bwt

# Patterns in every format, in order.
printf 'GATTA\nAAA\nCC\n' > list
printf '>q1 words\nGAT\nTA\n;none\n>q2\nA A\tA\n>q3\ncc\n' > q.fa
printf '@q1 words\nGATTA\n+\n!!!!!\n@q2\r\nAAA\r\n+q2\r\nIII\r\n@q3\nCC\n+\n@@\n\n' > q.fq
expect 0 sufsort count x -f list
want "$(cat out)" "$(printf 'GATTA 1\nAAA 2\nCC 0\n' | tabs)" 'count of a list'
for file in q.fa q.fq; do
  expect 0 sufsort count x -f $file
  want "$(cat out)" "$(printf 'q1 1\nq2 2\nq3 0\n' | tabs)" "count of $file"
  gzip -kf $file; expect 0 sufsort count x --file=$file.gz
  want "$(cut -f2 out | xargs)" '1 2 0' "count of $file.gz"
  expect 0 sufsort count x -f - < $file
  want "$(cut -f2 out | xargs)" '1 2 0' "count of $file from a file on standard input"
  cat $file | expect 0 sufsort count x -
  want "$(cut -f2 out | xargs)" '1 2 0' "count of $file from a pipe"
done
expect 0 sufsort count x TT -f q.fa -f list CC
want "$(cut -f1 out | xargs)" 'TT CC q1 q2 q3 GATTA AAA CC' 'patterns of the command line come first'
: > none; expect 0 sufsort locate x -f none
[[ ! -s out && ! -s err ]] || fail 'something found for nothing'

# Both strands, in forward positions: GATTA is TAATC on the other one.
expect 0 sufsort locate x GATTA TGTAATC AAAA --both-strands
want "$(cat out)" "$(printf '%s\n' 'GATTA 2 one 0 +' 'GATTA 2 three 2 -' 'TGTAATC 2 one 0 -' 'TGTAATC 2 three 0 +' 'AAAA 1 three 7 +' | tabs)" strands
expect 0 sufsort count x GATTA TGTAATC AAAA --both-strands
want "$(cat out)" "$(printf '%s\n' 'GATTA 2 1 1' 'TGTAATC 2 1 1' 'AAAA 1 1 0' | tabs)" 'counts by strand'
expect_error sufsort locate x GEE --both-strands
want "$(cat err)" "sufsort: no complement: pattern 'GEE': letter 2 is 'E', which is not a nucleotide" complement
printf '>r\nGAUUACA\n' > rna.fa; expect 0 sufsort build rna.fa -o rna
expect 0 sufsort locate rna UGUAA --both-strands
want "$(cat out)" "$(echo 'UGUAA 1 r 2 -' | tabs)" 'RNA'
# T and U are the same letter if both strands are searched; otherwise they differ.
expect 0 sufsort build in.fa -o x_both --strands both
expect 0 sufsort build rna.fa -o rna_both --strands both
expect 0 sufsort locate x_both UGUAAUC
want "$(cat out)" "$(printf '%s\n' 'UGUAAUC 2 one 0 -' 'UGUAAUC 2 three 0 +' | tabs)" 'a pattern of U in DNA'
expect 0 sufsort locate x UGUAAUC --both-strands; cp out dna
expect 0 sufsort locate x_both UGUAAUC --both-strands; cmp dna out
expect 0 sufsort locate rna_both TAA GATT
want "$(cat out)" "$(printf '%s\n' 'TAA 1 r 2 -' 'GATT 1 r 0 +' | tabs)" 'patterns of T in RNA'
expect 0 sufsort locate rna TAA GATT --both-strands; cp out forward
expect 0 sufsort locate rna_both TAA GATT --both-strands; cmp forward out
expect 0 sufsort count rna GATT GAUU
want "$(cut -f 2 out | xargs)" '0 1' 'one strand'
printf '>a\nACGUU\n>b\nTTT\n' > mixed.fa
expect_error sufsort build mixed.fa -o y --strands both
want "$(cat err)" "sufsort: both T and U: record 'a': letter 4 is 'U', and others are 'T': an index of both strands must be of DNA or of RNA" \
  'both strands of DNA and RNA'
expect 0 sufsort build mixed.fa -o mixed
expect 0 sufsort count mixed GUU TT
want "$(cut -f 2 out | xargs)" '1 2' 'DNA and RNA'
expect_error sufsort count mixed AAC --both-strands
want "$(cat err)" 'sufsort: no complement: --both-strands: mixed.seq: the text has both T and U' 'the other strand of DNA and RNA'

# Limits are reported; counts are complete.
expect 0 sufsort locate x A --limit 2
want "$(cut -f2 out | xargs)" '9 9' 'hits within the limit'
want "$(cat err)" "sufsort: warning: not all printed: pattern 'A': 2 of its 9 hits are printed: use --limit=0 to print all" 'word of the limit'
expect 0 sufsort locate x A T C --limit 2 --quiet
[[ ! -s err ]] || fail 'not quiet'
expect 0 sufsort locate x A T C --limit 2
grep -q '1 more pattern has too many' err || fail "word of the limit: $(cat err)"
expect 0 sufsort locate x A --limit 0
want "$(cut -f3,4 out | xargs)" 'one 1 one 4 one 6 three 3 three 4 three 7 three 8 three 9 three 10' 'all hits, by position'
printf '>n\n%s\n' "$(head -c 3000 /dev/zero | tr '\0' N)" > n.fa; expect 0 sufsort build n.fa -o n
expect 0 sufsort locate n NNN
want "$(wc -l < out)" 1000 'hits within the default limit'
grep -q '2998 hits' err || fail "no word of the default limit: $(cat err)"
expect 0 sufsort locate n NNN --limit 0
want "$(cut -f4 out | sort -n | uniq | wc -l)" 2998 'all hits of a run'
for _ in $(seq 60); do echo NN; done | expect 0 sufsort locate n - --limit 0  # more text than is held
want "$(wc -l < out)" $((60 * 2999)) 'all hits of many patterns'
want "$(cut -f4 out | uniq | md5sum)" "$(for _ in $(seq 60); do seq 0 2998; done | md5sum)" 'hits of many patterns in order'

# A row whose suffix is shorter than the pattern, among rows that the search does not read.
printf '>a\n%s\n' "$(head -c 40 /dev/zero | tr '\0' A)" > a.fa; expect 0 sufsort build a.fa -o a
printf '\47' | dd of=a.sa bs=1 seek=120 conv=notrunc status=none
expect_error sufsort locate a AAA --limit 0
want "$(cat err)" 'sufsort: bad index: a.sa: position 39: out of order' 'a row out of order'

# Context in the direction of the pattern; BED.
expect 0 sufsort locate x TTAC GGG --context 3
want "$(cat out)" "$(printf '%s\n' 'TTAC 1 one 2 + GA AGG' 'GGG 0 . . . . .' | tabs)" context
expect 0 sufsort locate x TTACA --context 4 --both-strands
want "$(cat out)" "$(printf '%s\n' 'TTACA 2 one 2 + GA GG' 'TTACA 2 three 0 - TTGA .' | tabs)" 'context on the other strand'
expect 0 sufsort locate x TTACA GGG --format bed --both-strands -o hits.bed
want "$(cat hits.bed)" "$(printf '%s\n' 'one 2 7 TTACA 2 +' 'three 0 5 TTACA 2 -' | tabs)" bed
[[ ! -s out ]] || fail 'something on stdout'

# Invalid commands and inputs.
expect_error sufsort locate x
expect_error sufsort count x -f missing
expect_error sufsort locate x A --limit x
expect_error sufsort locate x A --format sam
expect_error sufsort locate x A -o x.sa
want "$(cat err)" 'sufsort: cannot write: x.sa: it belongs to the index that is read' 'an output that is of the index'
cp list loop; expect 2 bash -c 'exec sufsort locate x -f loop >> loop 2> loop_err'
grep -q 'input file is output file: loop' loop_err || fail "patterns that are read while they are written: $(cat loop_err)"
cmp loop list
cp list loop; expect_error sufsort count x -f loop -o loop  # counts are no patterns in another order
want "$(cat err)" 'sufsort: cannot write: loop: it is the same file as the input loop' 'an output that is the input'
cmp loop list
# refused TEXT ERROR: expects this error for a file of patterns.
refused() { printf "$1" > bad; expect_error sufsort locate x -f bad; want "$(cat err)" "sufsort: $2" "$1"; }
refused 'A\n\nC\n' 'empty pattern: bad:2: it would match everywhere'
refused 'A\nA C\n' "blank in a pattern: bad:2: 'A C': a blank is not a residue"
refused '\n\nC\n' 'empty pattern: bad:1: it would match everywhere'
refused 'AC\n>a\nC\n' "bad pattern: bad:2: '>' is not a residue"
refused 'AC\nA\0C\n' 'bad pattern: bad:2: byte 0x00 is not a residue'
refused ';c\nA\n>b\nC\n' "bad FASTA: bad:2: text before the first '>'"
refused '@a\nAC\n+\nII\nb\n' "bad FASTQ: bad:5: a read must begin with '@'"
refused '@a\nAC\nII\nII\n' "bad FASTQ: bad:3: no line with '+' after the letters"
refused '@a\nAC\n+\nIII\n' 'bad FASTQ: bad:4: 3 qualities for 2 letters'
refused '@a\nAC\n+\n' "bad FASTQ: bad:3: read 'a' ends before its qualities"
refused '>a\0b\nAC\n' 'bad FASTA: bad:1: a NUL byte in the name'
refused '@a\nAC\n+\nII\n@a\0b c\nAC\n+\nII\n' 'bad FASTQ: bad:5: a NUL byte in the name'
# Reads without letters are skipped.
for reads in '@a b\n\n+\n\n@b\nAC\n+\nII\n@c\n\n+\n\n' '\n>a b\n>b\nAC\n>c\n'; do
  printf "$reads" > some
  line=$(grep -n 'a b' some | cut -d: -f1)
  expect 0 sufsort locate x -f some --limit 1
  want "$(cut -f 1,2 out | xargs)" 'a 0 b 1 c 0' "locate $reads"
  want "$(cat err)" "sufsort: warning: skipped pattern: some:$line: 'a': no letters, and 1 more patterns; reported as not found" "$reads"
  expect 0 sufsort count x -f some --both-strands --quiet
  want "$(xargs < out)" 'a 0 0 0 b 2 1 1 c 0 0 0' "count $reads"
  [[ ! -s err ]] || fail 'not quiet'
done
# Byte order marks and blanks before the first record.
for begin in '\xef\xbb\xbf' ' \t' '\n \n' '\xef\xbb\xbf\r\n '; do
  for file in q.fa q.fq; do
    { printf "$begin"; cat $file; } > begun
    expect 0 sufsort count x -f begun
    want "$(cut -f2 out | xargs)" '1 2 0' "count of $file after '$begin'"
  done
done
{ printf '\xef\xbb\xbf'; cat list; } > begun
expect 0 sufsort count x -f begun
want "$(cut -f2 out | xargs)" '1 2 0' 'a list after a byte order mark'
gzip -c q.fa | head -c 40 > cut.gz; expect_error sufsort locate x -f cut.gz

# A k-mer table does not change results.
awk 'BEGIN { srand(3); print ">g"; for (i = 0; i < 600; ++i) { line = i % 7 == 0 ? "NNNNN" : ""; for (k = 0; k < 50; ++k) line = line substr("ACGT", int(rand() * 4) + 1, 1); print line } }' > genome.fa
expect 0 sufsort build genome.fa -o g
awk 'NR % 3 == 0 { print substr($0, 1, NR % 47 + 1) }' genome.fa | grep -v '>' > patterns
for text in A CC GAT ACGT NN ACGN; do echo $text; done >> patterns
expect 0 sufsort locate g -f patterns --limit 0; mv out plain
for k in 1 3 6; do
  expect 0 sufsort kmers g --length $k
  expect 0 sufsort check g
  grep -q 'kmers' out || fail 'check knows of no k-mers'
  expect 0 sufsort locate g -f patterns --limit 0 --threads 1; cmp out plain
done
expect 0 sufsort info g
grep -q 'array	kmers' out || fail 'info knows of no k-mers'
expect 0 sufsort build genome.fa -o h --kmer-table 6
cmp g.kmers h.kmers; cmp g.json h.json
expect_error sufsort kmers g --length 16
expect_error sufsort kmers g --length 0
expect_error sufsort kmers g --length 31
want "$(cat err)" "sufsort: invalid number: --length: '31': a k-mer has 1 to 30 letters" 'k-mers that are too long'
# A table is not larger than the array unless forced; sufsort can choose the longest suitable length.
expect_error sufsort kmers g --length 8
want "$(cat err)" "sufsort: large table: --length 8: 262148 bytes, more than the $(stat -c %s g.sa) of the suffix array: use at most 7 letters, or --force-kmer-table" \
  'a table larger than the array'
cmp g.kmers h.kmers
expect 0 sufsort kmers g --length 7
expect 0 sufsort kmers g --length 8 --force-kmer-table
want "$(stat -c %s g.kmers)" 262148 'a forced table'
expect 0 sufsort locate g -f patterns --limit 0; cmp out plain
expect_error sufsort build genome.fa -o new --kmer-table 8
grep -q ': use at most 7 letters, or --force-kmer-table' err || fail "a large table: $(cat err)"
expect 0 sufsort build genome.fa -o new --kmer-table 8 --force-kmer-table
cmp g.kmers new.kmers; rm new.*
expect 0 sufsort kmers g --length auto; cmp g.kmers h.kmers
expect 0 sufsort build genome.fa -o new --kmer-table auto; cmp new.kmers h.kmers; cmp new.json h.json; rm new.*
expect 0 sufsort build in.fa -o new --kmer-table auto
want "$(sed -n 's/.*"kmer_length": \([0-9]*\).*/\1/p' new.json)" 1 'a table of a small text'
rm new.*
expect_error sufsort kmers g --length long
expect_error sufsort kmers missing --length 2
expect 0 sufsort check g
printf '\x07' | dd of=g.kmers bs=1 seek=40 conv=notrunc status=none
expect 1 sufsort check g
grep -q 'g.kmers: k-mer 10: not the first row' err || fail "a damaged table: $(cat err)"
truncate -s -4 g.kmers; expect_error sufsort count g A
# A damaged or missing table can be rebuilt.
expect 0 sufsort kmers g --length 6; cmp g.kmers h.kmers; cmp g.json h.json
rm g.kmers; expect_error sufsort count g A
expect 0 sufsort kmers g --length 3
expect 0 sufsort check g
cp h.kmers x.kmers; expect 1 sufsort check x  # of another index
grep -q 'x.kmers: of another index' err || fail "a table of another index: $(cat err)"
# An index is built with its table, or not at all.
expect_error sufsort build genome.fa -o new --kmer-table 16
if compgen -G 'new*' > list; then fail "an index without its table: $(cat list)"; fi
for name in seq sa kmers json; do cp h.$name kept.$name; done
# This is known before anything is sorted; and the table respects the memory limit, too.
expect_error sufsort build genome.fa -o new --kmer-table 16 --memory 100K
grep -q 'too many k-mers: --kmer-table 16: the letters' err || fail "k-mers that are too many: $(cat err)"
for plan in '' --plan; do
  expect_error sufsort build in.fa -o new --kmer-table 13 --memory 64M $plan
  grep -q "large table: --kmer-table 13: 268435460 bytes" err || fail "a large table: $(cat err)"
  expect_error sufsort build in.fa -o new --kmer-table 13 --force-kmer-table --memory 64M $plan
  grep -q 'out of memory: table of 67108864 k-mers: 268435460 bytes are needed.*: --memory 257M suffices$' err ||
    fail "a large table: $(cat err)"
done
expect 0 sufsort build in.fa -o new --kmer-table 13 --force-kmer-table --memory 257M; rm new.*
head -4 genome.fa > part.fa; expect_error sufsort build part.fa -o h --kmer-table 16
for name in seq sa kmers json; do cmp h.$name kept.$name; done
expect 0 sufsort build genome.fa -o h
[[ ! -e h.kmers ]] || fail 'a table of an older index'
no_leftovers

# Circular records: hits across their ends, once around at most, on both strands and in every kind of index.
printf '>ring\nGATTACAC\n>line\nTTAGA\n>c\nAC\n' > rings.fa
for how in '' --strands=both '--fm --without-sa' --sample=2; do
  # shellcheck disable=SC2086
  sufsort build rings.fa -o rings $how
  expect 0 sufsort locate rings ACACGAT CACACACA AGAT CA --circular=ring --circular=c --both-strands --context 2 --limit 0
  cmp out - <<'END' || fail "$how: circular: $(cat out)"
ACACGAT	1	ring	4	+	T	T
CACACACA	0	.	.	.	.	.
AGAT	0	.	.	.	.	.
CA	2	ring	5	+	TA	CG
CA	2	c	1	+	.	.
END
  [[ $how == --sample=2 ]] || expect 0 sufsort locate rings CGTGT --both-strands --circular=ring --format bed
  [[ $how == --sample=2 ]] || cmp out <(printf 'ring\t4\t8\tCGTGT\t1\t-\nring\t0\t1\tCGTGT\t1\t-\n') || fail "$how: BED: $(cat out)"
  expect 0 sufsort count rings CA TAGATT --by-record --circular=all
  [[ $how == --strands=both ]] || cmp out <(printf 'CA\tring\t1\nCA\tc\t1\nTAGATT\t.\t0\n') || fail "$how: counts: $(cat out)"
done
sufsort build rings.fa -o rings
expect_error sufsort count rings CA --circular=rin
[[ $(cat err) == "sufsort: no such record: --circular: 'rin': rings.json has none of this name" ]] || fail "$(cat err)"
sufsort build rings.fa -o rings --ambiguous=break
expect_error sufsort count rings CA --circular=all
sufsort build rings.fa -o rings --format=lines
expect_error sufsort count rings CA --circular=all

# Patterns without hits that may have been meant otherwise.
printf '>c\nACGTACGT\n' > dna.fa; printf '>r\nACGUACGU\n' > rna.fa; printf '>p\nMKVLAAGELFQIPEWSTRKDE\n' > protein.fa
for name in dna rna protein; do sufsort build $name.fa -o $name; done
printf 'ACGT\n' > primers.txt; printf 'ACGT\n' > ACGT; printf '>p\nACGYACG\n>q\nNNA\n>r\nACG\n' > codes.fa
# hint WARNING COMMAND...: the only line on stderr; no warning if it is empty.
hint() {
  expect 0 sufsort "${@:2}"
  [[ $(cat err) == "${1:+sufsort: warning: no hits: $1}" ]] || fail "${*:2}: $(cat err)"
}
for command in locate count 'count --by-record'; do
  # shellcheck disable=SC2086
  {
    hint "pattern 'primers.txt': a file has this name: -f primers.txt reads patterns from it" $command dna primers.txt
    hint '' $command dna ACGT
    hint '' $command dna missing.txt
    hint '' $command dna primers.txt --quiet
    hint "pattern 'ACGTNACG': N finds only N: codes of IUPAC stand for no other letters" $command dna ACGTNACG
    hint "pattern 'p', and another one: Y finds only Y: codes of IUPAC stand for no other letters" $command dna -f codes.fa
    hint "pattern 'ACGU': the text has T instead of U: --both-strands reads both alike" $command dna ACGU
    hint "pattern 'acgt': the text has U instead of T: --both-strands reads both alike" $command rna acgt
    hint '' $command protein GAN
    hint '' $command dna GGG
  }
done
hint '' count rna ACGT --both-strands
expect_error sufsort mem dna GATTACA
[[ $(cat err) == 'sufsort: cannot read: GATTACA: No such file or directory: QUERY is a file; sufsort locate finds a pattern' ]] || fail "$(cat err)"
expect_error sufsort ms dna missing.fa
[[ $(cat err) == 'sufsort: cannot read: missing.fa: No such file or directory' ]] || fail "$(cat err)"
printf '\1\0' > few.u16; sufsort build few.u16 -o few
expect_error sufsort count few primers.txt
grep -q ': -f primers.txt reads patterns from this file$' err || fail "a file in the place of tokens: $(cat err)"
