#!/usr/bin/env bash
# tools/hardening.sh FILE...: what hardening-check (devscripts) finds in programs, libraries, Debian packages and wheels: a line for each
# ELF file, a column for each protection. "library" is position-independent by its kind, and "none" has no call that can be fortified.
# The exit status is 1 if a protection that packages promise (SECURITY.md) is missing: all but the last two.
set -euo pipefail
[[ ${1-} && $1 != -* ]] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

files=()
for file; do
  case $file in
    *.deb | *.whl)
      folder=$work/${file##*/}
      if [[ $file == *.deb ]]; then dpkg-deb -x "$file" "$folder"; else unzip -q "$file" -d "$folder"; fi
      while IFS= read -r -d '' inner; do
        [[ $(head -c 4 "$inner" | tr -d '\0') != $'\x7fELF' ]] || files+=("$inner")
      done < <(find "$folder" -type f -print0 | LC_ALL=C sort -z)
      ;;
    *) files+=("$file") ;;
  esac
done

status=0
printf 'file\tposition-independent\tstack\tfortified\tread-only relocations\tbound at the start\tstack clash\tcontrol flow\n'
for file in "${files[@]}"; do
  hardening-check "$file" > "$work/found" || true  # its status counts what some compilers cannot do
  awk -F': *' -v OFS='\t' -v name="${file#"$work"/}" '
    /^ / {
      sub(/^ */, "", $1)
      if ($2 ~ /regular shared library/) $2 = "library"
      else if ($2 ~ /only unprotected functions|no protectable/) $2 = "none"
      sub(/[ ,(].*/, "", $2)
      found[$1] = $2
    }
    END {
      split("Position Independent Executable|Stack protected|Fortify Source functions|Read-only relocations|" \
            "Immediate binding|Stack clash protection|Control flow integrity", columns, "|")
      line = name
      for (k = 1; k <= 7; ++k) {
        value = found[columns[k]] == "" ? "?" : found[columns[k]]
        line = line OFS value
        if (k <= 5 && value !~ /^(yes|library|none)$/) missing = 1
      }
      print line
      exit missing
    }' "$work/found" || status=1
done
exit $status
