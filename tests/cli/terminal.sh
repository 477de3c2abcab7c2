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

# A result that goes to the terminal is all there is to see there. A message stands in the place of the progress line.
sample sufsort 100 > in.fa; sample specsort 100 > in.mgf; sample strsort 100 > in.txt
printf 'COM=no line end' >> in.mgf
sufsort build in.fa -o index
for command in 'sufsort locate index GATTACA' 'sufsort info index' 'specsort in.mgf' 'strsort in.txt'; do
  $command | sed 's/$/\r/' > result
  [[ $command != specsort* ]] || truncate -s -1 result  # its last line has no end
  TERM=xterm on_terminal "$command"
  cmp result seen || fail "$command: mixed with something"
  [[ $command == sufsort* ]] || { TERM=xterm on_terminal "$command -o /dev/tty"; cmp result seen || fail "$command -o /dev/tty"; }
done
gzip -k in.txt  # a few plain lines are checked without progress
TERM=xterm on_terminal "strsort -c in.txt.gz" || true
grep -q $'\033\\[Kstrsort: in.txt.gz:2: disorder' seen || fail "a message after the progress line: $(cat -v seen)"

# The end of what is typed is typed once. The keyboard stays where it is until the tool has ended.
mkfifo keyboard
exec 3<> keyboard
for tool in "${tools[@]}"; do
  case $tool in
    sufsort) command="sufsort build - -o typed"; typed='>x\nACGT\n' ;;
    specsort) command="specsort - -o typed"; typed='BEGIN IONS\n2 1\n1 1\nEND IONS\n' ;;
    strsort) command="strsort -o typed"; typed='b\na\n' ;;
  esac
  printf "$typed\004" >&3
  TERM=xterm timeout 60 script -qec "$command" /dev/null < keyboard > seen || fail "$tool: waits for a second end of input"
  [[ -s $(result "$tool" typed) ]] || fail "$tool: nothing of what was typed: $(cat -v seen)"
  ! grep -q $'\033' seen || fail "$tool: a progress line where one types"
done
exec 3>&-

# Bytes that are read are those of the file, however well it is compressed: 260 kB here, for 60 MB of text.
head -c 60000000 /dev/zero | gzip -1 > zeros.gz
for command in 'strsort zeros.gz -o out' 'strsort -c zeros.gz'; do
  TERM=xterm on_terminal "$command"
  grep -qE '(reading|checking) [0-9]+ kB' seen || fail "$command: no size: $(cat -v seen)"
  ! grep -qE '(reading|checking) [0-9.]+ [MG]B' seen || fail "$command: more than all: $(cat -v seen)"
done

# While no bytes come the seconds count up; bytes come with their rate, and of a total that is known with the time left.
mkfifo pipe
exec 3<> pipe
TERM=xterm on_terminal 'strsort pipe -o out' 3>&- &
seen_within() { for ((i = 0; i < 600; ++i)); do ! grep -qE "$1" seen || return 0; sleep 0.05; done; fail "never seen: $1: $(cat -v seen)"; }
seen_within 'strsort: reading, [0-9]+ s'
head -c 8000000 /dev/zero | tr '\0' '\n' >&3
seen_within 'strsort: reading [0-9.]+ MB, [0-9.]+ [kM]?B/s'
exec 3>&-
wait $!
[[ $(wc -l < out) == 8000000 ]] || fail "lines are missing: $(wc -l < out)"
tail -c 4 seen | cmp - <(printf '\r\033[K') || fail "the counting line stays"
