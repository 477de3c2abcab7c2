#!/usr/bin/env bash
# tools/first_result.sh DOOR FOLDER: installs Ordo on this bare system, and prints the seconds of each command until the first
# result, their sum, and how much larger the system is afterwards. As root; tools/systems.sh --first-result makes the system.
#   deb      FOLDER/SUITE/ordo-tools_*.deb by apt: two lines sorted, an index of E. coli built and checked
#   python3  FOLDER/SUITE/*.deb by apt, with the Python package of Debian: an array sorted
#   wheel    FOLDER/ordosort-*.whl by pip: an array sorted
#   source   tools/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "first_result.sh: $*" >&2; exit 2; }
door=${1-} folder=${2-}
[[ $door != -* ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit; }
[[ $folder ]] || fail 'usage: first_result.sh DOOR FOLDER'
(($(id -u) == 0)) || fail 'installs packages: run it as root'
. /etc/os-release
export DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d)
log=$work/log
microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }
kilobytes() { du -sxk --exclude=/root/ordo --exclude=/tmp --exclude=/var/cache/apt --exclude=/var/lib/apt/lists / | cut -f1; }
step() {
  local begin; begin=$(microseconds)
  "$@" > "$log" 2>&1 || { tail -n 5 "$log" >&2; fail "$*"; }
  awk -v us="$(($(microseconds) - begin))" -v command="$*" 'BEGIN { printf "%8.1f s  %s\n", us / 1e6, command }'
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
  source) files=() ;;
  *) fail "not a door: $door" ;;
esac
for file in "${files[@]}"; do [[ -f $file ]] || fail "no $file"; done
before=$(kilobytes)
begin=$(microseconds)
case $door in
  deb)
    step apt-get update -q
    step apt-get install -q -y --no-install-recommends "${files[@]}"
    printf 'b\na\n' > "$work/lines"
    step strsort "$work/lines"
    expect $'a\nb'
    step sufsort build datasets/samples/ecoli_k12.fa.gz -o "$work/ecoli"
    step sufsort check "$work/ecoli"
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
  source) step tools/demo.sh ;;
esac
awk -v us="$(($(microseconds) - begin))" 'BEGIN { printf "%8.1f s  in all\n", us / 1e6 }'
awk -v kb="$(($(kilobytes) - before))" -v files="$(du -ck "${files[@]}" /dev/null | sed -n '$s/\t.*//p')" \
  'BEGIN { printf "%8.1f MB of files, %.1f MB installed\n", files / 1000, kb / 1000 }'
