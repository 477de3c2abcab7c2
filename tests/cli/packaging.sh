# What packages are made of: one version everywhere, names that fit the library, files that exist, scripts that refuse wrong calls.
. "$ORDO_SOURCE/tests/cli/lib.sh"
cd "$ORDO_SOURCE"

version=$(sed -n 's/^project(ordo VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "CMakeLists.txt: no version: '$version'"
is_version() { [[ $2 == "$version" ]] || fail "$1 has version '$2', CMakeLists.txt has $version"; }
is_version debian/changelog "$(sed -n '1s/^ordo (\([^)]*\)-[0-9]*) .*/\1/p' debian/changelog)"
is_version CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
is_version CHANGELOG.md "$(sed -n '/^## /{s/^## \(Unreleased (\)\{0,1\}\([0-9.]*\).*/\2/p; q}' CHANGELOG.md)"
is_version strsort "$(strsort --version | sed -n '1s/.* //p')"

# The name of a library's package is that of the library: libordo0.1 while the SOVERSION is MAJOR.MINOR.
library=libordo${version%.*}
grep -qx "Package: $library" debian/control || fail "debian/control: no package $library"
[[ -f debian/$library.install ]] || fail "no debian/$library.install"

# Its symbols: each function of the interface in C, and one entry for the namespace of that in C++.
[[ $(sed -n '/^lib/p' debian/$library.symbols) == "libordo.so.${version%.*} $library #MINVER#" ]] || fail "debian/$library.symbols: the name"
diff <(sed -n 's/^ \(ordo_[a-z0-9_]*\)@Base .*/\1/p' debian/$library.symbols) \
  <(grep -oE '\bordo_[a-z0-9_]+\(' include/ordo.h | tr -d '(' | LC_ALL=C sort -u) ||
  fail "debian/$library.symbols has other functions than include/ordo.h"
grep -q '4ordo2v0' debian/$library.symbols && grep -q '^namespace ordo::inline v0 {' include/ordo/error.hpp || fail "debian/$library.symbols: the namespace"

# Every file that debian/ names for a package is of a package there, and the documents exist.
packages=$(sed -n 's/^Package: //p' debian/control)
for file in debian/*.install debian/*.docs debian/*.links debian/*.symbols debian/*.README.Debian; do
  package=${file#debian/}
  for ending in install docs links symbols README.Debian; do package=${package%."$ending"}; done
  grep -qx "$package" <<< "$packages" || fail "$file: no such package"
done
while read -r file; do [[ -e $file ]] || fail "debian/*.docs: no $file"; done < <(cat debian/*.docs)
for tool in "${tools[@]}"; do grep -qx "usr/bin/$tool" debian/ordo-tools.install || fail "debian/ordo-tools.install lacks $tool"; done
while read -r test; do [[ -x debian/tests/$test ]] || fail "debian/tests/$test cannot be run"; done < <(sed -n 's/^Tests: //p' debian/tests/control)
while read -r script; do
  [[ -f tests/cli/$script.sh ]] || fail "debian: no tests/cli/$script.sh"
done < <(sed -n 's/.*for script in \([^;]*\); do.*/\1/p' debian/rules debian/tests/programs | tr ' ' '\n')

# sort stays what the system has: nothing is installed over it, and no script of a package runs that could.
if grep -E '(^|[ /])usr/bin/sort$' debian/*.install debian/*.links; then fail 'a package installs a program named sort'; fi
if compgen -G 'debian/*.p*inst' > /dev/null || compgen -G 'debian/*.diver*' > /dev/null; then fail 'a package has scripts'; fi

# The scripts parse, and refuse what they do not know.
for script in tools/release.sh tools/pack_archive.sh tests/packages/archive.sh tools/debian_packages.sh tools/systems.sh debian/tests/programs debian/tests/python; do
  bash -n "$script"
done
wrong() {
  local words=$1 got=0
  shift
  "$@" > "$work/out" 2> "$work/err" || got=$?
  [[ $got == 2 ]] && grep -q "$words" "$work/err" || fail "exit status $got: $*: $(< "$work/err")"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for script in tools/archive.sh tools/zig_root.sh; do wrong 'not a target' "$script" mips; done
wrong 'which archive' tests/packages/archive.sh
wrong 'not a target' tests/packages/archive.sh /dev/null
wrong 'unknown option' tools/release.sh --nonsense
mkdir "$work/path"
ln -s "$(command -v bash)" "$(command -v env)" "$(command -v dirname)" "$work/path"
wrong '^build\.sh: cmake: not found' env PATH="$work/path" tools/build.sh --preset host
wrong 'not a part' tools/release.sh --only wheels v1
wrong 'which tag' tools/release.sh
wrong 'one tag' tools/release.sh v1 v2
if git -C "$ORDO_SOURCE" rev-parse --quiet --verify HEAD > /dev/null 2>&1; then
  wrong 'no such tag' tools/release.sh v0.0.0-none
  wrong 'a trial is' tools/release.sh --trial "v$version"
  # The checksums are signed by the key that git signs with. Where there is none, that is said.
  git clone -q --shared --no-checkout "$ORDO_SOURCE" "$work/clone"
  git -C "$work/clone" checkout -q HEAD -- tools/release.sh CMakeLists.txt CHANGELOG.md
  cp tools/release.sh "$work/clone/tools/"
  (
    cd "$work/clone"
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
    tools/release.sh --trial --only notes > "$work/out" 2> "$work/err"
    (cd dist && sha256sum --quiet -c SHA256SUMS)
    grep -qx 'release.sh: SHA256SUMS is not signed: git has no user.signingkey' "$work/err" || fail "$(< "$work/err")"
    if command -v ssh-keygen > /dev/null; then
      ssh-keygen -q -t ed25519 -N '' -f "$work/key"
      git config gpg.format ssh
      git config user.signingkey "$work/key"
      tools/release.sh --trial --only notes > "$work/out" 2> "$work/err"
      ssh-keygen -q -Y check-novalidate -n file -s dist/SHA256SUMS.sig < dist/SHA256SUMS
    fi
    printf '#!/bin/sh\necho "$*" > "$7"\n' > "$work/gpg"
    chmod +x "$work/gpg"
    git config gpg.format openpgp
    git config gpg.program "$work/gpg"
    git config user.signingkey ABCD
    tools/release.sh --trial --only notes > "$work/out" 2> "$work/err"
    [[ $(cd dist && echo SHA256SUMS*) == 'SHA256SUMS SHA256SUMS.asc' && ! -s $work/err ]] || fail "$(ls dist; cat "$work/err")"
    grep -qx -- '--batch --armor --detach-sign --local-user ABCD --output SHA256SUMS.asc SHA256SUMS' dist/SHA256SUMS.asc
    git config gpg.program false
    wrong 'ABCD does not sign' tools/release.sh --trial --only notes

    # A binary archive is made by the scripts of the tag, of its sources, and tried before it is published.
    mkdir -p tests/packages
    printf '#!/bin/sh\ncd "${0%%/*}/.." && mkdir -p dist && echo "by the tag" > "dist/ordo-%s-linux-$1.tar.xz"\n' "$version" > tools/archive.sh
    printf '#!/bin/sh\nset -e\ntest -f "${0%%/*}/../../dist/${1##*/}"; echo "tried by the tag: $(cat "$1")"\n' > tests/packages/archive.sh
    chmod +x tools/archive.sh tests/packages/archive.sh
    sed -i "s/^## Unreleased .*/## $version/" CHANGELOG.md
    git read-tree --empty
    git add -f tools/archive.sh tests/packages/archive.sh CMakeLists.txt CHANGELOG.md
    git -c user.name=x -c user.email=x@git.invalid -c commit.gpgSign=false commit -q -m tag
    git tag "v$version"
    for script in tools/archive.sh tests/packages/archive.sh; do printf '#!/bin/sh\nexit 1\n' > $script; done
    git config --unset user.signingkey
    rm -r dist
    tools/release.sh --only archive "v$version" > "$work/out" 2> "$work/err" || fail "$(< "$work/err")"
    grep -q '^tried by the tag: by the tag$' "$work/out" || fail "$(< "$work/out")"
    [[ $(< "dist/ordo-$version-linux-x86_64.tar.xz") == 'by the tag' ]] || fail "$(ls dist)"
    printf '#!/bin/sh\nexit 1\n' > tests/packages/archive.sh
    git add -f tests/packages/archive.sh
    git -c user.name=x -c user.email=x@git.invalid -c commit.gpgSign=false commit -q -m 'fails'
    rm -r dist
    ! tools/release.sh --trial --only archive > "$work/out" 2> "$work/err" || fail 'an archive that fails its trial'
    [[ ! $(ls dist) ]] || fail "published: $(ls dist)"
  )
  if command -v dpkg-query > /dev/null; then  # the bill of materials: twice the same, with a library that is linked and its version
    tools/sbom.py 2> /dev/null > "$work/sbom"
    tools/sbom.py 2> /dev/null | cmp - "$work/sbom"
    has=$(python3 -c 'import json, sys; print({one["name"]: one["versionInfo"] for one in json.load(sys.stdin)["packages"]}["zlib1g-dev"])' < "$work/sbom")
    [[ $has == "$(dpkg-query -W -f '${Version}' zlib1g-dev)" ]] || fail "the bill of materials has zlib $has"
  fi
