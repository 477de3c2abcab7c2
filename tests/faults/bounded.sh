# The tools in a control group of 256 MB, or with as much memory, on data that expands and on files that declare impossible sizes: a
# result or an error, and never a kill. All of it: tests/faults/bounded.py BIN.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
[[ -e $(dirname "$bin")/preloaded/libordo_fail_calls.so ]] || exit 77  # a sanitizer takes more
for kind in expands declares; do
  "$ORDO_SOURCE/tests/faults/bounded.py" "$bin" --only $kind --small > table || fail "$(tail -n 1 table)"
  [[ $(tail -n 1 table | cut -f 2) -gt 5 ]] || fail "hardly a run: $(tail -n 1 table)"
done
