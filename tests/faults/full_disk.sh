# A disk that has no room for the output: found when the output's size is known or when it is written, and nothing is left.
. "$ORDO_SOURCE/tests/cli/lib.sh"
. "$ORDO_SOURCE/tests/faults/mounts_lib.sh"
[[ $ORDO_OWN_MOUNTS != none ]] || exit 77
mkdir small
mount -t tmpfs -o size=1M none small
for tool in "${tools[@]}"; do
  sample "$tool" 200000 > in
  (($(wc -c < in) > (2 << 20))) || fail "$tool: too small an input"
  file=$(result "$tool" small/kept)
  echo old > "$file"
  for input in in -; do
    if [[ $input == - ]]; then
      work "$tool" "$input" small/kept < <(cat in) > out 2> err && status=0 || status=$?
    else
      work "$tool" "$input" small/kept > out 2> err && status=0 || status=$?
    fi
    [[ $status == 2 ]] || fail "$tool: a full disk: status $status"
    complaint "$tool"
    grep -q 'No space left' err || fail "$tool: no word of the disk: $(cat err)"
    [[ $(cat "$file") == old ]] || fail "$tool: the old output is gone"
    [[ $(ls -A small) == "$(basename "$file")" ]] || fail "$tool: left behind: $(ls -A small)"
  done
  if [[ $tool != sufsort ]]; then  # to standard output
    { echo first; "$tool" in 2> err && status=0 || status=$?; } > small/direct
    [[ $status == 2 && $(cat small/direct) == first ]] || fail "$tool > a full disk: status $status"
    complaint "$tool"
    rm small/direct
  fi
  # Room enough is room enough.
  if [[ $tool == strsort ]]; then
    head -c 900000 in > fits
    expect 0 strsort fits -o small/kept
    LC_ALL=C sort fits | cmp - small/kept
  fi
  # For what a selection leaves no room is made in advance: it may fit where the input would not.
  if [[ $tool == specsort ]]; then
    echo old > "$file"
    for input in in -; do
      expect_error specsort "$input" --top 2 -o "$file" < in
      grep -q 'No space left' err || fail "$tool: no word of the disk: $(cat err)"
      [[ $(cat "$file") == old && $(ls -A small) == kept ]] || fail "$tool: left behind: $(ls -A small)"
    done
    expect 0 specsort in --min-peaks 4 -o "$file"
    [[ $(stat -c %s "$file") == 200000 ]] || fail "$tool: spectra are left: $(stat -c %s "$file")"
  fi
  # An index fits, but not with its k-mers: there is none.
  if [[ $tool == sufsort ]]; then
    rm "$file"
    sample sufsort 2000 > fewer
    expect_error sufsort build fewer -o small/index --kmer-table 10 --force-kmer-table
    grep -q 'small/index.kmers: No space left' err || fail "no word of the k-mers: $(cat err)"
    [[ ! $(ls -A small) ]] || fail "an index without its k-mers: $(ls -A small)"
    expect 0 sufsort build fewer -o small/index --kmer-table 3
    expect 0 sufsort check small/index
    rm small/index.*
    continue
  fi
  rm "$file"
done
