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
