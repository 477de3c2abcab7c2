# An index that lies: whatever its files hold, no command that reads it ends by a signal, or says nothing where it fails.
. "$ORDO_SOURCE/tests/cli/lib.sh"

awk 'BEGIN { srand(5); for (r = 0; r < 6; ++r) { print ">r" r; line = ""; for (k = 0; k < 120; ++k) line = line substr("ACGTN", int(rand() * 4.1) + 1, 1); print line; if (r % 2) print line } }' > in.fa
{ grep -v '>' in.fa | cut -c1-30; grep -v '>' in.fa | cut -c50-52; } > patterns

commands=('count x -f patterns --both-strands' 'locate x -f patterns --both-strands --context 9 --limit 0' 'info x'
          'repeats x -l 3 --limit 0' 'repeats x -l 3 --pairs' 'unique x -k 9' 'export x --format raw64 -o o'
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

# change FILE SEED COUNT: other bytes at so many places.
change() {
  local size; size=$(stat -c %s "$1")
  awk -v size="$size" -v seed="$2" -v count="$3" \
    'BEGIN { srand(seed); for (i = 0; i < count; ++i) print int(rand() * size), int(rand() * 256) }' |
    while read -r offset byte; do
      printf "\\x$(printf %x "$byte")" | dd of="$1" bs=1 seek="$offset" conv=notrunc status=none
    done
}
# lies NAME...: an index of these files, good.NAME, that lies in one or all of them.
lies() {
  local name command seed
  copy() { for name in "$@"; do cp good.$name x.$name; done; }
  copy "$@"; tried 'a good index'
  grep -q 'x: right' out || fail "a good index: $(cat out err)"
  for file in "$@"; do
    copy "$@"; change x.$file ${#file} 12; tried "x.$file"
    copy "$@"; truncate -s 100 x.$file
    # shellcheck disable=SC2086
    for command in "${commands[@]:0:2}"; do expect_error sufsort $command; done
    expect 2 sufsort check x; complaint sufsort
  done
  # All at once, and arrays of nothing but the largest or the smallest numbers.
  for seed in 1 2; do
    copy "$@"; for file in "$@"; do [[ $file == json ]] || change x.$file $seed 8; done; tried "all files, $seed"
  done
  for file in "$@"; do
    if [[ $file == @(sa|lcp|kmers|pieces) ]]; then
      copy "$@"; tr '\0-\377' '\377' < good.$file > x.$file; tried "x.$file of ones"
      copy "$@"; tr '\0-\377' '\0' < good.$file > x.$file; tried "x.$file of zeros"
    fi
  done
  rm x.* good.*
}

sufsort build in.fa -o good --lcp --bwt --kmer-table 2
lies seq sa lcp bwt kmers json
# Of pieces: any byte of theirs, and numbers that are near to the right ones.
policy='--strands both --ambiguous break --lcp --bwt --kmer-table 2'
# shellcheck disable=SC2086
{
  sufsort build in.fa -o good $policy
  lies seq sa lcp bwt kmers pieces json
  sufsort build in.fa -o good $policy
}
size=$(stat -c %s good.pieces)
for ((i = 0; i < 40; ++i)); do
  for name in seq sa lcp bwt kmers pieces json; do cp good.$name x.$name; done
  offset=$((i * 7919 * 8 % size)) byte=$((i * 31 % 7))
  printf "\\x$(printf %x $byte)" | dd of=x.pieces bs=1 seek=$offset conv=notrunc status=none
  if cmp -s x.pieces good.pieces; then continue; fi
  expect 2 sufsort locate x A; complaint sufsort
  tried "x.pieces, byte $offset := $byte"
done
rm x.* good.*
# Of rows that are left out, with patterns that can be found by the others.
grep -v N patterns > others; mv others patterns
sufsort build in.fa -o good --lcp --ambiguous skip --sample 2 --kmer-table 2
lies seq sa lcp kmers json
# What the description says of policies.
sufsort build in.fa -o good --lcp --ambiguous skip --sample 2 --mask keep
for edit in 's/"skip"/"symbol"/' 's/"skip"/"break"/' 's/"sample": 2/"sample": 3/' 's/"sample": 2/"sample": 0/' \
  's/"sample": 2/"sample": -2/' 's/"sample": 2/"sample": 18446744073709551616/' 's/"rows": [0-9]*/"rows": 7/' \
  's/"rows": [0-9]*/"rows": 18446744073709551615/' 's/"strands": "forward"/"strands": "both"/' \
  's/"strands": "forward"/"strands": "reverse"/' 's/"mask": "keep"/"mask": "fold"/' \
  's/"mask": "keep"/"mask": "break"/' '/"rows"/d' 's/"start": 0/"start": 0, "length": 7/'; do
  for name in seq sa lcp; do cp good.$name x.$name; done
  sed "$edit" good.json > x.json
  if cmp -s x.json good.json; then fail "$edit changes nothing"; fi
  expect 2 sufsort info x; complaint sufsort
  tried "$edit"
done
# A pipe in the place of a file is not waited for.
rm x.json; mkfifo x.json
for command in 'info x' 'count x A' 'check x' 'kmers x --length 1'; do
  # shellcheck disable=SC2086
  expect 2 timeout 60 sufsort $command
done
rm x.json
# A policy that is told wrong, but may be right: check finds it.
sed 's/"sample": 2/"sample": 1/' good.json > x.json
expect 1 sufsort check x
complaint sufsort
no_leftovers

# A file of the index that becomes shorter while it is mapped: one line that names it, not SIGBUS.
ulimit -c 0
{ echo '>a'; head -c 300000 /dev/urandom | base64 -w 0 | tr -dc ACGT; echo; } > in.fa
mkfifo asked
for name in seq sa; do
  sufsort build -q in.fa -o mapped
  sufsort locate mapped -f asked > out 2> err &
  exec 3> asked
  for ((i = 0; i < 200; ++i)); do
    ! grep -q "/mapped.$name" /proc/$!/maps || break
    sleep 0.05
  done
  : > mapped.$name
  echo ACG >&3
  exec 3>&-
  status=0; wait $! 2> /dev/null || status=$?
  [[ $status == 2 ]] || fail "$name became shorter: status $status"
  complaint sufsort
  grep -q "^sufsort: cannot read: mapped.$name: the file became shorter while it was read$" err || fail "$(cat err)"
done
