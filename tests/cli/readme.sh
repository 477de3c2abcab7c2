# The console examples of README.md and of the pages in docs, run as they stand there: the same output. Each page has a folder of
# its own.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1  # of a page on MPI
failed=()
for page in "$ORDO_SOURCE"/README.md "$ORDO_SOURCE"/docs/{,reference/,how-to/}*.md; do
  name=${page#"$ORDO_SOURCE"/} name=${name%.md} name=${name//\//_}
  awk '/^```/ { inside = $0 == "```console"; next } inside' "$page" > "$name.expected"
  [[ -s $name.expected ]] || continue
  if grep -q '^\$ mpirun ' "$name.expected"; then
    command -v mpirun > /dev/null && command -v ordo_distributed_test > /dev/null || continue  # the build has no MPI
  fi
  mkdir "$name"
  ln -s "$ORDO_SOURCE/datasets" "$name/datasets"
  (
    cd "$name"
    while IFS= read -r line; do
      if [[ $line == '$ '* ]]; then
        printf '%s\n' "$line"
        run=${line#??}
        [[ $run != 'mpirun '* ]] || run="$run 2> /dev/null"  # Open MPI writes of the network and of a bare system's lack of /sys
        eval "$run" 2>&1 < /dev/null || true  # a check that finds disorder exits with 1
      fi
    done < "../$name.expected"
  ) > "$name.seen"
  diff "$name.expected" "$name.seen" || failed+=("${page#"$ORDO_SOURCE"/}")
done
((${#failed[@]} == 0)) || { echo "FAILED: examples in ${failed[*]}" >&2; exit 1; }
for name in README docs_sufsort docs_specsort docs_strsort; do
  grep -q '^\$ ' "$name.expected" || { echo "FAILED: no examples in $name" >&2; exit 1; }
done

# The race of README.md, over a shorter course: it ends with the comparison, and both programs finish with the same bytes.
mkdir race
ln -s "$ORDO_SOURCE/datasets" race/datasets
awk '/^## A race/ { inside = 1 } /^```$/ { block = 0; if (inside > 1) exit } block; inside && /^```sh$/ { block = 1; inside = 2 }' \
  "$ORDO_SOURCE/README.md" | sed 's/{1\.\.[0-9]*}/{1..3}/' > race/commands
[[ $(tail -n 1 race/commands) == 'cmp '* && $(grep -c '^time ' race/commands) == 2 ]] || { echo 'FAILED: the race of README.md' >&2; exit 1; }
(cd race && bash -euo pipefail commands > seen 2> times && [[ $(wc -l < ordo.txt) == 30000 && $(< seen) == 'the same bytes' ]]) ||
  { echo "FAILED: the race of README.md: $(cat race/seen race/times)" >&2; exit 1; }

# Every message that a guide explains is one that a program prints. A quotation has ... for what it leaves out, and any numbers.
mkdir messages
cd messages
samples=$ORDO_SOURCE/datasets/samples
export ORDO_DEVICE=cpu  # a GPU has limits of its own
try() { "$@" >> said 2>&1 || true; }
sufsort build "$samples/lambda.fa" -o lambda
sufsort build "$samples/lambda.fa" -o fm --fm --without-sa
for file in lambda.*; do cp "$file" "cut.${file#*.}"; cp "$file" "wrong.${file#*.}"; done
truncate -s 1000 cut.seq
printf '\1\0\0\0' | dd of=wrong.sa conv=notrunc bs=1 status=none
echo '{"x": 1}' > other.jsonl
try sufsort unique lambda -k 20
try sufsort export fm --format=raw32 -o sa
try sufsort build "$samples/urls.txt.gz" -o urls
try sufsort info NAME
try sufsort count cut GATTACA
try sufsort check wrong
try sufsort locate lambda G
echo GATTACA > kmers.txt
printf 'GATTACA\n\n' > empty_line.txt
try sufsort count lambda kmers.txt
try sufsort count lambda GATNACA
try sufsort count lambda -f empty_line.txt
try sufsort locate lambda -f kmers.txt -o kmers.txt
try sufsort duplicates lambda -l 20 -o clean.fa
printf '>a \nACGT \n' > blanks.fa
try sufsort aligner-index --for=bwa blanks.fa -o blanks
try sufsort build "$samples/lambda.fa" -o small --memory=100K
try sufsort build other.jsonl -o other --text-only
try sufsort count lambda GATTACA --device=gpu
spectrum=$'BEGIN IONS\nPEPMASS=1\n1 2\nEND IONS\n'
printf '\1\241F\0i\0n\0n\0i\0g\0a\0n\0' > run.raw
head -c 100000 < <(zcat "$samples/openms_ecoli_25.mzML.gz") > cut.mzML
printf 'BEGIN IONS\nPEPMASS=1\n1,5 2,5\nEND IONS\n' > comma.mgf
printf 'BEGIN IONS\nPEPMASS=1\n' > open.mgf
printf 'CHARGE=2+\n%s%s' "$spectrum" "$spectrum" > two.mgf
printf 'CHARGE=3+\n%s' "$spectrum" > three.mgf
specsort "$samples/openms_ecoli_25.mzML.gz" "$samples/openms_ecoli_25.mzML.gz" -o merged.mzML
sed 's/<fileChecksum>..../<fileChecksum>0000/' merged.mzML > changed.mzML
try specsort --check changed.mzML
try specsort "$samples/openms_ecoli.mgf.gz" "$samples/openms_ecoli.mgf.gz" -o out.mgf
for input in run.raw cut.mzML comma.mgf open.mgf; do try specsort "$input" -o out.mgf; done
try specsort two.mgf -o out.mzML
try specsort two.mgf --ms-level=2 -o out.mgf
try specsort two.mgf three.mgf -o out.mgf
try specsort --check two.mgf three.mgf
try specsort two.mgf ./two.mgf --out-dir new
try specsort --preset=casanovo@1.0 two.mgf
printf 'Name: %s\nRetentionTime: 2\nNum Peaks: 2\n200 10\n100 5\n\n' A B > lib.msp
sed 's/Peaks: 2/Peaks: 3/' lib.msp > wrong.msp
for input in lib.msp wrong.msp; do try specsort "$input"; done
printf 'Name: a\nNum Peaks: 2\n100 5 "y1"\n200 5 "y2"\n' > noted.msp
try specsort noted.msp -o out.mgf
printf '# a\n# b\n%s' "$spectrum" > comments.mgf
try specsort comments.mgf -o out.msp
printf 'mzspec:PXD1:other_run:scan:1\n' > usis.txt
try specsort two.mgf --psms usis.txt -o out.mgf
zcat "$samples/openms_ecoli_25.mzML.gz" | sed 's/name="ms level" value="2"/name="ms level" value="1"/' > ms1.mzML
try specsort ms1.mzML -o out.mgf
try specsort two.mgf --scan=9
mkdir run.d && touch run.d/analysis.tdf
printf '\1\2\3\4' > odd.raw
printf 'PAR1\0\0\0\0PAR1' > corpus.parquet
for input in run.d odd.raw corpus.parquet; do try specsort "$input" -o out.mgf; done
try sufsort build corpus.parquet -o corpus
printf 'BAM\1\0' > calls.bam
try strsort --as=sam calls.bam
printf 'price\n10\n' > offers.csv
printf 'price\n"10\n' > open.csv
try strsort --csv -k cost:n offers.csv
try strsort --csv -k price:numeric offers.csv
try strsort --csv open.csv
printf '2026-01-01 EST\n2026-01-02 UTC\n' > log
try strsort --date='%Y-%m-%d %Z' log
printf 'a\n' > one && printf 'b\n' > two
try strsort --header one two
try strsort --locale=xx_YY one
ln one link
try strsort one -o one
python3 -B - "$ORDO_SOURCE" << 'END'
import pathlib, re, sys
said = pathlib.Path("said").read_text()
with_gpu = "no GPU support" not in said  # a build with CUDA says something else
wrong = []
for guide in (pathlib.Path(sys.argv[1]) / "docs").glob("*.md"):
    table = guide.read_text().partition("\n## What a message means\n")[2]
    for quoted in re.findall(r"^\| `([^`]*)` \|", table, re.M):
        pattern = re.sub(r"\d+", r"\\d+", re.escape(quoted).replace(r"\.\.\.", ".*"))
        if not re.search(pattern, said) and not (with_gpu and "no GPU support" in quoted):
            wrong.append(f"{guide.name}: no program says: {quoted}")
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END

# The table of presets has the filters that --explain prints.
while IFS='|' read -r _ preset filters _; do
  steps=$(specsort --explain --preset="${preset//[ \`]/}" | sed -nE '/--by /!s/^ *[0-9]+\. (--.*[^ ])  +.*/\1/p')
  [[ " \`${steps//$'\n'/ }\` " == "$filters" ]] ||
    { echo "FAILED: preset$preset in docs/reference/specsort.md: $steps" >&2; exit 1; }
done < <(sed -n '/^### Presets/,/^## /s/^| `/&/p' "$ORDO_SOURCE/docs/reference/specsort.md")
