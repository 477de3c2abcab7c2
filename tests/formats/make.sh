#!/usr/bin/env bash
# tests/formats/make.sh BIN PRELOADED: writes tests/formats/VERSION.tar.gz by the tools in BIN, once for each version that is
# released: small indexes of every kind, a file of `duplicates --resume` that was interrupted (by PRELOADED,
# libordo_fail_calls.so), and what commands print of them. tests/cli/sufsort/old_formats.sh reads the files of all versions.
set -euo pipefail
bin=$(readlink -e "$1") preloaded=$(readlink -e "$2") formats=$(cd "$(dirname "$0")" && pwd)
export PATH=$bin:$PATH ORDO_DEVICE=cpu
version=$(sufsort --version | sed -n '1s/.*(Ordo) //p')
[[ $version ]] || { echo 'no version' >&2; exit 2; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/$version"; cd "$work/$version"
cat > commands <<'END'
sufsort check dna
sufsort check cut
sufsort check kept
sufsort check wide
sufsort check protein
sufsort check packed
sufsort check lines
sufsort check tokens
sufsort check json
sufsort count dna GATTACA CC NNN
sufsort locate dna GATTACA --both-strands
sufsort locate cut TTACA
sufsort locate kept ttgc
sufsort locate wide GATT
sufsort locate protein GATTACA
sufsort locate packed GATTACA
sufsort mem dna query.fa --min-length 5
sufsort mem packed query.fa --min-length 5 --super-maximal
sufsort ms wide query.fa
sufsort repeats dna --min-length 6
sufsort unique cut --length 6
sufsort spectrum dna --length 3
sufsort locate lines same
sufsort duplicates tokens --min-length 6
sufsort duplicates json --min-length 12
sufsort duplicates lines --min-length 30
sufsort duplicates lines --min-length 30 --resume finished
END
printf '>first words\nGATTACAGATTACANNACGTACGTttttttttgcaRY\n>second\nGATTACANCCCCCCAAAT\n>third\nTGTAATC\n' > dna.fa
printf '>q\nGGATTACAGATTACATTTGCA\n>r\nCCCCCCAAATG\n' > query.fa
printf '>first\nMKVLAAGIVRSTNDEQHFWYCMKVLAAGIV\n>second\nGATTACAMKVLAW\n' > protein.fa
awk 'BEGIN { srand(7); for (i = 0; i < 60; ++i) { s = i % 9 == 8 ? substr(old, 5, 50) : ""; for (k = 0; k < 40; ++k)
  s = s substr("abcdefgh ", 1 + int(9 * rand()), 1); if (i % 9 == 3) old = s; print s } }' > lines.txt
printf 'the same words\nthe same words, twice\n' >> lines.txt
for k in 1 2 3; do printf '{"text": "the same line of words, %d", "n": %d}\n' $((k % 2)) $k; done > json.jsonl
python3 -c 'import sys; sys.stdout.buffer.write(b"".join((7 * k % 13).to_bytes(2, "little") for k in range(60)))' > tokens.u16
build() { sufsort build --quiet "$@"; }
build dna.fa -o dna --lcp --bwt --kmer-table 2 --force-kmer-table
build dna.fa -o cut --strands=both --ambiguous=break --lcp
build dna.fa -o kept --mask=keep --sample 2
build dna.fa -o wide --width 40 --fm
build protein.fa -o protein --fm --lcp --bwt
build dna.fa -o packed --fm --without-sa --strands=both
build lines.txt -o lines --format=lines --lcp
build tokens.u16 -o tokens --lcp
build json.jsonl -o json --lcp
# Half of the eight parts are finished.
LD_PRELOAD=$preloaded ORDO_FAULT=name:7+:5 sufsort duplicates lines --min-length 30 --resume finished -o /dev/null \
  2> /dev/null || true
[[ -s finished ]] || { echo 'no file of --resume' >&2; exit 2; }
cp finished kept.finished
for ((n = 1; n <= $(wc -l < commands); ++n)); do eval "$(sed -n "${n}p" commands)" > "printed.$n"; done
mv kept.finished finished
tar -C .. --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - "$version" | gzip -n9 > "$formats/$version.tar.gz"
wc -c "$formats/$version.tar.gz"
