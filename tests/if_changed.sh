#!/usr/bin/env bash
# if_changed.sh PASSED PATH... -- COMMAND...: run a test if the files at these paths, or its command, are not those of its last
# pass. The file PASSED, in the build folder, holds their hash. Without a change the status is 77, which ctest calls skipped.
set -euo pipefail
passed=${1:?usage: if_changed.sh PASSED PATH... -- COMMAND...} paths=()
shift
while (($#)) && [[ $1 != -- ]]; do paths+=("$1"); shift; done
(($# > 1 && ${#paths[@]})) || { echo 'if_changed.sh: no paths, or no command' >&2; exit 2; }
shift

# Names and contents, in an order that no file system and no locale changes.
files=$(find -L "${paths[@]}" -type f ! -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
hash=$({ printf '%s\n' "$@"; printf '%s\n' "$files"; } | sha256sum)
if [[ -f $passed && $(< "$passed") == "$hash" ]]; then
  echo "skipped: nothing that it tests has changed since it passed; without $passed it runs"
  exit 77
fi
rm -f "$passed"
"$@"
mkdir -p "$(dirname "$passed")"
printf '%s\n' "$hash" > "$passed.$$"
mv "$passed.$$" "$passed"
