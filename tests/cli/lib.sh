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

# Is the installed sort that of coreutils 9.1? Later ones know the units R and Q, and order versions otherwise: ".0" before ".A".
sort_is_9_1() { [[ $(sort --version) == *'(GNU coreutils) 9.1'$'\n'* ]]; }

# Nothing of the tools' temporary files is left in the folder.
no_leftovers() { ! compgen -G '.*.tmp' > /dev/null || fail "left behind: $(compgen -G '.*.tmp')"; }

# Does the folder's file system have files without a name (O_TMPFILE), of which a SIGKILL leaves nothing?
has_nameless() { python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$1" 2> /dev/null; }