fi

# The archive's bytes do not depend on when, where and by whom it is packed.
pack() { tools/pack_archive.sh "$1" 2026-01-31 > "$work/$2.tar.xz"; }
(umask 022; mkdir -p "$work/1/tree/bin"; cd "$work/1/tree"; echo a > bin/b; echo c > a; ln bin/b bin/a; ln -s a c; touch -d 2001-01-01 a)
(umask 077; mkdir -p "$work/2/tree"; cd "$work/2/tree"; ln -s a c; echo c > a; mkdir bin; echo a > bin/b; ln bin/b bin/a; chmod g+ws bin)
chmod +x "$work"/{1,2}/tree/bin/b
pack "$work/1/tree" 1
TAR_OPTIONS=--format=pax XZ_OPT=-1 XZ_DEFAULTS=-0 TZ=Asia/Tokyo LC_ALL=C.UTF-8 pack "$work/2/tree/" 2
cmp "$work/1.tar.xz" "$work/2.tar.xz"
wrong 'usage: pack_archive.sh' tools/pack_archive.sh "$work/1/tree" today

# One setting has the address of the repository: the files that state it have that one, and no file names another. In a copy, an
# address comes into each of them, and without it they are as before.
tools/repository.py --check
mkdir -p "$work/address/as_before"
stating=(CITATION.cff CMakeLists.txt README.md mkdocs.yml pyproject.toml debian/control debian/copyright packaging/conda/recipe.yaml)
cp --parents "${stating[@]}" "$work/address/as_before"
(
  cd "$work/address"
  sed -i 's/HOMEPAGE_URL ".*"/HOMEPAGE_URL ""/' as_before/CMakeLists.txt
  repository() { "$ORDO_SOURCE/tools/repository.py" --root "$@"; }
  repository as_before
  cp -r as_before here
  sed -i 's|HOMEPAGE_URL ""|HOMEPAGE_URL "https://git.invalid/lab/ordo"|' here/CMakeLists.txt
  ! repository here --check > out || fail 'an address that no file states'
  repository here
  repository here --check
  cp -r here stating
  for file in "${stating[@]}"; do
    grep -qF 'https://git.invalid/lab/ordo' "here/$file" || fail "$file: no address"
  done
  (($(wc -l < here/README.md) <= 130)) || fail 'README.md: too long with an address'
  grep -qF ' https://git.invalid/lab/ordo.git refs/tags/v@ANY_VERSION@' here/debian/watch || fail 'debian/watch'
  for other in "https:/""/github.com/somebody/ordo" "git""@gitlab.com:x/ordosort.git" "https:/""/ordo.readthedocs.io/"; do
    echo "See $other." > here/other.md
    ! repository here --check > out || fail "an invented address: $other"
    grep -q '^other\.md:1: ' out || fail "$(< out)"
  done
  rm here/other.md
  sed -i 's|HOMEPAGE_URL ".*"|HOMEPAGE_URL "http://git.invalid/ordo.git"|' here/CMakeLists.txt
  wrong 'expected https' repository here
  sed -i 's|HOMEPAGE_URL ".*"|HOMEPAGE_URL ""|' here/CMakeLists.txt
  repository here
  diff -r as_before here
)

