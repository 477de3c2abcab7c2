# What a disk may hold after a loss of power, at each moment of the jobs that replace files: the old files or the new ones. More
# draws: tests/faults/power_loss.py BIN LIBRARY.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
recording=$(dirname "$bin")/preloaded/libordo_record_calls.so
[[ -e $recording ]] || exit 77  # a build with a sanitizer
"$ORDO_SOURCE/tests/faults/power_loss.py" "$bin" "$recording" --draws 1 --runs 2 > table || fail "$(tail -n 1 table)"
[[ $(tail -n 1 table | cut -f 3) -gt 200 ]] || fail "hardly a state: $(tail -n 1 table)"
