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
  head -c 50 in | bgzip -c > bgzf_then_gzip
  tail -c +51 in | gzip -nc >> bgzf_then_gzip
  head -c 50 in | gzip -nc > gzip_then_bgzf
  tail -c +51 in | bgzip -c >> gzip_then_bgzf
  for form in in.gz in.bgz bgzf_then_gzip; do  # zeros fill up blocks of tapes and disks
    { cat $form; head -c 1000 /dev/zero; } > padded_$form
  done
  for form in in.gz in.bgz members without_the_name bgzf_then_gzip gzip_then_bgzf padded_*; do
    for threads in 1 3; do
      expect 0 work "$tool" "$form" zipped --threads $threads
      cmp "$(result "$tool" plain)" "$(result "$tool" zipped)"
      expect 0 work "$tool" - zipped --threads $threads < "$form"
      cmp "$(result "$tool" plain)" "$(result "$tool" zipped)"
    done
    expect 0 work "$tool" - zipped < <(cat "$form")
    cmp "$(result "$tool" plain)" "$(result "$tool" zipped)"
  done

  if [[ $tool != sufsort ]]; then  # out by the name
    for name in made.gz made.GZ made.bgz; do
      expect 0 work "$tool" in $name
      gzip -dc < $name | cmp - plain
    done
    bgzip -dc made.bgz | cmp - plain
    expect 0 work "$tool" made.gz made.gz
    gzip -dc made.gz | cmp - plain
  fi

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
  head -c 1000 /dev/zero > zeros
  for tail in in.gz zeros; do
    cat unmarked.bgz "$tail" > behind
    expect_error work "$tool" behind result
  done
  no_leftovers
done
