#!/usr/bin/env bash
# tools/test.sh [--sanitizers]: the whole test suite, on every machine present. Enough by itself on a fresh Debian 12 or
# 13 or Ubuntu 24.04. --sanitizers: the unit tests once more, under the address, undefined behaviour and thread sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
  '') sanitizers=() ;;
  --sanitizers) sanitizers=(host-asan host-tsan) ;;
  -h | --help) sed -n '2,3s/^# //p' "$0"; exit ;;
  *) echo "test.sh: unknown option: $1" >&2; exit 2 ;;
esac

export ORDO_PYTHON=ON
folder=$(tools/build.sh)
for preset in "${sanitizers[@]}"; do
  checked=$(tools/build.sh --preset "$preset" ordo_test)
  echo "unit tests, $preset"
  "$checked/bin/ordo_test"
done
ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)"
