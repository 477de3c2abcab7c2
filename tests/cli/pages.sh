# The manual pages and completions that the tools make of their tables of options.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in "${tools[@]}"; do
  for kind in complete-bash complete-zsh complete-fish; do
    expect 0 "$tool" --generate="$kind"
    [[ -s out && ! -s err ]] || fail "$tool --generate=$kind: $(< err)"
    cp out "$tool.$kind"
  done
  expect_error "$tool" --generate=complete-csh
  expect_error "$tool" --generate
  bash -n "$tool.complete-bash"
  if command -v zsh > /dev/null; then zsh -n "$tool.complete-zsh"; fi
  if command -v fish > /dev/null; then fish -n "$tool.complete-fish"; fi
done

# Formatters have nothing to complain of.
commands=$(sufsort --generate=man | sed -n 's/^\.BR sufsort\\-\(.*\) (1)$/\1/p' | tr -d '\\')
[[ $(wc -w <<< "$commands") -ge 16 ]] || fail "the commands of sufsort: $commands"
for command in $commands; do
  grep -qE "^foreach\(subcommand .*\b$command\b" "$ORDO_SOURCE/tools/CMakeLists.txt" ||
    fail "no manual page of sufsort $command is installed"
done
mapfile -t commands < <(printf 'sufsort %s\n' $commands)
date='[0-9]{4}-[0-9]{2}-[0-9]{2}'  # of the release, not of the build
if command -v cmake > /dev/null && [[ -f $ORDO_SOURCE/debian/changelog ]]; then
  release_date() { cmake -DCHANGELOG="$1" -P "$ORDO_SOURCE/cmake/release_date.cmake"; }
  date=$(release_date "$ORDO_SOURCE/debian/changelog")
  printf 'ordo (2)\n\n -- A <a@b.invalid>  %s +0000\n\n' 'Tue, 03 Feb 2026 09:00:00' 'Fri, 31 Dec 2025 00:00:00' > changelog
  [[ $(env -u SOURCE_DATE_EPOCH bash -c "$(declare -f release_date); release_date changelog") == 2026-02-03 ]] ||
    fail 'the date of a changelog'
  [[ $(SOURCE_DATE_EPOCH=1700000000 release_date changelog) == 2023-11-14 ]] || fail 'the date of SOURCE_DATE_EPOCH'
fi
for command in sufsort specsort strsort "${commands[@]}"; do
  expect 0 $command --generate man
  grep -qE "^\.TH .* \"$date\" \"Ordo " out || fail "the date of the manual page of $command: $(head -n 1 out)"
  [[ $(sed -n '/^\.SH "SEE ALSO"$/,$p' out) == *$'\n.BR '*'(1)' ]] || fail "the manual page of $command names no other one"
  if command -v groff > /dev/null; then
    groff -man -Tascii -P-c -P-b -P-u -ww out > text 2> err
    [[ ! -s err ]] || fail "the manual page of $command: $(< err)"
    grep -q -- --threads=N text
  fi
  if command -v man > /dev/null; then
    man --warnings -l out > text 2> err
    [[ ! -s err ]] || fail "the manual page of $command: $(< err)"
  fi
done

# completed WORD...: what bash offers for the last of these words.
set -u
for tool in "${tools[@]}"; do . "./$tool.complete-bash"; done
compopt() { :; }
completed() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  "_$1" "$1" "${!#}" "${*: -2:1}" || true
  printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort | tr '\n' ' '
}
offers() {
  local want=$1 got
  shift
  got=$(completed "$@")
  [[ $got == "$want" ]] || fail "$*: completed to '$got', not '$want'"
}
mkdir folder
touch file
offers '--reverse ' strsort --rev
offers '--key= ' strsort --k
offers 'month ' strsort --sort = m
offers 'general-numeric human-numeric month numeric random version ' strsort --sort =
offers 'folder ' strsort -T fo
offers 'file ' strsort -o fi
offers ' ' strsort -S 1
offers 'file folder ' strsort f
offers '--spectra-by= ' specsort file --spec
offers 'arrow mgf msp msp-massbank msp-matchms mzml mzspeclib parquet ' specsort --to =
offers 'build ' sufsort bu
offers 'help ' sufsort he
offers 'build ' sufsort help bu
offers '--lcp ' sufsort help build --lc
offers '--out-dir= ' specsort file --out-
offers 'folder ' specsort --out-dir fo
offers '--lcp ' sufsort build --lc
offers '--limit= ' sufsort locate file --li
offers 'break ' sufsort build --mask = b
