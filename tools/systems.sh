#!/usr/bin/env bash
# tools/systems.sh [OPTION...] [SUITE...]: the README's two commands on bare systems: each suite of Debian or Ubuntu (bookworm and
# trixie if none is named) gets a root of its own from debootstrap, with nothing installed, and a clone of the last commit.
# Prints the minutes of each command. As root.
#   --mirror URL     where the suites are; by default where this machine's apt finds its packages
#   --folder FOLDER  holds the roots (default /var/tmp/ordo_systems): a GB or two each
#   --keep           keeps the roots, and takes those that are there
#   --demo           tools/demo.sh alone
#   --commit COMMIT  a clone of this commit, not of the last one
#   --packages TO    tools/debian_packages.sh alone; the packages come to the folder TO/SUITE
#   --first-result FROM   tools/first_result.sh alone, with the packages in the folder FROM, for each way of installing them on a
#                    system of its own
set -euo pipefail

fail() { echo "systems.sh: $*" >&2; exit 2; }
mirror='' folder=/var/tmp/ordo_systems keep='' packages='' first_result='' commit=HEAD commands=(tools/demo.sh tools/test.sh) suites=()
while (($#)); do
  case $1 in
    --mirror | --folder | --commit | --packages) [[ ${2-} ]] || fail "$1 needs a value"; declare "${1#--}=$2"; shift ;;
    --first-result) [[ ${2-} ]] || fail "$1 needs a value"; first_result=$2; shift ;;
    --keep) keep=1 ;;
    --demo) commands=(tools/demo.sh) ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit ;;
    -*) fail "unknown option: $1" ;;
    *) [[ $1 =~ ^[a-z]+$ ]] || fail "not a suite: $1"; suites+=("$1") ;;
  esac
  shift
