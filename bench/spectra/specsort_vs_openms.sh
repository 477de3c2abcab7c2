#!/usr/bin/env bash
# specsort_vs_openms.sh [-p THREADS] [-d DEVICE] FILE.mgf...: measures specsort beside OpenMS (Debian package topp), which sorts
# the peaks of an MGF file through mzML: FileConverter, FileFilter, FileConverter. File to file, wall-clock seconds. The input
# is FILE with its peaks in descending order of intensity, without the parts that OpenMS 2.6 rejects: charges lose their minus
# signs, and spectra of 10,000 peaks and more are left out. SPECSORT is the program to measure.
set -euo pipefail
export LC_ALL=C
threads=$(nproc) device=auto
while getopts p:d: option; do
  case $option in
    p) threads=$OPTARG ;;
    d) device=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ $# -gt 0 ]] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
specsort=${SPECSORT:-specsort}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

seconds() { local begin=$EPOCHREALTIME; "$@" > "$work/log" 2>&1 || { tail -n 3 "$work/log" >&2; exit 1; }
            echo "$begin $EPOCHREALTIME" | awk '{ printf "%.3f\n", $2 - $1 }'; }
# Prints a file without the parts that OpenMS rejects.
tame() {
  awk '/^BEGIN IONS/ { text = ""; peaks = 0; inside = 1 }
       inside && /^CHARGE=/ { sub(/-/, "+") }
       inside { text = text $0 "\n"; peaks += /^[0-9]/; if (/^END IONS/) { inside = 0; if (peaks < 10000) printf "%s", text }; next }
       { print }' "$1"
}
# Prints the numbers of spectra, of peaks, and of peaks smaller than the one before in their spectrum.
counts() { awk '/^BEGIN IONS/ { ++spectra; last = -1 } /^[0-9]/ { ++peaks; if ($1 + 0 < last) ++wrong; last = $1 + 0 }
                END { printf "%d spectra, %d peaks, %d out of order", spectra, peaks, wrong }' "$1"; }
row() { awk -v step="$1" -v s="$2" -v bytes="$size" 'BEGIN { printf "  %-36s %8.2f s %9.1f MB/s\n", step, s, bytes / 1e6 / s }'; }

for file in "$@"; do
  tame "$file" > "$work/tame.mgf"
  "$specsort" "$work/tame.mgf" --by intensity --descending -o "$work/in.mgf"
  size=$(stat -c %s "$work/in.mgf")
  echo "${file##*/}: $size bytes, $(counts "$work/in.mgf")"
  ours=$(seconds "$specsort" "$work/in.mgf" -o "$work/ours.mgf" --threads "$threads" --device "$device")
  a=$(seconds FileConverter -threads "$threads" -in "$work/in.mgf" -out "$work/in.mzML")
  b=$(seconds FileFilter -threads "$threads" -in "$work/in.mzML" -out "$work/sorted.mzML" -peak_options:sort_peaks)
  c=$(seconds FileConverter -threads "$threads" -in "$work/sorted.mzML" -out "$work/theirs.mgf")
  row "specsort ($(counts "$work/ours.mgf"))" "$ours"
  row "FileConverter, MGF to mzML" "$a"
  row "FileFilter -peak_options:sort_peaks" "$b"
  row "FileConverter, mzML to MGF" "$c"
  theirs=$(echo "$a $b $c" | awk '{ print $1 + $2 + $3 }')
  row "OpenMS ($(counts "$work/theirs.mgf"))" "$theirs"
  echo "$ours $theirs" | awk '{ printf "  specsort is %.1f times as fast\n", $2 / $1 }'
done
