# Each tool in each of its main jobs, killed at a moment, or within a limit of `ulimit`: files are the old ones or the new ones, and
# the next run works. For thousands of moments: tests/faults/every_moment.py BIN LIBRARY.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
failing=$(dirname "$bin")/preloaded/libordo_fail_calls.so
[[ -e $failing ]] || exit 77  # a build with a sanitizer, which needs terabytes of addresses
"$ORDO_SOURCE/tests/faults/every_moment.py" "$bin" "$failing" --kills 2 --limits 1 > table || fail "$(tail -n 1 table)"
[[ $(tail -n 1 table | cut -f 4) -gt 200 ]] || fail "hardly a run: $(tail -n 1 table)"
