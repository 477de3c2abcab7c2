#!/usr/bin/env bash
# tools/build.sh [--preset NAME] [TARGET...]: install what is missing, configure, build; prints the build folder, and on standard
# error the programs that are there now.
# Without a preset: optimised, in build/release, with the GPU machine where nvcc is found. Called by demo.sh and test.sh.
# With ORDO_PYTHON=ON in the environment it also makes the module of the Python package, if pip can install what that needs.
# Warnings stop the build with ORDO_WERROR=ON in the environment (.ci/run) and with the presets dev and dev-cuda only.
set -euo pipefail
cd "$(dirname "$0")/.."

# Every package that building and testing need, on Debian 12 and 13 and Ubuntu 24.04.
packages=(g++ cmake ninja-build pkg-config zlib1g-dev libboost-iostreams-dev libzstd-dev libdeflate-dev libhts-dev libexpat1-dev libssl-dev
          libtbb-dev libhwy-dev libopenmpi-dev openmpi-bin libfmt-dev libfast-float-dev nlohmann-json3-dev libsimdjson-dev libpcre2-dev catch2 libdivsufsort-dev tabix gzip bzip2 xz-utils zstd locales python3)

say() { printf '%s\n' "$*" >&2; }

install_packages() {
  command -v dpkg-query > /dev/null || return 0  # another system: CMake will name what it lacks
  local missing=() package root=()
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if (($(id -u) != 0)); then
    root=(sudo)
    if ! command -v sudo > /dev/null; then
      say "missing packages, and no sudo to install them: ${missing[*]}; going on with what is here"
      return 0
    fi
  fi
  say "installing: ${missing[*]}"
  local log; log=$(mktemp)
  if ! { "${root[@]}" apt-get update -q &&
         "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; } \
       > "$log" 2>&1 < /dev/null; then
    tail -n 5 "$log" >&2
    say "apt-get could not install: ${missing[*]}; going on with what is here"
  fi
  rm -f "$log"
}

preset=
if [[ ${1-} == --preset ]]; then preset=$2; shift 2; fi

# python_module: make an environment with what the module needs, and say whether that worked. The notebooks of its examples are
# run where nbclient, ipykernel and matplotlib can be had, sorts over processes where mpi4py and Dask can, columns where pyarrow
# can, and the stubs are checked where mypy can.
python_module() {
  local python=$PWD/build/venv/bin/python
  if [[ ! -x build/venv/bin/pytest ]]; then
    { python3 -m venv build/venv && "$python" -m pip install --quiet numpy pytest nanobind; } > /dev/null 2>&1 < /dev/null
  fi &&
    { [[ -x build/venv/bin/jupyter-execute ]] ||
      "$python" -m pip install --quiet nbclient ipykernel matplotlib > /dev/null 2>&1 < /dev/null || true; } &&
    { [[ -x build/venv/bin/stubtest ]] || "$python" -m pip install --quiet mypy > /dev/null 2>&1 < /dev/null || true; } &&
    { [[ -x build/venv/bin/dask ]] || "$python" -m pip install --quiet mpi4py distributed > /dev/null 2>&1 < /dev/null || true; } &&
    { compgen -G 'build/venv/lib/python*/site-packages/pyarrow' > /dev/null ||
      "$python" -m pip install --quiet pyarrow > /dev/null 2>&1 < /dev/null || true; } &&
  "$python" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2> /dev/null ||
    { say 'the Python package is left out: python3 lacks venv, its headers, or (by pip) numpy, pytest and nanobind'; return 1; }
}

if [[ ${ORDO_PYTHON-} == ON ]]; then packages+=(python3-dev python3-venv); fi
install_packages
for tool in cmake ninja; do
  command -v "$tool" > /dev/null || { say "build.sh: $tool: not found: install what docs/building.md lists"; exit 2; }
done
module=OFF
if [[ ${ORDO_PYTHON-} == ON ]] && python_module; then module=ON; fi
command -v nvcc > /dev/null || [[ ! -x /usr/local/cuda/bin/nvcc ]] || export PATH=$PATH:/usr/local/cuda/bin

folder=build/${preset:-release}
mkdir -p "$folder"
log=$folder/configure.log
if [[ $preset == dev* ]]; then werror=ON; else werror=${ORDO_WERROR:-OFF}; fi
# A folder of an older version may have it the other way.
if [[ ! -f $folder/build.ninja ]] || ! grep -qx "ORDO_WERROR:BOOL=$werror" "$folder/CMakeCache.txt" ||
    { [[ $module == ON ]] && ! grep -qx 'ORDO_PYTHON:BOOL=ON' "$folder/CMakeCache.txt"; }; then
  if [[ $preset ]]; then configure=(--preset "$preset"); else configure=(-G Ninja -S . -B "$folder"); fi
  configure+=("-DORDO_WERROR=$werror")
  if [[ $module == ON ]]; then configure+=(-DORDO_PYTHON=ON "-DPython_EXECUTABLE=$PWD/build/venv/bin/python"); fi
  say "configuring $folder"
  cmake "${configure[@]}" > "$log" 2>&1 || { cat "$log" >&2; exit 2; }
fi
say "building $folder"
[[ -t 2 ]] && quiet=() || quiet=(--quiet)  # progress for a person; for a log, warnings and errors only
ninja -C "$folder" "${quiet[@]}" "$@" >&2
made=()
(($#)) || set -- sufsort specsort strsort
for program in "$@"; do
  if [[ -x $folder/bin/$program ]]; then made+=("$folder/bin/$program"); fi
done
((${#made[@]} == 0)) || say "built ${made[*]}"
printf '%s\n' "$folder"
