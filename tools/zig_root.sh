#!/usr/bin/env bash
# tools/zig_root.sh [--folder FOLDER] [x86_64|aarch64]: makes build/zig/TARGET, which cmake/zig.cmake needs to build programs
# for Linux systems with glibc 2.28 and newer: compilers, and the libraries of Debian 12 that Ordo needs, as archives. It takes
# three minutes and 1 GB; what is there already is kept. Nothing outside of the folder is changed.
#   venv               zig, from PyPI: clang, libc++ and stubs of every glibc
#   TARGET/bin         its compilers for this target: zig-clang, zig-clang++, zig-ar, zig-ranlib
#   TARGET/root        headers and archives. Those of C are in Debian's packages; those of C++, which must have libc++, expat,
#                      whose archive there needs glibc 2.36, and bzip2, whose archive is for programs alone, are built from
#                      Debian's sources
#   TARGET/licences    what the authors of these libraries want said beside programs that hold them
#   TARGET/system      the C library of Debian, for qemu; of a target that is not this machine
# ORDO_DEBIAN names a mirror of Debian (http://deb.debian.org), ORDO_ZIG_WHEEL a file or version of ziglang.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
fail() { echo "zig_root.sh: $*" >&2; exit 2; }
folder=build/zig target=x86_64
while (($#)); do
  case $1 in
    --folder) [[ ${2-} ]] || fail '--folder needs a value'; folder=$2; shift ;;
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit ;;
    x86_64 | aarch64) target=$1 ;;
    *) fail "not a target: $1" ;;
  esac
  shift
done
glibc=2.28
case $target in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; esac
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -f $keyring ]] || fail "no $keyring: install debian-archive-keyring"
for tool in apt-get dpkg-source cmake ninja pkg-config python3; do
  command -v "$tool" > /dev/null || fail "no $tool"
done
mkdir -p "$folder/$target"/{bin,root/usr/lib,build,licences} "$folder"/{cache,sources}
folder=$(readlink -e "$folder")
here=$folder/$target root=$folder/$target/root libraries=usr/lib/$target-linux-gnu
exec 9> "$folder/lock"
flock 9
log=$here/log
: > "$log"
exec 8>&2
trap '(($? == 0)) || { tail -n 20 "$log"; echo "zig_root.sh: see $log"; } >&8' EXIT
say() { echo "zig_root.sh: $*" >&8; }
# once NAME COMMAND...: runs a step that has not been done.
once() {
  [[ ! -e $here/done-$1 ]] || return 0
  say "$target: $1"
  "${@:2}" >> "$log" 2>&1
  touch "$here/done-$1"
}

if [[ ! -x $folder/venv/zig ]]; then
  say "zig ${ORDO_ZIG_WHEEL:-0.17.1}"
  python3 -m venv "$folder/venv" >> "$log" 2>&1
  wheel=${ORDO_ZIG_WHEEL:-0.17.1}
  [[ -f $wheel ]] || wheel=ziglang==$wheel
  "$folder/venv/bin/pip" install --quiet "$wheel" >> "$log" 2>&1
  ln -s "$(echo "$folder"/venv/lib/python3*/site-packages/ziglang/zig)" "$folder/venv/zig"
fi
for tool in clang:cc clang++:c++ ar:ar ranlib:ranlib; do
  options=''
  # The target also sets the processor: the least that the architecture has. zig without -O would check for undefined behaviour.
  [[ $tool != clang* ]] || options=" -target $target-linux-gnu.$glibc -fno-sanitize=undefined"
  wrapper=$here/bin/zig-${tool%:*}
  printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%s ZIG_LOCAL_CACHE_DIR=%s\nexec %s %s%s "$@"\n' \
    "$folder/cache" "$folder/cache" "$folder/venv/zig" "${tool#*:}" "$options" > "$wrapper.new"
  chmod +x "$wrapper.new"
  if cmp -s "$wrapper.new" "$wrapper"; then rm "$wrapper.new"; else mv "$wrapper.new" "$wrapper"; fi  # ccache looks at its time
done

