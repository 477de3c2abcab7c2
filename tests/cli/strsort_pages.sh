# The man page and the completions that strsort makes of itself.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for kind in man complete-bash complete-zsh complete-fish; do
  expect 0 strsort --generate="$kind"
  [[ -s out && ! -s err ]] || fail "--generate=$kind: $(< err)"
  cp out "$kind"
done
expect_error strsort --generate=complete-csh
expect_error strsort --generate

# Formatted without a word, where there is a formatter.
if command -v groff > /dev/null; then
  groff -man -Tascii -P-c -P-b -P-u -ww man > text 2> err
  [[ ! -s err ]] || fail "the man page: $(< err)"
  grep -q -- --files0-from=F text
fi
bash -n complete-bash
if command -v zsh > /dev/null; then zsh -n complete-zsh; fi
if command -v fish > /dev/null; then fish -n complete-fish; fi

# What bash would offer: completed WORD...: for the last of these words.
. ./complete-bash
completed() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  compopt() { :; }
  _strsort strsort "${!#}" "${*: -2:1}" || true
  printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
mkdir folder
touch file
[[ $(completed strsort --rev) == '--reverse ' ]] || fail "--rev: $(completed strsort --rev)"
[[ $(completed strsort --k) == '--key= ' ]] || fail "--k: $(completed strsort --k)"
[[ $(completed strsort --sort = m) == 'month ' ]] || fail "--sort=m: $(completed strsort --sort = m)"
[[ $(completed strsort --sort =) == 'general-numeric human-numeric month numeric random version ' ]] || fail '--sort='
[[ $(completed strsort -T fo) == 'folder ' ]] || fail '-T fo'
[[ $(completed strsort -o fi) == 'file ' ]] || fail '-o fi'
[[ $(completed strsort -S 1) == ' ' ]] || fail '-S 1'
[[ $(completed strsort f) == 'file folder ' ]] || fail 'f'
