# sufsort aligner-index: the files of bwa index, bwa-mem2 index, minibwa index, bowtie-build, STAR and ropebwt3 build, by their definition and, where they are installed, beside these.
. "$ORDO_SOURCE/tests/cli/lib.sh"

samples=$ORDO_SOURCE/datasets/samples
bwa='amb ann pac bwt sa'
mem2='amb ann pac 0123 bwt.2bit.64'
# same OURS THEIRS WHAT END...
same() { for end in "${@:4}"; do cmp "$1.$end" "$2.$end" || fail "$3: .$end differs"; done; }

mkdir made
printf '>a one two\nACGTNNNNnnnRYACGT\nAC\n>b\r\nACGTACGT\r\n>c\tx y \n\n>d  lead\nGATTACA*-.U\n' > made/odd.fa
printf '>x\nA' > made/one.fa
printf '>a\n%s\n>b\nTTTTTTTTTTTTTTTTTTTTT\n' "$(head -c 700 /dev/zero | tr '\0' A)" > made/poly.fa
printf '>n\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n' > made/n.fa
for length in 16 31 32 64 127 128 129; do  # half, whole and one less or more of the units of the files
  awk -v n=$length 'BEGIN { srand(n); print ">r"; for (i = 0; i < n; ++i) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1); print "" }' > made/$length.fa
done
for sample in cholera_iupac human_mt_y; do gzip -dc "$samples/$sample.fa.gz" > $sample.fa; done
head -80 cholera_iupac.fa > made/cholera.fa
for file in made/*.fa; do
  expect 0 sufsort aligner-index --for=bwa "$file" -o ours
  "$ORDO_SOURCE/tests/reference/bwa_index.py" "$file" theirs
  # shellcheck disable=SC2086
  same ours theirs "$file" $bwa
  expect 0 sufsort aligner-index --for=bwa-mem2 "$file" -o ours
  # shellcheck disable=SC2086
  same ours theirs "$file" $mem2
done
# minibwa, whose ranges at the ends of records are lost. The checksums are those of its own files.
printf '>a one two\nACGTNNNNnnnRYACGTacNN\nAC\n>b\r\nACGTACGT\r\n>c\tx y \n\n>d  lead\nGATTACA*-.U\n>e\nacgtNNN\n' > mini.fa
for length in 64 129; do
  awk -v n=$length 'NR == 2 || NR == 3 { text = text $0 } END { print ">r\n" substr(text, 1, n) }' "$samples/lambda.fa" > lambda$length.fa
done
mini() {
  expect 0 sufsort aligner-index --for=minibwa "$1" -o ours
  [[ -z ${2:-} || $(cat ours.l2b ours.mbw | cksum) == "$2" ]] || fail "minibwa: $1: $(cat ours.l2b ours.mbw | cksum)"
  command -v minibwa > /dev/null || return 0
  minibwa index "$1" theirs 2> log || fail "minibwa: $(cat log)"
  same ours theirs "$1" l2b mbw
}
for file in made/*.fa; do mini "$file"; done
mini mini.fa '1232518348 455'; mini lambda64.fa '4239066186 315'; mini lambda129.fa '580259134 531'; mini made/poly.fa '4087005026 1854'; mini "$samples/lambda.fa" '1345834436 109320'
# FMD of ropebwt3: of short and long runs, of many records, of nothing but names.
printf '>a\n>b\n' > made/names.fa
awk 'BEGIN { for (i = 0; i < 300; ++i) print ">" i "\nACGTACGTTGCAANNACGT" }' > made/many.fa
{ printf '>l\n'; head -c 70000 /dev/zero | tr '\0' A; printf '\n>m\nACGT\n'; } > made/long.fa
for file in made/*.fa "$samples/lambda.fa"; do
  expect 0 sufsort aligner-index --for=ropebwt3 "$file" -o ours
  case $file in
    */long.fa | */lambda.fa) ;;  # too long for the reference
    *) "$ORDO_SOURCE/tests/reference/fmd_index.py" "$file" theirs.fmd; same ours theirs "$file" fmd ;;
  esac
  # ropebwt3 3.10 loses letters of other records if one is empty.
  expect 0 sufsort aligner-index --for=ropebwt3-fmr "$file" -o ours
  if command -v ropebwt3 > /dev/null && [[ $file != */odd.fa && $file != */names.fa ]]; then
    ropebwt3 build -do theirs.fmd "$file" 2> log || fail "ropebwt3: $(cat log)"
    ropebwt3 build -bo theirs.fmr "$file" 2> log || fail "ropebwt3: $(cat log)"
    same ours theirs "$file" fmd fmr
  fi
