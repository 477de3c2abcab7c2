# An output that cannot be written: status 2 and one line, found before work where it can be, and no half file ever.
. "$ORDO_SOURCE/tests/cli/lib.sh"

# Does the caller ignore SIGPIPE? Then a closed pipe is an error like any other.
ignored=$((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status) >> 12 & 1))

for tool in "${tools[@]}"; do
  sample "$tool" 30000 > in
  mkdir -p folder
  mkdir -p "$(result "$tool" taken)"
  for bad in no/such/folder/out /proc/out taken; do
    expect_error work "$tool" in "$bad"
  done
  no_leftovers

  # Beyond the limit on file sizes: the old output stays, nothing else appears.
  echo old > "$(result "$tool" kept)"
  before=$(ls -A)
  (ulimit -f 8; expect_error work "$tool" in kept)
  [[ $(cat "$(result "$tool" kept)") == old ]] || fail "$tool: ulimit -f: the old output is gone"
  [[ $(ls -A) == "$before" ]] || fail "$tool: ulimit -f: something is left: $(ls -A)"
done

# To standard output, and devices by name.
sample sufsort 3000 > in.fa
sample specsort 3000 > in.mgf
sample strsort 30000 > in.txt
sufsort build in.fa -o index
to_stdout() {
  case $1 in
    sufsort) sufsort locate index GATTACA --limit 0 ;;
    specsort) specsort in.mgf --by mz -o - ;;
    strsort) strsort in.txt ;;
  esac
}
for tool in "${tools[@]}"; do
  for option in --help --version; do
    status=0; "$tool" $option > /dev/full 2> err || status=$?
    [[ $status == 2 ]] || fail "$tool $option > /dev/full: status $status"
    complaint "$tool"
  done
  to_stdout "$tool" > whole
  (($(wc -c < whole) > 70000)) || fail "$tool: too little output for this test"

  status=0; to_stdout "$tool" > /dev/full 2> err || status=$?
  [[ $status == 2 ]] || fail "$tool > /dev/full: status $status"
  complaint "$tool"

  status=0; to_stdout "$tool" >&- 2> err || status=$?
  [[ $status == 2 ]] || fail "$tool >&-: status $status"
  complaint "$tool"

  { status=0; to_stdout "$tool" 2> err || status=$?; echo "$status" > status; } | head -n 1 > first
  cmp first <(head -n 1 whole)
  if ((ignored)); then
    [[ $(cat status) == 2 ]] || fail "$tool | head: status $(cat status) with SIGPIPE ignored"
  else
    [[ $(cat status) =~ ^(0|141)$ && ! -s err ]] || fail "$tool | head: status $(cat status), stderr: $(cat err)"
  fi
done
# Where a check cannot say what it found, its status is that of an error, as sort's.
printf 'BEGIN IONS\n2 1\n1 1\nEND IONS\n' > disorder.mgf
printf 'b\na\n' > disorder.txt
cp index.seq altered.seq; cp index.sa altered.sa; cp index.json altered.json
printf 'C' | dd of=altered.seq bs=1 seek=2 conv=notrunc status=none
for check in 'specsort --check disorder.mgf' 'strsort -c disorder.txt' 'sufsort check altered'; do
  expect 1 $check
  for stderr in /dev/full '&-'; do
    status=0; eval "$check 2>$stderr" || status=$?
    [[ $status == 2 ]] || fail "$check 2>$stderr: status $status"
  done
done
expect 1 strsort -C disorder.txt

# A failed write is told at once, not when the rest of the input comes.
sample specsort 300000 > large.mgf
(($(wc -c < large.mgf) > (17 << 20))) || fail 'no more than a block'
mkfifo slow
timeout 60 specsort - -o /dev/full < slow 2> err &
exec 3> slow
(trap '' PIPE; cat large.mgf >&3 2> cat.err) || true  # and then no end of the input
status=0; wait $! || status=$?
exec 3>&-
[[ $status == 2 ]] || fail "a failed write of a slow input: status $status"
complaint specsort
rm large.mgf

# A large result goes to a file on standard output in any order, and what is written before and after it stays. If it cannot be
# completed the file is as it was.
sample strsort 60000 > large.txt
sample specsort 30000 > large.mgf
for tool in strsort specsort; do
  case $tool in
    strsort) large=large.txt; command="strsort $large" ;;
    specsort) large=large.mgf; command="specsort $large" ;;
  esac
  (($(wc -c < $large) > (1 << 20))) || fail "$large is too small"
  $command | cat > sorted
  { echo first; $command; echo last; } > f
  { echo first; cat sorted; echo last; } | cmp - f
  echo first > f; $command >> f
  { echo first; cat sorted; } | cmp - f
  { echo first; cat large.mgf; } > f; $command 1<> f
  cmp <(head -c "$(wc -c < sorted)" f) sorted
  (($(wc -c < f) == $(wc -c < large.mgf) + 6)) || fail "$tool: what stood after is gone"
  { echo first; status=0; (ulimit -f 64; $command 2> err) || status=$?; echo last; } > f
  [[ $status == 2 && $(cat f) == $'first\nlast' ]] || fail "$tool: ulimit -f: status $status, $(wc -c < f) bytes"
  complaint $tool
done
{ cat large.mgf; printf 'BEGIN IONS\n1 1\n'; } > open.mgf
specsort open.mgf --lenient > f 2>&1
specsort open.mgf --lenient --quiet | cat > whole
cmp <(head -c "$(wc -c < whole)" f) whole
[[ $(tail -n 1 f) == 'specsort: warning: missing END IONS: '* ]] || fail "a warning into the output: $(tail -n 1 f)"
cp large.txt f; strsort f 1<> f  # sort reads all before it writes
LC_ALL=C sort large.txt | cmp - f
cp large.txt f; strsort f > f  # which the shell empties first
[[ ! -s f ]] || fail 'something out of nothing'
rm large.txt

expect_error specsort in.mgf --by mz -o /dev/full
expect_error strsort in.txt -o /dev/full
expect 0 strsort in.txt -o /dev/null
[[ -c /dev/null ]] || fail "strsort replaced /dev/null"
mkfifo pipe
strsort in.txt -o pipe & cat pipe > through; wait $!
cmp through <(strsort in.txt)
[[ -p pipe ]] || fail "strsort replaced a pipe"
no_leftovers
