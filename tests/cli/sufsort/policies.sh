# The policies of sufsort build: strands, ambiguous letters, lower case, samples; compared with a plain reference, alone and combined.
. "$ORDO_SOURCE/tests/cli/lib.sh"

reference=$ORDO_SOURCE/tests/reference/sufsort_reference.py
python3 "$reference" random "${ORDO_SEED-1}" "${ORDO_CASES-60}"
samples=$ORDO_SOURCE/datasets/samples
python3 "$reference" files "$samples"/{cholera_iupac.fa.gz,lambda.fa,human_mt_y.fa.gz,macaque_chr20.fa.gz}

numbers() { od -An -v -w1000000 -tu"$1" "$2" | xargs; }
want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
tabs() { tr ' ' '\t'; }

printf '>one first\nACGTNNacg\ntRAC\n>two\nNN\n>three\nGATTACA\n' > in.fa
expect 0 sufsort build in.fa -o plain --lcp --bwt
expect 0 sufsort build in.fa -o stated --lcp --bwt --strands forward --ambiguous symbol --mask fold --sample 1
for array in seq sa lcp bwt json; do cmp plain.$array stated.$array; done
[[ ! -e stated.pieces ]] || fail 'pieces of whole records'

# Both strands: locations are on the forward strand.
expect 0 sufsort build in.fa -o both --lcp --bwt --strands both --kmer-table 2
want "$(cat both.seq)" ACGTNNACGTRACGTYACGTNNACGTNNNNGATTACATGTAATC 'the text of both strands'
expect 0 sufsort check both
want "$(cat out)" 'both: right: seq, sa, lcp, bwt, pieces, kmers of 44 residues in 3 records' check
for strands in '' --both-strands; do
  expect 0 sufsort locate both TAC GTA $strands --context 2
  want "$(cat out)" "$(printf '%s\n' 'TAC 1 three 3 + AT A' 'GTA 1 three 3 - T AT' | tabs)" "locate $strands"
done
expect 0 sufsort locate plain TAC GTA --both-strands --context 2
want "$(cat out)" "$(printf '%s\n' 'TAC 1 three 3 + AT A' 'GTA 1 three 3 - T AT' | tabs)" 'the same of an index of one strand'
expect 0 sufsort count both TAC ACGT --both-strands
want "$(cat out)" "$(printf '%s\n' 'TAC 1 1 0' 'ACGT 4 2 2' | tabs)" 'count of both strands'
expect 0 sufsort locate both TAC --format bed
want "$(cat out)" "$(printf 'three\t3\t6\tTAC\t1\t+')" bed
expect 0 sufsort repeats both -l 4
want "$(cat out)" "$(printf '%s\n' '1 4 4 one 0 +' '1 4 4 one 0 -' '1 4 4 one 6 +' '1 4 4 one 6 -' | tabs)" 'repeats of nucleotides'
expect 0 sufsort repeats both -l 4 --letters all
want "$(cut -f 2- out | sort -u | xargs)" "$(printf '%s\n' '10 2 one 0 +' '10 2 one 0 -' '4 4 one 0 +' '4 4 one 0 -' '4 4 one 6 +' '4 4 one 6 -' | sort | xargs)" repeats
expect 0 sufsort unique both -k 3
want "$(grep one out | xargs)" 'one 0 2 4 one 6 8 4' 'unique of nucleotides'
expect 0 sufsort unique both -k 3 --letters all
want "$(grep one out | head -2 | xargs)" 'one 0 2 4 one 2 6 2' 'unique of all letters'
expect 0 sufsort export both --format raw32 -o both.raw; cmp both.raw both.sa
expect_error sufsort export both --format sufr -o both.sufr
want "$(cat err)" 'sufsort: cannot export: both.json: sufr has no pieces of records, no reverse complements and no samples' \
  'sufr of both strands'
want "$(head -c 48 both.pieces | od -An -v -w48 -tu8 | xargs)" '0 13 26 28 30 37' 'the begins of pieces'
printf '>a\nACGU\n>b\nRYKMBVDHSWN\n' > rna.fa
expect 0 sufsort build rna.fa -o rna --strands both
want "$(cat rna.seq)" ACGUACGURYKMBVDHSWNNWSDHBVKMRY 'the other strand of RNA'
expect 0 sufsort check rna

# Breaks: locations refer to the records that were read.
expect 0 sufsort build in.fa -o broken --lcp --bwt --ambiguous break
want "$(cat broken.seq)" ACGTACGTACGATTACA 'the text without ambiguous letters'
expect 0 sufsort locate broken AC GTAC
want "$(cat out)" "$(printf '%s\n' 'AC 4 one 0 +' 'AC 4 one 6 +' 'AC 4 one 11 +' 'AC 4 three 4 +' 'GTAC 0 . . .' | tabs)" \
  'locate in pieces'
