#!/usr/bin/env bash
# tools/pack_archive.sh FOLDER DATE: prints FOLDER as a .tar.xz. Its bytes depend on names, contents, modes, links and DATE
# (YYYY-MM-DD) alone: not on owners, times, the umask, the order in a folder, or the environment. tools/archive.sh calls it.
set -euo pipefail
[[ -d ${1-} && ${2-} =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || { echo 'pack_archive.sh: usage: pack_archive.sh FOLDER YYYY-MM-DD' >&2; exit 2; }
unset TAR_OPTIONS XZ_DEFAULTS XZ_OPT
tar -C "$(dirname "$1")" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w,a-st \
  --mtime="$2 00:00Z" -cf - "$(basename "$1")" |
  xz -9e -T1
