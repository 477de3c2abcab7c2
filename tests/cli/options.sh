# The command lines that the tools accept and refuse: each option in each form, and their exit status. Every line runs in a folder
# of its own. After an error standard error has one line.
. "$ORDO_SOURCE/tests/cli/lib.sh"

mkdir inputs
printf '>a first\nACGTACGTTNACGT\n>b\nGATTACAGATTACA\n' > inputs/in.fa
printf 'BEGIN IONS\nPEPMASS=500.1\nCHARGE=2+\nRTINSECONDS=3\n300.5 10\n100.25 20\n200.125 3\nEND IONS\n' > inputs/in.mgf
printf '\nBEGIN IONS\nPEPMASS=400.2\nCHARGE=1+\nRTINSECONDS=2\n50 0\n40 7\nEND IONS\n' >> inputs/in.mgf
printf 'b:2 10\nA:10 2\n\na:1 1K\nb:2 10\n' > inputs/in.txt
printf 'in.txt\0in.txt\0' > inputs/list
printf 'GATT\nCC\n' > inputs/pat
printf '4 4\n' > inputs/four
printf '{"a":{"b":"4"}}\n' > inputs/four.json
(cd inputs && sufsort build in.fa -o x --lcp --bwt)

# exits STATUS: each line of standard input is a command that exits with this status, or COMMAND|END|END..., one with each end.
exits() {
  local line got
  local -a parts lines
  while IFS='|' read -ra parts; do
    lines=("${parts[@]:1}")
    if ((${#lines[@]})); then lines=("${lines[@]/#/"$parts "}"); else lines=("$parts"); fi
    for line in "${lines[@]}"; do
      rm -rf work
      cp -r inputs work
      got=0
      (cd work && LC_ALL=C bash -c "$line") > out 2> err < /dev/null || got=$?
      [[ $got == "$1" ]] || fail "exit status $got instead of $1: $line: $(head -c 500 err)"
      if [[ $1 == 0 && $line != *' --help'* && $line != *' --version'* ]]; then
        grep -oE ' --[a-z0-9-]+' <<< "$line" | sed "s/ --/${line%% *} /" >> accepted || true
      fi
      [[ $1 != 2 || $line == '(exec '* || $(wc -l < err) == 1 ]] || fail "not one line on stderr: $line: $(head -c 500 err)"
    done
  done
}

# Options with a value, as COMMAND|OTHER ARGUMENTS|OPTION VALUE...; strsort has the rules of getopt_long, and lines of its own below.
valued() {
  local command rest options option value
  while IFS='|' read -r command rest options; do
    while read -r option value; do "$1"; done < <(xargs -n 2 <<< "$options")
  done << 'END'
specsort|in.mgf|--by intensity --to mgf --preset xtandem --mz-range 50:150 --min-intensity 5 --remove-precursor 17:15 --min-relative 0.5
specsort|in.mgf|--top 3 --merge 20ppm --dedupe 0.1 --min-peaks 1 --report k.html --output k --out-dir d --ms-level 2 --rt 1:2 --sample 1
specsort|in.mgf --top 1|--per 100 --around 50
specsort|in.mgf in.mgf -o k.mgf|--spectra-by rt,pepmass --split-size 100 --split-count 2
specsort|in.mgf in.mgf -o k.mgf --spectra-by mass|--map m --memory 8M
sufsort build|in.fa -o y|--width 40 --kmer-table 2 --strands both --ambiguous break --mask keep --sample 2 --memory 100M --format fasta
sufsort build|in.fa|--output z
sufsort build|in.txt -o y|--format lines
sufsort build|in.txt -o y --format bytes|--separator :
sufsort build|pat -o y --format bytes|--lengths four
sufsort build|four -o y --format u16|--byte-order big --separator 10
sufsort build|four.json -o y --format jsonl|--field a.b
sufsort merge|x x|--output y
sufsort merge|x x -o y|--memory 1G
sufsort add|x in.fa|--memory 1G --gpu-memory 1G
sufsort check|x|--memory 100M
sufsort count|x A|--output k --pattern-format text
sufsort locate|x A|--limit 2 --format bed --context 2 --output k
sufsort mem|x in.fa|--min-length 3 --rare 2 --letters all --format mummer --output k
sufsort ms|x pat|--format tsv --letters nucleotides --output k
sufsort repeats|x|--min-length 3
sufsort repeats|x -l 3|--limit 1 --letters all --output k
sufsort unique|x|--length 3
sufsort unique|x -k 3|--letters nucleotides --output k --mismatches 1
sufsort spectrum|x|--length 3
sufsort spectrum|x -k 3|--letters all --output k
sufsort duplicates|x|--min-length 3
sufsort duplicates|x -l 3|--keep none --format pairs --against x --report r.html --output d
sufsort export|x -o e|--format raw32 --format sdsl --format sufr --format raw64
sufsort export|x --format raw40|--output e
sufsort export|x --format infini-gram -o e|--shard-size 8
sufsort aligner-index|in.fa -o y|--for bwa --for ropebwt3
sufsort kmers|x|--length 2
END
}
# Flags, in the same form.
flags() {
  local command rest options option
  while IFS='|' read -r command rest options; do
    for option in $options; do "$1"; done
  done << 'END'
specsort|in.mgf|--descending --summary --lenient --explain --drop-zero --keep-metadata --quiet -q -v
specsort|in.mgf --remove-precursor 1|--all-charges
specsort|in.mgf -o k --spectra-by mass|--descending-spectra
sufsort build|in.fa -o y|--lcp --bwt --fm --plan --quiet -q -v --verbose
sufsort build|in.fa -o y --kmer-table 3|--force-kmer-table
sufsort mem|x in.fa|--unique --super-maximal --both-strands
sufsort count|x A|--both-strands --by-record
sufsort locate|x A|--both-strands
sufsort repeats|x -l 3|--pairs
sufsort unique|x|--minimal
sufsort unique|x -k 3|--normalize
sufsort spectrum|x -k 3|--plot
sufsort duplicates|x -l 3|--utf-8 --within --across
sufsort kmers|x --length 3|--force-kmer-table
END
}
# The commands of sufsort with what they need.
commands() {
  local command rest
  while IFS='|' read -r command rest; do "$1"; done << 'END'
sufsort build|in.fa -o y
sufsort merge|x x -o y
sufsort add|x in.fa
sufsort check|x
sufsort count|x A
sufsort locate|x A
sufsort mem|x in.fa
sufsort ms|x in.fa
sufsort repeats|x -l 3
sufsort unique|x -k 3
sufsort spectrum|x -k 3
sufsort duplicates|x -l 3
sufsort export|x --format raw32 -o e
sufsort aligner-index|in.fa --for bwa -o y
sufsort kmers|x --length 2
sufsort info|x
END
}
forms() { printf '%s\n' "$command $rest $option='$value'" "$command $rest $option '$value'" "$command $option '$value' $rest"; }
misuses() {
  printf '%s\n' "$command $rest $option" "$command $rest $option=" "$command $rest $option '$value' $option '$value'" "$command $rest ${option%?} '$value'"
}
flag_forms() { printf '%s\n' "$command $rest $option" "$command $option $rest" "$command $rest $option $option"; }
flag_misuses() { [[ $option == -? ]] || printf '%s\n' "$command $rest $option=no"; }
command_forms() {
  printf "$command %s\n" "$rest" "$rest --quiet" "-q $rest" "$rest -q --device cpu --threads 1 --stats r.json" --help -h --version "--bogus --help"
}
command_misuses() {
  local in=${rest%% *}
  printf "$command %s\n" '' "$rest --bogus" "$rest -z" "$rest --threads" "$rest --memory 1q" "$rest --outpu k" "no${rest#"$in"}" "''${rest#"$in"}"
  if [[ $in == x ]]; then printf "$command %s\n" "in.txt${rest#x}" "$rest --lcp"; fi
  if [[ $rest == *' -'* ]]; then printf "$command %s\n" "-- $rest"; fi
}

{ valued forms; flags flag_forms; commands command_forms; } > right
{ valued misuses; flags flag_misuses; commands command_misuses; } > wrong
exits 0 < right
exits 2 < wrong

exits 0 << 'END'
specsort in.mgf -o k.mgf --spectra-by mass|--temporary-directory=. -T.|-T . --temporary-directory .|-T no
specsort in.mgf|--summary --top 3|--report k.html --top 1|--merge 20ppm --top 2 --around 50|--preset=casanovo@4.3|--preset gicops --explain
specsort in.mgf|-h|-h -h|-h=no|-ok|-o=k|-qok|-qvok|-q -q|-q --|-o -|-o -x|-o --check|-o '[k]'|-o '++'|-o %%
specsort|- < in.mgf|-- in.mgf|-h in.mgf|--explain|-V|-qV|help|version|--summary in.mgf in.mgf
specsort in.mgf|--out-dir d/e --to mgf|--out-dir d --explain
sufsort|--help|-h|--version|--help build|-V|version|help|help build|--device cpu build in.fa -o y|-q build in.fa -o y|--stats r.json info x
sufsort build|-oy in.fa|-qoy in.fa|-o=y in.fa|in.fa in.fa -o y|- -o y < in.fa|-o y -- in.fa|in.fa -o info|in.fa -o y --force-kmer-table
sufsort build in.txt -o y|--format bytes --separator '\n'|--format lines && sufsort count y --pattern-format hex 41
sufsort build four -o y --format u16 --byte-order little
sufsort build in.fa -o y --fm|--fm-sample 4 --without-sa && sufsort count y A|&& sufsort locate y A --fm
sufsort mem|-- x in.fa pat|x - -l 3 < in.fa|x pat --fm --help
sufsort mem x in.fa|--min-length 3 --unique|--rare 2 --unique|--super-maximal --both-strands --letters all|--format paf|--format bed
sufsort ms x pat --fm --help
sufsort aligner-index --for bwa-mem2 in.fa --output y --memory 100M --gpu-memory 1G
sufsort duplicates x -l 3|--keep first|--format jsonl
sufsort build four.json -o y --format jsonl --field a.b --lcp && sufsort duplicates y -l 3 --format annotated --column=c
sufsort|check -- x|info -- x
sufsort count|x A extra|-- x A|x A C -f pat|x -f pat|x -fpat|x --file=pat --file pat|x -f pat A|x - < pat|x -f - < pat|x -- -A|x A info|x info
sufsort locate|x A extra|-- x A|x A C -f pat|x -f pat|x -fpat|x --file=pat --file pat|x -f pat A|x - < pat|x -f - < pat|x -- -A|x A info|x info
sufsort locate x A|--limit=0|--format=tsv|--context=0|--format bed --context 3 --both-strands --limit 2
sufsort export x --format|raw64 -o -|sdsl -oe|infini-gram -o grams|infini-gram -o more --shard-size=8K
sufsort|repeats x -l 3 --limit 0|kmers x --length auto|kmers x -k 2
strsort in.txt|-b|-d|-f|-g|-h|-i|-M|-n|-V|-r|-s|-u|-z|-m|-k2|-k 2,2n|-t: -k1|-o k|-ok|-nro k|-S1M|-T.
strsort in.txt|--ignore-leading-blanks|--ignore-leading-blank|--dictionary-order|--dictionary-orde|--ignore-case|--ignore-cas|--general-numeric-sort
strsort in.txt|--key=2|--key 2|--key 2 --key 2|--output=k|--output k|--output k --output k|--sort=n|--head=0
strsort in.txt|--field-separator=:|--field-separator :|--field-separator : --field-separator :
strsort in.txt|--buffer-size=1M|--buffer-size 1M|--buffer-size 1M --buffer-size 1M
strsort in.txt --temporary-directory|.|no|. --temporary-directory=|. --temporary-directory=.
strsort in.txt|--batch-size=4|--batch-size 4|--batch-size 4 --batch-size 4|--parallel 1|--parallel 1 --parallel 1|--random-source=|--compress-program=
strsort|-y in.txt|-y3 in.txt|-y 3 in.txt|--files0-from=list|--files0-from list --files0-from list|+1 in.txt|+1 -2 in.txt|--help|--version|- < in.txt|< in.txt|-
(exec -a sort strsort -r in.txt)
END

exits 1 << 'END'
specsort|in.mgf --check|--check in.mgf|in.mgf --check --check
strsort in.txt|--check=quiet|--check|-c|-C|--check=q|--check=s
(exec -a sort strsort --check=x in.txt)
(exec -a sort strsort --sort=x in.txt)
(exec -a sort strsort -c in.txt)
END

exits 2 << 'END'
specsort in.mgf|--by=x|--by ''|--to=xml|--to ''|--preset=x|--mz-range=5|--top 1 --per=0|-o k.raw|-o|-qo|-x|-qx|-Q|-check|--Check|-q=no|-v=no
specsort in.mgf|-T .|--split-size 100 --split-count 2 -o k|-- --check|in.mgf --check|-o k.mgf --spectra-by x|-o k.mgf --spectra-by ''
specsort in.mgf -o k.mgf --spectra-by mass|--map no/m|--map ''|--memory x|-T|--temporary-directory=
specsort in.mgf|--check -o k|--summary -o k|--summary --check -o k|--check --spectra-by mass|--summary --split-count 3
specsort in.mgf -o k --spectra-by|mass,
specsort in.mgf|--encode=x|--encode=zlib -o k.mgf|--similar=1,1|--analogues|--pairs=k.csv|--pairs=k.tsv --similar=x,1|--clusters=x
specsort||no.mgf|--threads x --help|--help --threads x|--help=x|-- in.mgf -q|'' -o k|-1|--explain --top 0|'{}'
sufsort|bogus|--bogus|--bogus build|-x|''|Build|bui|--help=x|-- info x|-q|--device cpu|--threads x|x info
sufsort|help bogus|help x
specsort|help version|in.mgf in.mgf --out-dir d|in.mgf --out-dir .|in.mgf --out-dir d -o k
sufsort|-o y build in.fa|--threads 1 build in.fa -o y --threads 1|--stats= info x
sufsort build|in.fa|-o y|in.fa no.fa -o y|-o y -- -1|-o y -1|info -o y|--lc in.fa -o y
sufsort build in.fa -o|y -o z|''||no/y|y/|y -q=no|y -v=no|y --width ''|y --kmer-table ''|y --bwt --sample 2|y -f in.fa|y --fm=4|y --fm --fm-sample 0
sufsort build in.fa -o y|--without-sa|--device gpu:3-1|--device gpu:0-1024
sufsort|check x extra|info x extra|repeats x -l 3 extra|unique x -k 3 extra|spectrum x -k 3 extra|export x --format raw32 -o e extra|kmers x --length 2 extra
sufsort|export x --format raw32 -o e --memory 1G|info x --memory 1G|count x A --memory 1G|locate x A --memory 1G|repeats x -l 3 --memory 1G|unique x -k 3 --memory 1G|kmers x --length 2 --memory 1G
sufsort mem|x|x in.fa -l|x in.fa -l x|x in.fa --rare 0|x in.fa --format sam|in.fa in.fa|x pat --fm
sufsort|ms x|ms x no|ms x in.fa --format bed|spectrum x|spectrum x -k 0|merge x x|merge x -o y|merge x x x -o y|merge x x -o ''|add x|add x no.fa
sufsort aligner-index in.fa|--for=bwa|-o y|--for=hisat2 -o y|--for=bwa -o y --index-letters 5|--for=bowtie -o y --bin-bits 5
sufsort aligner-index in.fa -o y --for=star|--index-letters 0|--bin-bits x
sufsort count x||-f no|-f|-f ''|--file=|''|'A C'|-A|A -o x.sa|A --limit 2|A --format bed|A --device gpu:0-1|A --fm
sufsort locate x||-f no|-f|-f ''|--file=|''|'A C'|-A|A -o x.sa|A --limit -1|A --limit ''|A --by-record
sufsort repeats x||-l=3|-l 0|-l ''|-l|-l 3 --letters x|--length 3
sufsort unique x||-k 0|-k 3 --min-length 3|--minimal -k 3|-l 3|--minimal --normalize
sufsort export x||--format raw32|-o e|--format x -o e|--format raw32 -o ''
sufsort|kmers x --length 99|kmers x --length 3|kmers x --force-kmer-table|kmers x --length 3 --force|spectrum x -l 3|repeats x -k 3|build in.fa -o y --keep-case|info x x|info x check x|check x info|info x -o k
strsort in.txt|--ignore-leading-blanks=1|--dictionary-order=1|--ignore-case=1|--general-numeric-sort=1|--check quiet|-- -r|--sort=x
strsort in.txt|--key|--key=|--field-separator|--field-separator=|--output|--output=|--buffer-size|--buffer-size=
strsort in.txt|-k2x|-t ''|-t a -t b|-o k -o l|-S 1%%|-cC|-c in.txt|-c -o k|-c --count|--debug --count|-x|--bogus|--r|-ng|-nR --random-source in.txt|-q
strsort|--files0-from=no|--files0-from|--files0-from=|--files0-from list in.txt|--bogus --help|--v|-- -q|no.txt|''|-k
POSIXLY_CORRECT=1 strsort in.txt -r
(exec -a sort strsort --bogus)
(exec -a sort strsort -x)
(exec -a sort strsort --ran)
(exec -a sort strsort -k)
(exec -a sort strsort --batch-size=1)
(exec -a sort strsort --help=x)
(exec -a sort strsort --key)
END

# Every documented option is accepted, and every accepted one is documented. (strsort accepts abbreviations: a unit test has its
# table.)
commands=(sufsort specsort strsort)
for sub in build check count locate repeats duplicates unique spectrum export aligner-index mem ms merge add kmers info; do commands+=("sufsort $sub"); done
for command in "${commands[@]}"; do
  expect 0 $command --help
  cp out help
  (($(wc -L < help) <= 80)) || fail "$command --help: a line of $(wc -L < help) columns"
  grep -q '^Examples:' help || fail "$command --help: no examples"
  # Of "--name", "--name=VALUE" and "--name[=VALUE]" in the first column.
  sed -n 's/^  \(-.,\|   \) --\([a-z0-9-]*\).*/\2/p' help > documented
  [[ -s documented ]] || fail "$command --help: no options"
  sed "s/^/${command%% *} /" documented >> all_documented
  while read -r name; do
    got=0
    $command "--$name=" > out 2> err < /dev/null || got=$?
    if grep -qE 'unknown option|unrecognized' err; then fail "$command: --$name is documented, but not known"; fi
  done < documented
  expect 0 $command --generate=man
  tr -d '\\' < out > page
  while read -r name; do grep -qe "--$name" page || fail "$command: no --$name in its manual page"; done < documented
done

sort -u all_documented > known
grep -v '^strsort' accepted | sort -u | comm -13 known - > undocumented
[[ ! -s undocumented ]] || fail "accepted, but not documented: $(< undocumented)"

# An unknown option names itself and the nearest one.
names() { expect_error "${@:2}"; [[ $(< err) == "$1" ]] || fail "${*:2}: $(< err)"; }
names 'specsort: unknown option: --spectra-bye: did you mean --spectra-by?' specsort --spectra-bye
names 'specsort: unknown option: --desc: did you mean --descending?' specsort in --desc
names 'sufsort: unknown option: --bogus: see sufsort --help' sufsort --bogus
names 'sufsort: unknown option: --lpc: did you mean --lcp?' sufsort build in --lpc
names 'sufsort: unknown command: biuld: did you mean build?' sufsort biuld
names "strsort: unrecognized option '--revers-sort' (see strsort --help)" strsort --revers-sort
names "strsort: unrecognized option '--uniqe': did you mean '--unique'?" strsort --uniqe

# Options that conflict: the message names them, and the command line alone shows it. A value that says nothing new is no conflict.
cd inputs
expect_error specsort in.mgf --device all
grep -q '^specsort: several GPUs: --device all: this command works on one machine: ' err || fail "several GPUs: $(< err)"
while IFS='|' read -r command message; do names "${command%% *}: conflicting options: $message" $command; done << 'END'
sufsort build in.txt -o k --format=bytes --lengths=four --separator=b|--lengths, --separator: both end records
sufsort build in.fa -o k --bwt --sample=2|--bwt: a BWT needs all rows; --sample and --ambiguous=skip leave out some
sufsort build in.fa -o k --fm --ambiguous=skip|--fm: an FM index needs all rows; --sample and --ambiguous=skip leave out some
sufsort build in.fa -o k --without-sa|--without-sa: use --fm, which takes the place of the suffix array, or --bwt
sufsort build in.fa -o k --without-sa --fm --lcp|--without-sa: --lcp and --kmer-table belong to rows of the suffix array
sufsort build in.txt -o k --format=lines --text-only --width=40|--text-only: there are no arrays of suffixes
sufsort build in.txt -o k --format=lines --strands=both|--strands: --format=lines has no strands
sufsort build in.txt in.txt -o k --format=bytes --lengths=four|--lengths: the lengths are those of one FILE
sufsort unique x --minimal --length=3|--minimal, --length: a minimal unique substring has no given length or count
sufsort unique x --minimal --mismatches=1|--minimal, --mismatches: a minimal unique substring has no given length or count
sufsort dedup x -l 2 --within --across|--across, --within: give one of them
sufsort duplicates x -l 2 --column=c --format=tsv|--column: only --format=annotated writes a list of ranges
sufsort duplicates x -l 2 --against=x --within|--against: --within and --across are for copies in one index
sufsort export x --format=raw32 --shard-size=1M -o k|--shard-size: raw32 has no shards
sufsort aligner-index in.fa --for=bwa -o k --bin-bits=4|--bin-bits: only the index of STAR has them, not that of bwa
specsort in.mgf --summary -o k --check|--output, --check, --summary, --report: give one of them, or --report with --output
specsort in.mgf -o - --report=-|--output, --report: both would be standard output
specsort in.mgf --explain --top=2 --per=5 --around=6|--per, --around: they are mutually exclusive
specsort in.mgf -o k --split-size=9 --split-count=2|--split-size, --split-count: they are mutually exclusive
specsort in.mgf --check --rt=1:2|--check: it reads all spectra, of which other options choose some
specsort in.mgf --out-dir=d -o k|--out-dir, --output: give one of them
specsort in.mgf --out-dir=d --check|--out-dir, --check, --summary: --check and --summary write no spectra
specsort in.mgf --out-dir=d --map=m|--out-dir, --map, --split-size, --split-count, --split-by: each input becomes one file
specsort in.mgf --report=k --map=m|--check, --summary, --report without --output: they write no spectra, which others order, split or list
END
expect 0 sufsort build in.fa -o k --fm --bwt --sample=1 --mask=fold
expect 0 sufsort unique x --minimal --mismatches=0
expect 0 sufsort build in.txt -o k --format=lines --text-only --width=auto
expect 0 specsort in.mgf --explain --check --rt=1:2