done
[[ ! $packages ]] || commands=(tools/debian_packages.sh)
[[ ! $first_result ]] || commands=(tools/first_result.sh)
((${#suites[@]})) || suites=(bookworm trixie)
(($(id -u) == 0)) || fail 'makes roots: run it as root'
command -v debootstrap > /dev/null || fail 'debootstrap is not installed'
mkdir -p "$folder"
folder=$(readlink -e "$folder")
if [[ $packages ]]; then
  mkdir -p "$packages"
  packages=$(readlink -e "$packages")
fi
if [[ $first_result ]]; then
  first_result=$(readlink -e "$first_result") || fail "no such folder: $first_result"
fi
project=$(cd "$(dirname "$0")/.." && git rev-parse --show-toplevel)
commit=$(git -C "$project" rev-parse --verify --quiet "$commit^{commit}") || fail 'no such commit'
[[ ${ORDO_SYSTEMS_MOUNTS-} == own ]] || git -C "$project" diff --quiet HEAD ||
  echo 'systems.sh: changes that are not committed are left out' >&2
if [[ ! $mirror ]]; then
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | sed -n 1p)
  [[ $mirror ]] || fail 'apt has no mirror: name one with --mirror'
fi

# All is mounted in a view of the file system that nobody else has and that ends with this script, however it ends. Nothing of
# this machine is mounted there that could be written to: /proc and /dev are new ones.
if [[ ${ORDO_SYSTEMS_MOUNTS-} != own ]]; then
  options=(--mirror "$mirror" --folder "$folder" --commit "$commit" ${keep:+--keep})
  if [[ $packages ]]; then
    options+=(--packages "$packages")
  elif [[ $first_result ]]; then
    options+=(--first-result "$first_result")
  elif ((${#commands[@]} == 1)); then
    options+=(--demo)
  fi
  ORDO_SYSTEMS_MOUNTS=own exec unshare --mount --propagation private \
    "$(readlink -e "$0")" "${options[@]}" "${suites[@]}"
fi
exec 9> "$folder/lock"
flock --nonblock 9 || fail "another run has $folder"
root='' job=''
mounts_below() { awk -v root="$1" '$5 == root || index($5, root "/") == 1 { print $5 }' /proc/self/mountinfo; }
unmount() {
  local point
  while read -r point; do umount "$point" || return 1; done < <(mounts_below "$1" | sort -r)
}
# In the background, so that a signal need not wait until it has ended; and a group of its own, to be ended as one.
run() {
  setsid "$@" < /dev/null 9>&- &
  job=$!
  wait "$job"
}
# A root is deleted when nothing is mounted in it, and then on its own file system alone.
delete() {
  if ! unmount "$1" || [[ $(mounts_below "$1") ]]; then fail "something is mounted in $1: it is not deleted"; fi
  rm -rf --one-file-system "$1"
}
clean_up() {
  [[ $root ]] || return 0
  if [[ $job ]]; then kill -KILL -- "-$job" 2> /dev/null || true; fi
  # What ninja starts is in groups of its own: it is known by its root.
  local process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/root") == "$root" ]]; then kill -KILL "${process#/proc/}" || true; fi
  done 2> /dev/null
  wait
  if [[ $keep ]]; then unmount "$root"; else delete "$root"; fi
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
             ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"})
if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then environment+=(PIP_CERT=/root/certificates.crt); fi
minutes() { awk -v s="$1" 'BEGIN { printf "%.1f", s / 60 }'; }

mount_devices() {
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=755,size=1M devices "$root/dev"
  local device
  for device in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do
    IFS=: read -r name major minor <<< "$device"
    mknod -m 666 "$root/dev/$name" c "$major" "$minor"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s /proc/self/fd/0 "$root/dev/stdin"
  ln -s /proc/self/fd/1 "$root/dev/stdout"
  ln -s /proc/self/fd/2 "$root/dev/stderr"
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
}

# A system for each suite, and with --first-result for each way of installing that has its packages.
systems=("${suites[@]}")
if [[ $first_result ]]; then
  systems=()
  for suite in "${suites[@]}"; do
    for door in deb:ordo-tools python3:python3-ordosort; do
      if compgen -G "$first_result/$suite/${door#*:}_*.deb" > /dev/null; then systems+=("$suite-${door%:*}"); fi
    done
    tag=abi3
    [[ $suite != bookworm ]] || tag=cp311
    if compgen -G "$first_result/ordosort-*-$tag-*.whl" > /dev/null; then systems+=("$suite-wheel"); fi
    if compgen -G "$first_result/ordo-*-linux-$(uname -m).tar.xz" > /dev/null; then systems+=("$suite-archive"); fi
  done
  ((${#systems[@]})) || fail "no packages in $first_result"
fi
failed=0
for system in "${systems[@]}"; do
  suite=${system%%-*}
  root=$folder/$system
  log=$folder/$system.log
  [[ ! $(mounts_below "$root") ]] || { place=$root; root=; fail "something is mounted in $place"; }
  if [[ ! -e $root/complete ]]; then
    delete "$root"
    components=main
    [[ $(readlink -f "/usr/share/debootstrap/scripts/$suite") != */gutsy ]] || components=main,universe  # a suite of Ubuntu
    run debootstrap --variant=minbase --components="$components" "$suite" "$root" "$mirror" > "$log" 2>&1 ||
      { tail -n 5 "$log" >&2; fail "debootstrap $suite"; }
    unmount "$root"
    touch "$root/complete"
  fi
  # How this machine reaches the mirror, by name and over TLS.
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then
    mkdir -p "$root/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/root/certificates.crt"  # the package ca-certificates writes its own to the other
  fi
  mount_devices
  rm -rf --one-file-system "$root/root/ordo"
  git clone -q --no-hardlinks "$project" "$root/root/ordo"
  git -C "$root/root/ordo" checkout -q --detach "$commit"
  for command in "${commands[@]}"; do
    SECONDS=0
    arguments=()
    if [[ $first_result ]]; then
      cp -r "$first_result" "$root/root/ordo/dist"
      arguments=("${system#*-}" /root/ordo/dist)
    fi
    if run chroot "$root" env -i "${environment[@]}" "/root/ordo/$command" "${arguments[@]}" > "$log" 2>&1; then result=passed; else result="FAILED, see $log"; fi
    printf '%-16s %-14s %6s minutes  %s\n' "$system" "$command" "$(minutes "$SECONDS")" "$result"
    if [[ $first_result ]]; then cat "$log"; fi
    [[ $result == passed ]] || { tail -n 20 "$log" >&2; failed=1; break; }
  done
  if [[ $packages && $result == passed ]]; then
    rm -rf "${packages:?}/$suite"
    cp -r "$root/root/ordo/build/packages" "$packages/$suite"
  fi
  clean_up
  root=
done
exit "$failed"
