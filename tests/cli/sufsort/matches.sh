# sufsort mem and ms: formats, strands, selections, sources of queries; beside mummer where it is installed.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
tabs() { tr ' ' '\t'; }

printf '>one first\nGATTACAGG\n>two\n\n>three\nTGTAATCAAAA\n' > in.fa
printf '>q1 words\nCCGATTACATT\n>q2\n>q3\nGATTACA\nTTTT\n' > q.fa
expect 0 sufsort build in.fa -o x
expect 0 sufsort build in.fa -o both --strands both

expect 0 sufsort mem x q.fa -l 6
want "$(cat out)" "$(printf '%s\n' 'q1 2 one 0 + 7' 'q3 0 one 0 + 7' | tabs)" 'matches'
expect 0 sufsort mem x q.fa --min-length=6 --both-strands
printf '%s\n' 'q1 2 one 0 + 7' 'q1 2 three 0 - 7' 'q3 0 one 0 + 7' 'q3 0 three 0 - 7' | tabs > strands
cmp strands out
expect 0 sufsort mem both q.fa -l 6; cmp strands out
expect 0 sufsort mem x q.fa -l 6 --both-strands --format mummer
printf '%s\n' '> q1' '  one           1         3         7' '> q1 Reverse' '  three         1         3         7' '> q2' '> q2 Reverse' '> q3' \
  '  one           1         1         7' '> q3 Reverse' '  three         1         5         7' > mummer
cmp mummer out
expect 0 sufsort mem both q.fa -l 6 --format mummer; cmp mummer out
expect 0 sufsort mem x q.fa -l 6 --both-strands --format paf
want "$(head -2 out)" "$(printf '%s\n' 'q1 11 2 9 + one 9 0 7 7 7 255 cg:Z:7=' 'q1 11 2 9 - three 11 0 7 7 7 255 cg:Z:7=' | tabs)" PAF
expect 0 sufsort mem x q.fa -l 6 --both-strands --format bed
want "$(head -2 out)" "$(printf '%s\n' 'one 0 7 q1 7 +' 'three 0 7 q1 7 -' | tabs)" BED
expect 0 sufsort ms x q.fa
want "$(cat out)" "$(printf '>q1\n1 1 7 6 5 4 3 2 3 2 1\n>q2\n\n>q3\n7 6 5 4 3 2 3 2 2 2 1\n')" 'matching statistics'
expect 0 sufsort ms x q.fa --format tsv
want "$(sed -n '3p;12p' out)" "$(printf '%s\n' 'q1 2 7' 'q3 0 7' | tabs)" 'matching statistics in columns'

# Selections. ACA is twice in the text and GGG once; in the query GGG is twice.
printf '>a\nTTACACCACAGGGTT\n' > rare.fa; printf '>q\nACATGGGCGGGCACC\n' > rare_q.fa
expect 0 sufsort build rare.fa -o rare
expect 0 sufsort mem rare rare_q.fa -l 3
want "$(cut -f2,4,5,6 out | tr -d '+' | xargs)" '0 2 3 0 7 3 4 10 3 8 10 3 11 3 4 11 6 3' 'all'
expect 0 sufsort mem rare rare_q.fa -l 3 --rare 1
want "$(cut -f2,6 out | xargs)" '4 3 8 3 11 4' 'unique in the text'
expect 0 sufsort mem rare rare_q.fa -l 3 --rare 2
want "$(wc -l < out)" 6 'rare in the text'
expect 0 sufsort mem rare rare_q.fa -l 3 --unique
want "$(cut -f2,6 out | xargs)" '11 4' 'unique in both'
expect 0 sufsort mem rare rare_q.fa -l 3 --super-maximal
want "$(cut -f2,6 out | xargs)" '0 3 0 3 4 3 8 3 11 4' 'super-maximal'

