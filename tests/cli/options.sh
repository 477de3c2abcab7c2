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

# exits STATUS: each line of standard input is a command that exits with this status.
exits() {
  local line got
  while IFS= read -r line; do
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
}

exits 0 << 'END'
specsort in.mgf --by=intensity
specsort in.mgf --by intensity
specsort --by intensity in.mgf
specsort in.mgf --to=mgf
specsort in.mgf --to mgf
specsort --to mgf in.mgf
specsort in.mgf --preset=xtandem
specsort in.mgf --preset xtandem
specsort --preset xtandem in.mgf
specsort in.mgf --mz-range=50:150
specsort in.mgf --mz-range 50:150
specsort --mz-range 50:150 in.mgf
specsort in.mgf --min-intensity=5
specsort in.mgf --min-intensity 5
specsort --min-intensity 5 in.mgf
specsort in.mgf --remove-precursor=0.5
specsort in.mgf --remove-precursor 0.5
specsort --remove-precursor 0.5 in.mgf
specsort in.mgf --min-relative=0.5
specsort in.mgf --min-relative 0.5
specsort --min-relative 0.5 in.mgf
specsort in.mgf --top 1 --per=100
specsort in.mgf -o k.mgf --spectra-by=rt,pepmass
specsort in.mgf in.mgf -o k.mgf --spectra-by rt,pepmass
specsort in.mgf -o k.mgf --spectra-by mass --map=m
specsort in.mgf in.mgf -o k.mgf --spectra-by mass --map m
specsort in.mgf -o k.mgf --spectra-by mass --memory=8M
specsort in.mgf in.mgf -o k.mgf --spectra-by mass --memory 8M
specsort in.mgf -o k.mgf --spectra-by mass --temporary-directory=.
specsort in.mgf in.mgf -o k.mgf --spectra-by mass --temporary-directory .
specsort in.mgf -o k.mgf --spectra-by mass --temporary-directory no
specsort in.mgf -o k.mgf --spectra-by mass --temporary-directory . --temporary-directory .
specsort in.mgf -o k.mgf --spectra-by mass --split-size=100
specsort in.mgf in.mgf -o k.mgf --spectra-by mass --split-size 100
specsort in.mgf -o k.mgf --spectra-by mass --split-count=2
specsort in.mgf in.mgf -o k.mgf --spectra-by mass --split-count 2
specsort in.mgf --spectra-by mass --descending-spectra -o k
specsort in.mgf -o k --spectra-by mass -T. -T .
specsort in.mgf --descending
specsort --descending in.mgf
specsort in.mgf --summary
specsort --summary in.mgf
specsort in.mgf --summary --top 3
specsort in.mgf --report=k.html
specsort in.mgf --report k.html --top 1
specsort in.mgf --merge=0.1
specsort in.mgf --merge 20ppm --top 2 --around 50
specsort in.mgf --top 2 --around=50
specsort in.mgf --remove-precursor 17:15
specsort in.mgf --preset=casanovo@4.3
specsort in.mgf --lenient
specsort --lenient in.mgf
specsort in.mgf --explain
specsort --explain in.mgf
specsort in.mgf --drop-zero
specsort --drop-zero in.mgf
specsort in.mgf --keep-metadata
specsort --keep-metadata in.mgf
specsort in.mgf --quiet
specsort --quiet in.mgf
specsort in.mgf -q
specsort -q in.mgf
specsort in.mgf -q -q
specsort in.mgf -v
specsort -v in.mgf
specsort in.mgf -v -v
specsort in.mgf -h
specsort -h in.mgf
specsort in.mgf -h -h
specsort in.mgf -h=no
specsort in.mgf --remove-precursor 1 --all-charges
specsort in.mgf -ok
specsort in.mgf -o=k
specsort in.mgf -qok
specsort in.mgf -qvok
specsort - < in.mgf
specsort -- in.mgf
specsort in.mgf -q --
specsort in.mgf -o -
specsort in.mgf -o -x
specsort in.mgf -o --check
specsort in.mgf --preset gicops --explain
specsort --explain
specsort in.mgf -o '[k]'
specsort in.mgf -o '++'
specsort in.mgf -o %%
specsort in.mgf --out-dir=d
specsort in.mgf --out-dir d/e --to mgf
specsort --summary in.mgf in.mgf
specsort in.mgf --out-dir d --explain
specsort -V
specsort -qV
specsort help
specsort version
sufsort --help
sufsort -h
sufsort -V
sufsort version
sufsort help
sufsort help build
sufsort --version
sufsort --help build
sufsort --device cpu build in.fa -o y
sufsort -q build in.fa -o y
sufsort --stats r.json info x
sufsort build in.fa -o y
sufsort build -oy in.fa
sufsort build -qoy in.fa
sufsort build -o=y in.fa
sufsort build in.fa in.fa -o y
sufsort build - -o y < in.fa
sufsort build -o y -- in.fa
sufsort build in.fa -o info
sufsort build in.fa -o y --lcp
sufsort build --lcp in.fa -o y --lcp
sufsort build in.fa -o y --bwt
sufsort build --bwt in.fa -o y --bwt
sufsort build --mask=keep in.fa -o y
sufsort build in.fa -o y --plan
sufsort build --plan in.fa -o y --plan
sufsort build in.fa -o y --quiet
sufsort build --quiet in.fa -o y --quiet
sufsort build in.fa -o y -q
sufsort build -q in.fa -o y -q
sufsort build in.fa -o y -v
sufsort build -v in.fa -o y -v
sufsort build in.fa -o y --verbose
sufsort build --verbose in.fa -o y --verbose
sufsort build in.fa -o y --width 40
sufsort build in.fa -o y --width=40
sufsort build in.fa -o y --kmer-table 2
sufsort build in.fa -o y --kmer-table=2
sufsort build in.fa -o y --strands both
sufsort build in.fa -o y --strands=both
sufsort build in.fa -o y --ambiguous break
sufsort build in.fa -o y --ambiguous=break
sufsort build in.fa -o y --mask keep
sufsort build in.fa -o y --mask=keep
sufsort build in.fa -o y --sample 2
sufsort build in.fa -o y --sample=2
sufsort build in.fa -o y --memory 100M
sufsort build in.txt -o y --format lines
sufsort build in.txt -o y --format=bytes
sufsort build in.txt -o y --format bytes --separator '\n'
sufsort build in.txt -o y --format bytes --separator=:
sufsort build in.fa -o y --format fasta
sufsort build pat -o y --format bytes --lengths=four
sufsort build four -o y --format u16 --byte-order big
sufsort build four -o y --format u16 --byte-order=little
sufsort build four -o y --format u16 --separator 10
sufsort build four.json -o y --format jsonl --field a.b
sufsort build four.json -o y --format jsonl --field=a.b
sufsort mem x in.fa
sufsort mem -- x in.fa pat
sufsort mem x - -l 3 < in.fa
sufsort mem x in.fa --min-length=3 --unique
sufsort mem x in.fa --rare 2 --unique
sufsort mem x in.fa --super-maximal --both-strands --letters all
sufsort mem x in.fa --format mummer -o k
sufsort mem x in.fa --format=paf --output=k -q --threads 1 --stats r.json
sufsort mem x in.fa --format bed
sufsort mem --help
sufsort ms x in.fa
sufsort ms x pat --format tsv --letters=nucleotides -o k
sufsort ms --help
sufsort spectrum x -k 3
sufsort spectrum x --length=3 --letters all -o k
sufsort spectrum x -k 3 --plot
sufsort spectrum --help
sufsort unique x -k 3 --normalize
sufsort unique x --minimal
sufsort kmers x -k 2
sufsort merge x x -o y --quiet
sufsort merge --output=y --memory=1G x x -q
sufsort merge --help
sufsort add x in.fa --quiet
sufsort add x in.fa -q --memory 1G --gpu-memory 1G --device cpu
sufsort add --help
sufsort aligner-index --for=ropebwt3 in.fa -o y
sufsort mem x pat --fm --help
sufsort ms x pat --fm --help
sufsort aligner-index --for=bwa in.fa -o y
sufsort aligner-index --for bwa-mem2 in.fa --output y --memory 100M --gpu-memory 1G
sufsort aligner-index --help
sufsort build in.fa -o y --fm
sufsort build in.fa -o y --fm --fm-sample 4 --without-sa && sufsort count y A
sufsort build in.fa -o y --fm && sufsort locate y A --fm
sufsort count x A --by-record
sufsort duplicates x -l 3
sufsort duplicates -l 3 x
sufsort duplicates x --min-length=3 --keep none
sufsort duplicates x --min-length 3 --keep=first
sufsort duplicates x -l 3 --utf-8
sufsort duplicates x -l 3 --format jsonl
sufsort duplicates x -l 3 --format=pairs
sufsort duplicates x -l 3 --within
sufsort duplicates x -l 3 --across
sufsort duplicates x -l 3 --against x
sufsort duplicates x -l 3 --against=x
sufsort duplicates x -l 3 --report r.html
sufsort duplicates x -l 3 --report=r.html
sufsort build four.json -o y --format jsonl --field a.b --lcp && sufsort duplicates y -l 3 --format annotated --column c
sufsort build four.json -o y --format jsonl --field a.b --lcp && sufsort duplicates y -l 3 --format annotated --column=c
sufsort duplicates x -l 3 -o d
sufsort duplicates x -l 3 --output=d --quiet
sufsort duplicates --help
sufsort build in.txt -o y --format lines && sufsort count y --pattern-format hex 41
sufsort build in.txt -o y --format lines && sufsort locate y --pattern-format=text A
sufsort build in.fa -o y --memory=100M
sufsort build in.fa --output z
sufsort build in.fa --output=z
sufsort build in.fa -o y --kmer-table 3 --force-kmer-table
sufsort build in.fa -o y --force-kmer-table
sufsort build --help
sufsort build -h
sufsort build --version
sufsort build --bogus --help
sufsort check x
sufsort check x --quiet
sufsort check x -q --device cpu --threads 1 --stats r.json
sufsort check --help
sufsort check x --memory 100M
sufsort check -- x
sufsort info x
sufsort info x --quiet
sufsort info x -q --device cpu --threads 1 --stats r.json
sufsort info --help
sufsort info -- x
sufsort count x A
sufsort count -q x A
sufsort count x A --quiet
sufsort count x A -q --device cpu --threads 1 --stats r.json
sufsort count --help
sufsort count x A extra
sufsort count -- x A
sufsort locate x A
sufsort locate -q x A
sufsort locate x A --quiet
sufsort locate x A -q --device cpu --threads 1 --stats r.json
sufsort locate --help
sufsort locate x A extra
sufsort locate -- x A
sufsort repeats x -l 3
sufsort repeats -l 3 x
sufsort repeats x -l 3 --quiet
sufsort repeats x -l 3 -q --device cpu --threads 1 --stats r.json
sufsort repeats --help
sufsort unique x -k 3
sufsort unique -k 3 x
sufsort unique x -k 3 --quiet
sufsort unique x -k 3 -q --device cpu --threads 1 --stats r.json
sufsort unique --help
sufsort export x --format raw32 -o e
sufsort export --format raw32 -o e x
sufsort export x --format raw32 -o e --quiet
sufsort export x --format raw32 -o e -q --device cpu --threads 1 --stats r.json
sufsort export --help
sufsort kmers x --length 2
sufsort kmers --length 2 x
sufsort kmers x --length 2 --quiet
sufsort kmers x --length 2 -q --device cpu --threads 1 --stats r.json
sufsort kmers --help
sufsort count x A C -f pat
sufsort count x -f pat
sufsort count x -fpat
sufsort count x --file=pat --file pat
sufsort count x -f pat A
sufsort count x - < pat
sufsort count x -f - < pat
sufsort count x -- -A
sufsort count x A -o k
sufsort count x A --output=k
sufsort count x A --both-strands
sufsort count x A --both-strands --both-strands
sufsort count x A info
sufsort count x info
sufsort locate x A C -f pat
sufsort locate x -f pat
sufsort locate x -fpat
sufsort locate x --file=pat --file pat
sufsort locate x -f pat A
sufsort locate x - < pat
sufsort locate x -f - < pat
sufsort locate x -- -A
sufsort locate x A -o k
sufsort locate x A --output=k
sufsort locate x A --both-strands
sufsort locate x A --both-strands --both-strands
sufsort locate x A --limit 2
sufsort locate x A --format bed
sufsort locate x A --context 2
sufsort locate x A info
sufsort locate x info
sufsort locate x A --limit=0
sufsort locate x A --format=tsv
sufsort locate x A --context=0
sufsort locate x A --format bed --context 3 --both-strands --limit 2
sufsort repeats x -l3
sufsort repeats x --min-length=3
sufsort repeats x --min-length 3 --pairs
sufsort repeats x -l 3 --limit 1
sufsort repeats x -l 3 --limit 0
sufsort repeats x -l 3 --letters all
sufsort repeats x -l 3 -o k
sufsort unique x --length=3
sufsort unique x -k 3 --letters=nucleotides
sufsort unique x -k 3 -o k
sufsort export x --format raw40 -o e
sufsort export x --format raw64 -o -
sufsort export x --format sdsl -oe
sufsort export x --format sufr -o e
sufsort export x --format infini-gram -o grams
sufsort export x --format infini-gram -o shards --shard-size 8
sufsort export x --format infini-gram -o more --shard-size=8K
sufsort kmers x --length auto
sufsort kmers x --length 3 --force-kmer-table
strsort in.txt -b
strsort in.txt -d
strsort in.txt -f
strsort in.txt -g
strsort in.txt -h
strsort in.txt -i
strsort in.txt -M
strsort in.txt -n
strsort in.txt -V
strsort in.txt -r
strsort in.txt -s
strsort in.txt -u
strsort in.txt -z
strsort in.txt -m
strsort --ignore-leading-blanks in.txt
strsort --ignore-leading-blank in.txt
strsort --dictionary-order in.txt
strsort --dictionary-orde in.txt
strsort --ignore-case in.txt
strsort --ignore-cas in.txt
strsort --general-numeric-sort in.txt
strsort in.txt --key=2
strsort in.txt --key 2
strsort in.txt --key 2 --key 2
strsort in.txt --field-separator=:
strsort in.txt --field-separator :
strsort in.txt --field-separator : --field-separator :
strsort in.txt --output=k
strsort in.txt --output k
strsort in.txt --output k --output k
strsort in.txt --buffer-size=1M
strsort in.txt --buffer-size 1M
strsort in.txt --buffer-size 1M --buffer-size 1M
strsort in.txt --temporary-directory=.
strsort in.txt --temporary-directory .
strsort in.txt --temporary-directory=no
strsort in.txt --temporary-directory=
strsort in.txt --temporary-directory . --temporary-directory .
strsort in.txt --batch-size=4
strsort in.txt --batch-size 4
strsort in.txt --batch-size 4 --batch-size 4
strsort in.txt --parallel 1
strsort in.txt --parallel 1 --parallel 1
strsort in.txt --random-source=
strsort in.txt --compress-program=
strsort --files0-from=list
strsort --files0-from list --files0-from list
strsort -k2 in.txt
strsort -k 2,2n in.txt
strsort -t: -k1 in.txt
strsort -o k in.txt
strsort -ok in.txt
strsort -nro k in.txt
strsort -S1M in.txt
strsort -T. in.txt
strsort -y in.txt
strsort -y3 in.txt
strsort -y 3 in.txt
strsort +1 in.txt
strsort +1 -2 in.txt
strsort --help
strsort --version
strsort - < in.txt
strsort < in.txt
strsort -
strsort --sort=n in.txt
strsort --head=0 in.txt
(exec -a sort strsort -r in.txt)
END

