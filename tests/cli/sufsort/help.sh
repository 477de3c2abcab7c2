# Help of sufsort and of the other tools: its words, and its examples, of which each works.
. "$ORDO_SOURCE/tests/cli/lib.sh"

# Without arguments sufsort lists its commands, on standard error, and fails as a script without a command should.
expect 2 sufsort
[[ ! -s out ]] || fail 'a list of commands on standard output'
grep -q '^Usage: sufsort COMMAND' err; grep -q '^  build  ' err; grep -q '^  help \[COMMAND\]  ' err
expect_error sufsort -q; grep -q 'no command' err
# The words help and version, and -V.
for tool in "${tools[@]}"; do expect 0 "$tool" --help; mv out "$tool.help"; expect 0 "$tool" --version; mv out "$tool.version"; done
for tool in sufsort specsort; do
  expect 0 "$tool" -V; cmp out "$tool.version"
  expect 0 "$tool" version; cmp out "$tool.version"
  expect 0 "$tool" help; cmp out "$tool.help"
done
commands=$(sed -n '/^Commands:$/,/^$/s/^  \([a-z-]\+\) .*/\1/p' sufsort.help | grep -vx 'help\|version')
[[ $(wc -w <<< "$commands") -ge 16 ]] || fail "commands: $commands"
for command in $commands; do
  expect 0 sufsort "$command" --help; mv out "$command.help"
  expect 0 sufsort help "$command"; cmp out "$command.help"
  expect 0 sufsort "$command" -V; cmp out sufsort.version
done
expect_error sufsort help biuld; grep -q 'did you mean build' err
# Files of these names are files, and strsort takes all words for files and -V for --version-sort, as GNU sort does.
printf 'BEGIN IONS\n2 1\n1 1\nEND IONS\n' > help
expect 0 specsort help; grep -qx '1 1' out
expect 0 specsort -- help
expect_error strsort version
printf 'a10\na9\n' > version
expect 0 strsort -V version; [[ $(head -n 1 out) == a9 ]]
rm help version

# Each page has three examples, before its options, and every one works.
mkdir work
cd work
sequence() { awk -v seed="$1" -v n="$2" 'BEGIN { srand(seed); for (; n > 0; --n) printf "%s", substr("ACGT", 1 + int(rand() * 4), 1); print "" }'; }
one=$(sequence 1 3000)
printf '>one\n%s\n>two\nGATTACATTAGGG%s\n' "$one" "${one:0:200}" > genome.fa
printf '>other\n%s%s\n' "$(sequence 2 400)" "${one:100:300}" > other.fa
printf '>plasmid\n%s\n' "$(sequence 3 200)" > plasmid.fa
gzip -k genome.fa other.fa
printf '@read\n%s\n+\n%s\n' "${one:50:100}" "$(printf 'I%.0s' {1..100})" | gzip > reads.fq.gz
printf 'GATTACA\nTTAGGG\n' > primers.txt
for n in 1 2 3; do printf '{"text": "%s The quick brown fox jumps over the lazy dog, again and again."}\n' $n; done > web.jsonl
sed -n 's/.*: "\(.*\)".*/\1/p' web.jsonl | tee words.txt > web.txt
mkdir runs
specsort=$ORDO_SOURCE/datasets/samples
for n in a b; do gzip -dc "$specsort/openms_ecoli_25.mzML.gz" | tee $n.mzML runs/$n.mzML > run.mzML; done
cp "$specsort/openms_ecoli.mgf.gz" run.mgf.gz
for n in 1 2; do printf 'Name: %s\nPrecursorMZ: 500\nNum Peaks: 2\n100 1\n200 2\n\n' $n; done > library.msp
seq 20 | awk '{ print $1 % 7, "x", $1 * 3 % 5 }' | tee table.txt | zstd -q > access.log.zst
printf 'GET id=%s\n' 30 4 > access.log
printf 'city,price\nb,2\na,1\n' > offers.csv
printf '{"user": {"name": "b"}, "price": 2}\n{"user": {"name": "a"}, "price": 1}\n' > orders.jsonl
printf 'chr2\nchr1\n' > genome.txt
printf 'chr1\t5\t6\nchr2\t1\t2\n' > peaks.bed
sufsort build genome.fa -o genome --lcp --bwt --fm --kmer-table=auto -q
sufsort build other.fa -o other --lcp --bwt --fm -q
sufsort aligner-index --for=ropebwt3 genome.fa.gz -o pangenome -q
sufsort build web.jsonl -o web -q
sufsort build web.txt -o test --format=lines -q
sufsort build web.jsonl -o benchmarks -q
cd ..
for page in sufsort specsort strsort $commands; do
  sed -n '/^Examples:$/,/^$/s/^      \([^ ].*\)/\1/p' "$page.help" > examples
  [[ $(wc -l < examples) -ge 3 ]] || fail "$page --help: $(wc -l < examples) examples"
  [[ $(grep -nm 1 '^Examples:' "$page.help" | cut -d : -f 1) -lt $(grep -nEm 1 '^(Operands|Commands|Ordering|[A-Z][a-z ]+ options):' "$page.help" | cut -d : -f 1) ]] ||
    fail "$page --help: options before the examples"
  while IFS= read -r example; do
    rm -rf tried; cp -r work tried
    (cd tried && LC_ALL=C bash -euo pipefail -c "$example") > out 2> err < /dev/null || fail "$page --help: $example: $(head -c 500 err)"
  done < examples
done
