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
