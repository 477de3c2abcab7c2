# The fuzz targets on their seeds and on random changes of these, which also keeps them compiling; and whether they can be
# configured and compiled for libFuzzer. fuzz/run.sh looks for more.
. "$ORDO_SOURCE/tests/cli/lib.sh"

"$ORDO_SOURCE/fuzz/make_seeds.py" seeds
for target in seeds/*; do
  runs=20
  [[ $target != */gnu_order ]] || runs=2  # it starts a process for each
  ordo_replay "${target#seeds/}" $runs "$target"/* > out 2> err || fail "$target: $(tail -c 500 err)"
done
[[ $(ls seeds | wc -l) == 14 ]] || fail "not all targets: $(ls seeds)"

# OSS-Fuzz's container has the libraries that the build needs, but for the tests.
for package in $(sed -n '/^packages=(/,/)/p' "$ORDO_SOURCE/tools/build.sh" | grep -o '[a-z0-9-]*lib[a-z0-9-]*-dev\|nlohmann[a-z0-9-]*'); do
  case $package in libopenmpi-dev | libdivsufsort-dev) continue ;; esac
  grep -qw -- "$package" "$ORDO_SOURCE/fuzz/oss-fuzz/Dockerfile" || fail "fuzz/oss-fuzz/Dockerfile lacks $package"
done

# fuzz/CMakeLists.txt lists sources by name: CMake finds each of them, and clang compiles with the flags of libFuzzer. Linking a
# target would take minutes: it needs the libraries once more.
for program in clang++ cmake ninja; do command -v $program > /dev/null || exit 0; done
env -u CMAKE_CXX_COMPILER_LAUNCHER cmake -G Ninja -S "$ORDO_SOURCE" -B fuzz -DCMAKE_CXX_COMPILER=clang++ -DORDO_FUZZ=ON \
  -DORDO_TESTS=OFF -DORDO_MPI=OFF -DORDO_CUDA=OFF \
  > out 2> err || fail "the fuzz targets cannot be configured: $(tail -c 1000 err)"
[[ $(ninja -C fuzz -t commands ordo_fuzz | grep -c -- '-o bin/fuzz_') == 14 ]] || fail 'ordo_fuzz does not build all targets'
# No launcher is asked for: sources are compiled through ccache where it works, elsewhere with a precompiled header.
ways=0
if grep -q 'ccache .*clang++' fuzz/CMakeFiles/rules.ninja; then ways=$((ways + 1)); fi
if grep -q 'cmake_pch\.hxx' fuzz/build.ninja; then ways=$((ways + 1)); fi
((ways == 1)) || fail "ccache and a precompiled header: $ways of the two"
ninja -C fuzz fuzz/CMakeFiles/fuzz_description.dir/description.cpp.o > out 2>&1 ||
  fail "a fuzz target does not compile: $(tail -c 1000 out)"
