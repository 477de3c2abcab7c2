# Header lines, CSV, and the orders that GNU sort does not have, beside the same in plain Python; formats of genomics; --head
# beside the whole order; --explain.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C
seed=${ORDO_SEED-7} cases=${ORDO_CASES-12}
mkdir random && (cd random && python3 -B "$ORDO_SOURCE/tests/reference/strsort_records_reference.py" "$seed" "$cases")

# same EXPECTED ARGUMENT...: the output, read and written in every way.
same() {
  local want=$1
  shift
  printf '%b' "$want" > want
  for more in '' '-S16M --parallel=1' '-o made'; do
    rm -f made
    # shellcheck disable=SC2086
    expect 0 strsort "$@" $more
    [[ ! -e made ]] || mv made out
    cmp out want || fail "other output: strsort $* $more"
  done
}
printf 'name,price\n"b,1",9\n"a\n""x""",10\r\nc,-1' > f.csv
same 'name,price\nc,-1\n"b,1",9\n"a\n""x""",10\r\n' --csv -k price:n f.csv
same 'name,price\n"a\n""x""",10\r\n"b,1",9\nc,-1\n' --csv -k price:n,r f.csv
same 'name,price\n"a\n""x""",10\r\n"b,1",9\nc,-1\n' --csv -k name f.csv
same 'name,price\nc,-1\n"a\n""x""",10\r\n"b,1",9\n' --csv -k 1.2,1 f.csv
same '"a\n""x""",10\r\n"b,1",9\nc,-1\nname,price\n' --csv --header=0 -k1,1 f.csv
same 'name,price\n"a\n""x""",10\r\n' --csv --head=1 -k price:nr f.csv
same 'name,price\n      1 "a\n""x""",10\r\n      1 "b,1",9\n      1 c,-1\n' --csv --count -k 1,1 f.csv
expect 1 strsort --csv -c -k price:n f.csv
grep -q '^strsort: f.csv:4: disorder: c,-1$' err || fail "$(cat err)"
printf 'x\ty\n2\tb\n10\ta\n' > f.tsv
same 'x\ty\n2\tb\n10\ta\n' --tsv -k x:n f.tsv
same 'x\ty\n10\ta\n2\tb\n' --tsv -k y f.tsv
same 'x\ty\n10\ta\n2\tb\n' --tsv -k x f.tsv f.tsv -u
same 'x\ty\n2\tb\n2\tb\n10\ta\n10\ta\n' --header -t $'\t' -m -k x:n f.tsv -s f.tsv
printf '\xef\xbb\xbf"x",y\n2,b\n1,a\n' > mark.csv
same '\xef\xbb\xbf"x",y\n1,a\n2,b\n' --csv -k x:n mark.csv
printf '1\n2\na\nb\n' > long
printf '1\n2\n' > short
printf only > only
printf 'h\n' > h
same '1\n2\nb\na\n' --header=2 -r long short /dev/null
same 'only\n' --header=3 only
same '' --csv /dev/null
same '' --csv -k price /dev/null
same 'h\n' --csv h /dev/null
gzip -k f.csv
same 'name,price\nc,-1\n"b,1",9\n"a\n""x""",10\r\n' --csv -k price:n f.csv.gz

# What is wrong has a name.
refused() {
  local word=$1
  shift
  expect_error strsort "$@"
  grep -qF -- "$word" err || fail "no '$word': strsort $*: $(cat err)"
}
printf 'h,i\n"a\nb,2\n' > open.csv
printf 'h,i\na,"x\ny"\n1\0,2\n' > nul.csv
refused 'open.csv:2: the quote of a field is not closed' --csv open.csv
refused 'nul.csv:4: a NUL byte' --csv nul.csv
refused "columns: 'name', 'price'" --csv -k cost f.csv
refused 'f.tsv:1: the header is not that of f.csv' --header f.csv f.tsv
printf 'a,a\n' > twice.csv
refused "two columns are named 'a'" --csv -k a twice.csv
for options in '--csv --tsv' '--csv -t;' '--csv -z' '--csv --debug' '--as bed --header' '--tsv --as bed'; do
  # shellcheck disable=SC2086
  refused incompatible $options f.csv
