#!/usr/bin/env bash
# tools/test.sh [--sanitizers]: the whole test suite, on every machine present. Enough by itself on a fresh Debian 12 or
# 13 or Ubuntu 24.04. --sanitizers: the unit tests once more, under the address, undefined behaviour and thread sanitizers.
# Stages, in this order: build, unit, cli, faults, emulation, packages. `ctest --test-dir build/release -L faults` runs one.
# The emulation of GPU kernels and the notebooks are skipped while what they test is as it was when they last passed: hashes in
# build/release/Testing/passed. A fresh clone has none, and runs them.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
  '') sanitizers=() ;;
  --sanitizers) sanitizers=(host-asan host-tsan) ;;
  -h | --help) sed -n '2,6s/^# //p' "$0"; exit ;;
  *) echo "test.sh: unknown option: $1" >&2; exit 2 ;;
esac

export ORDO_PYTHON=ON
folder=$(tools/build.sh)
echo "build: $SECONDS s"
for preset in "${sanitizers[@]}"; do
  began=$SECONDS
  checked=$(tools/build.sh --preset "$preset" ordo_test)
  echo "unit tests, $preset"
  TSAN_OPTIONS=${TSAN_OPTIONS-strict_memcmp=0} "$checked/bin/ordo_test"  # else long reads are looked at to their last byte
  echo "$preset: $((SECONDS - began)) s"
done
# One run of ctest: the cores are never idle between two stages, and its last lines count all tests. Its summary by label has
# the seconds of the stages, which are labels; tests/CMakeLists.txt has their order.
ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)"
