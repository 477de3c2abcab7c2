#!/usr/bin/env bash
# tools/archive.sh [x86_64|aarch64]: makes dist/ordo-VERSION-linux-TARGET.tar.xz of this checkout, to be unpacked anywhere: the
# three programs, which are one file with three names, their manual pages and completions, and libordo.so with ordo.h. They need
# glibc 2.28 (2018) or newer and nothing else. CPU only, without MPI. The same sources and packages give the same bytes.
# tools/zig_root.sh makes what it needs first; for aarch64 the manual pages need qemu-user.
# tests/packages/archive.sh tries the archive on bare systems.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "archive.sh: $*" >&2; exit 2; }
target=${1:-x86_64}
case $target in
  x86_64) preset=archive machine=X86-64 ;;
  aarch64) preset=archive-aarch64 machine=AArch64 ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit ;;
  *) fail "not a target: $target" ;;
esac
(($# <= 1)) || fail 'one target'
if [[ $target != "$(uname -m)" ]]; then
  command -v "qemu-$target" "qemu-$target-static" > /dev/null || fail "no qemu-$target: install qemu-user"
fi
tools/zig_root.sh "$target" > /dev/null
build=build/$preset
cmake --preset "$preset" > "$build.log" 2>&1 || { tail -n 20 "$build.log" >&2; fail "see $build.log"; }
cmake --build "$build" --target ordo_tools strsort ordo ordo_pages

version=$(sed -n 's/^project(ordo VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(cmake -DCHANGELOG=debian/changelog -P cmake/release_date.cmake)
name=ordo-$version-linux-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made=$work/$name
cmake --install "$build" --prefix "$work/all" > "$build.log"
mkdir -p "$made"/{bin,lib/pkgconfig,include}
cp "$build/bin/ordo-tools" "$made/bin/strsort"
for tool in specsort sufsort; do ln "$made/bin/strsort" "$made/bin/$tool"; done  # hard links: each can be copied alone
cp -P "$work"/all/lib/libordo.so* "$made/lib/"
cp "$work/all/lib/pkgconfig/ordo-core.pc" "$made/lib/pkgconfig/"
cp "$work/all/include/ordo.h" "$made/include/"
cp -r "$work/all/share" "$made/"
mkdir -p "$made/share/doc/ordo"
cp -r "build/zig/$target/licences" "$made/share/doc/ordo/"
cp LICENSE "$made/"
cat > "$made/README" <<END
Ordo $version for $target, Linux with glibc 2.28 or newer

    PATH=\$PWD/bin:\$PATH             sufsort, specsort, strsort
    MANPATH=\$PWD/share/man: man strsort
    cc x.c -Iinclude -Llib -lordo   the sort core, by <ordo.h>

Move the folder where you like; each program works alone, too. The libraries inside: share/doc/ordo/licences.
END

# What the file says of itself: the machine, what it loads, and the newest symbols of glibc.
for file in "$made"/bin/strsort "$made"/lib/libordo.so; do
  is=$(readelf -hdW "$file") symbols=$(readelf --dyn-syms -W "$file")
  grep -q "Machine:.*$machine" <<< "$is" || fail "$file is not for $target"
  loads=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<< "$is")
  if grep -vxE '(libc|libm|libpthread|libdl|librt|ld-linux-[a-z0-9-]*)\.so\.[0-9]+' <<< "$loads"; then
    fail "${file##*/} loads that"
  fi
  if grep -E '\((RPATH|RUNPATH)\)' <<< "$is"; then fail "${file##*/} looks for libraries there"; fi
  newest=$(grep -o 'GLIBC_[0-9.]*' <<< "$symbols" | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
  [[ $(printf '%s\n' "$newest" 2.28 | sort -V | tail -n 1) == 2.28 ]] || fail "${file##*/} needs glibc $newest"
  grep -q ' memcpy@GLIBC_' <<< "$symbols" || fail "${file##*/} has a memcpy of the compiler's, not that of glibc"
  for folder in "$PWD" "$(readlink -e build/zig)"; do
    if grep -aqF "$folder" "$file"; then fail "${file##*/} names the folder it was built in"; fi
  done
  printf '%-32s %5.1f MB, glibc %s\n' "${file##*/}" "$(($(stat -Lc %s "$file") / 100000))e-1" "$newest"
done

mkdir -p dist
tools/pack_archive.sh "$made" "$date" > "$work/$name.tar.xz"
size=$(stat -c %s "$work/$name.tar.xz")
((size <= 12000000)) || fail "$size bytes, more than 12 MB"
mv "$work/$name.tar.xz" dist/
printf '%-32s %5.1f MB\n' "dist/$name.tar.xz" "$((size / 100000))e-1"
