#!/usr/bin/env bash
# fuzz/keep.sh [MAX]: packs the corpus of build/fuzz/corpus, which fuzz/run.sh has made smaller, into fuzz/corpus.tar.xz: of each
# target the MAX (400) smallest inputs. The next campaign begins with them, the tests run them, and OSS-Fuzz gets them as seeds.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in build/fuzz/corpus/*/; do
  name=$(basename "$folder")
  mkdir "$work/$name"
  find "$folder" -type f -printf '%s %f\n' | sort -n | head -n "${1-400}" | while read -r _ file; do
    cp "$folder/$file" "$work/$name/"
  done
done
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$work" -cf - . | xz -9e > fuzz/corpus.tar.xz
printf '%s inputs, %s bytes\n' "$(find "$work" -type f | wc -l)" "$(stat -c %s fuzz/corpus.tar.xz)"
(($(stat -c %s fuzz/corpus.tar.xz) < 5000000)) || { echo 'keep.sh: more than 5 MB: keep fewer' >&2; exit 1; }
