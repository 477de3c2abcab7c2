#!/usr/bin/env bash
# tests/packages/archive.sh [OPTION...] ARCHIVE [SUITE...]: tries dist/ordo-VERSION-linux-TARGET.tar.xz of tools/archive.sh on
# bare systems, each a suite of Debian with nothing installed (bullseye, bookworm and trixie if none is named): unpacked,
# each program run on a sample and its result compared. Prints the seconds until the first result. An archive for another
# processor is unpacked by this system, and qemu-user runs its programs with the C library of each suite. As root, with
# debootstrap; it takes minutes, so ctest does not run it.
#   --folder FOLDER   holds the systems, and keeps them (default /var/tmp/ordo_archive)
#   --tests BIN       first the command-line tests on the archive's programs, on this system, with the other programs of a build
#                     from BIN (build/dev/bin)
set -euo pipefail
fail() { echo "archive.sh: $*" >&2; exit 2; }
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=/var/tmp/ordo_archive bin='' archive='' suites=()
while (($#)); do
  case $1 in
    --folder) [[ ${2-} ]] || fail '--folder needs a value'; folder=$2; shift ;;
    --tests) [[ ${2-} ]] || fail '--tests needs a value'; bin=$(readlink -e "$2") || fail "no $2"; shift ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit ;;
    -*) fail "unknown option: $1" ;;
    *) if [[ ! $archive ]]; then archive=$(readlink -e "$1") || fail "no $1"; else suites+=("$1"); fi ;;
  esac
  shift
done
[[ $archive ]] || fail 'which archive?'
((${#suites[@]})) || suites=(bullseye bookworm trixie)
for suite in "${suites[@]}"; do [[ $suite =~ ^[a-z]+$ ]] || fail "not a suite: $suite"; done
name=$(basename "$archive" .tar.xz)
target=${name##*-linux-} qemu=''
case $target in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) fail "not a target: $target" ;;
esac
if [[ $target != "$(uname -m)" ]]; then
  qemu=$(command -v "qemu-$target" "qemu-$target-static" | head -n 1) || fail "no qemu-$target: install qemu-user"
  [[ ! $bin ]] || fail "--tests: not of an archive for $target"
fi
(($(id -u) == 0)) || fail 'makes systems: run it as root'
command -v debootstrap > /dev/null || fail 'debootstrap is not installed'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
xz -dc "$archive" > "$work/$name.tar"
failed=0

if [[ $bin ]]; then
  tar -xf "$work/$name.tar" -C "$work"
  # As it is documented: the C interface, by this system's compiler.
  cc "$source/tests/install/c_sort.c" -I "$work/$name/include" -L "$work/$name/lib" -lordo -o "$work/c_sort"
  LD_LIBRARY_PATH=$work/$name/lib "$work/c_sort" | cmp - "$source/tests/install/c_sort.out" ||
    { echo 'c_sort: FAILED'; failed=1; }
  for file in "$bin"/*; do
    [[ -x $file && ! -d $file && ! -e $work/$name/bin/${file##*/} ]] && ln -s "$file" "$work/$name/bin/"
  done
  cd "$source"
  for script in tests/cli/{common,options,pages,terminal}.sh tests/cli/{strsort,specsort,sufsort}/*.sh; do
    [[ $script != */distributed.sh ]] || continue  # needs MPI, which no archive has
    got=0
    tests/run_script.sh "$script" "$work/$name/bin" > "$work/log" 2>&1 || got=$?
    case $got in
      0) echo "$script: passed" ;;
      77) echo "$script: skipped: $(tail -n 1 "$work/log")" ;;
      *) echo "$script: FAILED"; tail -n 5 "$work/log"; failed=1 ;;
    esac
  done
fi

