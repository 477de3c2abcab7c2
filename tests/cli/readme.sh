# The README's console examples, run as they stand there: the same output.
ln -s "$ORDO_SOURCE/datasets" datasets
awk '/^```/ { inside = $0 == "```console"; next } inside' "$ORDO_SOURCE/README.md" > expected
grep -c '^\$ ' expected > /dev/null || { echo "FAILED: no examples in README.md" >&2; exit 1; }
while IFS= read -r line; do
  if [[ $line == '$ '* ]]; then
    printf '%s\n' "$line"
    eval "${line#??}" 2>&1 || true  # a check that finds disorder exits with 1
  fi
done < expected > seen
diff expected seen
