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
for options in '--csv=xy' '--csv="' '--header=x' '--as=fasta' '--compat=8.32' '-k1:x' '--natural -n' -k1:order-file \
  --date=; do
  # shellcheck disable=SC2086
  expect_error strsort $options f.csv
done
refused 'conflicting options: two orders for whole lines: attach each to a key, as in -k 2,2:ip' --natural --ip f.csv
printf 'a\nb\na\n' > order
refused "order:3: 'a' is also in line 1" --order-file=order f.csv
refused missing --order-file=missing f.csv

# A wrong word after a column, or after a field, is named, not the column.
refused "'numeric' is no order: letters of bdfghiMnRrV, natural, human-time, date, ip, order-file, length, last; numeric is 'n'" --csv -k price:numeric f.csv
refused "'rev' is no order" --csv -k '"price":n,rev' f.csv
refused "'n:x' is no order" --tsv -k x:n:x f.tsv
refused "'numeric' is no order" --tsv -k 2:numeric f.tsv
refused "'reverse' is no order" -k 1,1:n,reverse f.tsv
refused 'no column has this name' --csv -k cost:numeric f.csv

# Dates: ISO 8601 in all its forms, and the zones of a format.
printf '2026-W01-2\n2026-002\n2026-01-03T00:00:00.5+01:00\n2026W011T00:00:01\n2026\n+12026-01-01\n12025-12-31\n10000\n-0001-12-31\n20260101T2330Z\n2025-366\n2026-01-02T12,5\n2026-01-02 13:30 +0130\n2026001T22\n2026-13\n2026-W54\n2026-W01\n0000\n' > dates
same '10000\n2025-366\n2026-13\n2026-W54\n-0001-12-31\n0000\n2026-W01\n2026W011T00:00:01\n2026-W01-2\n2026\n2026001T22\n20260101T2330Z\n2026-002\n2026-01-02 13:30 +0130\n2026-01-02T12,5\n2026-01-03T00:00:00.5+01:00\n12025-12-31\n+12026-01-01\n' --date dates
printf '2026-01-01 10:00 UTC\n2026-01-01 11:30 +02:00\n2026-01-01 09:00 -0200\n2026-01-01 09:59 Z\n2026-01-01 08:00\n2026-01-01 12:05 GMT+2\nEST\n' > zones
same '2026-01-01 08:00\nEST\n2026-01-01 11:30 +02:00\n2026-01-01 09:59 Z\n2026-01-01 10:00 UTC\n2026-01-01 12:05 GMT+2\n2026-01-01 09:00 -0200\n' '--date=%Y-%m-%d %H:%M %Z' zones
printf '2026-01-01 10:00 UTC\n2026-01-01 09:00 EST\n' > zones
refused "'2026-01-01 09:00 EST': unknown time zone 'EST'" '--date=%Y-%m-%d %H:%M %Z' zones
printf '2026-01-01 10:00 +0000 UTC\n2026-01-01 05:30 -0500 EST\n' > zones
same "$(cat zones)\n" '--date=%Y-%m-%d %H:%M %z %Z' zones
printf 'Fri 2020-W53\nSat 2020-W53\nMon 2021-W01\nSun 2020-W53\n' > weeks
same 'Fri 2020-W53\nSat 2020-W53\nSun 2020-W53\nMon 2021-W01\n' '--date=%a %G-W%V' weeks
printf 'Fri Nov 27 23:18:40 UTC 2026\nFri Nov 27 23:18:39 GMT+00:00 2026\nFri Nov 27 23:18:38 Z 2026\n' > words
same "$(tac words)\n" '--date=%a %b %d %H:%M:%S %Z %Y' words
printf '10.5\n9.75\n-1.5\n10.25\nx\n' > seconds
same 'x\n-1.5\n9.75\n10.25\n10.5\n' --date=%s.%f seconds

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
# Features: parents before their children, directives first, sequences last.
printf '##gff-version 3\nchr2\ts\te\t5\t9\nchr10\ts\te\t7\t8\nchr2\ts\te\t40\t41\nchr2\ts\te\t5\t6\n' > f.gff
same '##gff-version 3\nchr10\ts\te\t7\t8\nchr2\ts\te\t5\t9\nchr2\ts\te\t5\t6\nchr2\ts\te\t40\t41\n' --as gff f.gff
same '##gff-version 3\nchr2\ts\te\t5\t9\nchr2\ts\te\t5\t6\nchr2\ts\te\t40\t41\nchr10\ts\te\t7\t8\n' --as gff --natural f.gff
row() { printf '%s\\tt\\t%s\\t%s\\t%s\\t.\\t+\\t.\\t%s\\n' "$@"; }
genes="$(row C1 gene 100 200 ID=g0)$(row C1 gene 335 900 ID=g1)$(row C1 mRNA 335 900 'ID=m1;Parent=g1')$(row C1 exon 335 900 Parent=m1)$(row C1 CDS 335 900 Parent=m1)$(row C1 exon 335 400 Parent=m1)"
lines='##gff-version 3\n#!build x\n##sequence-region C1 1 9999\n#y\n#y\n'
sequences='##FASTA\n>C1 z\nACGT\n###\nTTTT\n'
printf '%b' "##gff-version 3\n#!build x\n###\n$(row C1 CDS 335 900 Parent=m1)$(row C1 exon 335 900 Parent=m1)##sequence-region C1 1 9999\n$(row C1 exon 335 400 Parent=m1)###\r\n$(row C1 mRNA 335 900 'ID=m1;Parent=g1')$(row C1 gene 335 900 ID=g1)###\n#y\n$(row C1 gene 100 200 ID=g0)#y\n$sequences" > fasta.gff
same "$lines$genes$sequences" --as gff fasta.gff
same "$lines$(row C1 gene 100 200 ID=g0)" --as gff --head=1 fasta.gff
strsort --as gff fasta.gff > sorted.gff
expect 0 strsort --as gff -c sorted.gff
expect 1 strsort --as gff -c fasta.gff
grep -q '^strsort: fasta.gff:5: disorder: C1.t.exon.335.900' err || fail "$(cat err)"
same "$lines$genes$sequences" --as gff -m sorted.gff
same "$lines$genes$sequences" --as gff -u fasta.gff sorted.gff
# The sections of two files are one, and a '>' begins one, too.
{ sed '/^##FASTA/,$d' sorted.gff; printf '>C2\nCC'; } > implied.gff
expect 0 strsort --as gff -u fasta.gff implied.gff
printf '%b' "$lines$genes$sequences>C2\nCC\n" | cmp - out || fail "two sections: $(cat out)"
expect 0 strsort --as gff -u implied.gff sorted.gff
printf '%b' "$lines$genes>C2\nCC\n${sequences#*\\n}" | cmp - out || fail "two sections: $(cat out)"
printf 'c\tt\texon\t1\t9\t.\t+\t.\tgene_id "g"; transcript_id "t";\nc\tt\ttranscript\t1\t9\t.\t+\t.\tgene_id "g"; transcript_id "t";\nc\tt\tgene\t1\t9\t.\t+\t.\tgene_id "g";\nc\tt\tstart_codon\t1\t3\t.\t+\t0\tgene_id "g"; transcript_id "t";\n' > f.gtf
same "$(sed -n 3p f.gtf)\n$(sed -n 2p f.gtf)\n$(sed -n 1p f.gtf)\n$(sed -n 4p f.gtf)\n" --as gff f.gtf
same "$(sed -n 4p f.gtf)\n$(sed -n 1p f.gtf)\n$(sed -n 2p f.gtf)\n$(sed -n 3p f.gtf)\n" --as gff -r f.gtf
{ cat fasta.gff; head -c 6000000 /dev/zero | tr '\0' A | fold -w 1000; echo; } > large.gff
strsort --as gff large.gff | tail -n 6000 | cmp - <(tail -n 6000 large.gff) || fail 'other sequences'
same '' --as gff /dev/null
printf '#first\n##gff-version 2\n' > old.gff
refused 'old.gff:2: ##gff-version 2, and another version before' --as gff fasta.gff old.gff
same '##gff-version 2\n#first\n' --as gff old.gff
echo '##gff-version 3' > empty.gff
same '##gff-version 3\n' --as gff empty.gff
printf 'track name=t\n#c\nchr10\t1\t2\nchr2\t100\t101\nchr2\t20\t21\nchr1\t3\t4\n' > f.bed
printf 'chr1\t1000\nchr2\t900\nchr10\t50\n' > genome
same 'track name=t\n#c\nchr1\t3\t4\nchr10\t1\t2\nchr2\t20\t21\nchr2\t100\t101\n' --as bed f.bed
same 'track name=t\n#c\nchr1\t3\t4\nchr2\t20\t21\nchr2\t100\t101\nchr10\t1\t2\n' --as bed --order-file genome f.bed
same 'track name=t\n#c\nchr1\t3\t4\nchr2\t20\t21\nchr2\t100\t101\nchr10\t1\t2\n' --as bed --natural f.bed
same 'track name=t\n#c\nchr10\t1\t2\nchr2\t100\t101\nchr2\t20\t21\nchr1\t3\t4\n' --as bed --natural -r f.bed
# Headers: names of sequences are read as attributes, and the header states the order.
contigs='##contig=<ID=chr2,length=9>\n##contig=<ID=chr1>\n' columns='#CHROM\tPOS\n'
printf "$contigs$columns"'chr1\t5\t.\tA\tT\nchr2\t70\t.\tA\tT\nchr2\t8\t.\tC\tT\nchr2\t8\t.\tA\tT\n' > f.vcf
same "$contigs${columns}chr2\t8\t.\tA\tT\nchr2\t8\t.\tC\tT\nchr2\t70\t.\tA\tT\nchr1\t5\t.\tA\tT\n" --as vcf f.vcf
contigs='##contig=<length=9,taxonID=7,Description="x, ID=chr1, \\"\\\\",ID=chr2>\n##contig=<taxonID=chr9,ID="chr10">\n##contig=<tags=[ID=chr3,x],ID=chr1>\n##contig=<taxonID=chr5>\n'
calls='chr2\t5\t.\tA\tT\nchr10\t5\t.\tA\tT\nchr1\t5\t.\tA\tT\nchr3\t5\t.\tA\tT\nchr5\t5\t.\tA\tT\nchr9\t5\t.\tA\tT\n'
printf '%b' "$contigs$columns$(printf '%b' "$calls" | LC_ALL=C sort)\n" > ids.vcf
same "$contigs$columns$calls" --as vcf ids.vcf
printf '##a\n##contig=<ID=chr2>\n##b\n##contig=<ID=chr10>\n##contig=<ID=chr1>\n%b' "$columns$calls" > order.vcf
same "##a\n##contig=<ID=chr1>\n##b\n##contig=<ID=chr2>\n##contig=<ID=chr10>\n${columns}chr1\t5\t.\tA\tT\nchr2\t5\t.\tA\tT\nchr10\t5\t.\tA\tT\nchr3\t5\t.\tA\tT\nchr5\t5\t.\tA\tT\nchr9\t5\t.\tA\tT\n" --as vcf --order-file=genome order.vcf
natural="##a\n##contig=<ID=chr1>\n##b\n##contig=<ID=chr2>\n##contig=<ID=chr10>\n${columns}chr1\t5\t.\tA\tT\nchr2\t5\t.\tA\tT\nchr3\t5\t.\tA\tT\nchr5\t5\t.\tA\tT\nchr9\t5\t.\tA\tT\nchr10\t5\t.\tA\tT\n"
same "$natural" --as vcf --natural order.vcf
same "$natural" --as vcf -V order.vcf
reads='@SQ\tSN:b\tLN:9\n@SQ\tLN:9\tAN:SN:x\tSN:a\n@CO\tSN:c\n'
printf "@HD\tVN:1.5\tGO:query\tSO:unsorted\tSS:unsorted:x\tXX:1\n$reads"'q\t4\t*\t0\nr\t0\ta\t5\ns\t0\tb\t10\nt\t0\tb\t9\n' > f.sam
placed='t\t0\tb\t9\ns\t0\tb\t10\nr\t0\ta\t5\n'
same "@HD\tVN:1.5\tSO:coordinate\tXX:1\n$reads${placed}q\t4\t*\t0\n" --as sam f.sam
sed 1d f.sam > without.sam
same "@HD\tVN:1.6\tSO:coordinate\n$reads${placed}q\t4\t*\t0\n" --as sam without.sam
same "$reads${placed}q\t4\t*\t0\n" --as sam -k3,3r -k4,4n without.sam
same "@HD\tVN:1.5\tSO:unknown\tXX:1\n${reads}q\t4\t*\t0\nr\t0\ta\t5\ns\t0\tb\t10\nt\t0\tb\t9\n" --as sam -r f.sam
same "@HD\tVN:1.5\tSO:unknown\tXX:1\n${reads}q\t4\t*\t0\nr\t0\ta\t5\ns\t0\tb\t10\nt\t0\tb\t9\n" --as sam -k1,1 f.sam
same "@HD\tVN:1.5\tSO:coordinate\tXX:1\n@SQ\tLN:9\tAN:SN:x\tSN:a\n@SQ\tSN:b\tLN:9\n@CO\tSN:c\nr\t0\ta\t5\nt\t0\tb\t9\ns\t0\tb\t10\nq\t4\t*\t0\n" --as sam --natural f.sam
grep -v '^@' f.sam > bare.sam
same "@HD\tVN:1.6\tSO:coordinate\nr\t0\ta\t5\nt\t0\tb\t9\ns\t0\tb\t10\nq\t4\t*\t0\n" --as sam bare.sam
same '' --as sam /dev/null
# At one place: the forward strand, then the reverse one, each in the order of the input.
printf 'z\t16\ta\t5\ny\t0\ta\t5\nx\t83\ta\t5\nw\t99\ta\t5\nv\t1040\ta\t4\nu\t20\t*\t0\nt\t4\t*\t0\n' > strands.sam
same "@HD\tVN:1.6\tSO:coordinate\nv\t1040\ta\t4\ny\t0\ta\t5\nw\t99\ta\t5\nz\t16\ta\t5\nx\t83\ta\t5\nt\t4\t*\t0\nu\t20\t*\t0\n" --as sam strands.sam
for options in '--as vcf --natural --order-file=genome' '--as bed --natural --order-file=genome' '--as vcf --ip' '--as vcf --date' \
  '--as sam -V --natural' '--as bed -V --order-file=genome' '--as gff -z'; do
  # shellcheck disable=SC2086
  refused incompatible $options order.vcf
