# The console examples of README.md and docs/*.md, run as they stand there: the same output.
for page in "$ORDO_SOURCE"/README.md "$ORDO_SOURCE"/docs/*.md; do
  name=$(basename "$page" .md)
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
  diff "$name.expected" "$name.seen" || { echo "FAILED: examples in ${page#"$ORDO_SOURCE"/}" >&2; exit 1; }
done
for name in README sufsort specsort strsort; do
  grep -q '^\$ ' "$name.expected" || { echo "FAILED: no examples in $name.md" >&2; exit 1; }
done