done
for options in '--csv=xy' '--csv="' '--header=x' '--as=fasta' '--compat=8.32' '-k1:x' '--natural --ip' '--natural -n' -k1:order-file \
  --date=; do
  # shellcheck disable=SC2086
  expect_error strsort $options f.csv
done
printf 'a\nb\na\n' > order
refused "order:3: 'a' is also in line 1" --order-file=order f.csv
refused missing --order-file=missing f.csv

# Keys that a regular expression finds.
(cd random && python3 -B "$ORDO_SOURCE/tests/reference/strsort_regex_reference.py" "$seed" "$cases")
printf 'b id=10\na id=9\nid=x\n\303\244=3 /1/\n' > ids
same 'id=x\n\303\244=3 /1/\na id=9\nb id=10\n' -s -k '/id=(\d+)/n' ids
same 'b id=10\na id=9\n\303\244=3 /1/\nid=x\n' -s -k '/id=(\d+)/nr' -k '2,2//1//r' ids
same '\303\244=3 /1/\nid=x\nb id=10\na id=9\n' -s -k '/=(?=3)/r' -k '/^(.)/r' ids
same 'b id=10\na id=9\nid=x\n\303\244=3 /1/\n' -s -k '/^.=/r' ids
same '\303\244=3 /1/\nb id=10\na id=9\nid=x\n' -s --locale=C.UTF-8 -k '/^.=/r' ids
same 'name,price\n"a\n""x""",10\r\n"b,1",9\nc,-1\n' --csv -k 'name/(?s)"x"|$/r' -k '"price"/-?\d/n,r' f.csv
expect 0 strsort --debug -s -k '/id=(\d+)/n' ids
[[ $(sed -n 7,8p out) == $'b id=10\n     __' ]] || fail "other keys: $(cat out)"
expect 0 strsort --explain -k '2/id=(\d+)/n' ids
grep -qF 'finds in the text from field 2 to the end of the line as a decimal number' out || fail "$(cat out)"
for key in '/a(/' '/(*UTF)./' '/a/x' '/a/nM' '/a' '1/a' 'name/a(/'; do expect_error strsort --csv -k "$key" f.csv; done
{ printf '%060d' 0 | tr 0 a; printf '\nb\n'; } > steep
refused "cannot match '^(a|aa)+[bc]' with: 'aaaa" -k '/^(a|aa)+[bc]/' steep
# A line of megabytes is searched from every byte: within two seconds, and by ranges that change no match.
{ head -c 2000000 /dev/zero | tr '\0' a; printf '\nb\n'; } > quadratic
refused 'the search takes too many steps' -k '/a{1,60000}b/' quadratic
for digit in 3 1 2; do printf '%0255d\303\244%d\n' 0 $digit; done > late
sort late > want
for locale in '' --locale=C.UTF-8; do strsort -s $locale -k '/(?<=ä)\d$/n' late | cmp - want; done

