# sufsort merge and add: the files are those of an index that is built of all records at once.
. "$ORDO_SOURCE/tests/cli/lib.sh"

want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
same() {  # PREFIX PREFIX: all files of both
  local name
  for name in json sa lcp bwt kmers fm seq pieces starts; do
    [[ -e $1.$name || -e $2.$name ]] || continue
    cmp "$1.$name" "$2.$name" || fail "$3: $name"
  done
}

lambda=$ORDO_SOURCE/datasets/samples/lambda.fa
{ printf '>first\nGATTACANNNGATTACA\n>\n>empty\n'; cat "$lambda"; } > a.fa
{ awk 'NR == 1 { print ">changed" } NR > 1 { if (NR % 9 == 0) sub(/A/, "C"); print }' "$lambda"; printf '>last\nRYNNNNACGTacgt\n>poly\n'
  head -c 2000 /dev/zero | tr '\0' A; echo; } > b.fa
printf '>one\nCC\n' > c.fa
for options in '' '--lcp --bwt --fm --kmer-table 2 --force-kmer-table' '--strands both --lcp' '--ambiguous break --bwt --fm --fm-sample 7' '--mask keep' \
  '--strands both --ambiguous break --mask break --lcp' '--width 40 --lcp' '--width 64'; do
  # shellcheck disable=SC2086
  for k in a b c; do expect 0 sufsort build "$k.fa" -o "$k" --quiet $options; done
  # shellcheck disable=SC2086
  { expect 0 sufsort build a.fa b.fa -o ab --quiet $options; expect 0 sufsort build a.fa b.fa c.fa -o abc --quiet $options
    expect 0 sufsort build b.fa a.fa -o ba --quiet $options; }
  expect 0 sufsort merge a b -o m --quiet; same ab m "merge $options"
  expect 0 sufsort check m
  expect 0 sufsort merge m c -o m --quiet --threads 1; same abc m "merge in place $options"
  expect 0 sufsort merge b a -o n --quiet; same ba n "merge the other way $options"
  expect 0 sufsort add a b.fa c.fa --quiet; same abc a "add $options"
done
expect 0 sufsort build a.fa -o a --quiet --lcp --fm; expect 0 sufsort build b.fa -o b --quiet --fm
expect 0 sufsort merge a b -o m --quiet
[[ ! -e m.lcp && -e m.fm ]] || fail 'arrays that one index lacks'
expect 0 sufsort check m
sed 's/>changed/>first/' b.fa > twice.fa
expect 0 sufsort add a twice.fa
grep -q "warning: duplicate record names: 'first'" err || fail "no warning of names: $(cat err)"

# Any text; records of no letters.
printf 'one\ntwo\n' > x.txt; printf '\ntwo\n\na$\n' > y.txt; printf '{"text": "one"}\n{"text": "\\u00e9"}\n' > x.jsonl; printf '{"text": "two"}\n' > y.jsonl
for options in 'txt|--format lines' 'txt|--format bytes' 'txt|--format bytes --separator \n' 'jsonl|--format jsonl'; do
  kind=${options%%|*}
  # shellcheck disable=SC2086
  for k in x y; do expect 0 sufsort build "$k.$kind" -o $k ${options#*|} --lcp --fm; done
  # shellcheck disable=SC2086
  expect 0 sufsort build "x.$kind" "y.$kind" -o xy ${options#*|} --lcp --fm
  expect 0 sufsort merge x y -o m; same xy m "merge $options"
  expect 0 sufsort add x "y.$kind"; same xy x "add $options"
done
printf '>e\n' > e.fa; expect 0 sufsort build e.fa -o e; expect 0 sufsort build e.fa a.fa -o ea --quiet; expect 0 sufsort build e.fa e.fa -o ee --quiet
expect 0 sufsort build a.fa -o a --quiet; expect 0 sufsort merge e a -o m --quiet; same ea m 'merge with nothing'
expect 0 sufsort merge e e -o m --quiet; same ee m 'merge nothing'

# What is refused leaves the old index as it was.
expect 0 sufsort build a.fa -o kept --quiet;
cp kept.sa sa.copy; cp kept.json json.copy
expect 0 sufsort build b.fa -o both --strands both; expect 0 sufsort build b.fa -o sampled --sample 2 --quiet
head -c 64 /dev/urandom > tokens; expect 0 sufsort build tokens -o tokens --format u16
expect 0 sufsort build b.fa -o bare --fm --without-sa --quiet
for command in 'merge kept both -o kept' 'merge sampled sampled -o kept' 'merge tokens tokens -o kept' 'merge kept x -o kept' 'merge kept missing -o kept' \
  'merge kept bare -o kept' 'merge bare kept -o kept' 'merge kept' 'merge kept b -o' 'merge kept b -o folder/' 'add kept' 'add kept missing.fa' 'add kept kept.seq' \
  'add sampled b.fa' 'add bare b.fa' 'add tokens tokens' 'add missing b.fa' 'add kept b.fa --memory 1K --quiet' 'merge kept b -o kept --memory 1K --quiet'; do
  # shellcheck disable=SC2086
  expect_error sufsort $command
done
expect_error sufsort merge kept both -o kept
want "$(cat err)" 'sufsort: cannot merge: kept.json, both.json: their policies differ (strands, ambiguous letters, case or sample)' 'other policies'
printf 'no FASTA' > wrong.fa; expect_error sufsort add kept wrong.fa
cmp kept.sa sa.copy; cmp kept.json json.copy
expect 0 sufsort check kept
