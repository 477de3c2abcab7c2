# External sorts while their disk is full, while they are killed, beside other writers of their output, of inputs that shrink, and
# with a limit on files: each command once with each harm. For longer: tests/soak/hostile.py BIN --library LIBRARY --seconds 3600.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
failing=$(dirname "$bin")/preloaded/libordo_fail_calls.so
[[ -e $failing ]] || exit 77  # a build with a sanitizer
"$ORDO_SOURCE/tests/soak/hostile.py" "$bin" --library "$failing" --tries 35 > table || fail "$(tail -n 1 table)"
[[ $(tail -n 1 table | cut -f 4) -gt 15 ]] || fail "hardly an error: $(tail -n 1 table)"
