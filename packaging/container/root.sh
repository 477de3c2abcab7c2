#!/usr/bin/env bash
# root.sh FOLDER: makes FOLDER the root of a container: the programs of Ordo, the shell and the programs that workflow managers
# call, and the libraries that these need. The packages ordo-tools, bash, coreutils, procps, grep, sed, gawk and gzip have to be
# installed here. A Debian base by itself would be as large as all of that.
set -euo pipefail
root=${1:?usage: root.sh FOLDER}
programs=(sufsort specsort strsort bash sh env ls cat cp mv rm ln mkdir rmdir mktemp touch head tail wc cut tr sort uniq tee date
          sleep test true false echo printf dirname basename readlink realpath stat chmod tty uname nproc id df du md5sum sha256sum
          ps grep sed awk gzip)
mkdir -p "$root"/{bin,dev,etc,lib,lib64,proc,sys,tmp,usr/bin,usr/lib,usr/share/doc,var/tmp}
chmod 1777 "$root/tmp" "$root/var/tmp"

# What an ELF file needs, by its paths here; each library under its name, as a file and not as a link.
libraries() { ldd "$1" 2> /dev/null | awk '/=> \//{ print $3 } /^\t\//{ print $1 }'; }
add_library() {
  local to=$root/$1
  [[ ! -e $to ]] || return 0
  mkdir -p "${to%/*}"
  cp -L "$1" "$to"
}
declare -A copied=()  # of files: several programs can be one
for program in "${programs[@]}"; do
  path=$(type -P "$program") || { echo "root.sh: no program $program" >&2; exit 2; }
  file=$(readlink -f "$path")
  if [[ ${copied[$file]-} ]]; then
    ln -s "${copied[$file]}" "$root/usr/bin/$program"
    continue
  fi
  copied[$file]=$program
  cp "$file" "$root/usr/bin/$program"
  while read -r library; do add_library "$library"; done < <(libraries "$path")
done
# strsort starts this file for all but a few lines.
for program in /usr/lib/*/ordo/ordo_strsort; do
  add_library "$program"
  while read -r library; do add_library "$library"; done < <(libraries "$program")
done
ln -s ../usr/bin/bash "$root/bin/bash"
ln -s ../usr/bin/sh "$root/bin/sh"
# Loaded by name: htslib, when an input is BGZF, and what it needs.
htslib=$(ldconfig -p | awk '$1 == "libhts.so.3" { print $NF; exit }')
add_library "$htslib"
while read -r library; do add_library "$library"; done < <(libraries "$htslib")
mkdir -p "$root/usr/lib/locale"
cp -r /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
for package in "$(dpkg-query -S /usr/bin/strsort | cut -d: -f1)" bash coreutils procps grep sed gawk gzip libc6; do
  mkdir -p "$root/usr/share/doc/$package"
  cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
done
printf 'root:x:0:0:root:/root:/bin/bash\n' > "$root/etc/passwd"
printf 'root:x:0:\n' > "$root/etc/group"
cp -L /etc/os-release "$root/etc/"
ldconfig -r "$root"