done
# samtools and bcftools order the same, where they are.
if command -v samtools > /dev/null; then
  awk 'BEGIN { srand(5); OFS = "\t"; print "@HD\tVN:1.6\tGO:query"; n = split("c3 c1 c20 c2", name, " "); for (i = 1; i <= n; ++i) print "@SQ\tSN:" name[i] "\tLN:99999"
    for (i = 0; i < 2000; ++i) { u = rand() < 0.1; print "r" i, (u ? 4 : 0) + 16 * (rand() < 0.5), u ? "*" : name[1 + int(rand() * n)], u ? 0 : 1 + int(rand() * 300), u ? 0 : 60, u ? "*" : "4M", "*", 0, 0, "ACGT", "IIII" } }' > reads.sam
  samtools sort --no-PG -O sam reads.sam 2> /dev/null | cut -f 1-4 | grep -v '^r' > want
  strsort --as sam reads.sam > out
  grep '^@' out | cmp - want || fail 'a header that is not as that of samtools'
  samtools sort --no-PG -O sam reads.sam 2> /dev/null | grep '^r' | cmp - <(grep '^r' out) || fail 'not as samtools sort'
  samtools view --no-PG -b reads.sam > reads.bam
  refused 'reads.bam: not text, but BAM: samtools sort sorts it' --as sam reads.bam -o reads.bam
  samtools view reads.bam > /dev/null || fail 'a lost BAM'
  strsort --as sam reads.sam | samtools view -b - > sorted.bam
  samtools index sorted.bam || fail 'no index of what was sorted'
