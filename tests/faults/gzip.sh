# gzip: whole, in members, as BGZF; cut at every byte; with garbage behind.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in "${tools[@]}"; do
  sample "$tool" 8 > in
  expect 0 work "$tool" in plain
  gzip -nc in > in.gz
  bgzip -c in > in.bgz
  head -c 50 in | gzip -nc > members
  tail -c +51 in | gzip -nc >> members
  cp in.gz without_the_name
  for form in in.gz in.bgz members without_the_name; do
    expect 0 work "$tool" "$form" zipped
    cmp "$(result "$tool" plain)" "$(result "$tool" zipped)"
  done
  expect 0 work "$tool" - zipped < in.gz
  cmp "$(result "$tool" plain)" "$(result "$tool" zipped)"

  size=$(stat -c %s in.gz)
  for ((cut = 0; cut < size; ++cut)); do
    head -c "$cut" in.gz > cut.gz
    expect_error work "$tool" cut.gz from_cut
    [[ ! -e $(result "$tool" from_cut) ]] || fail "$tool: output from gzip cut at $cut of $size bytes"
  done
  { cat in.gz; echo garbage; } > garbage.gz
  expect_error work "$tool" garbage.gz result
  size=$(stat -c %s in.bgz)
  head -c $((size - 28)) in.bgz > unmarked.bgz  # without BGZF's end marker, all gzip members whole
  expect_error work "$tool" unmarked.bgz result
  no_leftovers
done
