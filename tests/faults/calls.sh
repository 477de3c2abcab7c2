# A call of the C library fails, of each tool in each of its main jobs: a clean error, or success as if it had not. All calls, one
# after the other, take hours: tests/faults/every_call.py BIN LIBRARY.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
failing=$(dirname "$bin")/preloaded/libordo_fail_calls.so
[[ -e $failing ]] || exit 77  # a build with a sanitizer
"$ORDO_SOURCE/tests/faults/every_call.py" "$bin" "$failing" --runs 12 > table || fail "$(tail -n 1 table)"
# The library did its work: some calls were not to be survived.
[[ $(tail -n 1 table | cut -f 5) -gt 100 ]] || fail "hardly an error: $(tail -n 1 table)"

# Each allocation on the way to a line of .zst fails: the context of libzstd was used though there was none.
printf '%s a line\n' {1..500} | zstd -q -c > lines.zst
for ((n = 1; n <= 300; ++n)); do
  status=0
  LD_PRELOAD=$failing ORDO_FAULT=memory:$n:12 strsort --device=cpu --threads=1 lines.zst -o out 2> message || status=$?
  [[ $status == 0 || $status == 2 ]] || fail "memory:$n: status $status"
  if [[ $status == 2 ]]; then ! grep -q corrupt message || fail "memory:$n: $(cat message)"; fi
done