expect 0 sufsort info broken
for line in $'residues\t17' $'ambiguous\tbreak' $'record\tone\t0\t13' $'record\ttwo\t10\t2' $'record\tthree\t10\t7'; do
  grep -qx "$line" out || fail "info does not say: $line"
done
expect 0 sufsort build in.fa -o masked --mask break
want "$(cat masked.seq)" ACGTNNRACNNGATTACA 'the text without lower case'
expect 0 sufsort locate masked rac GTR
want "$(cat out)" "$(printf '%s\n' 'rac 1 one 10 +' 'GTR 0 . . .' | tabs)" 'locate beside lower case'
printf '>n\nNNNN\n' > n.fa
expect 0 sufsort build n.fa -o n --ambiguous break --strands both --lcp --bwt
expect 0 sufsort check n
expect 0 sufsort locate n A
expect 0 sufsort repeats n -l 1

# Rows left out.
expect 0 sufsort build in.fa -o skipped --lcp --ambiguous skip
want "$(numbers 4 skipped.sa | wc -w)" 17 'rows without ambiguous letters'
expect 0 sufsort locate skipped NACG NNAC
want "$(cat out)" "$(printf '%s\n' 'NACG 1 one 5 +' 'NNAC 1 one 4 +' | tabs)" 'patterns that begin with what is left out'
expect_error sufsort locate skipped ACG NN
grep -q "pattern too short: 'NN': the index has rows only for A, C, G, T and U," err || fail "a pattern of N: $(cat err)"
printf '>a\nACG\n>b\nNN\n>c\nNA\n' > reads.fa  # of a file, one does not stop the others
expect 0 sufsort locate skipped -f reads.fa
want "$(cut -f 1,2 out | uniq | xargs)" 'a 2 b 0 c 1' 'reads of N'
want "$(cat err)" "sufsort: warning: skipped pattern: reads.fa:3: 'b': too short for the rows of this index; reported as not found" \
  'word of a read of N'
expect 0 sufsort export skipped --format sufr -o skipped.sufr
# k-mers that begin before an N are not counted, either, unless requested.
for letters in '' '--letters nucleotides'; do
  # shellcheck disable=SC2086
  expect 0 sufsort unique skipped -k 3 $letters
  want "$(cat out)" "$(printf '%s\n' 'one 0 2 2' 'one 6 8 2' 'three 0 5 1' | tabs)" "unique with skip $letters"
  want "$(cat err)" "sufsort: warning: left out: 7 k-mers of the text hold letters other than A, C, G, T and U: use --letters=all to count them" \
    'word of k-mers with N'
done
expect 0 sufsort unique skipped -k 3 --letters all --quiet
want "$(grep -c . out) $(head -3 out | xargs)" '5 one 0 2 2 one 2 4 1 one 6 8 2' 'unique with skip, of all letters'
[[ ! -s err ]] || fail 'not quiet'
expect_error sufsort repeats skipped -l 3
grep -q 'rows are left out: skipped.json: repeats need all of them' err || fail "repeats without rows: $(cat err)"
expect 0 sufsort build in.fa -o sampled --lcp --sample 3 --width 40
want "$(numbers 1 sampled.sa | wc -w)" 45 'rows of a sample'
expect 0 sufsort locate sampled TTA ACGTNNA --both-strands
want "$(cut -f 3- out | xargs)" 'three 2 + one 0 + one 3 -' 'locate by a sample'
expect_error sufsort locate sampled TT
expect_error sufsort unique sampled -k 3
expect_error sufsort repeats sampled -l 3
expect_error sufsort export sampled --format sufr -o y
expect 0 sufsort kmers sampled --length 2 --force-kmer-table
expect 0 sufsort check sampled
expect 0 sufsort locate sampled TTA ACGTNNA
want "$(cut -f 3- out | xargs)" 'three 2 + one 0 +' 'locate by a sample and a table'
for policy in '--sample 2' '--ambiguous skip'; do
  # shellcheck disable=SC2086
  expect_error sufsort build in.fa -o y --bwt $policy
  want "$(cat err)" 'sufsort: conflicting options: --bwt: a BWT needs all rows; --sample and --ambiguous=skip leave out some' \
    "BWT with $policy"
done

