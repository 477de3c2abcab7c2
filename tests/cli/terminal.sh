# Progress is for terminals: none with --quiet, none where TERM is dumb, and the line is taken away at the end.
. "$ORDO_SOURCE/tests/cli/lib.sh"
script -qec true /dev/null > /dev/null < /dev/null || { echo "no script(1), or no pseudo-terminals, here"; exit 77; }

on_terminal() { script -qec "$1" /dev/null < /dev/null > seen; }
for tool in "${tools[@]}"; do
  sample "$tool" 100 > in
  case $tool in
    sufsort) command="sufsort build in -o out" ;;
    specsort) command="specsort in -o out --by mz" ;;
    strsort) command="strsort in -o out" ;;
  esac
  TERM=xterm on_terminal "$command"
  grep -q "$tool: " seen || fail "$tool: no progress on a terminal"
  tail -c 4 seen | cmp - <(printf '\r\033[K') || fail "$tool: the progress line stays"
  TERM=dumb on_terminal "$command"
  [[ ! -s seen ]] || fail "$tool: progress on a dumb terminal"
  TERM=xterm on_terminal "$command --quiet"
  [[ ! -s seen ]] || fail "$tool: progress in spite of --quiet"
done
