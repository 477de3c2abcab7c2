#!/usr/bin/env bash
# tools/compute_sanitizer.sh [-j JOBS] [-s SECONDS] ORDO_TEST [TOOL...]: the tests tagged [small] under NVIDIA's compute-sanitizer,
# on a GPU: by default memcheck, racecheck, initcheck and synccheck. A process runs each subject under each tool, JOBS of them at a
# time (default 8), each for at most SECONDS (default 600). Prints a line for each and keeps the logs of those that report
# something. Exit status 1: a tool reported something, a test failed, or time ran out.
set -euo pipefail

fail() { echo "compute_sanitizer.sh: $*" >&2; exit 2; }
jobs=8 seconds=600
while getopts j:s:h option; do
  case $option in
    j) jobs=$OPTARG ;;
    s) seconds=$OPTARG ;;
    h) sed -n '2,6s/^# //p' "$0"; exit ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
(($#)) || fail 'name the test program: build/release/bin/ordo_test'
command -v compute-sanitizer > /dev/null || fail 'compute-sanitizer is not in PATH'
program=$(readlink -e "$1") || fail "no such program: $1"
shift
(($#)) || set -- racecheck memcheck initcheck synccheck  # the slowest first

# The tags of subjects, and all that has none of them.
subjects=(segmented_sort radix_sort array_sort sample_sort verbs public_sorts handles memory array_stream streams out_of_place top_k rows merge spectra suffix line_keys strings multiply)
specs=() rest='[small]'
for subject in "${subjects[@]}"; do
  specs+=("[$subject][small]")
  rest+="~[$subject]"
done
specs+=("$rest")

logs=$(mktemp -d)
export program seconds logs ORDO_DEVICE=gpu
run() {
  local tool=$1 spec=$2 status=0 log begin=$SECONDS
  log=$logs/$tool.$(printf %s "$spec" | tr -c 'a-z_\n' .)log
  timeout "$seconds" compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" "$spec" > "$log" 2>&1 || status=$?
  printf '%-10s %-26s status %-4s %4s s  %s\n' "$tool" "${spec:0:26}" "$status" $((SECONDS - begin)) \
    "$(grep -E 'SUMMARY: |assertions' "$log" | sed 's/^=* *//' | tr '\n' ' ')"
  if ((status == 0)); then rm -f "$log"; else return 1; fi
}
export -f run
status=0
for tool in "$@"; do
  for spec in "${specs[@]}"; do printf '%s\0%s\0' "$tool" "$spec"; done
done | xargs -0 -n 2 -P "$jobs" bash -c 'run "$1" "$2"' run || status=1
if ((status)); then echo "logs: $logs"; else rmdir "$logs"; fi
exit "$status"
