# specsort --spectra-by: temporary files that cannot be made, written or trusted, and processes that are killed: an error and no
# output; and nothing is left behind, parts and maps neither.
. "$ORDO_SOURCE/tests/cli/lib.sh"
. "$ORDO_SOURCE/tests/faults/mounts_lib.sh"
export ORDO_DEVICE=cpu
ulimit -c 0
mkdir place temp
ordo_generate spectra --count 8k -o in 2> /dev/null
specsort in --spectra-by pepmass > want
echo old > place/out
by=(--spectra-by pepmass --memory 1M)
small=("${by[@]}" in -o place/out)

# Nothing is left, and the old output is as it was.
untouched() {
  [[ $(cat place/out) == old ]] || fail "$*: the old output is gone"
  [[ $(ls -A place) == out ]] || fail "$*: left behind: $(ls -A place)"
  [[ -z $(ls -A temp) ]] || fail "$*: left behind: $(ls -A temp)"
}

expect_error specsort "${small[@]}" -T missing
grep -q missing err || fail "no word of the folder: $(cat err)"
untouched -T missing
expect_error specsort "${small[@]}" -T in
untouched -T in
chmod a-w temp
if ! touch temp/probe 2> /dev/null; then
  expect_error specsort "${small[@]}" -T temp --map place/map
  untouched unwritable -T
fi
chmod u+w temp; rm -f temp/probe
TMPDIR=missing expect_error specsort "${small[@]}"
untouched TMPDIR
TMPDIR=missing expect 0 specsort "${by[@]}" in -T temp -o sorted
cmp sorted want
expect_error specsort "${by[@]}" in no_such_file -T temp -o place/out --map place/map
untouched missing input

if [[ $ORDO_OWN_MOUNTS != none ]]; then
  mkdir full large
  mount -t tmpfs -o size=10M none full
  for from in in -; do
    expect_error specsort "${by[@]}" $from -o place/out -T full --map place/map < in
    grep -q 'No space left' err || fail "no word of the disk: $(cat err)"
    untouched full disk
    [[ $(df --output=used full | tail -1) -lt 100 ]] || fail "a full disk stays full"
  done
  # Outputs, parts and maps on it.
  for how in '' '--split-size 3M' '--split-count 7'; do
    for from in in -; do
      # shellcheck disable=SC2086
      expect_error specsort "${by[@]}" $from -o full/out $how --map place/map -T temp < in
      grep -q 'No space left' err || fail "no word of the disk: $(cat err)"
      untouched full disk, output $how
      [[ -z $(ls -A full) ]] || fail "left behind: $(ls -A full)"
    done
  done
  dd if=/dev/zero of=full/fill bs=1M 2> /dev/null || true
  truncate -s -8K full/fill
  expect_error specsort "${small[@]}" -T temp --map full/map
  untouched a full map
  [[ $(ls -A full) == fill ]] || fail "left behind: $(ls -A full)"
  mount -t tmpfs -o size=200M none large  # another file system
  expect 0 specsort "${by[@]}" in -T large -T temp -o sorted
  cmp sorted want
  [[ -z $(ls -A large) ]] || fail "left behind: $(ls -A large)"
fi

wait_for() { for ((i = 0; i < 600; ++i)); do ! "$@" || return 0; sleep 0.02; done; fail "never: $*"; }
# The temporary files of a process that hold something, as names to open.
temporary_of() {
  local fd
  for fd in /proc/"$1"/fd/*; do
    [[ $(readlink "$fd") == *"/temp/"* && $(stat -L -c %s "$fd") != 0 ]] && echo "$fd"
  done 2> /dev/null
}
has_temporary() { [[ -n $(temporary_of "$1") ]]; }
# Of a process that has begun its third part. Parts that are finished are open, or have a name.
has_parts() {
  local fd count=0
  for fd in /proc/"$1"/fd/*; do [[ $(readlink "$fd") != "$PWD/place/"* ]] || count=$((count + 1)); done 2> /dev/null
  ((count >= 3)) || compgen -G 'place/.parts.0003*' > /dev/null
}
killed() {
  local status=0
  kill -s "$1" "$2"
  wait "$2" 2> /dev/null || status=$?
  [[ $status == $((128 + $(kill -l "$1"))) ]] || fail "SIG$1: status $status: $(cat err)"
  [[ $1 != KILL ]] || has_nameless place || rm -f place/.*.tmp
  untouched "SIG$1"
}
mkfifo feed pipe
exec 5<> pipe
for signal in TERM INT HUP KILL; do  # INT is ignored in the background, but for env
  # While it waits for more to read, runs written.
  for how in '' '--split-count 5' '--map place/map'; do
    # shellcheck disable=SC2086
    env --default-signal=INT specsort "${by[@]}" - -o place/out $how -T temp < feed 2> err &
    exec 3> feed
    cat in >&3
    wait_for has_temporary $!
    killed $signal $!
    exec 3>&-
  done
  # Parts are written, more may come.
  env --default-signal=INT specsort - --split-size 2M --memory 1M -o place/parts < feed 2> err &
  exec 3> feed
  cat in >&3
  wait_for has_parts $!
  killed $signal $!
  exec 3>&-
  # In the middle of the output.
  env --default-signal=INT specsort "${by[@]}" in in -T temp > pipe 2> err 5<&- &
  read -r -u 5 _
  killed $signal $!
  while read -r -t 0.1 -u 5 _; do :; done
done
exec 5<&-

# A run that was cut or changed on the disk; a run is texts and an index. What is cut goes on with zeros where more is written.
for harm in cut changed filled; do
  for which in 1 2; do
    specsort "${by[@]}" - -o place/out --map place/map -T temp < feed 2> err &
    exec 3> feed
    cat in >&3
    wait_for has_temporary $!
    run=$(temporary_of $! | sed -n ${which}p)
    [[ $run ]] || { sleep 1; run=$(temporary_of $! | sed -n ${which}p); }
    case $harm in
      cut) truncate -s 1000 "$run" ;;
      changed) printf '~' | dd of="$run" bs=1 seek=1003 conv=notrunc status=none ;;
      filled) head -c 2000 /dev/zero | tr '\0' '\377' | dd of="$run" bs=2000 seek=1 conv=notrunc status=none ;;
    esac
    exec 3>&-
    status=0; wait $! || status=$?
    [[ $status == 2 ]] || fail "a run was $harm: status $status"
    complaint specsort
    grep -q 'cannot read: temporary file in temp: ' err || fail "a run was $harm: $(cat err)"
    untouched "a run was $harm"
  done
done

# Few descriptors are enough for many runs, inputs and parts.
(ulimit -n 20; specsort "${by[@]}" in -T temp -o sorted; cmp sorted want)
(ulimit -n 20; specsort "${by[@]}" in -T temp --split-count 40 -o part; cat part.* | cmp - want)

# Memory is what the option allows, and little more.
peak() { grep -o '"peak_memory": [0-9]*' stats.json | grep -o '[0-9]*$'; }
printf 'BEGIN IONS\n1 1\nEND IONS\n' > tiny; specsort tiny --quiet --spectra-by rt --stats stats.json > out
if (($(peak) < 60000000)); then  # sanitizers take memory of their own
  for _ in 1 2 3 4 5 6 7 8; do cat in; done > more
  (($(wc -c < more) > 200000000))
  specsort --spectra-by pepmass --memory 16M more --stats stats.json -o sorted
  (($(peak) < (116 << 20))) || fail "--memory 16M took $(peak) bytes"
fi
