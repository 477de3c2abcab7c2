#!/usr/bin/env bash
# fetch_content.sh [--build]: a project with targets named strings, spectra and suffix takes in Ordo's sort core, where nothing but
# oneTBB and fmt is there. With --build the project is also built and run: two minutes of one core.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
fail() { echo "fetch_content.sh: $*" >&2; exit 1; }
configure() {  # SOURCE OPTION...
  local source=$1 absent=(); shift
  for package in Boost MPI ZLIB simdjson FastFloat EXPAT OpenSSL PkgConfig nlohmann_json Catch2 hwy; do
    absent+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
  done
  cmake -G Ninja -S "$source" -B "$work/build" --no-warn-unused-cli "${absent[@]}" "$@" > "$work/log" 2>&1
}

configure "$here/parent" -DORDO_SOURCE="$here/../.." || { cat "$work/log"; fail 'the parent is not configured'; }
targets=$(sed -n 's/^-- targets of Ordo: //p' "$work/log")
[[ $targets == *ordo_sort_core* ]] || fail "no target ordo_sort_core: $targets"
for target in ${targets//;/ }; do [[ $target == ordo_* ]] || fail "a target without ordo_: $target"; done
grep -qx -- "-- build type: '', shared: '', testing: ''" "$work/log" || { grep 'build type' "$work/log"; fail 'the parent has a setting of Ordo'; }
! grep -q '^\(BUILD_SHARED_LIBS\|BUILD_TESTING\|CMAKE_BUILD_TYPE\):[A-Z]*=.' "$work/build/CMakeCache.txt" || fail 'Ordo sets variables of all projects'
# A wrong type is an error of one line that names the requirement.
generated=$(find "$work/build" -path '*/generated/ordo/detail/config.hpp')
cat > "$work/wrong.cpp" << 'END'
#include <ordo/cpu.hpp>
#include <string>
#include <vector>
int main() {
  ordo::cpu cpu;
  std::vector<int> keys(1);
  std::vector<int> const fixed(1);
  std::vector<std::string> words(1);
  ordo::sort_keys(cpu, words);                // keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits
  ordo::sort_keys(cpu, std::vector<int>(1));  // keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits
  ordo::argsort(cpu, keys.data(), keys);      // keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits
  ordo::sort_keys(cpu, fixed);                // keys_that_a_sort_writes_must_not_be_const
  ordo::sort_pairs(cpu, keys, words);         // values_must_be_a_span_or_lvalue_array_of_trivially_copyable_items
  ordo::argsort(cpu, keys, words);            // index_must_be_a_span_or_lvalue_array_of_integers_of_32_or_64_bits
}
END
if "${CXX:-c++}" -std=c++20 -fsyntax-only -I "$here/../../include" -I "${generated%/ordo/detail/config.hpp}" "$work/wrong.cpp" 2> "$work/log"; then
  fail 'no error for wrong types'
fi
for line in {9..14}; do
  requirement=$(sed -n "${line}s|.*// ||p" "$work/wrong.cpp")
  grep -A 4 "wrong.cpp:$line:.*error: " "$work/log" | grep -q "$requirement" || { head "$work/log"; fail "line $line: no $requirement"; }
done
steps=$(ninja -C "$work/build" -n | tail -n 1 | sed 's|^\[[0-9]*/\([0-9]*\)\].*|\1|')
((steps <= 40)) || fail "$steps steps to build"
if find "$work/build" -name cmake_install.cmake -exec cat {} + | grep 'FILES.*ordo'; then fail 'the parent installs parts of Ordo'; fi
[[ -z $(find "$work/build" -name CTestTestfile.cmake) ]] || fail 'the parent has tests of Ordo'
if [[ ${1-} == --build ]]; then
  configure "$here/parent" -DORDO_SOURCE="$here/../.." -DCMAKE_BUILD_TYPE=Release || { cat "$work/log"; fail 'not configured'; }
  TIMEFORMAT='%R s, of the processor %U s'; time ninja -C "$work/build" --quiet
  [[ $("$work/build/parent") == 'sorted: 1 2 3' ]] || fail 'the program sorts wrong'
  cmake --install "$work/build" --prefix "$work/prefix" > /dev/null
  [[ $(cd "$work/prefix" && find . -type f) == ./bin/parent ]] || fail 'more is installed than the program of the parent'
fi
rm -rf "$work/build"

# As a project of its own, the core alone is installed with what belongs to it.
configure "$here/../.." -DORDO_COMPONENTS=sort_core -DORDO_CUDA=OFF || { cat "$work/log"; fail 'the core is not configured'; }
if find "$work/build" -name cmake_install.cmake -exec cat {} + | grep -E 'libordo_(suffix|spectra|strings|distributed)|man1'; then
  fail 'the core alone installs other libraries'
fi
[[ -z $(find "$work/build" -name CTestTestfile.cmake) ]] || fail 'the core alone has tests'
rm -rf "$work/build"
for wrong in '-DORDO_COMPONENTS=sort_cor;there is no sort_cor' '-DORDO_COMPONENTS=strings -DORDO_TOOLS=ON;needs all libraries'; do
  # shellcheck disable=SC2086
  if configure "$here/../.." ${wrong%;*} || ! grep -q "${wrong#*;}" "$work/log"; then cat "$work/log"; fail "$wrong"; fi
  rm -rf "$work/build"
done
