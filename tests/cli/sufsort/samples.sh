# sufsort on every bundled FASTA sample: built, checked, the same in both widths; patterns cut out of it are found again.
. "$ORDO_SOURCE/tests/cli/lib.sh"

shopt -s nullglob
for file in "$ORDO_SOURCE"/datasets/samples/*.{fa,fa.gz}; do
  name=${file##*/}
  expect 0 sufsort build "$file" -o narrow --lcp --bwt
  expect 0 sufsort check narrow
  expect 0 sufsort build "$file" -o wide --width 64
  expect 0 sufsort check wide
  od -An -v -w4 -tu4 narrow.sa | tr -d ' ' > narrow.txt
  od -An -v -w8 -tu8 wide.sa | tr -d ' ' > wide.txt
  cmp narrow.txt wide.txt || fail "$name: two widths, two orders"

  # Twenty letters from the middle of the first record that is long enough.
  read -r record start _ < <(sufsort info narrow | awk -F '\t' '$1 == "record" && $4 >= 40 { print $2, $3; exit }')
  pattern=$(head -c $((start + 30)) narrow.seq | tail -c 20)
  expect 0 sufsort locate narrow -- "$pattern"
  grep -qP "\t\Q$record\E\t10\t\+$" out || fail "$name: $pattern was not found where it is"
done
