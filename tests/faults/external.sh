# Temporary files that cannot be made, written or trusted, and processes that are killed: an error and no output, or the right
# one; and nothing is left behind.
. "$ORDO_SOURCE/tests/cli/lib.sh"
. "$ORDO_SOURCE/tests/mounts_lib.sh"
. "$ORDO_SOURCE/tests/spill_lib.sh"
export LC_ALL=C ORDO_DEVICE=cpu
awk 'BEGIN { srand(5); for (i = 0; i < 600000; ++i) printf "%d some words %d\n", rand() * 1000000, i }' > in
sort in > want
small=(-S 16M in -o place/out)

refuses_folders strsort "${small[@]}"
TMPDIR=missing expect 0 strsort -S 16M in -T temp -o sorted
cmp sorted want

if [[ $ORDO_OWN_MOUNTS != none ]]; then
  refuses_full_disk strsort -S 16M -o place/out
  sorts_across_disks strsort -S 16M in
fi

# Programs that compress. One that cannot be started is an error by the rules of coreutils 9.1, and a warning by later ones.
for program in missing false true 'cat /' "$PWD/half" "$PWD/no-d" "$PWD/garbled"; do
  case $program in
    */half) printf '#!/bin/sh\nhead -c 100000\n' ;;
    */no-d) printf '#!/bin/sh\ntest "$1" != -d && cat\n' ;;
    */garbled) printf '#!/bin/sh\nif test "$1" = -d; then gzip -d; else gzip | tr a-m n-z; fi\n' ;;
  esac > program
  if [[ -s program ]]; then chmod +x program; mv program "$program"; fi
  rules=()
  case $program in missing | 'cat /') rules=(--compat=9.1) ;; esac
  status=0
  timeout 60 strsort "${small[@]}" -T temp ${rules[@]+"${rules[@]}"} --compress-program="$program" > out 2> err || status=$?
  [[ $status == 2 ]] || fail "$program: status $status"
  grep -q '^strsort: .*compress program' err || fail "$program: no word of it: $(cat err)"
  untouched "$program"
done
expect 0 strsort -S 16M in -T temp --compress-program=gzip -o sorted
cmp sorted want

mkfifo feed hold pipe
exec 4<> hold 5<> pipe
printf '#!/bin/sh\nif test "$1" = -d; then : > merging; read -r _ < hold; exec gzip -d; fi\nexec gzip\n' > stops
chmod +x stops
for signal in TERM INT HUP KILL; do  # INT is ignored in the background, but for env
  # While it waits for more to read, runs written.
  for how in '' --compress-program=gzip; do
    # shellcheck disable=SC2086
    env --default-signal=INT strsort -S 16M - -o place/out -T temp $how < feed 2> err &
    exec 3> feed
    cat in in >&3
    wait_for has_temporary $!
    killed $signal $!
    exec 3>&-
  done
  # While runs are merged: before there is any output, and in the middle of it.
  rm -f merging
  env --default-signal=INT strsort "${small[@]}" -T temp --compress-program="$PWD/stops" 2> err 4<&- 5<&- &
  wait_for test -e merging
  killed $signal $!
  for _ in in in in in in; do echo >&4; done
  env --default-signal=INT strsort -S 16M in in -T temp > pipe 2> err 4<&- 5<&- &
  read -r -u 5 _
  killed $signal $!
  while read -r -t 0.1 -u 5 _; do :; done
done
exec 5<&-

# A run that was cut or changed on the disk.
for harm in cut changed; do
  strsort -S 16M - -o place/out -T temp < feed 2> err &
  exec 3> feed
  cat in in >&3
  wait_for has_temporary $!
  run=$(temporary_of $! | head -n 1)
  case $harm in
    cut) truncate -s 100000 "$run" ;;
    changed) printf '~' | dd of="$run" bs=1 seek=1000003 conv=notrunc status=none ;;
  esac
  exec 3>&-
  finds_harm strsort $! $harm
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

# Memory is what was asked for, and no more than 30 MB beyond: of long and short lines, whatever the order, input and threads.
head -1 in > line
strsort -S 32M line --threads 2 --stats stats.json > out
least=$(peak)
if ((least < 60000000)); then  # sanitizers take memory of their own
  for _ in 1 2 3 4; do cat in; done > more
  awk 'BEGIN { srand(6); for (i = 0; i < 6000000; ++i) print substr("abcdefghijklmnop", 1 + rand() * 12, 1 + rand() * 6) }' > short
  gzip -1 < more > more.gz
  # within MIB COMMAND...
  within() {
    local mib=$1
    shift
    "$@" -S "${mib}M" --stats stats.json > out
    (($(peak) < (mib << 20) + 30000000)) || fail "-S ${mib}M took $(peak) bytes: $*"
  }
  for mib in 32 64; do
    for file in more short; do
      within $mib strsort $file -o sorted
      within $mib strsort - < <(cat $file)
      for threads in 1 8; do within $mib strsort --threads $threads $file; done
    done
    for options in -n -V -R '-k2,2 -k1n' -u --count --by-count -f --compress-program=gzip; do
      # shellcheck disable=SC2086
      within $mib strsort $options short
    done
    within $mib strsort more.gz
    within $mib strsort - -o sorted.gz < <(cat more)
    sort more > sorted.1; cp sorted.1 sorted.2
    within $mib strsort -m sorted.1 sorted.2 sorted
  done
fi
