# A process that is killed half way leaves the old output as it was; if it can, it clears up.
. "$ORDO_SOURCE/tests/cli/lib.sh"

ulimit -c 0
mkfifo pipe
# Every signal that ends a process. INT and QUIT are ignored in the background; what a crash sends is a sanitizer's, too.
every=(HUP TRAP ABRT USR1 USR2 PIPE ALRM TERM STKFLT XCPU VTALRM PROF IO PWR SYS RTMIN RTMAX-1 KILL)
for tool in "${tools[@]}"; do
  sample "$tool" 100 > in
  signals=(TERM USR1 KILL)
  [[ $tool != strsort ]] || signals=("${every[@]}")
  for signal in "${signals[@]}"; do
    rm -rf place; mkdir place
    file=$(result "$tool" place/old)
    echo old > "$file"
    launch=exec work "$tool" - place/old < pipe 2> err &
    exec 3> pipe
    cat in >&3  # and then no end of the input
    for ((i = 0; i < 300; ++i)); do
      compgen -G 'place/.*.tmp' > /dev/null && break
      sleep 0.05
    done
    compgen -G 'place/.*.tmp' > /dev/null || fail "$tool does not open its output before it reads"
    kill -s $signal $!
    status=0; wait $! 2> /dev/null || status=$?
    exec 3>&-
    [[ $status == $((128 + $(kill -l $signal))) ]] || fail "$tool, SIG$signal: status $status"
    [[ $(cat "$file") == old ]] || fail "$tool, SIG$signal: the old output is gone"
    if [[ $signal != KILL ]]; then
      [[ $(ls -A place) == "$(basename "$file")" ]] || fail "$tool, SIG$signal: left behind: $(ls -A place)"
    fi
  done
done

# A signal among the renames of an index waits for them: the new index is whole.
strace -f -o /dev/null true 2> /dev/null || exit 0
printf '>a\nGATTACA\n' > a.fa; printf '>b\nCC\n' > b.fa
# stopped SIGNAL RENAME COMMAND...
stopped() {
  local signal=$1 rename=$2 status=0
  shift 2
  strace -f -o /dev/null -e trace=rename -e "inject=rename:signal=SIG$signal:when=$rename" "$@" 2> err || status=$?
  [[ $status == $((128 + $(kill -l "$signal"))) ]] || fail "SIG$signal at rename $rename: status $status: $* $(cat err)"
}
for rename in 1 2 3 4; do
  rm -f y.*
  for fasta in a b; do  # with no index there, and one
    stopped TERM $rename sufsort build -q $fasta.fa -o y --lcp
    expect 0 sufsort check y
  done
  expect 0 sufsort count y C
  [[ $(cat out) == C$'\t'2 ]] || fail "an index of another text: $(cat out)"
done
for rename in 1 2; do
  stopped TERM $rename sufsort kmers -q y --length $rename --force
  expect 0 sufsort check y
  grep -q kmers out || fail "no table: $(cat out)"
done
no_leftovers
# One that cannot wait leaves a table that is not the description's: to make the table again mends the index.
strace -f -o /dev/null -e trace=rename -e inject=rename:signal=SIGKILL:when=2 sufsort kmers -q y --length 1 2> err || :
expect_error sufsort count y C
expect 0 sufsort kmers y --length 1
expect 0 sufsort check y