# The description on PyPI is the guide without links that lead nowhere there: they are text, or with an address they lead to files
# of the version. Substitutions are those of pyproject.toml, in their order.
cat > "$work/description.py" << 'END'
import pathlib, re, sys, tomllib
folder, source, address = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
project = tomllib.loads((folder / "pyproject.toml").read_text())
hook = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
text = "".join((source / one["path"]).read_text() for one in hook["fragments"])
for one in hook["substitutions"]:
    text = re.sub(one["pattern"], one["replacement"], text)
links = re.findall(r"\]\(([^()]*)\)", text)
begin = address + "/blob/v$HFPR_VERSION/"
wrong = [one for one in links if not address or not one.startswith(begin) or not (source / one[len(begin):].partition("#")[0]).exists()]
if wrong or bool(links) != bool(address):
    sys.exit(f"links of the description: {wrong or links}")
END
if python3 -c 'import tomllib' 2> /dev/null; then  # since Python 3.11
  python3 "$work/description.py" "$work/address/here" . ''
  python3 "$work/description.py" "$work/address/stating" . https://git.invalid/lab/ordo
fi

# Workflows call scripts that are there and no actions but GitHub's own, and build on the systems of the README.
bash -n tools/lint_workflows.sh
wrong 'unknown option' tools/lint_workflows.sh --nonsense
while read -r script; do
  [[ -x $script ]] || fail ".github: no script $script"