# Policies for nucleotides reject other letters.
printf '>p\nACGT\n>q\nACDEF\n' > protein.fa
expect_error sufsort build protein.fa -o y --strands both
want "$(cat err)" "sufsort: not a nucleotide: record 'q': letter 4 is 'E': an index of both strands needs nucleotides" 'a protein'
expect_error sufsort build protein.fa -o y --ambiguous break
expect_error sufsort build protein.fa -o y --ambiguous skip
grep -q "the text has the letter 'E'" err || fail "a protein: $(cat err)"
expect 0 sufsort build protein.fa -o protein --mask break --sample 2
expect_error sufsort build in.fa -o y --sample 0
expect_error sufsort build in.fa -o y --sample x
expect_error sufsort build in.fa -o y --strands reverse
expect_error sufsort build in.fa -o y --keep-case  # the name is --mask=keep
expect_error sufsort build in.fa -o y --width 32 --strands both --memory 10
[[ -z $(compgen -G 'y*') ]] || fail 'an index of what was refused'

# A description from before policies existed means the defaults.
sed '/"strands"\|"ambiguous"\|"mask"\|"sample"\|^  "crc32"/d' plain.json > old.json
for array in seq sa lcp bwt; do cp plain.$array old.$array; done
expect 0 sufsort check old
expect 0 sufsort locate old ACGT
# A rebuilt index has no pieces of the old one; check reports a leftover file.
cp both.pieces old.pieces
expect 1 sufsort check old
grep -q 'old.pieces: of another index' err || fail "pieces of another index: $(cat err)"
expect 0 sufsort build in.fa -o both
[[ ! -e both.pieces ]] || fail 'pieces of an older index'
# Letters, pieces and policy that contradict each other.
expect 0 sufsort build in.fa -o bent --mask keep
sed -i 's/"kept"/"folded to upper"/; s/"mask": "keep"/"mask": "fold"/; /^  "crc32"/d' bent.json
expect 1 sufsort check bent
want "$(cat err)" "sufsort: disorder: bent.seq: position 6: 'a' is lower case, which the policy folds" 'case that is not told'
expect 0 sufsort build in.fa -o bent --strands both
printf 'G' | dd of=bent.seq bs=1 seek=36 conv=notrunc status=none
expect 1 sufsort check bent
expect 0 sufsort build in.fa -o bent --ambiguous break
printf '\x01' | dd of=bent.pieces bs=1 seek=8 conv=notrunc status=none
expect_error sufsort locate bent A
want "$(cat err)" 'sufsort: bad index: bent.pieces: record 0: pieces outside the record' 'pieces that lie'

# The plan: twice the letters, fewer entries.
expect 0 sufsort build "$samples"/lambda.fa -o y --plan
grep -qE $'^memory\t[0-9.]+ .B available; minimum [0-9.]+ .B, fastest [0-9.]+ .B, any text [0-9.]+ .B$' out || fail "$(cat out)"
letters=$(sed -n 's/^residues\tabout \([0-9]*\) .*/\1/p' out)
expect 0 sufsort build "$samples"/lambda.fa -o y --plan --strands both
want "$(sed -n 's/^residues\tabout \([0-9]*\) .*/\1/p' out)" $((2 * letters)) 'the plan for both strands'
# The plan rejects everything that build would reject.
for how in '-o y/' '-o missing/y' '-o y --bwt --sample 2'; do
  # shellcheck disable=SC2086
  expect_error sufsort build in.fa $how --plan
done
no_leftovers
for machine in '' '--threads 1'; do
  # shellcheck disable=SC2086
  expect 0 sufsort build "$samples"/cholera_iupac.fa.gz -o t --strands both --ambiguous break --mask break --lcp $machine
  if [[ -e first.sa ]]; then for each in seq sa lcp pieces json; do cmp first.$each t.$each; done; fi
  for each in seq sa lcp pieces json; do cp t.$each first.$each; done
done
# The same bytes in little memory.
{ echo '>g'; awk 'BEGIN { srand(3); for (i = 0; i < 8000; ++i) { line = ""; for (k = 0; k < 60; ++k) line = line substr("ACGTN", int(rand() * 4.2) + 1, 1); print line } }'; } > genome.fa
expect 0 sufsort build genome.fa -o large --lcp --ambiguous skip --sample 2 --strands both
expect 0 sufsort build genome.fa -o small --lcp --ambiguous skip --sample 2 --strands both --memory 50M
for each in seq sa lcp json; do cmp large.$each small.$each; done
expect 0 sufsort check small
for ((memory = 3000; memory < 6000; memory += 250)); do
  for strands in forward both; do
    planned=0 built=0
    sufsort build genome.fa -o y --strands $strands --memory ${memory}K --plan > plan || planned=$?
    sufsort build genome.fa -o y --strands $strands --memory ${memory}K 2> err || built=$?
    [[ $planned == "$built" ]] || fail "$strands, $memory KB: $(cat plan) $(cat err)"
    echo "$planned" >> statuses
  done
done
want "$(sort -u statuses | xargs)" '0 2' 'plans that are refused, and others'
no_leftovers
