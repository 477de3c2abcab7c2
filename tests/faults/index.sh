# An index that lies: whatever its files hold, no command that reads it ends by a signal, or says nothing where it fails.
. "$ORDO_SOURCE/tests/cli/lib.sh"

awk 'BEGIN { srand(5); for (r = 0; r < 6; ++r) { print ">r" r; line = ""; for (k = 0; k < 120; ++k) line = line substr("ACGTN", int(rand() * 4.1) + 1, 1); print line; if (r % 2) print line } }' > in.fa
sufsort build in.fa -o good --lcp --bwt --kmer-table 2
{ grep -v '>' in.fa | cut -c1-30; grep -v '>' in.fa | cut -c50-52; } > patterns

commands=('count x -f patterns --both-strands' 'locate x -f patterns --both-strands --context 9 --limit 0' 'info x'
          'repeats x -l 3 --limit 0' 'repeats x -l 3 --pairs' 'unique x -l 9' 'export x --format raw64 -o o'
          'export x --format sufr -o o' 'kmers x --length 3' 'check x')

# tried: run every command on x, as it is now.
tried() {
  local command status
  for command in "${commands[@]}"; do
    status=0
    # shellcheck disable=SC2086
    sufsort $command > out 2> err || status=$?
    ((status <= 2)) || fail "$1: exit status $status: sufsort $command: $(head -c 300 err)"
    if ((status == 2)); then complaint sufsort; fi
  done
}

copy() { for each in seq sa lcp bwt kmers json; do cp good.$each x.$each; done; }
copy; tried 'a good index'
grep -q 'x: right' out || fail "a good index: $(cat out err)"

# change FILE SEED COUNT: other bytes at so many places.
change() {
  local size; size=$(stat -c %s "$1")
  awk -v size="$size" -v seed="$2" -v count="$3" 'BEGIN { srand(seed); for (i = 0; i < count; ++i) print int(rand() * size), int(rand() * 256) }' |
    while read -r offset byte; do
      printf "\\x$(printf %x "$byte")" | dd of="$1" bs=1 seek="$offset" conv=notrunc status=none
    done
}
for name in seq sa lcp bwt kmers json; do
  copy; change x.$name ${#name} 12; tried "x.$name"
  copy; truncate -s 100 x.$name
  # shellcheck disable=SC2086
  for command in "${commands[@]:0:2}"; do expect_error sufsort $command; done
  expect 2 sufsort check x; complaint sufsort
done
# All at once, and arrays of nothing but the largest or the smallest numbers.
for seed in 1 2; do
  copy; for name in seq sa lcp bwt kmers; do change x.$name $seed 8; done; tried "all files, $seed"
done
for name in sa lcp kmers; do
  copy; tr '\0-\377' '\377' < good.$name > x.$name; tried "x.$name of ones"
done
copy; tr '\0-\377' '\0' < good.sa > x.sa; tried 'x.sa of zeros'
no_leftovers
