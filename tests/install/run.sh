#!/usr/bin/env bash
# run.sh BUILD: install what is built there, and build and run the documents' programs against it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
# What the demonstration builds is all that is installed: every installed file that a rule makes is made for it.
# The Python module is a component of its own, which is installed only by name.
ninja -C "$1" -t targets all | sed 's/: [^:]*$//' | sort > "$work/outputs"
ninja -C "$1" -t commands ordo_installed > "$work/commands"
find "$1" -name cmake_install.cmake ! -path "$1/python/*" -exec grep -hoE "FILES(_MATCHING)? \"$1/[^\"]*\"" {} + | sed "s|.* \"$1/||; s|\"$||" | sort |
  comm -12 - "$work/outputs" > "$work/needed"
grep -qx bin/sufsort "$work/needed"
while read -r file; do
  grep -qF "$file" "$work/commands" || { echo "$file is installed, but not in ordo_installed"; exit 1; }
done < "$work/needed"
cmake --install "$1" --prefix "$work/prefix" > "$work/log"
for tool in sufsort specsort strsort; do "$work/prefix/bin/$tool" --version > /dev/null; done
for tool in sufsort specsort strsort; do
  for file in man/man1/$tool.1 bash-completion/completions/$tool zsh/site-functions/_$tool fish/vendor_completions.d/$tool.fish; do
    grep -q threads "$work/prefix/share/$file" || { echo "$file: options are missing"; exit 1; }
  done
done
grep -q kmer "$work/prefix/share/man/man1/sufsort-build.1" || { echo 'sufsort-build.1: options are missing'; exit 1; }
cmake -G Ninja -S "$here" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/log" ||
  { cat "$work/log"; exit 1; }
ninja -C "$work/build" --quiet

cmake -G Ninja -S "$here/core_alone" -B "$work/core_alone" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
ninja -C "$work/core_alone" --quiet
"$work/core_alone/use_core" | diff "$here/core.out" -
# It links the sorts that it calls, and no others.
if [[ -n $(find "$work/prefix" -name libordo_sort_core.a) ]]; then
  strip -o "$work/stripped" "$work/core_alone/use_core"
  size=$(stat -c %s "$work/stripped")
  ((size <= 1 << 20)) || { echo "a program of the sort core alone has $size bytes"; exit 1; }
fi

