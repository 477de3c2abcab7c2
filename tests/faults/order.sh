# specsort --spectra-by: temporary files that cannot be made, written or trusted, and processes that are killed: an error and no
# output; and nothing is left behind, parts and maps neither.
. "$ORDO_SOURCE/tests/cli/lib.sh"
. "$ORDO_SOURCE/tests/mounts_lib.sh"
. "$ORDO_SOURCE/tests/spill_lib.sh"
export ORDO_DEVICE=cpu
ordo_generate spectra --count 8k -o in 2> /dev/null
specsort in --spectra-by pepmass > want
by=(--spectra-by pepmass --memory 1M)
small=("${by[@]}" in -o place/out)

refuses_folders specsort "${small[@]}" --map place/map
TMPDIR=missing expect 0 specsort "${by[@]}" in -T temp -o sorted
cmp sorted want
expect_error specsort "${by[@]}" in no_such_file -T temp -o place/out --map place/map
untouched missing input

if [[ $ORDO_OWN_MOUNTS != none ]]; then
  refuses_full_disk specsort "${by[@]}" -o place/out --map place/map
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
  sorts_across_disks specsort "${by[@]}" in
fi

# Of a process that has begun its third part. Parts that are finished are open, or have a name.
has_parts() {
  local fd count=0
  for fd in /proc/"$1"/fd/*; do [[ $(readlink "$fd") != "$PWD/place/"* ]] || count=$((count + 1)); done 2> /dev/null
  ((count >= 3)) || compgen -G 'place/.parts.0003*' > /dev/null
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
    finds_harm specsort $! $harm
  done
done

# Few descriptors are enough for many runs, inputs and parts.
(ulimit -n 20; specsort "${by[@]}" in -T temp -o sorted; cmp sorted want)
(ulimit -n 20; specsort "${by[@]}" in -T temp --split-count 40 -o part; cat part.* | cmp - want)

# Memory is what the option allows, and little more.
printf 'BEGIN IONS\n1 1\nEND IONS\n' > tiny; specsort tiny --quiet --spectra-by rt --stats stats.json > out
if (($(peak) < 60000000)); then  # sanitizers take memory of their own
  for _ in 1 2 3 4 5 6 7 8; do cat in; done > more
  (($(wc -c < more) > 200000000))
  specsort --spectra-by pepmass --memory 16M more --stats stats.json -o sorted
  (($(peak) < (116 << 20))) || fail "--memory 16M took $(peak) bytes"
fi
