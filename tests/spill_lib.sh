# shellcheck shell=bash
# What the tests of temporary files share. A test sources it after tests/cli/lib.sh. Its output is place/out, which has the text
# "old" before, and its temporary files are in the folder temp.
mkdir place temp
echo old > place/out
ulimit -c 0

# Nothing is left, and the old output is as it was.
untouched() {
  [[ $(cat place/out) == old ]] || fail "$*: the old output is gone"
  [[ $(ls -A place) == out ]] || fail "$*: left behind: $(ls -A place)"
  [[ -z $(ls -A temp) ]] || fail "$*: left behind: $(ls -A temp)"
}

# refuses_folders COMMAND...: temporary files cannot be made in a folder that is missing, that is a file, or that is not writable.
refuses_folders() {
  expect_error "$@" -T missing
  grep -q missing err || fail "no word of the folder: $(cat err)"
  untouched -T missing
  expect_error "$@" -T in
  untouched -T in
  chmod a-w temp
  if ! touch temp/probe 2> /dev/null; then
    expect_error "$@" -T temp
    untouched unwritable -T
  fi
  chmod u+w temp
  rm -f temp/probe
  TMPDIR=missing expect_error "$@"
  untouched TMPDIR
}

# refuses_full_disk COMMAND...: the temporary files of a command that reads in, or standard input, fill the disk. All of it is free
# afterwards.
refuses_full_disk() {
  local from
  mkdir full
  mount -t tmpfs -o size=10M none full
  for from in in -; do
    expect_error "$@" $from -T full < in
    grep -q 'No space left' err || fail "no word of the disk: $(cat err)"
    untouched full disk
    [[ $(df --output=used full | tail -1) -lt 100 ]] || fail "a full disk stays full"
  done
}

# sorts_across_disks COMMAND...: temporary files are in two folders, of which one is on another disk. The result is want.
sorts_across_disks() {
  mkdir large
  mount -t tmpfs -o size=200M none large
  expect 0 "$@" -T large -T temp -o sorted
  cmp sorted want
  [[ -z $(ls -A large) ]] || fail "left behind: $(ls -A large)"
}

# wait_for COMMAND...: until it succeeds.
wait_for() { for ((i = 0; i < 600; ++i)); do ! "$@" || return 0; sleep 0.02; done; fail "never: $*"; }
# The temporary files of a process that hold something, as names to open.
temporary_of() {
  local fd
  for fd in /proc/"$1"/fd/*; do
    [[ $(readlink "$fd") == *"/temp/"* && $(stat -L -c %s "$fd") != 0 ]] && echo "$fd"
  done 2> /dev/null
}
has_temporary() { [[ -n $(temporary_of "$1") ]]; }
# killed SIGNAL PROCESS: it ends by the signal, and nothing is left.
killed() {
  local status=0
  kill -s "$1" "$2"
  wait "$2" 2> /dev/null || status=$?
  [[ $status == $((128 + $(kill -l "$1"))) ]] || fail "SIG$1: status $status: $(cat err)"
  [[ $1 != KILL ]] || has_nameless place || rm -f place/.*.tmp
  untouched "SIG$1"
}
# finds_harm TOOL PROCESS HARM: the process ends with an error, because a temporary file was harmed.
finds_harm() {
  local status=0
  wait "$2" || status=$?
  [[ $status == 2 ]] || fail "a run was $3: status $status"
  complaint "$1"
  grep -q 'cannot read: temporary file in temp: ' err || fail "a run was $3: $(cat err)"
  untouched "a run was $3"
}

# The largest memory of a command that wrote stats.json.
peak() { grep -o '"peak_memory": [0-9]*' stats.json | grep -o '[0-9]*$'; }
