#!/usr/bin/env bash
# tests/headers.sh BUILD [--iwyu]: each public header compiles alone, as the only one of a source, and ordo.h as C, too. --iwyu asks
# include-what-you-use instead whether it includes what it uses, and prints what is missing. What it would remove is not said: users may
# count on it. Headers with code for GPUs, and those whose libraries are not on this system, are left out. The compiler is $CXX (c++).
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1-} && $1 != -* ]] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2; }
export generated=$1/generated CXX=${CXX:-c++} MPI=no
[[ -e $generated/ordo/detail/config.hpp ]] || { echo "headers.sh: $1: it has no generated/ordo/detail/config.hpp" >&2; exit 2; }
if pkg-config --exists mpi-cxx 2> /dev/null; then MPI=$(pkg-config --cflags mpi-cxx); fi

check() {
  local options=(-std=c++20 -Wall -Wextra -Iinclude "-I$generated" -I.)
  case $1 in
    */rmm.hpp) return 0 ;;  # needs RMM
    */torch.hpp) options+=(-Itests/unit/stand_ins) ;;
    */mpi.hpp)
      [[ $MPI != no ]] || return 0
      read -ra words <<< "$MPI"
      options+=("${words[@]}" -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
      ;;
  esac
  case $2 in
    alone) "$CXX" "${options[@]}" -Werror -fsyntax-only -x c++ - <<< "#include \"${1#include/}\"" ;;
    --iwyu)
      include-what-you-use "${options[@]}" -w -Xiwyu --cxx17ns -Xiwyu --mapping_file=tests/headers.imp -x c++-header "$1" 2>&1 |
        awk -v header="$1" '
          /should add these lines:$/ { adds = 1; next }
          /should remove these lines:$|^The full include-list|has correct/ { adds = 0 }
          / error: / || (adds && /^#include/) { print header ": " $0; failed = 1 }
          END { exit failed }'
      ;;
  esac
}
export -f check

mode=alone
[[ ${2-} != --iwyu ]] || mode=--iwyu
find include/ordo -name '*.hpp' -print0 | LC_ALL=C sort -z | xargs -0 -P "$(nproc)" -I{} bash -euo pipefail -c 'check {} '"$mode"
[[ $mode != alone ]] || cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -x c include/ordo.h
