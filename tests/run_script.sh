#!/usr/bin/env bash
# run_script.sh SCRIPT BIN: run one command-line test with the tools in BIN first in PATH, in an empty folder.
set -euo pipefail
script=$(readlink -f "$1"); export PATH="$(readlink -f "$2"):$PATH"
export ORDO_SOURCE; ORDO_SOURCE=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d); trap 'chmod -R u+w "$work"; rm -rf --one-file-system "$work"' EXIT
cd "$work"; bash -euo pipefail "$script"
