#!/usr/bin/env bash
# tools/compute_sanitizer.sh [-j JOBS] [-s SECONDS] [-p K/N] ORDO_TEST [TOOL...]: the tests tagged [small] under NVIDIA's
# compute-sanitizer, on a GPU: by default racecheck, memcheck, initcheck and synccheck, all of them on a test before the next.
# A process runs a subject, or a part of a test tagged [shards], under a tool; JOBS of them at a time (default: number of
# cores). Ends after SECONDS (default 600), with what is not done then as failed. -p 2/4 does the second of four parts of the
# work, for several cards or several calls. Prints a line for each process, then the seconds of each tool, and keeps the logs of
# those that report something. Exit status 1: a tool reported something, a test failed, or time ran out.
set -euo pipefail

fail() { echo "compute_sanitizer.sh: $*" >&2; exit 2; }
jobs=$(nproc) seconds=600 part=1 parts=1
while getopts j:s:p:h option; do
  case $option in
    j) jobs=$OPTARG ;;
    s) seconds=$OPTARG ;;
    p) part=${OPTARG%/*} parts=${OPTARG#*/} ;;
    h) sed -n '2,7s/^# //p' "$0"; exit ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
(($#)) || fail 'name the test program: build/release/bin/ordo_test'
command -v compute-sanitizer > /dev/null || fail 'compute-sanitizer is not in PATH'
program=$(readlink -e "$1") || fail "no such program: $1"
((part >= 1 && part <= parts)) || fail "no such part: $part/$parts"
shift
(($#)) || set -- racecheck memcheck initcheck synccheck  # the slowest first
tools=("$@")

# Tests of the CPU alone are left out. Tests tagged [shards] are the long ones, each in shards. Of the others, the tags of
# subjects, and all that has none of them.
all='[small]~[host]'
subjects=(segmented_sort radix_sort sample_sort verbs public_sorts handles memory array_stream streams out_of_place top_k rows merge spectra
          token_index matches suffix line_keys strings multiply distributed)
listing=--list-test-names-only  # of Catch2 2
[[ $("$program" --help 2>&1 || true) == *$listing* ]] || listing='--list-tests --verbosity quiet'
list() { "$program" $listing "$1" 2> /dev/null || true; }  # the status is the number of tests
mapfile -t long < <(list "[shards]$all")
((${#long[@]})) || fail "no tests tagged [small][shards] for a GPU: $program"
# Of each process the tool, the tests and the shard. All tools have a turn at a test before the next begins, so that none
# is left out when time ends. A process takes seconds to begin, so the faster tools have fewer shards.
work=()
add() {  # NUMBER OF SHARDS, TESTS: one of parts
  local tool k shards
  ((entry++ % parts == part - 1)) || return 0
  for tool in "${tools[@]}"; do
    shards=$1
    if [[ $tool != racecheck ]]; then shards=$((($1 + 1) / 2)); fi
    for ((k = 1; k <= shards; ++k)); do work+=("$tool" "$2" "$k/$shards"); done
  done
}
entry=0 rest=~[shards]$all
for subject in "${subjects[@]}"; do
  spec="[$subject]$rest"
  [[ ! $(list "$spec") ]] || add 1 "$spec"  # a build without a library has no tests of it
  rest+="~[$subject]"
done
add 1 "$rest"
for name in "${long[@]}"; do add 4 "${name//,/\\,}"; done  # short processes, so that all cores are at work to the end

logs=$(mktemp -d)
deadline=$(($(date +%s) + seconds))
export program logs deadline ORDO_DEVICE=gpu
run() {
  local tool=$1 spec=$2 status=124 log begin=$SECONDS left=$((deadline - $(date +%s)))
  log=$logs/$tool.$(printf %s "$spec $3" | tr -c 'a-z0-9_\n' .)
  log=${log:0:180}.log
  if ((left > 0)); then
    status=0
    ORDO_SHARD=$3 timeout "$left" compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" "$spec" > "$log" 2>&1 || status=$?
    ! grep -q '^No tests ran' "$log" || status=3
  fi
  printf '%-10s %-40s %-4s status %-4s %4s s  %s\n' "$tool" "${spec:0:40}" "$3" "$status" $((SECONDS - begin)) \
    "$([[ ! -e $log ]] || grep -E 'SUMMARY: |assertions' "$log" | sed 's/^=* *//' | tr '\n' ' ')"
  if ((status == 0)); then rm -f "$log"; else return 1; fi
}
export -f run
status=0
printf '%s\0' "${work[@]}" | xargs -0 -n 3 -P "$jobs" bash -c 'run "$@"' run | tee "$logs/lines" || status=1
for tool in "${tools[@]}"; do
  sed -En "s/^$tool .* status ([0-9]+) +([0-9]+) s .*/\\1 \\2/p" "$logs/lines" |
    awk -v tool="$tool" '{ sum += $2; if ($2 > max) max = $2; clean += $1 == 0 }
      END { printf "%s: %d of %d processes clean, %d s in all, %d s the longest\n", tool, clean, NR, sum, max }'
done
rm "$logs/lines"
echo "$((seconds - deadline + $(date +%s))) s"
if ((status)); then echo "logs: $logs"; else rmdir "$logs"; fi
exit "$status"