done < <(grep -ohE '(^|[ `])(tools/[a-z_]+\.sh|docs/[a-z_]+\.sh|\.ci/[a-z]+)' -r .github | tr -d ' `' | sort -u)
others=$(grep -rhoE 'uses: .*' .github/workflows | grep -vE '^uses: actions/[a-z-]+@v[0-9]+$' || true)
[[ ! $others ]] || fail ".github: $others"
systems=$(sed -nE '/^ *system:/{s/[^"]*"([^"]*)"[^"]*/\1 /g; p; q}' .github/workflows/build.yml)
[[ $systems == 'debian:12 debian:13 ubuntu:24.04 ' ]] || fail "build.yml: systems: $systems"
grep -q '^On Debian 12, Debian 13 or Ubuntu 24.04' README.md || fail 'README.md names other systems than build.yml'
if python3 -c 'import yaml' 2> /dev/null; then
  python3 -c 'import sys, yaml; [yaml.safe_load(open(file)) for file in sys.argv[1:]]' .github/*/*.yml
fi
if command -v actionlint > /dev/null; then actionlint; fi

# The recipes have the version, too.
is_version packaging/conda/recipe.yaml "$(sed -n 's/^  version: "\(.*\)"$/\1/p' packaging/conda/recipe.yaml)"
is_version packaging/galaxy/strsort.xml "$(sed -n 's/.*<token name="@TOOL_VERSION@">\(.*\)<.*/\1/p' packaging/galaxy/strsort.xml)"
for file in packaging/nextflow/modules/{strsort,specsort,sufsort/build}/environment.yml; do is_version "$file" "$(sed -n 's/.*::ordo=//p' "$file")"; done

