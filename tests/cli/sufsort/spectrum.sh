# sufsort spectrum, and count --by-record.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
tabs() { tr ' ' '\t'; }

printf '>a\nACACACNACG\n>b\nACG\n>c\nAC\n' > in.fa
expect 0 sufsort build in.fa -o x --lcp
expect 0 sufsort spectrum x -k 3  # ACA 2, CAC 2, ACG 2
want "$(cat out)" "$(echo 2 3 | tabs)" spectrum
expect 0 sufsort spectrum x -k 2  # AC 6, CA 2, CG 2
want "$(cat out)" "$(printf '2 2\n6 1\n' | tabs)" 'spectrum of short k-mers'
expect 0 sufsort spectrum x -k 3 --letters all  # and ACN, CNA, NAC
want "$(cat out)" "$(printf '1 3\n2 3\n' | tabs)" 'all letters'
expect 0 sufsort build in.fa -o skip --lcp --ambiguous skip
expect 0 sufsort spectrum skip --length=3
want "$(cat out)" "$(echo 2 3 | tabs)" 'rows left out'
expect 0 sufsort spectrum x -k 99; [[ ! -s out ]] || fail 'k-mers longer than the text'
# The same as counting the k-mers of each position.
expect 0 sufsort build "$ORDO_SOURCE/datasets/samples/human_mt_y.fa.gz" -o mt --lcp
expect 0 sufsort spectrum mt -k 11 --threads 3; cp out spectrum
awk '/^>/ { s = ""; next } { s = s toupper($0); while (length(s) >= 11) { k = substr(s, 1, 11); s = substr(s, 2); if (k !~ /[^ACGT]/) ++n[k] } }
  END { for (k in n) ++c[n[k]]; for (i in c) print i "\t" c[i] }' <(gzip -dc "$ORDO_SOURCE/datasets/samples/human_mt_y.fa.gz") | sort -n > plain
cmp spectrum plain
# Bars by the logarithm; ranges of four from 33 on.
awk 'BEGIN { print ">p"; for (i = 0; i < 40; ++i) printf "AC"; print "G" }' > plot.fa
expect 0 sufsort build plot.fa -o plot --lcp
expect 0 sufsort spectrum plot -k 2 --plot  # AC 40, CA 39, CG 1
want "$(tr -s ' ' < out | tr '\n' '|')" " 1 1 $(printf '%032d' 0 | tr 0 '#')| 37-40 2 $(printf '%050d' 0 | tr 0 '#')|" 'a plot'
# Minimal unique substrings by their definition, and mappability as a fraction.
printf '>m\nGATTACATTAGACCANACCT\n>k\nTTAC\n' > mus.fa; expect 0 sufsort build mus.fa -o mus --lcp
for letters in nucleotides all; do
  expect 0 sufsort unique mus --minimal --letters $letters
  awk -v all=$([[ $letters == all ]] && echo 1 || echo 0) '
    function count(w, r, c, s) { c = 0; for (r = 1; r <= n; ++r) { for (s = 1; s + length(w) - 1 <= length(t[r]); ++s) c += substr(t[r], s, length(w)) == w } return c }
    /^>/ { name[++n] = substr($0, 2); next } { t[n] = t[n] $0 }
    END { for (r = 1; r <= n; ++r) for (b = 1; b <= length(t[r]); ++b) for (l = 1; b + l - 1 <= length(t[r]); ++l) {
      w = substr(t[r], b, l); if (count(w) != 1) continue
      if ((l == 1 || (count(substr(w, 2)) > 1 && count(substr(w, 1, l - 1)) > 1)) && (all || w !~ /[^ACGT]/)) print name[r] "\t" b - 1 "\t" b + l - 1 } }' mus.fa > plain
  cmp plain out; [[ -s plain ]] || fail 'no minimal unique substrings'
done
expect 0 sufsort unique mus -k 3 --normalize; cut -f 4 out > shares; expect 0 sufsort unique mus -k 3
want "$(awk '{ printf "%.6g\n", 1 / $4 }' out)" "$(cat shares)" 'one divided by counts'
expect_error sufsort unique mus --minimal -k 3
expect_error sufsort unique mus --minimal --normalize
expect_error sufsort unique mus
expect_error sufsort unique skip --minimal
expect_error sufsort spectrum x
expect_error sufsort spectrum x -k 0
expect_error sufsort spectrum skip -k 3 --letters all
expect 0 sufsort build in.fa -o bare
expect_error sufsort spectrum bare -k 3
want "$(cat err)" 'sufsort: no array lcp: bare.json: build the index with --lcp' 'no LCP'
expect 0 sufsort build in.fa -o sampled --lcp --sample 2
expect_error sufsort spectrum sampled -k 3

expect 0 sufsort count x AC ACG GG --by-record
want "$(cat out)" "$(printf '%s\n' 'AC a 4' 'AC b 1' 'AC c 1' 'ACG a 1' 'ACG b 1' 'GG . 0' | tabs)" 'counts by record'
expect 0 sufsort count x CG GT --by-record --both-strands
want "$(cat out)" "$(printf '%s\n' 'CG a 2 1 1' 'CG b 2 1 1' 'GT a 4 0 4' 'GT b 1 0 1' 'GT c 1 0 1' | tabs)" 'counts by record and strand'
expect 0 sufsort build in.fa -o both --strands both --fm
expect 0 sufsort count both CG GT --by-record --both-strands; cp out strands
want "$(cut -f 3 out | xargs)" '2 2 4 1 1' 'counts by record of both strands'
expect 0 sufsort count both CG GT --by-record --both-strands --fm; cmp strands out
expect 0 sufsort count sampled ACG --by-record
want "$(cat out)" "$(printf '%s\n' 'ACG a 1' 'ACG b 1' | tabs)" 'counts by record in a sample'
