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
folder=$(tools/build.sh "${preset[@]}" sufsort specsort strsort ordo_installed)
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

# kind_of NAME: what the demo takes a file of this name for: the function that works on it. The tools look at the content.
kind_of() {
  local name=${1,,}
  name=${name%.gz} name=${name%.bgz} name=${name%.bz2} name=${name%.xz} name=${name%.zst}
  case $name in
    *.fa | *.fna | *.faa | *.ffn | *.frn | *.fas | *.fasta | *.fq | *.fastq) echo genome ;;
    *.u16 | *.u32) echo tokens ;;
    *.mgf | *.mzml | *.mzxml | *.msp | *.msl | *.sptxt | *.mzlib.txt | *.mzspeclib.txt) echo spectra ;;
    *.txt | *.jsonl | *.csv | *.tsv | *.bed | *.gff | *.gff3 | *.gtf | *.vcf | *.sam | *.log | *.list) echo lines ;;
    *) echo unknown ;;
  esac
}
# inflated FILE: its text, by other programs than the tools.
inflated() {
  case $(head -c 4 "$1" | od -An -tx1 | tr -d ' ') in
    1f8b*) gzip -dc "$1" ;;
    425a68*) bzip2 -dc "$1" ;;
    fd377a58) xz -dc "$1" ;;
    28b52ffd) zstd -dc "$1" ;;
    *) cat "$1" ;;
  esac
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
  inflated "$input" | sort | cmp - "$work/sorted"
}
tokens() {
  tool sufsort build "$input" -o "$work/index" --lcp
  done_with 'suffix array and LCP of tokens; proved by sufsort check'
  sufsort check "$work/index" --quiet
  same index.sa index.lcp
}
unknown() { lines; }

row input MB 'what was done' machine seconds MB/s
for input in "${inputs[@]}"; do
  name=$(basename "$input")
  rm -f "$work"/first.*
  kind=$(kind_of "$name")
  [[ $kind != unknown ]] || echo "demo.sh: $name: its name is of no format that the tools read: taken for lines of text" >&2
  for machine in "${machines[@]}"; do "$kind"; done
done
echo "All results checked. The programs are in $folder/bin."