fi
if command -v bcftools > /dev/null; then
  { printf '##fileformat=VCFv4.2\n##contig=<Description="ID=x,y",ID=c3>\n##contig=<ID=c1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    awk 'BEGIN { srand(6); for (i = 0; i < 500; ++i) printf "c%d\t%d\t.\tA\t%s\t.\t.\t.\n", rand() < 0.5 ? 1 : 3, 1 + rand() * 300, rand() < 0.5 ? "C" : "G" }'; } > many.vcf
  bcftools sort many.vcf 2> /dev/null | grep -v '^#' | cut -f 1,2,4,5 > want
  strsort --as vcf many.vcf | grep -v '^#' | cut -f 1,2,4,5 | cmp - want || fail 'not as bcftools sort'
fi

# Binary data is not sorted by lines where it is compressed, or where a format of text is given.
printf 'BAM\1\0\0\0\0\n2\n1\n' > x.bam
printf 'BCF\2\2\0\0\0\0\n2\n1\n' > x.bcf
printf 'CRAM\3\0\n2\n1\n' > x.cram
printf 'CSI\1\0\n2\n1\n' > x.csi
printf 'TBI\1\0\n2\n1\n' > x.tbi
printf 'PAR1\x15\0\n2\n1\n' > x.parquet
printf 'unknown\0\n2\n1\n' > x.unknown
for data in x.*; do
  gzip -nc $data > packed
  bgzip -c $data > blocks || cp packed blocks
  for file in $data packed blocks; do
    cp $file kept
    expect_error strsort --as sam $file -o $file
    cmp kept $file || fail "replaced: $data"
  done
  expect_error strsort --as gff - < packed
  expect_error strsort --as vcf -c $data
  expect_error strsort --as bed --head=1 blocks
  LC_ALL=C sort $data > want
  expect 0 strsort $data
  cmp want out || fail "not as sort: $data"
  [[ $data == x.unknown ]] && continue
  refused 'not text, but' blocks -o blocks
  refused 'not text, but' packed -m
  refused 'not text, but' - < packed
done
(exec -a sort "$(command -v strsort)" blocks) | cmp - <(LC_ALL=C sort blocks) || fail 'under the name sort, bytes are lines'

# What is written as .gz is BGZF, also over a file that is.
awk 'BEGIN { srand(3); for (i = 0; i < 3000; ++i) { s = int(rand() * 1e6); printf "chr%d\t%d\t%d\n", 1 + int(rand() * 22), s, s + 1 + int(rand() * 99) } }' > many.bed
cp many.bed table.bed
strsort --as bed table.bed -o table.bed.gz
strsort --as bed table.bed > want
gzip -dc table.bed.gz | cmp - want
strsort --as bed -r table.bed.gz -o table.bed.gz
strsort --as bed table.bed.gz -o table.bed.gz
gzip -dc table.bed.gz | cmp - want
tail -c 28 table.bed.gz | od -An -tx1 | tr -d ' \n' | grep -q '^1f8b08040000000000ff0600424302001b0003000000000000000000$' || fail 'no end marker'
if command -v tabix > /dev/null; then
  tabix -p bed table.bed.gz
  tabix table.bed.gz chr7 | cmp - <(grep -P '^chr7\t' want) || fail 'no index'
fi
printf '#\n' > other.bed
refused 'the header is not that of f.bed' --as bed f.bed other.bed
if command -v bedtools > /dev/null; then
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
# And what sorting takes: of a file that fits, of one that does not and has lines at its beginning alone, and of a pipe.
printf 'b\na\n' > two
expect 0 strsort --explain --threads 2 two
grep -qE '^The input has 4 B in 2 lines.$' out || fail "no size: $(cat out)"
grep -qE '^Sorting them at once takes .* nothing is written to disk.$' out || fail "no memory: $(cat out)"
head -c 1M many > long
truncate -s 3G long
expect 0 strsort --explain --threads 2 -S 1G -T . long
grep -qE '^The input has 3.2 GB in about [0-9]+0000 lines.$' out || fail "no size: $(cat out)"
grep -qE '^The lines are sorted in [1-9][0-9]* runs, which take 3.2 GB of disk space in ., where .* are free' out || fail "no runs: $(cat out)"
grep -qE 'sorting takes about [0-9]+ .* on 2 threads' out || fail "no time: $(cat out)"
rm long
expect 0 strsort --explain < <(cat many)
grep -q '^Memory, disk space and time are planned for files' out || fail "a plan for a pipe: $(cat out)"
