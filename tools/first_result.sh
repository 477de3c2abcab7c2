#!/usr/bin/env bash
# tools/first_result.sh DOOR FOLDER: installs Ordo on this bare system, and prints the seconds of each command until the first
# result, their sum, both by the clock and of CPU, and how much larger the system is afterwards. As root; tools/systems.sh
# --first-result makes the system.
#   archive  FOLDER/ordo-*-linux-*.tar.xz unpacked: two lines sorted, an index of E. coli built and checked
#   deb      FOLDER/SUITE/ordo-tools_*.deb by apt: two lines sorted, an index of E. coli built and checked
#   python3  FOLDER/SUITE/*.deb by apt, with the Python package of Debian: an array sorted
#   wheel    FOLDER/ordosort-*.whl by pip: an array sorted
#   fetch    the sources as a part of a CMake project, without the programs: an array sorted
#   source   tools/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "first_result.sh: $*" >&2; exit 2; }
door=${1-} folder=${2-}
[[ $door != -* ]] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit; }
[[ $folder ]] || fail 'usage: first_result.sh DOOR FOLDER'
(($(id -u) == 0)) || fail 'installs packages: run it as root'
. /etc/os-release
export DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d)
log=$work/log
microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }
kilobytes() { du -sxk --exclude=/root/ordo --exclude=/tmp --exclude=/var/cache/apt --exclude=/var/lib/apt/lists / | cut -f1; }
# cpu: the seconds of CPU of all commands so far.
cpu() { awk 'END { gsub("[ms]", " "); split($0, part); print part[1] * 60 + part[2] + part[3] * 60 + part[4] }' "$work/times"; }
step() {
  local begin before
  times > "$work/times"
  before=$(cpu) begin=$(microseconds)
  "$@" > "$log" 2>&1 || { tail -n 5 "$log" >&2; fail "$*"; }
  times > "$work/times"
  seconds "$begin" "$before" "$*"
}
# seconds BEGIN CPU_BEFORE WHAT
seconds() {
  awk -v us="$(($(microseconds) - $1))" -v cpu="$(cpu)" -v before="$2" -v what="$3" \
    'BEGIN { printf "%8.1f s %8.1f s of CPU  %s\n", us / 1e6, cpu - before, what }'
}
expect() { [[ $(< "$log") == "$1" ]] || fail "not the result: $(< "$log")"; }
array='import numpy, ordosort; print(ordosort.sort(numpy.array([3, 1, 2])))'

case $door in
  deb) files=("$folder/$VERSION_CODENAME"/ordo-tools_*.deb) ;;
  python3) files=("$folder/$VERSION_CODENAME"/{ordo-tools,python3-ordosort}_*.deb) ;;
  wheel)  # that of the suite's Python: 3.11 in Debian 12
    files=("$folder"/ordosort-*-abi3-*.whl)
    [[ $VERSION_CODENAME != bookworm ]] || files=("$folder"/ordosort-*-cp311-*.whl)
    ;;
  archive) files=("$folder"/ordo-*-linux-"$(uname -m)".tar.xz) ;;
  fetch | source) files=() ;;
  *) fail "not a door: $door" ;;
esac
for file in "${files[@]}"; do [[ -f $file ]] || fail "no $file"; done
before=$(kilobytes)
begin=$(microseconds)
two_lines_and_an_index() {
  printf 'b\na\n' > "$work/lines"
  step strsort "$work/lines"
  expect $'a\nb'
  step sufsort build datasets/samples/ecoli_k12.fa.gz -o "$work/ecoli"
  step sufsort check "$work/ecoli"
}
times > "$work/times"
cpu_before=$(cpu)
case $door in
  archive)
    step apt-get update -q
    step apt-get install -q -y --no-install-recommends xz-utils
    step tar -xf "${files[0]}" -C /opt
    PATH=$(echo /opt/ordo-*/bin):$PATH
    two_lines_and_an_index
    ;;
  deb)
    step apt-get update -q
    step apt-get install -q -y --no-install-recommends "${files[@]}"
    two_lines_and_an_index
    ;;
  python3)
    step apt-get update -q
    step apt-get install -q -y --no-install-recommends "${files[@]}"
    step python3 -c "$array"
    expect '[1 2 3]'
    ;;
  wheel)
    step apt-get update -q
    step apt-get install -q -y --no-install-recommends python3-venv
    step python3 -m venv /opt/ordosort
    step /opt/ordosort/bin/pip install -q "${files[@]}"
    step /opt/ordosort/bin/python -c "$array"
    expect '[1 2 3]'
    ;;
  fetch)
    step apt-get update -q
    step apt-get install -q -y --no-install-recommends g++ cmake ninja-build pkg-config zlib1g-dev libzstd-dev libdeflate-dev \
      libexpat1-dev libssl-dev libtbb-dev libhwy-dev libfmt-dev libfast-float-dev nlohmann-json3-dev libsimdjson-dev
    step cmake -G Ninja -S tests/install/fetched -B "$work/build"
    step ninja -C "$work/build" use_core
    step "$work/build/use_core"
    expect "$(< tests/install/core.out)"
    ;;
  source) step tools/demo.sh ;;
esac
times > "$work/times"
seconds "$begin" "$cpu_before" 'in all'
awk -v kb="$(($(kilobytes) - before))" -v files="$(du -ck "${files[@]}" /dev/null | sed -n '$s/\t.*//p')" \
  'BEGIN { printf "%8.1f MB of files, %.1f MB installed\n", files / 1000, kb / 1000 }'