# What a user does in the first minute. The sums are of results of a build by g++. In the folder are the archive and the samples,
# and where qemu-user has to run them, programs in emulated/ that call it.
cat > "$work/first.sh" <<'END'
set -euo pipefail
fail() { echo "FAILED: $*"; exit 1; }
microseconds() { date +%s%N | sed 's/...$//'; }
begin=$(microseconds)
cd "$1"
tar -xf ordo-*.tar
made=$(echo "$PWD"/ordo-*/)
PATH=$PWD/emulated:${made}bin:$PATH
samples=$PWD/samples
strsort "$samples/urls.txt.gz" -o lines
seconds=$(awk -v us="$(($(microseconds) - begin))" 'BEGIN { printf "%.2f", us / 1e6 }')
is() { [[ $(sha256sum < "$1") == "$2  -" ]] || fail "other bytes: $1"; }
gzip -dc "$samples/urls.txt.gz" | LC_ALL=C sort | cmp - lines || fail 'strsort: not what sort writes'
strsort -u "$samples/words_pl_5000.txt.gz" -o words && is words f4e46a856d20e37e7a261cb69928f65dcfb86e3eac65b658253f13077b1490e9
printf 'a\nb' | strsort -r | cmp - <(printf 'b\na\n') || fail 'strsort: a pipe'
sufsort build "$samples/ecoli_k12.fa.gz" -o ecoli && sufsort check ecoli > check || fail 'sufsort'
is ecoli.sa 84e190cd8f3ac9feeb77b570586c037c630cc75d148cfd91cc295deafa1a6793
specsort "$samples/xtandem_yeast.mgf.gz" -o yeast.mgf --by mz
is yeast.mgf 00fe6fa6f82c9c47cb87e0f232cc485f25b62b9c2082ffeb67366e18b393d23c
specsort "$samples/openms_ecoli_25.mzML.gz" -o ecoli.mzML --by intensity --descending
is ecoli.mzML f4a9b46919e1ee65ea75123f77ff6618f11bd9f80f1a18aaafa8762683ba49e1
got=0; strsort /nowhere 2> error || got=$?
[[ $got == 2 ]] && grep -q '^strsort: .*/nowhere' error || fail "no file: exit status $got"
grep -q strsort "$made/share/man/man1/strsort.1" || fail 'no manual page'
echo "first result after $seconds s, $(du -sk "$made" | cut -f1) kB unpacked"
END
mkdir -p "$folder"
for suite in "${suites[@]}"; do
  root=$folder/$suite options=()
  # dpkg of another processor cannot be run: the packages are unpacked, and not set up.
  if [[ $qemu ]]; then root=$folder/$suite-$architecture options=(--foreign "--arch=$architecture"); fi
  if [[ ! -e $root/complete ]]; then
    rm -rf --one-file-system "$root"
    debootstrap --variant=minbase "${options[@]}" "$suite" "$root" "${ORDO_DEBIAN:-http://deb.debian.org}/debian" > "$root.log" 2>&1 ||
      { tail -n 5 "$root.log" >&2; fail "debootstrap $suite"; }
    touch "$root/complete"
  fi
  here=$root/root/archive
  rm -rf "$here"
  mkdir -p "$here"
  cp -r "$work/$name.tar" "$work/first.sh" "$source/datasets/samples" "$here/"
  if [[ $qemu ]]; then
    mkdir "$here/emulated" "$here/system"
    ln -s ../../../lib "$here/system/lib"
    for tool in sufsort specsort strsort; do
      printf '#!/bin/sh\nexec %s -L %s %s "$@"\n' "$qemu" "$here/system" "$here/$name/bin/$tool" > "$here/emulated/$tool"
    done
    chmod +x "$here"/emulated/*
    result=$(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$here" bash "$here/first.sh" "$here" 2>&1) || failed=1
  else  # /proc is mounted where nobody else sees it
    # shellcheck disable=SC2016
    result=$(unshare --mount --pid --fork --propagation private sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" \
      env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash /root/archive/first.sh /root/archive' sh "$root" 2>&1) || failed=1
  fi
  glibc=$(grep -aoE 'GNU C Library .* release version [0-9.]*[0-9]' "$root/lib/$target-linux-gnu/libc.so.6" | sed 's/.* //')
  printf '%-10s glibc %s%s: %s\n' "$suite" "$glibc" "${qemu:+ under ${qemu##*/}}" "$result"
done
exit "$failed"
