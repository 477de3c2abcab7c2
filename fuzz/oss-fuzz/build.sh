#!/bin/bash -eu
# Packages of C++ libraries need libstdc++. The targets run where no package is installed: their libraries go beside them.
export CXXFLAGS="${CXXFLAGS/-stdlib=libc++/}"
cd "$SRC/ordo"
fuzz/build.sh
mkdir -p "$OUT/lib"
for program in "$OUT"/fuzz_*; do
  [[ -x $program && $program != *.* ]] || continue
  ldd "$program" | awk '$3 ~ /^\// { print $3 }' | grep -Ev '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv))\.so' |
    xargs -r cp -Lut "$OUT/lib"
  patchelf --force-rpath --set-rpath '$ORIGIN/lib' "$program"
done
# A library finds those that it needs itself.
for library in "$OUT"/lib/*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$library"; done
