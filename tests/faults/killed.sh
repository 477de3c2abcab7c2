# A process that is killed half way leaves the old output as it was; if it can, it clears up.
. "$ORDO_SOURCE/tests/cli/lib.sh"

mkfifo pipe
for tool in "${tools[@]}"; do
  sample "$tool" 100 > in
  for signal in TERM HUP KILL; do
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
