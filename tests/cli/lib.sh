# shellcheck shell=bash
# What the command-line tests share. A test sources it:  . "$ORDO_SOURCE/tests/cli/lib.sh"

tools=(sufsort specsort strsort)

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect STATUS COMMAND...: run it with stdout to the file out and stderr to err, and want that exit status.
expect() {
  local want=$1 got=0
  shift
  "$@" > out 2> err || got=$?
  [[ $got == "$want" ]] || fail "exit status $got instead of $want: $*: $(head -c 500 err)"
}

# expect_error COMMAND...: status 2, nothing on stdout, and one line "tool: ..." on stderr.
expect_error() {
  expect 2 "$@"
  [[ ! -s out ]] || fail "an error, but something on stdout: $*"
  if [[ $1 == work ]]; then complaint "$2"; else complaint "$1"; fi
}

# complaint TOOL: err is one line "tool: what: where: why", more or less.
complaint() {
  [[ $(wc -l < err) == 1 ]] || fail "not one line on stderr: $(head -c 500 err)"
  grep -q "^$1: ..*" err || fail "stderr does not start with '$1: ': $(head -c 500 err)"
}

# work TOOL IN OUT [OPTION...]: the tool at its main work, on one input and one output. With launch=exec it replaces the shell.
work() {
  local tool=$1 in=$2 out=$3
  shift 3
  case $tool in
    sufsort) ${launch-} sufsort build "$in" -o "$out" "$@" ;;
    specsort) ${launch-} specsort "$in" -o "$out" --by mz "$@" ;;
    strsort) ${launch-} strsort "$in" -o "$out" "$@" ;;
  esac
}

# The file that work writes (sufsort: one of them).
result() { if [[ $1 == sufsort ]]; then echo "$2.sa"; else echo "$2"; fi; }

# sample TOOL [COPIES]: some input for it, on stdout, not in order.
sample() {
  awk -v tool="$1" -v copies="${2-1}" 'BEGIN {
    for (i = 0; i < copies; ++i)
      if (tool == "sufsort")
        printf ">record%d some words\nGATTACAGATTACC%s\nNNACGTacgt\n", i, i % 2 ? "A" : "C"
      else if (tool == "specsort")
        printf "BEGIN IONS\nTITLE=spectrum %d\nPEPMASS=500.%d\n300.5 1%d\n100.25 20\n200.125 3\nEND IONS\n\n", i, i, i
      else
        printf "pear\napple %d\nfig\n\nZebra\n", i * 7919 % 1000
  }'
}

# Is there a GPU that the tools can use?
have_gpu() { strsort --version | grep '^GPU: ' | grep -qv none; }

# sort_before 9.N: is the installed sort of a release of coreutils before this one? What they changed:
#   9.2: units R and Q; versions (".0" before ".A"); NaNs by their text; no byte 0x80 as a separator of thousands
#   9.6: --debug underlines nothing of a key that ends before it begins
#   9.7: --debug calls the decimal point no longer a note
#   9.8: "standard input" for "stdin" in a message of --files0-from
#   9.9: a --compress-program that cannot be started is a warning
sort_release=$(sort --version | sed -n '1s/.*(GNU coreutils) 9\.\([0-9]*\).*/\1/p')
sort_before() { ((${sort_release:-99} < ${1#9.})); }
# The options with which strsort follows the rules of the installed sort.
compat=()
if sort_before 9.2; then compat=(--compat=9.1); fi

# Nothing of the tools' temporary files is left in the folder.
no_leftovers() { ! compgen -G '.*.tmp' > /dev/null || fail "left behind: $(compgen -G '.*.tmp')"; }

# Does the folder's file system have files without a name (O_TMPFILE), of which a SIGKILL leaves nothing?
has_nameless() { python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$1" 2> /dev/null; }

# Skips a script where the build, or the machine, has no MPI.
needs_mpi() {
  command -v mpirun > /dev/null && command -v ordo_distributed_test > /dev/null || { echo 'the build has no MPI'; exit 77; }
}
# ranks N COMMAND...: runs a command in N processes. The status is mpirun's, or theirs if a signal has killed mpirun after all of
# them had ended or one had ended the job, as happens in PMIx_server_finalize. If mpirun has crashed before that, in its forwarding
# of output, and no process had failed, the command runs again: it reads a file on standard input from its start, and the output of
# the try before is dropped.
ranks() {
  local processes=$1 status rank own folder try
  shift
  folder=$(mktemp -d)
  ln -s "$BASH" "$folder/prun"  # the name of a launcher: the tools work alone where a script starts them
  for try in 1 2 3; do
    status=0
    if [[ -f /dev/stdin ]]; then exec 3< /dev/stdin; else exec 3<&0; fi
    # shellcheck disable=SC2016  # expanded by each process
    mpirun --oversubscribe --allow-run-as-root -n "$processes" "$folder/prun" -c '
      mine=$1/$OMPI_COMM_WORLD_RANK
      "${@:2}" 2> "$mine.err" | cat > "$mine.out"
      own=${PIPESTATUS[0]}
      echo "$own" > "$mine.status"
      exit "$own"' rank "$folder" "$@" <&3 > "$folder/mpirun.err" 2>&1 || status=$?
    exec 3<&-
    ((status > 128)) || break
    echo "mpirun has died with status $status" >&2
    if [[ $(find "$folder" -name '*.status' -size +0 | wc -l) == "$processes" ]]; then
      status=0
      for ((rank = 0; rank < processes; ++rank)); do
        own=$(< "$folder/$rank.status")
        ((status)) || status=$own
      done
      break
    fi
    own=$(sed -n '/^MPI_ABORT was invoked/,$s/^with errorcode \([0-9]*\)\.$/\1/p' "$folder/mpirun.err" | head -n 1)
    if [[ $own ]]; then status=$own; break; fi
    ((status == 139)) && ! grep -qsvx 0 "$folder"/*.status || break
    rm -f "$folder"/[0-9]*.{status,out,err}
  done
  cat "$folder"/*.err >&2
  cat "$folder"/*.out
  rm -r "$folder"
  return "$status"
}

# job_succeeded PID: wait for an mpirun in the background, and say whether it succeeded. When a process has died, mpirun itself may
# stop for ever in PMIx_server_finalize, with all processes ended: it is killed then.
job_succeeded() {
  local i child alive
  for ((i = 0; i < 80; ++i)); do
    kill -0 "$1" 2> /dev/null || break
    sleep 0.1
  done
  if kill -0 "$1" 2> /dev/null; then
    alive=
    for child in $(cat "/proc/$1/task/$1/children" 2> /dev/null); do
      grep -q '^State:.Z' "/proc/$child/status" 2> /dev/null || alive=1
    done
    [[ $alive ]] || kill -9 "$1" 2> /dev/null || true
  fi
  wait "$1"
}
# killed_midway SECONDS COMMAND...: run a command in 3 processes, kill any one of them SECONDS after all have started, and say
# whether the job failed: in a fast run it may have succeeded before. The others have to end within 10 seconds.
killed_midway() {
  local wait=$1 job begin members=()
  shift
  mpirun --oversubscribe --allow-run-as-root -n 3 "$@" 2> err &
  job=$!
  while kill -0 $job && ((${#members[@]} < 3)); do read -ra members < /proc/$job/task/$job/children || true; done 2> /dev/null
  sleep "$wait"
  begin=$SECONDS
  if ((${#members[@]})); then kill -9 "${members[RANDOM % ${#members[@]}]}" || true; fi
  if job_succeeded $job; then return 1; fi
  ((SECONDS - begin <= 10)) || { echo 'the others went on'; exit 1; }
}
