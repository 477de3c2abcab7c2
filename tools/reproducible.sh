#!/usr/bin/env bash
# tools/reproducible.sh [FOLDER]: builds the Debian packages of the last commit twice, and compares all bytes. The folders, the time
# zone, the language, the umask and the order of the steps differ. No compiler cache is used. Prints the checksum of each package;
# the exit status is 1 if two differ, with the files in them that do. What was built stays in FOLDER, if it is given. Needs
# debhelper and the packages of debian/control; without nanobind python3-ordosort is left out.
#   ORDO_DEBUG_SYMBOLS=OFF   no packages of debug symbols: a shorter build
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "reproducible.sh: $*" >&2; exit 2; }
[[ ${1-} != -* ]] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit; }
if [[ ${1-} ]]; then
  mkdir -p "$1"
  work=$(readlink -e "$1")
  [[ ! $(ls -A "$work") ]] || fail "$1: the folder is not empty"
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

commit=$(git rev-parse HEAD)
profiles=nocheck
dpkg-query -W nanobind-dev > /dev/null 2>&1 || profiles+=,nopython
export DEB_BUILD_OPTIONS="nocheck ${DEB_BUILD_OPTIONS-}" CCACHE_DISABLE=1
unset CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER
if [[ ${ORDO_DEBUG_SYMBOLS-} == OFF ]]; then
  DEB_BUILD_OPTIONS+=' noautodbgsym'
  export DEB_CXXFLAGS_STRIP=-g DEB_CFLAGS_STRIP=-g
fi

# build FOLDER UMASK VARIABLE=VALUE...: as far as anything may differ between two who build the same sources.
build() {
  local folder=$1 mask=$2
  shift 2
  mkdir -p "$folder"
  git archive --prefix=ordo/ "$commit" | tar -x -C "$folder"
  (cd "$folder/ordo" && umask "$mask" && env "$@" dpkg-buildpackage -us -uc -b -P"$profiles") > "$folder/log" 2>&1 ||
    { tail -n 20 "$folder/log" >&2; fail "the build in $folder failed"; }
}
first=$work/1 second=$work/second/in/another/folder
build "$first" 022 TZ=UTC LC_ALL=C
build "$second" 002 TZ=Asia/Tokyo LC_ALL=C.UTF-8 "HOME=$work/second"

# differences FILE FILE: the files within two packages that differ.
differences() {
  local side unpacked
  unpacked=$(mktemp -d -p "$work")
  for side in 1 2; do
    dpkg-deb -R "${!side}" "$unpacked/$side"
    (cd "$unpacked/$side" && find . -type f -exec sha256sum {} + | sort -k 2) > "$unpacked/$side.sums"
    dpkg-deb -c "${!side}" >> "$unpacked/$side.sums"
  done
  diff "$unpacked/1.sums" "$unpacked/2.sums" | sed 's/^/  /' || true
}

status=0 packages=0
for package in "$first"/*.deb; do
  other=$second/${package##*/}
  packages=$((packages + 1))
  if cmp -s "$package" "$other"; then
    echo "same: $(sha256sum "$package" | cut -d' ' -f1)  ${package##*/}"
  else
    status=1
    echo "differ: ${package##*/}"
    differences "$package" "$other"
  fi
done
((packages > 0)) || fail 'no package was built'
exit $status
