# The console examples of README.md, docs/*.md and docs/reference/*.md, run as they stand there: the same output.
failed=()
for page in "$ORDO_SOURCE"/README.md "$ORDO_SOURCE"/docs/{,reference/}*.md; do
  name=${page#"$ORDO_SOURCE"/} name=${name%.md} name=${name//\//_}
  awk '/^```/ { inside = $0 == "```console"; next } inside' "$page" > "$name.expected"
  [[ -s $name.expected ]] || continue
  mkdir "$name"
  ln -s "$ORDO_SOURCE/datasets" "$name/datasets"
  (
    cd "$name"
    while IFS= read -r line; do
      if [[ $line == '$ '* ]]; then
        printf '%s\n' "$line"
        eval "${line#??}" 2>&1 || true  # a check that finds disorder exits with 1
      fi
    done < "../$name.expected"
  ) > "$name.seen"
  diff "$name.expected" "$name.seen" || failed+=("${page#"$ORDO_SOURCE"/}")
done
((${#failed[@]} == 0)) || { echo "FAILED: examples in ${failed[*]}" >&2; exit 1; }
for name in README docs_sufsort docs_specsort docs_strsort; do
  grep -q '^\$ ' "$name.expected" || { echo "FAILED: no examples in $name" >&2; exit 1; }
done

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
try sufsort unique lambda -l 20
try sufsort export fm --format=raw32 -o sa
try sufsort build "$samples/urls.txt" -o urls
try sufsort info NAME
try sufsort count cut GATTACA
try sufsort check wrong
try sufsort locate lambda G
try sufsort build "$samples/lambda.fa" -o small --memory=100K
try sufsort build other.jsonl -o other --text-only
try sufsort count lambda GATTACA --device=gpu
spectrum=$'BEGIN IONS\nPEPMASS=1\n1 2\nEND IONS\n'
printf '\1\241F\0i\0n\0n\0i\0g\0a\0n\0' > run.raw
head -c 100000 < <(zcat "$samples/openms_ecoli_25.mzML.gz") > cut.mzML
printf 'BEGIN IONS\nPEPMASS=1\n1,5 2,5\nEND IONS\n' > comma.mgf
printf 'BEGIN IONS\nPEPMASS=1\n' > open.mgf
printf 'CHARGE=2+\n%s' "$spectrum" > two.mgf
printf 'CHARGE=3+\n%s' "$spectrum" > three.mgf
for input in run.raw cut.mzML comma.mgf open.mgf; do try specsort "$input" -o out.mgf; done
try specsort two.mgf -o out.mzML
try specsort two.mgf --ms-level=2 -o out.mgf
try specsort two.mgf three.mgf -o out.mgf
try specsort --summary two.mgf three.mgf
try specsort --preset=casanovo@1.0 two.mgf
mkdir run.d
printf 'PAR1\0\0\0\0PAR1' > corpus.parquet
try specsort run.d -o out.mgf
try specsort corpus.parquet -o out.mgf
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
