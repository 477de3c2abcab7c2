#!/usr/bin/env bash
# bench/rivals.sh DIR: clone the rivals that are in no package, each at a fixed commit, and print the options for
# bench/page/run.py and cmake. Nothing of them is part of Ordo.
set -euo pipefail
folder=$(mkdir -p "${1:?usage: bench/rivals.sh DIR}" && cd "$1" && pwd)

rival() {  # OPTION OWNER/NAME COMMIT
  local to=$folder/${2#*/}
  [[ -d $to ]] || git clone -q --filter=blob:none "https://github.com/$2" "$to" >&2
  git -C "$to" checkout -q "$3"
  printf -- '-D%s=%s\n' "$1" "$to"
}

rival ORDO_LIBSAIS IlyaGrebnov/libsais b6e52ef33fe14f9d5c14c580d162b6fd2c27f2a8
rival ORDO_LIBCUBWT IlyaGrebnov/libcubwt aa386cbb3530bc73d334a0caa8d8ad1de93b4f67
rival ORDO_BB_SEGSORT Funatiq/bb_segsort 5b9fcfbc009c3c8ff68452b54e896634e6799b9a
rival ORDO_MODERNGPU moderngpu/moderngpu 267cc8d02c03f00f1656f1205c61c946a1e530b0
rival ORDO_X86_SIMD_SORT intel/x86-simd-sort 6a7a01da4b0dfde108aa626a2364c954e2c50fe1
rival ORDO_IPS4O ips4o/ips4o 08a5b926ee65cef19139057c6bde02bb5542c1cb
rival ORDO_PARLAYLIB cmuparlay/parlaylib 51017699dcc421f80479cdb238d3092233ad0d26
