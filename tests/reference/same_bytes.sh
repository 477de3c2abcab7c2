#!/usr/bin/env bash
# same_bytes.sh COMMANDS OLD NEW: runs commands with the tools in the folder OLD and with those in NEW, each in a folder of its own,
# and compares what they print, their exit status and every file they leave. COMMANDS holds one command a line, or is a Markdown file,
# whose ```console blocks are run. Run it in the repository's root: commands name datasets/samples. Not a test of the suite: for
# changes that must not change a byte.
set -euo pipefail
(($# == 3)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
commands=$(readlink -e "$1") old=$(readlink -e "$2") new=$(readlink -e "$3") datasets=$PWD/datasets
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
if [[ $commands == *.md ]]; then
  awk '/^```/ { inside = $0 == "```console"; next } inside && sub(/^\$ /, "")' "$commands"
else
  cat "$commands"
fi > "$work/list"
for version in old new; do
  mkdir -p "$work/$version"
  (
    cd "$work/$version"
    ln -s "$datasets" datasets
    PATH=${!version}:$PATH
    while IFS= read -r line; do
      printf '$ %s\n' "$line"
      status=0
      eval "$line" > .out 2> .err < /dev/null || status=$?
      cat .out .err
      echo "status $status"
      find . -type f ! -name .out ! -name .err -print0 | sort -z | xargs -0r sha256sum
    done < "$work/list" > "$work/$version.log"
  )
done
diff "$work/old.log" "$work/new.log" && echo "$(wc -l < "$work/list") commands: the same bytes"
