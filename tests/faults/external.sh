# Temporary files that cannot be made, written or trusted, and processes that are killed: an error and no output, or the right
# one; and nothing is left behind.
. "$ORDO_SOURCE/tests/cli/lib.sh"

if [[ -z ${ORDO_OWN_MOUNTS-} ]]; then  # a view of the file system that is this test's own
  for how in '' '--map-root-user'; do
    # shellcheck disable=SC2086
    unshare --mount $how mount -t tmpfs -o size=1M none . 2> /dev/null || continue
    ORDO_OWN_MOUNTS=1 exec unshare --mount $how bash -euo pipefail "$0"
  done
  ORDO_OWN_MOUNTS=none
fi
export LC_ALL=C ORDO_DEVICE=cpu
ulimit -c 0
mkdir place temp
awk 'BEGIN { srand(5); for (i = 0; i < 600000; ++i) printf "%d some words %d\n", rand() * 1000000, i }' > in
sort in > want
echo old > place/out
small=(-S 16M in -o place/out)

# Nothing is left, and the old output is as it was.
untouched() {
  [[ $(cat place/out) == old ]] || fail "$*: the old output is gone"
  [[ $(ls -A place) == out ]] || fail "$*: left behind: $(ls -A place)"
  [[ -z $(ls -A temp) ]] || fail "$*: left behind: $(ls -A temp)"
}

expect_error strsort "${small[@]}" -T missing
grep -q missing err || fail "no word of the folder: $(cat err)"
untouched -T missing
expect_error strsort "${small[@]}" -T in
untouched -T in
chmod a-w temp
if ! touch temp/probe 2> /dev/null; then
  expect_error strsort "${small[@]}" -T temp
  untouched unwritable -T
fi
chmod u+w temp; rm -f temp/probe
TMPDIR=missing expect_error strsort "${small[@]}"
untouched TMPDIR
TMPDIR=missing expect 0 strsort -S 16M in -T temp -o sorted
cmp sorted want

if [[ $ORDO_OWN_MOUNTS != none ]]; then
  mkdir full large
  mount -t tmpfs -o size=10M none full
  for from in in -; do
    expect_error strsort -S 16M $from -o place/out -T full < in
    grep -q 'No space left' err || fail "no word of the disk: $(cat err)"
    untouched full disk
    [[ $(df --output=used full | tail -1) -lt 100 ]] || fail "a full disk stays full"
  done
  mount -t tmpfs -o size=200M none large  # another file system
  expect 0 strsort -S 16M in -T large -T temp -o sorted
  cmp sorted want
  [[ -z $(ls -A large) ]] || fail "left behind: $(ls -A large)"
fi

# Programs that compress.
for program in missing false true 'cat /' "$PWD/half" "$PWD/no-d" "$PWD/garbled"; do
  case $program in
    */half) printf '#!/bin/sh\nhead -c 100000\n' ;;
    */no-d) printf '#!/bin/sh\ntest "$1" != -d && cat\n' ;;
    */garbled) printf '#!/bin/sh\nif test "$1" = -d; then gzip -d; else gzip | tr a-m n-z; fi\n' ;;
  esac > program
  if [[ -s program ]]; then chmod +x program; mv program "$program"; fi
  status=0
  timeout 60 strsort "${small[@]}" -T temp --compress-program="$program" > out 2> err || status=$?
  [[ $status == 2 ]] || fail "$program: status $status"
  grep -q '^strsort: .*compress program' err || fail "$program: no word of it: $(cat err)"
  untouched "$program"
done
expect 0 strsort -S 16M in -T temp --compress-program=gzip -o sorted
cmp sorted want

# Killed while it reads, writes runs, and merges.
for how in '' --compress-program=gzip; do
  for signal in TERM HUP KILL; do
    for after in 0.01 0.05 0.1 0.2 0.4 0.8; do
      # shellcheck disable=SC2086
      strsort "${small[@]}" -T temp $how 2> /dev/null &
      sleep $after
      kill -s $signal $! 2> /dev/null || true
      status=0; wait $! 2> /dev/null || status=$?
      [[ -z $(ls -A temp) ]] || fail "SIG$signal after $after s: left behind: $(ls -A temp)"
      if [[ $status == 0 ]]; then
        cmp place/out want
      else
        [[ $signal != KILL ]] || rm -f place/.*.tmp
        [[ $status == $((128 + $(kill -l $signal))) ]] || fail "SIG$signal after $after s: status $status"
        untouched "SIG$signal after $after s"
      fi
      echo old > place/out
    done
  done
done

# Few descriptors are enough for many runs and many inputs.
(ulimit -n 20; strsort -S 16M in -T temp -o sorted; cmp sorted want)
(ulimit -n 20; strsort -S 16M in -T temp --compress-program=gzip -o sorted; cmp sorted want)
split -n l/40 want part.
(ulimit -n 20; strsort -m part.* -T temp -o sorted; cmp sorted want)

# The output is an input, and the input is a pipe.
cp in place/out
expect 0 strsort -S 16M place/out -o place/out
cmp place/out want
expect 0 strsort -S 16M - -o sorted < <(cat in)
cmp sorted want

# Memory is what was asked for, and little more.
peak() { grep -o '"peak_memory": [0-9]*' stats.json | grep -o '[0-9]*$'; }
head -1 in > line
strsort line --stats stats.json > out
least=$(peak)
if ((least < 60000000)); then  # sanitizers take memory of their own
  for _ in 1 2 3 4; do cat in; done > more
  strsort -S 16M more --stats stats.json -o sorted
  (($(peak) < (116 << 20))) || fail "-S 16M took $(peak) bytes"
fi