# The same without CMake: one -I, and what the .pc files say.
library_folder=$(dirname "$(find "$work/prefix" -name ordo-core.pc)")
export PKG_CONFIG_PATH=$library_folder LD_LIBRARY_PATH=${library_folder%/pkgconfig}:${LD_LIBRARY_PATH-}
# Only one program is compiled again: the others are objects of CMake's build, linked as the .pc files say.
for pair in core:core suffix:suffix peaks:spectra strings:strings distributed:distributed; do
  program=${pair%:*} module=ordo-${pair#*:} source=$work/build/CMakeFiles/use_${pair%:*}.dir/${pair%:*}.cpp.o
  if [[ $program == core ]]; then source=$here/core.cpp; fi
  folder=$(pkg-config --cflags-only-I "$module" | grep -oE '[^ ]*/include' | head -n 1)
  [[ -e ${folder#-I}/ordo/cpu.hpp ]] || { echo "$module.pc: no headers in ${folder#-I}"; exit 1; }
  # shellcheck disable=SC2046
  "${CXX:-c++}" -std=c++20 -O1 "$source" $(pkg-config --cflags --libs "$module") -o "$work/$program"
  "$work/$program" | diff "$here/$program.out" -
done
# shellcheck disable=SC2046
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror "$here/c_sort.c" $(pkg-config --cflags --libs ordo-core) -lstdc++ -lm \
  -o "$work/c_sort"
"$work/c_sort" | diff "$here/c_sort.out" -
if [[ -f ${library_folder%/pkgconfig}/libordo.so ]]; then
  for call in ordo_cpu_create ordo_gpu_create ordo_sort_segments ordo_last_error; do
    nm -D --defined-only "${library_folder%/pkgconfig}/libordo.so" | grep -q " T $call$" || { echo "libordo.so lacks $call"; exit 1; }
  done
  # Inner parts stay inside.
  if nm -DC --defined-only "${library_folder%/pkgconfig}/libordo.so" | grep -E ' [TW] ordo::.*(_on_host|_on_cuda|host_backend|cuda_backend)' ; then
    echo 'libordo.so shows inner parts'
    exit 1
  fi
fi

# ORDO_TOOLS=OFF makes the same libraries where what the tools alone need is not there, and no programs.
printf '#!/bin/sh\ncase "$*" in *htslib*|*libpcre2*) exit 1 ;; esac\nexec %s "$@"\n' "$(command -v pkg-config)" > "$work/pkg-config"
chmod +x "$work/pkg-config"
shared=OFF cuda=OFF
if [[ -f ${library_folder%/pkgconfig}/libordo.so ]]; then shared=ON; fi
if [[ -d $work/prefix/include/ordo/detail/sort_core/cuda ]]; then cuda=ON; fi
libraries() {
  cmake -G Ninja -S "$here/../.." -B "$work/libraries" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
    --no-warn-unused-cli -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" -DBUILD_SHARED_LIBS="$shared" -DORDO_CUDA="$cuda" "$@" > "$work/log" 2>&1
}
libraries -DORDO_TOOLS=OFF || { cat "$work/log"; exit 1; }
ninja -C "$work/libraries" -n > "$work/log"  # everything that its rules need has a rule
names_of() { find "$1" -name cmake_install.cmake -exec grep -hoE '"[^"]*/libordo[a-z_]*\.(a|so)[0-9.]*"' {} + | sed 's|.*/||' | sort -u; }
diff <(names_of "$1") <(names_of "$work/libraries")
if grep -rE 'man1|sufsort|ordo_mpi' --include=cmake_install.cmake "$work/libraries"; then echo 'ORDO_TOOLS=OFF installs programs'; exit 1; fi
if libraries -DORDO_TESTS=ON || ! grep -q 'ORDO_TESTS is ON, which needs the programs' "$work/log"; then
  cat "$work/log"
  echo 'the tests without the programs'
  exit 1
fi

# A project that fetches the sources builds what its programs need of them, and no program of ours.
cmake -G Ninja -S "$here/fetched" -B "$work/fetched" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DORDO_CUDA="$cuda" \
  -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
ninja -C "$work/fetched" -n use_core > "$work/log"
grep -q libordo_sort_core "$work/log" && ! grep -E 'strsort|spectra/|bin/' "$work/log" || { echo 'sources as a part of a project'; exit 1; }

# gpu.cuh says in one error what is missing: nvcc, or the GPU machine.
if [[ -d $work/prefix/include/ordo/detail/sort_core/cuda ]]; then missing='is for nvcc'; else missing='without GPU support'; fi
echo '#include <ordo/gpu.cuh>' > "$work/without_nvcc.cpp"
if "${CXX:-c++}" -std=c++20 -fsyntax-only -I "$work/prefix/include" "$work/without_nvcc.cpp" 2> "$work/log" ||
    [[ $(grep -c 'error:' "$work/log") != 1 ]] || ! grep -q "error:.*$missing" "$work/log"; then
  cat "$work/log"
  echo "gpu.cuh without nvcc: not one #error that says so"
  exit 1
fi

gpu_here() { "$work/prefix/bin/strsort" --version | grep '^GPU: ' | grep -qv none; }
for file in "$here"/*.c "$here"/*.cpp "$here"/*.cu; do
  name=$(basename "$file"); program=${name%.*}; language=cpp
  if [[ $file == *.c ]]; then language=c; fi
  if [[ -x $work/build/use_$program && ($program != gpu* || $(gpu_here && echo here)) ]]; then
    "$work/build/use_$program" > "$work/out"
    diff "$here/$program.out" "$work/out"
  fi
  # The documents show this very program.
  cat "$here"/../../docs/{libraries,other_libraries,how-to/*}.md | awk -v file="$file" -v language="$language" '
    BEGIN { while ((getline line < file) > 0) program = program line "\n" }
    { shown = shown $0 "\n" }
    END { exit index(shown, "```" language "\n" program "```\n") == 0 }' ||
    { echo "no page shows tests/install/$name as it is"; exit 1; }
done
