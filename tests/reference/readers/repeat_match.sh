#!/usr/bin/env bash
# repeat_match.sh FASTA LENGTH: are the maximal pairs of `sufsort repeats --pairs` those of MUMmer's `repeat-match -f`? FASTA holds
# one record. Tells the seconds of both; sufsort's with and without building the index. sufsort and repeat-match are in PATH.
set -euo pipefail
fasta=$(readlink -f "$1") length=$2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%R s'
echo -n 'sufsort build: '; time sufsort build "$fasta" -o index --lcp --bwt --quiet
echo -n 'sufsort repeats: '; time sufsort repeats index --min-length "$length" --pairs --limit 0 > pairs
echo -n 'repeat-match: '; time repeat-match -f -n "$length" "$fasta" > theirs 2> log
awk -F'\t' '{ print $2 + 1, $5 + 1, $7 }' pairs | sort > ours.sorted
awk '$1 ~ /^[0-9]+$/ { print $1, $2, $3 }' theirs | sort > theirs.sorted
cmp ours.sorted theirs.sorted
echo "the same $(wc -l < ours.sorted) pairs"
