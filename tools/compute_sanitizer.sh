#!/usr/bin/env bash
# tools/compute_sanitizer.sh [-j JOBS] [-s SECONDS] [-p K/N] ORDO_TEST [TOOL...]: the tests tagged [small] under NVIDIA's
# compute-sanitizer, on a GPU: by default racecheck, memcheck, initcheck and synccheck, all of them on a test before the next.
# A process runs a few tests, or a part of a test tagged [shards], under a tool; JOBS of them at a time (default: number of
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

# Tests of the CPU alone are left out. Tests tagged [shards] are the long ones, each in shards.
all='[small]~[host]'
listing=--list-test-names-only  # of Catch2 2
[[ $("$program" --help 2>&1 || true) == *$listing* ]] || listing='--list-tests --verbosity quiet'
list() {  # the status of the program is the number of tests; some versions print a heading, tags and a count
  { "$program" $listing "$1" 2> /dev/null || true; } |
    sed -E '/^Matching test cases:$|^[0-9]+ matching test cases?$|^ *\[.*\]$|^$/d; s/^  //'
}
mapfile -t long < <(list "[shards]$all")
mapfile -t short < <(list "~[shards]$all")
((${#long[@]})) || fail "no tests tagged [small][shards] for a GPU: $program"
# initcheck does not know what one GPU writes to another. With several streams it also reports memory that a kernel of the same
# stream has just written, at other addresses in each run.
not_for_initcheck=$'\n'$(list "[distributed]$all,[threads]$all")$'\n'
suits() { [[ $1 != initcheck || $not_for_initcheck != *$'\n'$2$'\n'* ]]; }
# Of each process the tool, the tests and the shard. All tools have a turn at a test before the next begins, so that none
# is left out when time ends. A process takes seconds to begin, so the faster tools have fewer processes.
work=()
tests() { local names=("${@//,/\\,}"); (IFS=,; printf '%s' "${names[*]}"); }
entry=0
is_of_part() { ((entry++ % parts == part - 1)); }
for ((first = 0; first < ${#short[@]}; first += 4)); do
  is_of_part || continue
  for tool in "${tools[@]}"; do
    if [[ $tool == racecheck ]]; then each=2; else each=4; fi
    for ((k = first; k < first + 4 && k < ${#short[@]}; k += each)); do
      names=()
      for name in "${short[@]:k:each}"; do if suits "$tool" "$name"; then names+=("$name"); fi; done
      if ((${#names[@]})); then work+=("$tool" "$(tests "${names[@]}")" 1/1); fi
    done
  done
done
for name in "${long[@]}"; do  # last, as they are short processes, so that all cores are at work to the end
  is_of_part || continue
  for tool in "${tools[@]}"; do
    suits "$tool" "$name" || continue
    if [[ $tool == racecheck ]]; then shards=4; else shards=2; fi
    for ((k = 1; k <= shards; ++k)); do work+=("$tool" "$(tests "$name")" "$k/$shards"); done
  done
done

logs=$(mktemp -d)
deadline=$(($(date +%s) + seconds))
export program logs deadline ORDO_DEVICE=gpu
run() {
  local tool=$1 spec=$2 status=124 log options=() begin=$SECONDS left=$((deadline - $(date +%s)))
  log=$(mktemp "$logs/$tool.XXXX")
  if ((left > 0)); then
    status=0
    # The library checks every call; NCCL makes some that fail, and goes on.
    if [[ $tool == memcheck ]]; then options=(--report-api-errors no); fi
    printf '%s\n' "$spec, $3" > "$log"
    ORDO_SHARD=$3 timeout "$left" compute-sanitizer --tool "$tool" "${options[@]}" --error-exitcode 9 "$program" "$spec" \
      >> "$log" 2>&1 || status=$?
    ! grep -q '^No tests ran' "$log" || status=3
    # Tests that leave the GPU alone.
    if ((status == 255)) && grep -q 'before first instrumented API call' "$log" && grep -q '^All tests passed' "$log"; then status=0; fi
  fi
  printf '%-10s %-40s %-4s status %-4s %4s s  %s\n' "$tool" "${spec:0:40}" "$3" "$status" $((SECONDS - begin)) \
    "$(grep -E 'SUMMARY: |assertions' "$log" | sed 's/^=* *//' | tr '\n' ' ')"
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
