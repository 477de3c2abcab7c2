# A disk that has no room for the output: found when the output's size is known or when it is written, and nothing is left.
. "$ORDO_SOURCE/tests/cli/lib.sh"

if [[ -z ${ORDO_OWN_MOUNTS-} ]]; then  # a view of the file system that is this test's own
  for how in '' '--map-root-user'; do
    # shellcheck disable=SC2086
    unshare --mount $how mount -t tmpfs -o size=1M none . 2> /dev/null || continue
    ORDO_OWN_MOUNTS=1 exec unshare --mount $how bash -euo pipefail "$0"
  done
  exit 77
fi
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
  rm "$file"
done
