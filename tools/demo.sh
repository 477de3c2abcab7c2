#!/usr/bin/env bash
# tools/demo.sh [FILE...]: the three tools on real samples (or on your files), every result checked, one line each.
# Enough by itself on a fresh Debian 12 or 13 or Ubuntu 24.04. On a machine with a GPU: on both machines, results compared.
set -euo pipefail
if [[ ${1-} == -h || ${1-} == --help ]]; then sed -n '2,3s/^# //p' "$0"; exit; fi
inputs=()
for file in "$@"; do inputs+=("$(readlink -e "$file" || { echo "demo.sh: no such file: $file" >&2; exit 2; })"); done
cd "$(dirname "$0")/.."
((${#inputs[@]})) || inputs=(datasets/samples/*.{fa,mgf,txt}*)

# Without a GPU only the CPU machine is built: compiling for GPUs takes minutes.
if nvidia-smi -L > /dev/null 2>&1; then preset=(); else preset=(--preset host); fi
folder=$(tools/build.sh "${preset[@]}" sufsort specsort strsort)
export PATH=$PWD/$folder/bin:$PATH LC_ALL=C
machines=(cpu)
if strsort --version | grep '^GPU: ' | grep -qv none; then machines+=(gpu); fi
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# A number or a word of the last report.
reported() { sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$work/report"; }
row() { printf "%-22s %8s  %-47s %-7s %8s %8s\n" "$@"; }
# done_with WHAT: a row for the tool that has just run.
done_with() {
  local megabytes seconds
  megabytes=$(awk -v n="$(reported input_bytes)" 'BEGIN { printf "%.2f", n / 1e6 }')
  seconds=$(reported seconds)
  row "$name" "$megabytes" "$1" "$(reported device)" "$(printf %.3f "$seconds")" \
    "$(awk -v m="$megabytes" -v s="$seconds" 'BEGIN { printf "%.1f", m / s }')"
}
tool() { "$@" --device "$machine" --stats "$work/report"; }
# same FILE...: as the first machine made them.
same() {
  local file
  for file in "$@"; do
    if [[ -e $work/first.$file ]]; then cmp "$work/first.$file" "$work/$file"; else cp "$work/$file" "$work/first.$file"; fi
  done
}

genome() {
  tool sufsort build "$input" -o "$work/index" --lcp --bwt
  done_with 'suffix array, LCP, BWT; proved by sufsort check'
  sufsort check "$work/index" --quiet
  same index.sa index.lcp index.bwt
}
spectra() {
  tool specsort "$input" -o "$work/by_intensity" --by intensity --descending
  done_with 'peaks by intensity; checked'
  specsort --check "$work/by_intensity" --by intensity --descending
  tool specsort "$work/by_intensity" -o "$work/by_mz" --by mz
  done_with 'and back by m/z; checked, sorts to itself'
  specsort --check "$work/by_mz" --by mz
  specsort "$work/by_mz" -o "$work/again" --by mz
  cmp "$work/by_mz" "$work/again"
  same by_intensity by_mz
}
lines() {
  tool strsort "$input" -o "$work/sorted"
  done_with 'lines in order; equal to LC_ALL=C sort'
  if [[ $(head -c 2 "$input" | od -An -tx1) == ' 1f 8b' ]]; then gzip -dc "$input" | sort; else sort "$input"; fi |
    cmp - "$work/sorted"
}

row input MB 'what was done' machine seconds MB/s
for input in "${inputs[@]}"; do
  name=$(basename "$input")
  rm -f "$work"/first.*
  for machine in "${machines[@]}"; do
    case $name in
      *.fa | *.fna | *.faa | *.fasta | *.fa.gz | *.fna.gz | *.faa.gz | *.fasta.gz) genome ;;
      *.mgf | *.mgf.gz) spectra ;;
      *) lines ;;
    esac
  done
done
echo "All results checked. The programs are in $folder/bin."