# An apt of its own, of Debian 12, whatever this machine has.
apt=$here/apt
apt() { apt-get -c "$apt/conf" -qq "$@"; }
packages_lists() {
  local mirror=${ORDO_DEBIAN:-http://deb.debian.org}
  mkdir -p "$apt"/{lists/partial,archives/partial,none}
  : > "$apt/status"
  printf 'APT::Architecture "%s"; APT::Architectures { "%s"; }; APT::Sandbox::User "root"; Acquire::Languages "none";
Dir::State "%s"; Dir::State::status "%s/status"; Dir::Cache "%s"; Dir::Etc::sourcelist "%s/sources";
Dir::Etc::sourceparts "%s/none"; Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "%s/none";\n' \
    "$architecture" "$architecture" "$apt" "$apt" "$apt" "$apt" "$apt" "$apt" > "$apt/conf"
  for kind in deb deb-src; do
    echo "$kind [signed-by=$keyring] $mirror/debian bookworm main"
    echo "$kind [signed-by=$keyring] $mirror/debian-security bookworm-security main"
  done > "$apt/sources"
  apt update
}

packages=(zlib1g-dev libbz2-dev libbz2-1.0 liblzma-dev libzstd-dev libdeflate-dev libpcre2-dev libssl-dev libhts-dev libhts3
          libboost1.74-dev libboost-iostreams1.74-dev libhwy-dev nlohmann-json3-dev libfast-float-dev libgcc-12-dev gcc-12-base)
c_libraries() (
  cd "$apt/archives"
  apt download "${packages[@]}"
  local package
  for package in "${packages[@]}"; do dpkg-deb -x "${package}"_*.deb "$root"; done
  mv "$root/usr/lib/gcc/$target-linux-gnu/12/libgcc.a" "$root/$libraries/"  # see cmake/zig.cmake
  rm -r "$root/usr/lib/gcc"
  # Programs get archives alone. htslib is loaded at run time, by the name that its library has.
  find "$root" -name '*.so*' ! -name 'libhts.so*' -delete
  rm "$root/$libraries"/cmake/boost_iostreams-*/*-shared.cmake
  sed -i '/^list(APPEND _cmake_import_check_files_for/d' "$root/$libraries"/cmake/hwy/*.cmake  # of Highway, headers are used
  # Headers of the multiarch folder, where zig does not look.
  cp -r "$root/usr/include/$target-linux-gnu/." "$root/usr/include/"
  for package in "${packages[@]}"; do
    cp "$root/usr/share/doc/$package/copyright" "$here/licences/${package%-dev}"
  done
)

# source_of NAME [FILE]: a source package of Debian with its patches, or some files of it, in sources/NAME. A mirror may not
# have the last version of all.
source_of() (
  local name=$1 files=${2-} version
  [[ ! -e $folder/sources/$name/complete ]] || return 0
  rm -rf "$folder/sources/$name"
  mkdir -p "$folder/sources/$name.packed"
  cd "$folder/sources/$name.packed"
  for version in $(apt-cache -c "$apt/conf" showsrc "$name" | sed -n 's/^Version: //p' | sort -Vr) none; do
    if apt source --download-only "$name=$version"; then break; fi
    say "$name $version cannot be had"
  done
  if [[ $files ]]; then
    mkdir "../$name"
    tar -C "../$name" -xf "$name"_*.orig.tar.*z --strip-components=1 --wildcards "$files"
    tar -C "../$name" -xf "$name"_*.debian.tar.xz debian/copyright debian/changelog
  else
    dpkg-source --no-check -x ./*.dsc "../$name"
  fi
  rm -r "$folder/sources/$name.packed"
  touch "../$name/complete"
)
# cmake_library NAME OPTION...
cmake_library() {
  local name=$1 source=$folder/sources/$1; shift
  cmake -G Ninja -S "$source" -B "$here/build/$name" --toolchain "$project/cmake/zig.cmake" \
    -DORDO_ZIG_TARGET="$target" -DORDO_ZIG_ROOT="$here" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$root/usr" -DCMAKE_INSTALL_LIBDIR="lib/$target-linux-gnu" \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_CXX_FLAGS="-w -ffile-prefix-map=$folder/sources/=" -DCMAKE_FIND_ROOT_PATH="$root" "$@"
  cmake --build "$here/build/$name" --target install
}
# archive NAME SOURCE...: an archive of a few sources, each an argument of $compile
archive() {
  local name=$1 objects=$here/build/$1 source object; shift
  mkdir -p "$objects"
  for source in "$@"; do
    object=$objects/$(basename "$source").o
    "${compile[@]}" -O2 -fPIC -w "-ffile-prefix-map=$folder/sources/=" -c "$source" -o "$object"
  done
  rm -f "$root/$libraries/lib$name.a"
  "$here/bin/zig-ar" rcsD "$root/$libraries/lib$name.a" "$objects"/*.o
}

onetbb() {
  source_of onetbb
  cmake_library onetbb -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
}
fmt() {
  source_of fmtlib
  cmake_library fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
}
simdjson() {
  source_of simdjson
  cmake_library simdjson -DSIMDJSON_DEVELOPER_MODE=OFF
}
boost_iostreams() {
  source_of boost1.74 '*/libs/iostreams/src/*'
  local sources=$folder/sources/boost1.74/libs/iostreams/src
  local compile=("$here/bin/zig-clang++" -std=c++20 -isystem "$root/usr/include")
  archive boost_iostreams "$sources"/{bzip2,gzip,lzma,zlib,zstd,file_descriptor,mapped_file}.cpp
}
expat() {
  source_of expat
  local sources=$folder/sources/expat/expat/lib
  cp "$sources/expat.h" "$sources/expat_external.h" "$root/usr/include/"
  mkdir -p "$here/build/expat"
  printf '#define %s\n' 'BYTEORDER 1234' 'HAVE_GETRANDOM 1' 'HAVE_UNISTD_H 1' 'HAVE_FCNTL_H 1' 'XML_DTD 1' 'XML_GE 1' \
    'XML_NS 1' 'XML_CONTEXT_BYTES 1024' > "$here/build/expat/expat_config.h"
  local compile=("$here/bin/zig-clang" -I "$here/build/expat")
  archive expat "$sources"/{xmlparse,xmlrole,xmltok}.c
}
bzip2() {
  source_of bzip2
  local sources=$folder/sources/bzip2
  local compile=("$here/bin/zig-clang" -D_FILE_OFFSET_BITS=64)
  archive bz2 "$sources"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
}
licences() {
  local name
  for name in onetbb fmtlib simdjson boost1.74 expat; do
    cp "$folder/sources/$name/debian/copyright" "$here/licences/$name"
  done
  cp "$(dirname "$(readlink -f "$folder/venv/zig")")/lib/libcxx/LICENSE.TXT" "$here/licences/libcxx"
}
system() (
  cd "$apt/archives"
  apt download libc6
  mkdir -p "$here/system"
  dpkg-deb -x libc6_*.deb "$here/system"
)

once lists packages_lists
once c_libraries c_libraries
once expat expat
once bzip2 bzip2
once fmt fmt
once simdjson simdjson
once boost_iostreams boost_iostreams
once onetbb onetbb
once licences licences
[[ $target == "$(uname -m)" ]] || once system system
echo "$here"
