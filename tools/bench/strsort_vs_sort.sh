#!/usr/bin/env bash
# strsort_vs_sort.sh [-n RUNS] [-p THREADS] [-d DEVICE] FILE...: strsort beside the installed sort, file to file.
# The two run in turn, so that whatever else the machine does falls on both; results are compared; a row says the median
# wall-clock seconds of each. Before each run 2 GB of memory are touched: a virtual machine may have to ask for its memory
# again. STRSORT names the tool to be measured.
set -euo pipefail
export LC_ALL=C
runs=5 threads=$(nproc) device=auto
while getopts n:p:d: option; do
  case $option in
    n) runs=$OPTARG ;;
    p) threads=$OPTARG ;;
    d) device=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ $# -gt 0 ]] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
strsort=${STRSORT:-strsort}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

touch_memory() { dd if=/dev/zero of=/dev/null bs=2G count=1 2> /dev/null; }
seconds() { local begin=$EPOCHREALTIME; "$@"; local end=$EPOCHREALTIME; echo "$begin $end" | awk '{ printf "%.3f\n", $2 - $1 }'; }
median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

printf '%-24s %8s %10s  %-8s %8s %8s %7s\n' input MB lines flags sort strsort times
for file in "$@"; do
  for flags in '' -u -r -z; do
    rm -f "$work"/*.s
    for ((run = 0; run < runs; ++run)); do
      touch_memory
      seconds sort --parallel="$threads" $flags "$file" -o "$work/theirs" >> "$work/theirs.s"
      touch_memory
      seconds "$strsort" --parallel="$threads" --device="$device" $flags "$file" -o "$work/ours" >> "$work/ours.s"
      cmp "$work/theirs" "$work/ours"
      rm "$work/theirs" "$work/ours"
    done
    theirs=$(median < "$work/theirs.s") ours=$(median < "$work/ours.s")
    printf '%-24s %8.1f %10d  %-8s %8.3f %8.3f %6.2fx\n' "$(basename "$file")" "$(stat -c %s "$file" | awk '{ print $1 / 1e6 }')" \
      "$(wc -l < "$file")" "${flags:-none}" "$theirs" "$ours" "$(awk "BEGIN { print $theirs / $ours }")"
  done
done
