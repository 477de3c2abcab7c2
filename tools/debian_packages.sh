#!/usr/bin/env bash
# tools/debian_packages.sh [FOLDER]: builds the Debian packages of the last commit on this system, Debian 12 or 13, checks them
# with lintian, installs them, runs the tests of debian/tests on them, and leaves them in FOLDER (default build/packages).
# Installs what that needs. As root, on a system for that purpose: tools/systems.sh --packages makes one.
#   ORDO_DEBUG_SYMBOLS=OFF   no packages of debug symbols: a shorter build
#   ORDO_CUDA=ON   ordo-tools-cuda, too; apt has to know a CUDA Toolkit: that of non-free (Debian 13), or of NVIDIA's archive
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "debian_packages.sh: $*" >&2; exit 2; }
[[ ${1-} != -* ]] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit; }
(($(id -u) == 0)) || fail 'installs packages: run it as root'
mkdir -p "${1:-build/packages}"
folder=$(readlink -e "${1:-build/packages}")
export DEBIAN_FRONTEND=noninteractive
install=(apt-get install -q -y --no-install-recommends)

apt-get update -q
"${install[@]}" build-essential debhelper git lintian xz-utils
if [[ ! $(apt-cache policy nanobind-dev) =~ Candidate:\ [0-9] ]]; then
  echo 'no nanobind: python3-ordosort is left out'
  export DEB_BUILD_PROFILES=nopython
fi
if [[ ${ORDO_CUDA-} == ON ]]; then export DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES-} pkg.ordo.cuda"; fi
if [[ ${ORDO_DEBUG_SYMBOLS-} == OFF ]]; then
  export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} noautodbgsym" DEB_CXXFLAGS_STRIP=-g DEB_CFLAGS_STRIP=-g
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The source archive of the release, as tools/release.sh makes it, and the packages made of it.
version=$(dpkg-parsechangelog -S Version)
name=ordo-${version%-*}
git archive --format=tar --prefix="$name/" HEAD | xz -9 -T1 > "$work/ordo_${version%-*}.orig.tar.xz"
tar -xJf "$work/ordo_${version%-*}.orig.tar.xz" -C "$work"
cd "$work/$name"
apt-get build-dep -q -y --no-install-recommends "$PWD"
dpkg-buildpackage -us -uc
# The archive of the release has debian/, and no bug of Debian asks for the package: lintian cannot know either.
lintian --suppress-tags no-debian-changes,initial-upload-closes-no-bugs --fail-on error,warning --display-info --allow-root ../*.changes

# What the tests of debian/tests/control need, and the tests. The packages are installed as a user would do it.
cuda=$(find .. -maxdepth 1 -name 'ordo-tools-cuda_*.deb')
if [[ $cuda ]]; then  # it takes the place of ordo-tools
  "${install[@]}" "$cuda"
  printf 'b\na\n' | strsort | cmp - <(printf 'a\nb\n')
  printf '>r\nACGT\n' | sufsort build - -o "$(mktemp -d)/index"
  specsort --version > /dev/null
  apt-get remove -q -y ordo-tools-cuda
fi
others=()
for file in ../*.deb; do [[ $file == "$cuda" || $file == *-dbgsym_* ]] || others+=("$file"); done
"${install[@]}" "${others[@]}"
while IFS='|' read -r test depends; do
  if [[ $depends == *ordosort* && ${DEB_BUILD_PROFILES-} == nopython ]]; then continue; fi
  needed=$(tr ',' '\n' <<< "$depends" | sed 's/|.*//; s/ //g' | grep -v ordo || true)
  # shellcheck disable=SC2086
  "${install[@]}" $needed
  AUTOPKGTEST_TMP=$(mktemp -d -p "$work") "debian/tests/$test"
  echo "debian/tests/$test: passed"
done < <(awk -F': ' '$1 == "Tests" { test = $2 } $1 == "Depends" { print test "|" $2 }' debian/tests/control)

cp ../*.deb ../*.dsc ../*.changes ../*.buildinfo ../ordo_*.tar.xz "$folder/"
ls -l "$folder"
