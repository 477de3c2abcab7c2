#!/usr/bin/env bash
# fuzz/run.sh [SECONDS] [TARGET...]: builds the fuzz targets and runs each for so long (60), one after the other; all of them if none
# is named. Inputs that reach new code are kept in build/fuzz/corpus, from which the next run goes on; inputs that fail are written to
# build/fuzz/failed. The exit status is 1 if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
export LLVM_PROFILE_FILE=/dev/null  # lines are for coverage.sh
seconds=${1:-60}
shift || :
fuzz/build.sh >&2
targets=("$@")
(($# > 0)) || for program in build/fuzz/bin/fuzz_*; do targets+=("${program##*/fuzz_}"); done

status=0
printf 'target\texecutions\tcounters reached\tof all\n'
for name in "${targets[@]}"; do
  mkdir -p build/fuzz/{corpus,smaller,failed}/"$name"
  log=build/fuzz/failed/$name.log
  options=(-max_len=4096 -timeout=30 -malloc_limit_mb=128 -close_fd_mask=1)
  dictionary=()
  [[ ! -e fuzz/dictionaries/$name.dict ]] || dictionary=("-dict=fuzz/dictionaries/$name.dict")
  build/fuzz/bin/fuzz_"$name" "${options[@]}" "${dictionary[@]}" "-max_total_time=$seconds" -print_final_stats=1 \
    "-artifact_prefix=build/fuzz/failed/$name/" build/fuzz/corpus/"$name" build/fuzz/seeds/"$name" > "$log" 2>&1 || status=1
  # The corpus without inputs that reach nothing of their own.
  build/fuzz/bin/fuzz_"$name" "${options[@]}" -merge=1 build/fuzz/smaller/"$name" build/fuzz/corpus/"$name" >> "$log" 2>&1 &&
    rm -r build/fuzz/corpus/"$name" && mv build/fuzz/smaller/"$name" build/fuzz/corpus/
  awk -v OFS='\t' -v name="$name" '/stat::number_of_executed_units/ { executions = $2 }
    /inline 8-bit counters/ && !all { sub(/.*\(/, ""); all = $1 }
    / cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:" && $(i + 1) > reached) reached = $(i + 1) }
    END { print name, executions, reached, all }' "$log"
done
exit "$status"