exits 1 << 'END'
specsort in.mgf --check
specsort --check in.mgf
specsort in.mgf --check --check
strsort in.txt --check=quiet
strsort in.txt --check
strsort -c in.txt
strsort -C in.txt
strsort --check in.txt
strsort --check=q in.txt
strsort --check=s in.txt
(exec -a sort strsort --check=x in.txt)
(exec -a sort strsort --sort=x in.txt)
(exec -a sort strsort -c in.txt)
END

exits 2 << 'END'
specsort in.mgf --by=x
specsort in.mgf --by
specsort in.mgf --by=
specsort in.mgf --by ''
specsort in.mgf --by intensity --by intensity
specsort in.mgf --b intensity
specsort in.mgf --to=xml
specsort in.mgf --to
specsort in.mgf --to=
specsort in.mgf --to ''
specsort in.mgf --to mgf --to mgf
specsort in.mgf --t mgf
specsort in.mgf --preset=x
specsort in.mgf --preset
specsort in.mgf --preset=
specsort in.mgf --preset xtandem --preset xtandem
specsort in.mgf --mz-range=5
specsort in.mgf --mz-range
specsort in.mgf --mz-range=
specsort in.mgf --mz-range 50:150 --mz-range 50:150
specsort in.mgf --top 1 --per=0
specsort in.mgf --top 1 --per
specsort in.mgf -o k.mgf --spectra-by x
specsort in.mgf -o k.mgf --spectra-by
specsort in.mgf -o k.mgf --spectra-by=
specsort in.mgf -o k.mgf --spectra-by ''
specsort in.mgf -o k.mgf --spectra-by rt,pepmass --spectra-by rt,pepmass
specsort in.mgf -o k.mgf --spectra-by mass --map no/m
specsort in.mgf -o k.mgf --map
specsort in.mgf -o k.mgf --spectra-by mass --map=
specsort in.mgf -o k.mgf --spectra-by mass --map ''
specsort in.mgf -o k.mgf --spectra-by mass --map m --map m
specsort in.mgf -o k.mgf --spectra-by mass --memory x
specsort in.mgf -o k.mgf --memory
specsort in.mgf -o k.mgf --spectra-by mass --memory=
specsort in.mgf -o k.mgf --spectra-by mass --memory 8M --memory 8M
specsort in.mgf -o k.mgf --temporary-directory
specsort in.mgf -o k.mgf --spectra-by mass --temporary-directory=
specsort in.mgf -o k.mgf --spectra-by mass --split-size=
specsort in.mgf -o k.mgf --spectra-by mass --split-size 100 --split-size 100
specsort in.mgf -o k.mgf --spectra-by mass --split-count 2 --split-count 2
specsort in.mgf -T .
specsort in.mgf --split-size 100 --split-count 2 -o k
specsort in.mgf -o k --spectra-by mass,
specsort in.mgf in.mgf --check
specsort
specsort no.mgf
specsort in.mgf --check --spectra-by mass
specsort in.mgf --summary --split-count 3
specsort in.mgf --spectra-by mass --to mzml -o k
specsort in.mgf -o k.mzML
specsort in.mgf -o k.raw
specsort in.mgf -q=no
specsort in.mgf -v=no
specsort in.mgf --check -o k
specsort in.mgf --summary -o k
specsort in.mgf --summary --check -o k
specsort in.mgf -q=1
specsort in.mgf -o
specsort in.mgf -qo
specsort in.mgf -x
specsort in.mgf -qx
specsort --threads x --help
specsort --help --threads x
specsort --help=x
specsort -- in.mgf -q
specsort in.mgf -- --check
specsort '' -o k
specsort -1
specsort in.mgf --Check
specsort in.mgf -Q
specsort in.mgf -check
specsort --explain --top 0
specsort '{}'
sufsort bogus
sufsort --bogus
sufsort --bogus build
sufsort -x
sufsort ''
sufsort Build
sufsort bui
sufsort --help=x
sufsort -- info x
sufsort -q
sufsort --device cpu
sufsort --threads x
sufsort x info
sufsort help bogus
sufsort help x
specsort help version
specsort in.mgf --out-dir
specsort in.mgf --out-dir=
specsort in.mgf --out-dir d --out-dir d
specsort in.mgf in.mgf --out-dir d
specsort in.mgf --out-dir .
specsort in.mgf --out-dir d -o k
sufsort -o y build in.fa
sufsort --threads 1 build in.fa -o y --threads 1
sufsort --stats= info x
sufsort build
sufsort build in.fa
sufsort build -o y
sufsort build in.fa no.fa -o y
sufsort build in.fa -o y -o z
sufsort build in.fa -o ''
sufsort build in.fa -o
sufsort build in.fa -o no/y
sufsort build in.fa -o y/
sufsort build -- in.fa -o y
sufsort build -o y -- -1
sufsort build -o y -1
sufsort build info -o y
sufsort build in.fa -o y --lcp=no
sufsort build in.fa -o y --bwt=no
sufsort build in.fa -o y --plan=no
sufsort build in.fa -o y -q=no
sufsort build in.fa -o y -v=no
sufsort build in.fa -o y --width ''
sufsort build in.fa -o y --width=
sufsort build in.fa -o y --width
sufsort build in.fa -o y --width 40 --width 40
sufsort build in.fa -o y --widt 40
sufsort build in.fa -o y --kmer-table ''
sufsort build in.fa -o y --kmer-table=
sufsort build in.fa -o y --kmer-table
sufsort build in.fa -o y --kmer-table 2 --kmer-table 2
sufsort build in.fa -o y --kmer-tabl 2
sufsort build in.fa -o y --strands=
sufsort build in.fa -o y --strands
sufsort build in.fa -o y --strands both --strands both
sufsort build in.fa -o y --ambiguous=
sufsort build in.fa -o y --ambiguous
sufsort build in.fa -o y --ambiguous break --ambiguous break
sufsort build in.fa --output=no/z
sufsort build in.fa --output ''
sufsort build in.fa --output=
sufsort build in.fa --output
sufsort build in.fa --output z --output z
sufsort build in.fa --outpu z
sufsort build in.fa -o y --keep-case
sufsort build in.fa -o y --bwt --sample 2
sufsort build in.fa -o y -f in.fa
sufsort build --lc in.fa -o y
sufsort check
sufsort check no
sufsort check ''
sufsort check x --bogus
sufsort check x -z
sufsort check x --threads
sufsort check x extra
sufsort check in.fa
sufsort check x --lcp
sufsort check x --memory 1q
sufsort info
sufsort info no
sufsort info ''
sufsort info x --bogus
sufsort info x -z
sufsort info x --threads
sufsort info x extra
sufsort info in.fa
sufsort info x --lcp
sufsort info x --memory 100M
sufsort info x --memory 1q
sufsort count
sufsort count no A
sufsort count '' A
sufsort count x A --bogus
sufsort count x A -z
sufsort count x A --threads
sufsort count in.fa A
sufsort count x A --lcp
sufsort count x A --memory 100M
sufsort count x A --memory 1q
sufsort locate
sufsort locate no A
sufsort locate '' A
sufsort locate x A --bogus
sufsort locate x A -z
sufsort locate x A --threads
sufsort locate in.fa A
sufsort locate x A --lcp
sufsort locate x A --memory 100M
sufsort locate x A --memory 1q
sufsort repeats
sufsort repeats no -l 3
sufsort repeats '' -l 3
sufsort repeats x -l 3 --bogus
sufsort repeats x -l 3 -z
sufsort repeats x -l 3 --threads
sufsort repeats x -l 3 extra
sufsort repeats in.fa -l 3
sufsort repeats x -l 3 --lcp
sufsort repeats x -l 3 --memory 100M
sufsort repeats x -l 3 --memory 1q
sufsort repeats -- x -l 3
sufsort unique
sufsort unique no -k 3
sufsort unique '' -l 3
sufsort unique x -k 3 --bogus
sufsort unique x -k 3 -z
sufsort unique x -k 3 --threads
sufsort unique x -k 3 extra
sufsort unique in.fa -k 3
sufsort unique x -k 3 --lcp
sufsort unique x -k 3 --memory 100M
sufsort unique x -k 3 --memory 1q
sufsort unique -- x -k 3
sufsort export
sufsort export no --format raw32 -o e
sufsort export '' --format raw32 -o e
sufsort export x --format raw32 -o e --bogus
sufsort export x --format raw32 -o e -z
sufsort export x --format raw32 -o e --threads
sufsort export x --format raw32 -o e extra
sufsort export in.fa --format raw32 -o e
sufsort export x --format raw32 -o e --lcp
sufsort export x --format raw32 -o e --memory 100M
sufsort export x --format raw32 -o e --memory 1q
sufsort export -- x --format raw32 -o e
sufsort mem
sufsort mem x
sufsort mem no in.fa
sufsort mem x in.fa -l
sufsort mem x in.fa -l x
sufsort mem x in.fa --rare 0
sufsort mem x in.fa --format sam
sufsort mem x in.fa --bogus
sufsort mem in.fa in.fa
sufsort ms x
sufsort ms x no
sufsort ms x in.fa --format bed
sufsort spectrum x
sufsort spectrum x -k 0
sufsort spectrum x -k 3 extra
sufsort merge x x
sufsort merge x -o y
sufsort merge x x x -o y
sufsort merge x no -o y
sufsort merge x x -o ''
sufsort add x
sufsort add no in.fa
sufsort add x no.fa
sufsort unique x --minimal -k 3
sufsort unique x --minimal --normalize
sufsort mem x pat --fm
sufsort aligner-index --for=bwa in.fa
sufsort aligner-index --for=hisat2 in.fa -o y
sufsort aligner-index --for=bwa in.fa -o y --index-letters 5
sufsort aligner-index --for=bowtie in.fa -o y --bin-bits 5
sufsort aligner-index --for=star in.fa -o y --index-letters 0
sufsort aligner-index --for=star in.fa -o y --bin-bits x
sufsort aligner-index in.fa -o y
sufsort build in.fa -o y --fm=4
sufsort build in.fa -o y --fm --fm-sample 0
sufsort build in.fa -o y --without-sa
sufsort build in.fa -o y --device gpu:3-1
sufsort build in.fa -o y --device gpu:0-1024
sufsort count x A --device gpu:0-1
sufsort count x A --fm
sufsort locate x A --by-record
sufsort kmers
sufsort kmers no --length 2
sufsort kmers '' --length 2
sufsort kmers x --length 2 --bogus
sufsort kmers x --length 2 -z
sufsort kmers x --length 2 --threads
sufsort kmers x --length 2 extra
sufsort kmers in.fa --length 2
sufsort kmers x --length 2 --lcp
sufsort kmers x --length 2 --memory 100M
sufsort kmers x --length 2 --memory 1q
sufsort kmers -- x --length 2
sufsort count x
sufsort count x -f no
sufsort count x -f
sufsort count x -f ''
sufsort count x --file=
sufsort count x ''
sufsort count x 'A C'
sufsort count x -A
sufsort count x A -o k -o k
sufsort count x A -o x.sa
sufsort count x A --limit 2
sufsort count x A --format bed
sufsort locate x
sufsort locate x -f no
sufsort locate x -f
sufsort locate x -f ''
sufsort locate x --file=
sufsort locate x ''
sufsort locate x 'A C'
sufsort locate x -A
sufsort locate x A -o k -o k
sufsort locate x A -o x.sa
sufsort locate x A --limit -1
sufsort locate x A --limit ''
sufsort locate x A --limit 1 --limit 1
sufsort locate x A --limit
sufsort locate x A --format bed --format bed
sufsort repeats x
sufsort repeats x -l=3
sufsort repeats x -l 0
sufsort repeats x -l ''
sufsort repeats x -l
sufsort repeats x -l 3 -l 3
sufsort repeats x -l 3 --letters x
sufsort repeats x --length 3
sufsort repeats x -k 3
sufsort unique x -l 3
sufsort spectrum x -l 3
sufsort kmers x --length 3 --force
sufsort unique x
sufsort unique x -k 0
sufsort unique x -k 3 --letters
sufsort unique x -k 3 --min-length 3
sufsort export x
sufsort export x --format raw32
sufsort export x -o e
sufsort export x --format x -o e
sufsort export x --format raw32 --format raw32 -o e
sufsort export x --format raw32 -o ''
sufsort kmers x --length 99
sufsort kmers x --length 3
sufsort kmers x --length=
sufsort kmers x --length 2 --length 2
sufsort kmers x --force-kmer-table
sufsort info x x
sufsort info x check x
sufsort check x info
sufsort info x -o k
strsort in.txt --ignore-leading-blanks=1
strsort in.txt --dictionary-order=1
strsort in.txt --ignore-case=1
strsort in.txt --general-numeric-sort=1
strsort in.txt --key
strsort in.txt --key=
strsort in.txt --field-separator
strsort in.txt --field-separator=
strsort in.txt --output
strsort in.txt --output=
strsort in.txt --buffer-size
strsort in.txt --buffer-size=
strsort --files0-from=no
strsort --files0-from
strsort --files0-from=
strsort in.txt --check quiet
strsort in.txt --check quiet --check quiet
strsort -k2x in.txt
strsort -t '' in.txt
strsort -t a -t b in.txt
strsort -o k -o l in.txt
strsort -S 1%% in.txt
strsort -cC in.txt
strsort -c in.txt in.txt
strsort -c -o k in.txt
strsort -c --count in.txt
strsort --debug --count in.txt
strsort -x in.txt
strsort --bogus in.txt
strsort --r in.txt
strsort --bogus --help
strsort --v
strsort -- -q
strsort in.txt -- -r
POSIXLY_CORRECT=1 strsort in.txt -r
strsort no.txt
strsort ''
strsort -ng in.txt
strsort -nR --random-source in.txt in.txt
strsort --files0-from list in.txt
strsort -k
strsort --sort=x in.txt
strsort -q in.txt
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
specsort in.mgf --out-dir=d --map=m|--out-dir, --map, --split-size, --split-count: each input becomes one file
specsort in.mgf --report=k --map=m|--check, --summary, --report without --output: they write no spectra, which others order, split or list
END
expect 0 sufsort build in.fa -o k --fm --bwt --sample=1 --mask=fold
expect 0 sufsort unique x --minimal --mismatches=0
expect 0 sufsort build in.txt -o k --format=lines --text-only --width=auto
expect 0 specsort in.mgf --explain --check --rt=1:2