# Queries: any number of files, compressed, reads, lists, standard input; in the order of the input.
printf '@q4\nGATTACA\n+\n!!!!!!!\n' > q.fq; gzip -k q.fa
expect 0 sufsort mem x q.fq q.fa.gz -l 7
want "$(cut -f1 out | xargs)" 'q4 q1 q3' 'order of queries'
echo GATTACA | expect 0 sufsort mem x - -l 7
want "$(cut -f1 out)" GATTACA 'a list on standard input'
: > none; expect 0 sufsort mem x none; [[ ! -s out ]] || fail 'matches of nothing'
expect_error sufsort mem x missing.fa
expect_error sufsort mem x
expect_error sufsort mem x q.fa -l 0
expect_error sufsort mem x q.fa --format sam
printf '@r\nGAT\n+\n' > cut.fq; expect_error sufsort mem x cut.fq
expect_error sufsort mem x q.fa --output x.sa
printf '>right\nGATTACA\n>odd one\nACGTEACGT\n' > odd.fa
expect_error sufsort mem x odd.fa -l 3 --both-strands --letters all
want "$(cat err)" "sufsort: no complement: query 'odd': letter 5 is 'E', which is not a nucleotide" 'no complement'
printf 'one\ntwo one\n' > lines; expect 0 sufsort build lines -o lines --format lines
echo 'a two' | expect 0 sufsort mem lines - -l 3
want "$(cut -f 2-6 out)" "$(echo '2 lines:2 0 + 3' | tabs)" 'matches in lines'
echo x > word
expect_error sufsort mem lines - --both-strands < word
expect_error sufsort mem lines - --letters nucleotides < word

# Ambiguous letters match nothing unless they are to; samples and skipped rows give the same matches.
printf '>n\nACGTNNACGTTT\n' > n.fa; expect 0 sufsort build n.fa -o n
expect 0 sufsort mem n n.fa -l 5
want "$(cut -f2,4,6 out | xargs)" '6 6 6' 'nucleotides'
want "$(sufsort mem n n.fa -l 6 --letters all | cut -f2,4,6 | xargs)" '0 0 12' 'all letters'
expect 0 sufsort build n.fa -o skip --ambiguous skip
expect 0 sufsort mem skip n.fa -l 5
want "$(cut -f2,4,6 out | xargs)" '6 6 6' 'rows left out'
expect_error sufsort mem skip n.fa --letters all
expect_error sufsort ms skip n.fa --letters all
expect 0 sufsort build in.fa -o sampled --sample 4
expect 0 sufsort mem sampled q.fa -l 6 --both-strands; cmp strands out
for width in 40 64; do
  expect 0 sufsort build in.fa -o wide --width $width --kmer-table 2 --force-kmer-table
  expect 0 sufsort mem wide q.fa -l 6 --both-strands; cmp strands out
done
expect_error sufsort mem sampled q.fa -l 3
expect_error sufsort mem sampled q.fa --unique
expect_error sufsort ms sampled q.fa

# A genome: parts of a long query are worked on apart, on any number of threads. Shuffled reads, every 7th letter changed.
lambda=$ORDO_SOURCE/datasets/samples/lambda.fa
awk 'BEGIN { srand(5); print ">changed" } !/^>/ { s = s $0 }
  END { for (i = 1; i <= length(s); ++i) { c = substr(s, i, 1); if (rand() < 0.02) c = substr("ACGT", 1 + int(4 * rand()), 1); printf "%s", c }
        print "\n>short\nACGT\n>part"; print substr(s, 20000, 3000) }' "$lambda" > changed.fa
{ cat "$lambda"; sed 's/>.*/>again/; 200q' "$lambda"; } > twice.fa
expect 0 sufsort build twice.fa -o twice --kmer-table=auto
for options in '' '--both-strands' '--unique --both-strands' '--rare 1' '--super-maximal --both-strands -l 12'; do
  # shellcheck disable=SC2086
  expect 0 sufsort mem twice changed.fa $options --threads 1; cp out one
  # shellcheck disable=SC2086
  expect 0 sufsort mem twice changed.fa $options --threads 3; cmp one out
  [[ -s out ]] || fail "nothing with $options"
done
expect 0 sufsort build twice.fa -o twice_both --strands both
expect 0 sufsort mem twice changed.fa --both-strands; cp out one
expect 0 sufsort mem twice_both changed.fa; cmp one out
expect 0 sufsort ms twice changed.fa --threads 1; cp out one
expect 0 sufsort ms twice changed.fa --threads 3; cmp one out