# That of a release has the URL and the hash of the archive; without an address the host is one that cannot exist.
mkdir -p "$work/release/packaging"
cp -r packaging/conda "$work/release/packaging"
echo archive > "$work/ordo-$version.tar.xz"
for address in '' https://git.invalid/lab/ordo; do
  printf 'project(ordo\n  HOMEPAGE_URL "%s")\n' "$address" > "$work/release/CMakeLists.txt"
  "$work/release/packaging/conda/release_recipe.py" "$work/ordo-$version.tar.xz" > "$work/recipe.yaml"
  diff packaging/conda/recipe.yaml "$work/recipe.yaml" > "$work/out" || true
  diff - <(sed -n 's/^[<>] //p' "$work/out") << END || fail "packaging/conda/release_recipe.py, the address '$address'"
  path: ../..
  url: ${address:-https://address-not-set.invalid}/releases/download/v$version/ordo-$version.tar.xz
  sha256: $(sha256sum < "$work/ordo-$version.tar.xz" | cut -d' ' -f1)
END
done

# It builds the Python package by what pyproject.toml names.
while read -r name least; do
  grep -qx "        - $name >=$least" packaging/conda/recipe.yaml || fail "packaging/conda/recipe.yaml lacks $name >=$least"
done < <(sed -n '/^\[build-system\]/,/^build-backend/s/^requires = //p' pyproject.toml | grep -oE '[a-z-]+>=[0-9.]+' | sed 's/>=/ /')

# What conda needs to build is what Debian needs: each library of debian/control has its name in both outputs of the recipe.
declare -A of_conda=([libboost-iostreams-dev]=libboost-devel [libdeflate-dev]=libdeflate [libexpat1-dev]=libexpat
  [libfast-float-dev]=fast_float [libfmt-dev]=fmt [libhts-dev]=htslib [libhwy-dev]=libhwy [libpcre2-dev]=pcre2 [libsimdjson-dev]=simdjson [libssl-dev]=openssl [libtbb-dev]=tbb-devel
  [libzstd-dev]=zstd [nlohmann-json3-dev]=nlohmann_json [zlib1g-dev]=zlib)
for package in $(sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \(lib[^ ,]*\|nlohmann[^ ,]*\|zlib[^ ,]*\).*/\1/p' debian/control); do
  if [[ $package == libopenmpi-dev ]]; then continue; fi  # of ordo-mpi, which conda does not have
  name=${of_conda[$package]-}
  [[ $name ]] || fail "debian/control needs $package: name it in packaging/conda/recipe.yaml and in this test"
  [[ $(grep -c "^        - $name\$" packaging/conda/recipe.yaml) -ge 2 ]] || fail "packaging/conda/recipe.yaml lacks $name"
done

# The commands of the Nextflow modules, as Nextflow would write them.
command_of() {  # MODULE VARIABLE=VALUE...: the script of the module
  local module=$1 pair
  shift
  awk '/^    script:/ { script = 1 } /^    stub:/ { exit } script && /"""/ { inside = !inside; next } inside' \
    "packaging/nextflow/modules/$module/main.nf" | sed 's/\\\\$/\\/' > "$work/script"
  for pair in args= device=cpu task.cpus=2 task.memory=500 prefix=made "$@"; do
    sed -i "s|\${${pair%%=*}[^}]*}|${pair#*=}|g; s|\$${pair%%=*}|${pair#*=}|g" "$work/script"
  done
  ! grep -F '$' "$work/script" || fail "$module: a variable that this test does not know"
  cat "$work/script"
}
samples=$PWD/datasets/samples
(
  command_of strsort suffix=txt.gz lines="$samples/urls.txt.gz" > "$work/strsort"
  command_of specsort suffix=mgf spectra="$samples/openms_ecoli_25.mzML.gz" > "$work/specsort"
  command_of sufsort/build fasta="$samples/lambda.fa" > "$work/sufsort"
  cd "$work"
  for tool in "${tools[@]}"; do bash -euo pipefail "$tool"; done
  gzip -dc made.txt.gz | cmp - <(gzip -dc "$samples/urls.txt.gz" | LC_ALL=C sort)
  specsort "$samples/openms_ecoli_25.mzML.gz" --to=mgf | cmp - made.mgf
  sufsort check made > out
)

# That of the Galaxy tool, with the lines of its test.
(
  cd "$work"
  strsort --device=cpu --threads=2 -T . -k '2,2n' -t $'\t' -o galaxy -- "$ORDO_SOURCE/packaging/galaxy/test-data/lines.tabular"
  cmp galaxy "$ORDO_SOURCE/packaging/galaxy/test-data/sorted.tabular"
)
python3 -c 'import sys, xml.dom.minidom as xml; xml.parse(sys.argv[1])' packaging/galaxy/strsort.xml
for script in packaging/container/root.sh packaging/nextflow/lint.sh debian/dist_info.sh; do bash -n "$script"; done