# Formats of genomics: as sort-bed, bedtools sort, bcftools sort and samtools sort order them.
printf '##gff-version 3\nchr2\ts\te\t5\t9\nchr10\ts\te\t7\t8\nchr2\ts\te\t40\t41\nchr2\ts\te\t5\t6\n' > f.gff
same '##gff-version 3\nchr10\ts\te\t7\t8\nchr2\ts\te\t5\t6\nchr2\ts\te\t5\t9\nchr2\ts\te\t40\t41\n' --as gff f.gff
printf 'track name=t\n#c\nchr10\t1\t2\nchr2\t100\t101\nchr2\t20\t21\nchr1\t3\t4\n' > f.bed
printf 'chr1\t1000\nchr2\t900\nchr10\t50\n' > genome
same 'track name=t\n#c\nchr1\t3\t4\nchr10\t1\t2\nchr2\t20\t21\nchr2\t100\t101\n' --as bed f.bed
same 'track name=t\n#c\nchr1\t3\t4\nchr2\t20\t21\nchr2\t100\t101\nchr10\t1\t2\n' --as bed --order-file genome f.bed
same 'track name=t\n#c\nchr1\t3\t4\nchr2\t20\t21\nchr2\t100\t101\nchr10\t1\t2\n' --as bed --natural f.bed
printf '##contig=<ID=chr2,length=9>\n##contig=<ID=chr1>\n#CHROM\tPOS\nchr1\t5\t.\tA\tT\nchr2\t70\t.\tA\tT\nchr2\t8\t.\tC\tT\nchr2\t8\t.\tA\tT\n' > f.vcf
same "$(head -n 3 f.vcf)\nchr2\t8\t.\tA\tT\nchr2\t8\t.\tC\tT\nchr2\t70\t.\tA\tT\nchr1\t5\t.\tA\tT\n" --as vcf f.vcf
printf '@HD\tVN:1.6\n@SQ\tSN:b\tLN:9\n@SQ\tSN:a\tLN:9\nq\t4\t*\t0\nr\t0\ta\t5\ns\t0\tb\t10\nt\t0\tb\t9\n' > f.sam
same "$(head -n 3 f.sam)\nt\t0\tb\t9\ns\t0\tb\t10\nr\t0\ta\t5\nq\t4\t*\t0\n" --as sam f.sam
printf '#\n' > other.bed
refused 'the header is not that of f.bed' --as bed f.bed other.bed
if command -v bedtools > /dev/null; then
  awk 'BEGIN { srand(3); for (i = 0; i < 3000; ++i) { s = int(rand() * 1e6); printf "chr%d\t%d\t%d\n", 1 + int(rand() * 22), s, s + 1 + int(rand() * 99) } }' > many.bed
  bedtools sort -i many.bed | cut -f 1,2 > want
  strsort --as bed many.bed | cut -f 1,2 | cmp - want || fail 'not as bedtools sort'
fi

# The first lines alone, from blocks, are those of the whole order, of equal lines in that of the input.
awk 'BEGIN { srand(5); for (i = 0; i < 120000; ++i) printf "%d %s%d\t%d\n", rand() * 50000, substr("abcdefgh", 1 + rand() * 8), rand() * 100, i }' > many
tac many > backwards
for options in '' -r '-n -s' '-k2,2 -s' '-u -k1,1n' '-k2.2,2nr' '-V' '-k3,3 -s' '--natural -k1,1'; do
  for file in many backwards; do
    # shellcheck disable=SC2086
    strsort $options $file > all
    for n in 1 10 5000; do
      # shellcheck disable=SC2086
      strsort $options --head=$n $file | cmp - <(sed -n "1,${n}p" all) || fail "other first lines: $options --head=$n $file"
    done
  done
done
sort many > all
strsort --head=80000 -S16M many | cmp - <(sed -n 1,80000p all)
# shellcheck disable=SC2002
cat many backwards | strsort --head=3 -s -k1,1n - many > out
sort -s -k1,1n many backwards many | sed -n 1,3p | cmp - out

# --explain says what counts, and shows lines.
expect 0 strsort --explain --csv -k price:nr f.csv
for words in "Fields end at ',' and may have quotes" "1. Lines compare by field 2 ('price') as a decimal number" 'the greatest first' \
  'compare as a whole, by their bytes'; do
  grep -qF "$words" out || fail "no '$words': $(cat out)"
done
grep -A1 '^1' out | grep -qF 'comes before' || fail "no lines: $(cat out)"
for options in '' -r -n -g -h -M -V '-R --random-source=many' -f -d -i -b -s '-k2.2,3.4' --natural --ip --human-time --date --order-file=genome \
  '-t: -k2b,2' --debug --tsv; do
  # shellcheck disable=SC2086
  expect 0 strsort --explain $options many
  [[ -s out ]] || fail "nothing explained: $options"
done
expect 0 strsort --explain /dev/null