# A long query makes a table of k-mers, which reads all rows; a short one does not see that two of them are exchanged.
expect 0 sufsort build "$lambda" -o damaged
python3 -c 'a = bytearray(open("damaged.sa", "rb").read()); a[40:44], a[-44:-40] = a[-44:-40], a[40:44]; open("damaged.sa", "wb").write(a)'
head -3 "$lambda" > short.fa; expect 0 sufsort mem damaged short.fa
expect_error sufsort mem damaged "$lambda"; grep -q 'bad index: damaged.sa' err || fail "no table: $(cat err)"
# Circular records: a rotated genome is one match, or two if a change divides it. In PAF and BED each turn has a line.
printf '>ring\nGATTACACCGTTTGACA\n>line\nTTAGACCGTC\n' > rings.fa
printf '>turned\nTTTGACAGATTACACCG\n>back\nCGGTGTAATCTGTCA\n>twice\nACAGATTACACCGTTTGACAGATTACACCGTT\n' > turned.fa
for how in '' '--strands=both' '--fm --without-sa'; do
  # shellcheck disable=SC2086
  expect 0 sufsort build rings.fa -o rings $how
  expect 0 sufsort mem rings turned.fa -l 7 --both-strands --circular=ring
  cmp out - <<'END' || fail "$how: circular: $(cat out)"
turned	0	ring	10	+	17
back	0	ring	12	-	15
twice	0	ring	14	+	32
END
  expect 0 sufsort mem rings turned.fa -l 7 --both-strands --circular=all --super-maximal --format=paf
  cmp <(cut -f 1,3-5,8,9 out) - <<'END' || fail "$how: circular PAF: $(cat out)"
turned	0	7	+	10	17
turned	7	17	+	0	10
back	10	15	-	12	17
back	0	10	-	0	10
twice	0	3	+	14	17
twice	3	20	+	0	17
twice	20	32	+	0	12
END
done
expect 0 sufsort mem rings turned.fa -l 7 --circular=ring --format=bed
[[ $(head -2 out) == $'ring\t10\t17\tturned\t17\t+\nring\t0\t10\tturned\t17\t+' ]] || fail "circular BED: $(cat out)"
expect 0 sufsort mem rings turned.fa -l 3 --both-strands --circular=ring --unique
cmp out - <<'END' || fail "circular unique: $(cat out)"
turned	0	ring	10	+	17
turned	3	line	7	-	3
back	11	line	7	+	3
back	0	ring	12	-	15
twice	0	ring	14	+	32
twice	16	line	7	-	3
END
expect 0 sufsort mem rings turned.fa -l 3 --circular=ring --rare 1
[[ $(cut -f 1 out | uniq -c | tr -s ' ' '\n' | paste -sd ' ') == ' 1 turned 1 back 1 twice' ]] || fail "circular rare: $(cat out)"
expect 0 sufsort ms rings turned.fa --circular=ring
[[ $(sed -n 2p out) == '17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1' ]] || fail "circular statistics: $(cat out)"
expect_error sufsort mem rings turned.fa --circular=no
expect 0 sufsort build rings.fa -o rings --lcp
expect 0 sufsort unique rings -k 4 --circular=ring
cmp out - <<'END' || fail "circular counts: $(cat out)"
ring	0	6	1
ring	6	8	2
ring	8	17	1
line	0	4	1
line	4	6	2
line	6	7	1
END
expect 0 sufsort unique rings --minimal --circular=ring
cmp out - <<'END' || fail "circular minimal: $(cat out)"
ring	1	3
ring	3	6
ring	5	8
ring	9	12
ring	10	13
ring	12	14
ring	13	17
ring	15	17
ring	0	1
line	1	4
line	2	6
line	3	7
line	8	10
END
expect 0 sufsort unique rings -k 5 --mismatches=1 --circular=ring
cmp out - <<'END' || fail "circular mismatches: $(cat out)"
ring	0	2	1
ring	2	3	3
ring	3	8	2
ring	8	10	1
ring	10	14	2
ring	14	17	1
line	0	2	3
line	2	3	2
line	3	4	3
line	4	6	2
END
if command -v mummer > /dev/null; then
  for query in changed.fa "$ORDO_SOURCE/datasets/samples/macaque_chr20.fa.gz"; do
    case $query in *.gz) zcat "$query" > query.fa ;; *) cp "$query" query.fa ;; esac
    for pair in '-maxmatch|' '-mum|--unique' '-mumreference|--rare 1'; do
      # shellcheck disable=SC2086
      mummer ${pair%|*} -n -b -l 14 twice.fa query.fa 2> /dev/null | sort > theirs
      # shellcheck disable=SC2086
      sufsort mem twice query.fa ${pair#*|} --both-strands -l 14 --format mummer | sort > ours
      cmp theirs ours || fail "mummer ${pair%|*}"
      [[ $(wc -l < ours) -gt 50 ]] || fail "few matches: ${pair%|*}"
    done
  done
fi
