# The tools in a control group of 256 MB, or with as much memory, on files that declare impossible sizes: a result or an error,
# and never a kill. Data that expands is in faults/memory.sh; all of it, and the commands of tests/reference:
# tests/faults/bounded.py BIN.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
[[ -e $(dirname "$bin")/preloaded/libordo_fail_calls.so ]] || exit 77  # a sanitizer takes more
"$ORDO_SOURCE/tests/faults/bounded.py" "$bin" --only declares --small > table || fail "$(tail -n 1 table)"
[[ $(tail -n 1 table | cut -f 2) -gt 50 ]] || fail "hardly a run: $(tail -n 1 table)"
