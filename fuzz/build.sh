#!/usr/bin/env bash
# fuzz/build.sh: builds all fuzz targets, with seeds and dictionaries. In OSS-Fuzz's container, where $OUT is set, they go there;
# elsewhere into build/fuzz, built with clang's libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."

options=()
if [[ ${OUT-} ]]; then
  # The flags are in CXXFLAGS, and the engine has a main().
  options=("-DCMAKE_CXX_COMPILER=$CXX" -DORDO_FUZZ_FLAGS= "-DORDO_FUZZ_ENGINE=$LIB_FUZZING_ENGINE")
fi
cmake --preset fuzz "${options[@]}"
cmake --build build/fuzz --target ordo_fuzz
fuzz/make_seeds.py build/fuzz/seeds
[[ ${OUT-} ]] || exit 0
for program in build/fuzz/bin/fuzz_*; do
  name=${program##*/fuzz_}
  cp "$program" "$OUT"
  (cd "build/fuzz/seeds/$name" && zip --quiet "$OUT/fuzz_${name}_seed_corpus.zip" ./*)
  [[ ! -e fuzz/dictionaries/$name.dict ]] || cp "fuzz/dictionaries/$name.dict" "$OUT/fuzz_$name.dict"
  printf '[libfuzzer]\nmax_len = 4096\nmalloc_limit_mb = 128\nclose_fd_mask = 1\n' > "$OUT/fuzz_$name.options"
done