done
rm made/names.fa
cksum < ours.fmd | grep -qx '4189644851 62688' || fail "lambda: $(cksum < ours.fmd)"
# The FMR of lambda, which has several levels, is that of ropebwt3, too.
cksum < ours.fmr | grep -qx '147449032 84929' || fail "lambda: $(cksum < ours.fmr)"
expect 0 sufsort aligner-index --for=ropebwt3-fmr made/long.fa -o ours
cksum < ours.fmr | grep -qx '2661032779 386' || fail "long runs: $(cksum < ours.fmr)"
expect_error sufsort aligner-index --for=ropebwt3 made/missing.fa -o bad
printf '@r\nA\n+\n!\n' > reads.fq; expect_error sufsort aligner-index --for=ropebwt3 reads.fq -o bad
[[ ! -e bad.fmd ]] || fail 'a file of wrong input'
# bowtie: gaps at both ends of records and alone, no name, lengths around ten letters, the sides of 224 letters and pairs of
# them, and texts of which suffixes of fewer than ten letters are the last of all.
ebwt='1.ebwt 2.ebwt 3.ebwt 4.ebwt rev.1.ebwt rev.2.ebwt'
for program in bowtie-build STAR; do command -v $program > /dev/null || echo "$program is not installed: checksums only"; done
printf '>a one two\nACGTNNNNnnnRYACGT\nAC\n>b\r\nACGTACGT\r\n>n\nNNN\n>  lead\nNGATTACA-NN\nN\nTTTTTTTTTTTTTT\n>\nttttttt\n' > gaps.fa
bow() {
  expect 0 sufsort aligner-index --for=bowtie "$1" -o ours
  expect 0 sufsort aligner-index --for=bowtie-large "$1" -o ours
  [[ -z ${2:-} || $(cat ours.*.ebwt ours.*.ebwtl | cksum) == "$2" ]] || fail "bowtie: $1: $(cat ours.*.ebwt ours.*.ebwtl | cksum)"
  command -v bowtie-build > /dev/null || return 0
  bowtie-build -q "$1" theirs 2> log || fail "bowtie-build: $(cat log)"
  bowtie-build -q --large-index "$1" theirs 2> log || fail "bowtie-build: $(cat log)"
  # shellcheck disable=SC2086
  same ours theirs "$1" $ebwt ${ebwt//ebwt/ebwtl}
}
bow gaps.fa '2580325232 25168314'; bow made/one.fa '3480864072 25167604'; bow "$samples/lambda.fa" '352125871 25283562'
for file in made/{poly,n,16,64,128,cholera}.fa {human_mt_y,cholera_iupac}.fa; do
  if [[ $file == */n.fa ]]; then expect_error sufsort aligner-index --for=bowtie "$file" -o bad; else bow "$file"; fi
done
expect_error sufsort aligner-index --for=bowtie made/odd.fa -o bad
grep -q "record 'c.x y ': it has no letters" err || fail "no letters: $(cat err)"
printf '>u\nACGU\n' > u.fa; expect_error sufsort aligner-index --for=bowtie u.fa -o bad
# STAR: records of both strands end at the same letters, N within and at ends, bins of a few letters.
star() {
  expect 0 sufsort aligner-index --for=star "$1" -o ours_star --index-letters "$2" --bin-bits "$3"
  local all; all=$(cat ours_star/* | cksum)
  [[ -z ${4:-} || $all == "$4" ]] || fail "STAR: $1: $all"
  command -v STAR > /dev/null || return 0
  rm -rf theirs_star
  STAR --runMode genomeGenerate --genomeDir theirs_star --genomeFastaFiles "$1" --genomeSAindexNbases "$2" --genomeChrBinNbits "$3" > log 2>&1 ||
    fail "STAR: $(cat log)"
  for file in Genome SA SAindex chrName.txt chrStart.txt chrLength.txt chrNameLength.txt; do
    cmp ours_star/$file theirs_star/$file || fail "STAR: $1: $file differs"
  done
  cmp <(tail -n +2 ours_star/genomeParameters.txt) <(tail -n +2 theirs_star/genomeParameters.txt) || fail "STAR: $1: parameters"
}
star made/odd.fa 3 4 '682163237 1196'; star gaps.fa 2 5 '1679282368 1175'; star made/many.fa 4 3 '4209274956 56704'; cp "$samples/lambda.fa" .; star lambda.fa 6 18 '3667458307 686746'
star human_mt_y.fa 5 18; star cholera_iupac.fa 6 7; star made/poly.fa 3 10
expect 0 sufsort aligner-index --for=star "$samples/lambda.fa" -o ours_star; grep -qx $'genomeSAindexNbases\t6' ours_star/genomeParameters.txt
expect_error sufsort aligner-index --for=star made/n.fa -o bad_star
[[ ! -e bad_star ]] || fail 'a folder of wrong input'
expect_error sufsort aligner-index --for=star gaps.fa -o ours_star --index-letters 16
expect_error sufsort aligner-index --for=star gaps.fa -o ours_star --bin-bits 33
expect_error sufsort aligner-index --for=star gaps.fa -o gaps.fa
gzip -c made/odd.fa > odd.fa.gz
expect 0 sufsort aligner-index --for=bwa odd.fa.gz -o ours --threads 1; cp made/odd.fa odd.fa
expect 0 sufsort aligner-index --for=bwa - -o ours2 < odd.fa; same ours ours2 'a compressed file' bwt sa ann
if command -v bwa > /dev/null; then
  for file in made/*.fa "$samples"/{lambda,human_mt_y,cholera_iupac}.fa; do
    bwa index -p theirs "$file" 2> log || fail "bwa: $(cat log)"
    expect 0 sufsort aligner-index --for=bwa "$file" -o ours
    # shellcheck disable=SC2086
    same ours theirs "$file" $bwa
  done
fi
if command -v bwa-mem2 > /dev/null; then
  for file in made/odd.fa made/poly.fa "$samples"/{lambda,human_mt_y,cholera_iupac}.fa; do
    bwa-mem2 index -p theirs "$file" > log 2>&1 || fail "bwa-mem2: $(cat log)"
    expect 0 sufsort aligner-index --for=bwa-mem2 "$file" -o ours
    # shellcheck disable=SC2086
    same ours theirs "$file" $mem2
  done
fi

: > none; printf '>a\n>b\n' > names; printf 'ACGT\n' > bare; printf '>a\nAC GT\n' > blank; printf '@r\nA\n+\n!\n' > reads
for file in none names bare blank reads missing; do
  expect_error sufsort aligner-index --for=minibwa $file -o bad
  [[ ! -e bad.l2b ]] || fail "minibwa: files of $file"
  expect_error sufsort aligner-index --for=bwa $file -o bad
  [[ ! -e bad.bwt && ! -e bad.ann ]] || fail "files of $file"
done
expect_error sufsort aligner-index --for=bwa blank -o bad
[[ $(cat err) == "sufsort: cannot read: blank:2: a blank inside the line is not a residue" ]] || fail "blank: $(cat err)"
printf '>a\nACGT \nACGT\n' > blank
expect_error sufsort aligner-index --for=bwa blank -o bad
[[ $(cat err) == "sufsort: cannot read: blank:2: a blank at the end of the line, which aligners read as a letter or skip: remove it, as by sed "* ]] ||
  fail "a blank at the end: $(cat err)"
printf '>a\rACGT\r>b\rACGT\r' > returns
expect_error sufsort aligner-index --for=bwa returns -o bad
[[ $(cat err) == 'sufsort: cannot read: returns:1: a carriage return inside a line; do all lines end in CR alone?' ]] || fail "CR: $(cat err)"
expect_error sufsort aligner-index --for=hisat2 odd.fa -o bad
expect_error sufsort aligner-index odd.fa -o bad
expect_error sufsort aligner-index --for=bwa odd.fa
expect_error sufsort aligner-index --for=bwa odd.fa -o x/
expect_error sufsort aligner-index --for=bwa odd.fa -o bad --memory 1K
cp odd.fa in.sa; expect_error sufsort aligner-index --for=bwa in.sa -o in
cmp odd.fa in.sa || fail 'the input was overwritten'
no_leftovers
