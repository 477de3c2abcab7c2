# An input that is not there or not whole: one error that names it, before any output.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in "${tools[@]}"; do
  mkdir -p folder
  for bad in missing folder no/such/file; do
    expect_error work "$tool" "$bad" result
    grep -q "$bad" err || fail "$tool: the error does not name $bad: $(cat err)"
    [[ ! -e $(result "$tool" result) ]] || fail "$tool: output without input"
  done
  echo old > "$(result "$tool" kept)"
  expect_error work "$tool" missing kept
  [[ $(cat "$(result "$tool" kept)") == old ]] || fail "$tool: the old output is gone"
  no_leftovers
done
