# A process that is killed half way leaves the old output as it was, and nothing else: where the file system has files without
# names even after SIGKILL.
. "$ORDO_SOURCE/tests/cli/lib.sh"

ulimit -c 0
mkfifo pipe
mkdir place
nameless=0
! has_nameless place || nameless=1
# opened PROCESS: a file of the folder is open for writing, with a name or without.
opened() {
  local fd
  for fd in /proc/"$1"/fd/*; do [[ $(readlink "$fd") != "$PWD/place/"* ]] || return 0; done 2> /dev/null
  return 1
}
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
      opened $! && break
      sleep 0.05
    done
    opened $! || fail "$tool does not open its output before it reads"
    kill -s $signal $!
    status=0; wait $! 2> /dev/null || status=$?
    exec 3>&-
    [[ $status == $((128 + $(kill -l $signal))) ]] || fail "$tool, SIG$signal: status $status"
    [[ $(cat "$file") == old ]] || fail "$tool, SIG$signal: the old output is gone"
    if [[ $signal != KILL || $nameless == 1 ]]; then
      [[ $(ls -A place) == "$(basename "$file")" ]] || fail "$tool, SIG$signal: left behind: $(ls -A place)"
    fi
  done
done

crc32_of() { python3 -c 'import sys, zlib; print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' "$1"; }
# Stopped at each call that changes names, in turn.
strace -f -o /dev/null true 2> /dev/null || exit 0
calls=(linkat rename unlink)
# stopped SIGNAL CALL NUMBER COMMAND...: whether it was, before its so manieth call of that kind.
stopped() {
  local signal=$1 call=$2 number=$3 status=0
  shift 3
  strace -f -o /dev/null -e "trace=$call" -e "inject=$call:signal=SIG$signal:when=$number" "$@" > out 2> err &
  wait $! 2> /dev/null || status=$?
  [[ $status == 0 || $status == $((128 + $(kill -l "$signal"))) ]] ||
    fail "SIG$signal at $call $number: status $status: $* $(cat err)"
  [[ $status != 0 ]]
}

# An output: the old one or the new one, whole; at most under one more name, which the next run removes.
printf 'b\na\n' > in; printf 'a\nb\n' > want; mkdir f
for call in "${calls[@]}"; do
  for ((number = 1; ; ++number)); do
    echo old > f/out
    stopped KILL "$call" "$number" strsort in -o f/out || break
    [[ $(< f/out) == old ]] || cmp f/out want
    for left in f/.*.tmp; do [[ ! -e $left ]] || cmp "$left" want; done
    expect 0 strsort in -o f/out
    cmp f/out want
    ((nameless)) || rm -f f/.*.tmp
    [[ $(ls -A f) == out ]] || fail "after the run after a SIGKILL at $call $number: $(ls -A f)"
  done
done

# A file with two names is replaced in place. Stopped in the copy it may be half written, and the whole result is beside it.
# The next run says so, and removes that once its own output is there, unless it has read the half written file.
printf 'c\nb\na\n' > other; printf 'a\nb\nc\n' > want_other
for input in other f/out; do
  rm -f f/out f/hard f/.*.tmp
  echo old > f/out; ln f/out f/hard
  stopped KILL ftruncate 1 strsort in -o f/out || fail 'not stopped in the copy'
  grep -q '^strsort: warning: replaced in place: f/out: .* f/\.out\.[0-9]*-0\.tmp$' err || fail "no word before: $(cat err)"
  left=(f/.out.*-0.tmp)
  cmp "${left[0]}" want
  expect 0 strsort $input -o f/out
  grep -q "^strsort: warning: left behind: ${left[0]}: " err || fail "no word of what was left: $(cat err)"
  if [[ $input == other ]]; then
    cmp f/out want_other
    [[ $(ls -A f) == $'hard\nout' ]] || fail "left behind: $(ls -A f)"
  else
    cmp "${left[0]}" want
  fi
  [[ $(stat -c %h f/out) == 2 ]] || fail 'a hard link was broken'
done
# A file of a process that runs stays, and so does one that another program made.
rm -f f/.*.tmp
echo mine > f/.out.$$-0.tmp; echo mine > f/.out.x-0.tmp; echo mine > f/.out.1-0.temp
expect 0 strsort other -o f/out
[[ $(ls -A f | grep -c '^\.out') == 3 ]] || fail "removed: $(ls -A f)"
expect 0 strsort --quiet other -o f/out
[[ ! -s err ]] || fail "not quiet: $(cat err)"
rm -f f/.out.* f/hard f/out

# At any moment.
seq 200000 -1 1 > in
LC_ALL=C sort in > want
for ((moment = 0; moment < 20; ++moment)); do
  echo old > f/out
  strsort in -o f/out &
  sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
  kill -s KILL $! 2> /dev/null || :
  wait $! 2> /dev/null || :
  [[ $(head -c 3 f/out) == old ]] || cmp f/out want
  if ((nameless)); then
    for left in f/.*.tmp; do [[ ! -e $left ]] || cmp "$left" want; done
    [[ $(ls -A f | grep -v '^\.out\.ordo\.tmp$') == out ]] || fail "after a SIGKILL: $(ls -A f)"
  fi
  rm -f f/.*.tmp
done

# An index: the one or the other, whatever the moment; with arrays that only one of them has. A signal that can wait is too late.
printf '>a\nGATTACA\n' > a.fa; printf '>b\nCC\n' > b.fa
mkdir i
# is_index a|b|ab: of one of these texts, and right.
is_index() {
  expect 0 sufsort check i/y
  expect 0 sufsort count i/y C
  case $1$(cut -f 2 out) in
    a1 | ab1 | b2 | ab2) ;;
    *) fail "an index of another text than $1: $(cat out)" ;;
  esac
  if [[ $(cut -f 2 out) == 1 ]]; then expect 0 sufsort count i/y GATT; fi
}
exchanges=0
for signal in KILL TERM; do
  for call in "${calls[@]}"; do
    for ((number = 1; ; ++number)); do
      rm -f i/y.* i/.y.*
      sufsort build -q a.fa -o i/y --lcp
      was_stopped=1
      stopped $signal "$call" "$number" sufsort build -q b.fa -o i/y --kmer-table 1 --force-kmer-table || was_stopped=0
      exchanges=$((exchanges + was_stopped))
      if ((was_stopped)) && [[ $signal == KILL ]]; then is_index ab; else is_index b; fi
      # The next one of that name completes it, or begins anew.
      expect 0 sufsort kmers i/y --length 2 --force-kmer-table
      is_index ab
      ((nameless)) || rm -f i/.*.tmp
      [[ $(cd i && ls -A | grep -v '^y\.[a-z]*$') == '' ]] || fail "SIG$signal at $call $number: left behind: $(ls -A i)"
      # What numpy.fromfile reads is the index's.
      for name in seq sa; do
        [[ $(crc32_of i/y.$name) == "$(sufsort info i/y | sed -n "s/^array\t$name\t.*crc32 //p")" ]] ||
          fail "SIG$signal at $call $number: y.$name is not that of the description"
      done
      stopped $signal "$call" "$number" sufsort kmers i/y --length 1 --force-kmer-table || :
      is_index ab
      ((was_stopped)) || break
    done
  done
done
((exchanges > 10)) || fail "stopped $exchanges times only"

# Arrays that are symbolic links to another folder; and the next command that only reads completes what was interrupted.
mkdir data
for call in linkat rename unlink symlink; do
  for ((number = 1; ; ++number)); do
    rm -f i/y.* i/.y.* data/*
    for name in json seq sa lcp; do ln -s "../data/$name" i/y.$name; done
    sufsort build -q a.fa -o i/y --lcp
    was_stopped=1
    stopped KILL "$call" "$number" sufsort build -q b.fa -o i/y --lcp || was_stopped=0
    is_index ab
    ((nameless)) || rm -f i/.*.tmp data/.*.tmp
    [[ $(cd i && ls -A | tr '\n' ' ') == 'y.json y.lcp y.sa y.seq ' && $(ls -A data | tr '\n' ' ') == 'json lcp sa seq ' ]] ||
      fail "links: SIGKILL at $call $number: left behind: $(ls -A i data)"
    for name in json seq sa lcp; do [[ -L i/y.$name ]] || fail "a symbolic link was replaced: $name"; done
    expect 0 sufsort build -q b.fa -o i/y --lcp
    is_index b
    ((was_stopped)) || break
  done
done
rm -rf i/y.* data

# Parts of a suffix array, which take the place of other parts: no part of another index is left.
for call in linkat rename unlink; do
  for ((number = 1; ; ++number)); do
    rm -f i/y.* i/.y.*
    sufsort build -q a.fa -o i/y --split-output=4
    was_stopped=1
    stopped KILL "$call" "$number" sufsort build -q b.fa -o i/y --split-output=2 || was_stopped=0
    is_index ab
    ((nameless)) || rm -f i/.*.tmp
    [[ $(cd i && ls -A | xargs) =~ ^y.json\ y.sa.0001\ y.sa.0002(\ y.sa.0003\ y.sa.0004)?\ y.seq$ ]] ||
      fail "parts: SIGKILL at $call $number: left behind: $(ls -A i)"
    sufsort build -q a.fa -o i/y
    [[ $(cd i && ls -A | xargs) == 'y.json y.sa y.seq' ]] || fail "one file after parts: SIGKILL at $call $number: $(ls -A i)"
    ((was_stopped)) || break
  done
done

# The files of an aligner are opened one by one: all are of one text, or the one that its program opens first is missing. The next
# run leaves its files alone.
for aligner in bwa:bwt minibwa:l2b; do
  rm -rf old new w; mkdir old new w
  first=${aligner#*:} aligner=${aligner%:*}
  sufsort aligner-index -q --for="$aligner" a.fa -o old/x
  sufsort aligner-index -q --for="$aligner" b.fa -o new/x
  for call in linkat rename unlink; do
    for ((number = 1; ; ++number)); do
      rm -f w/* w/.x*; cp old/x.* w
      was_stopped=1
      stopped KILL "$call" "$number" sufsort aligner-index -q --for="$aligner" b.fa -o w/x || was_stopped=0
      [[ ! -e w/x.$first ]] || diff -r -x '.*' old w > /dev/null || diff -r -x '.*' new w > /dev/null ||
        fail "$aligner: SIGKILL at $call $number: files of both texts: $(ls -A w)"
      expect 0 sufsort aligner-index -q --for="$aligner" b.fa -o w/x
      ((nameless)) || rm -f w/.*.tmp
      diff -r new w || fail "$aligner: the run after a SIGKILL at $call $number: $(ls -A w)"
      ((was_stopped)) || break
    done
  done
done
# A new folder has all its files, or does not exist.
sufsort build -q a.fa -o i/y
for command in 'aligner-index -q --for=star a.fa -o' 'export -q --format infini-gram lines -o'; do
  printf 'to be\nor not\n' > lines.txt; sufsort build -q lines.txt --format lines -o lines
  rm -rf whole
  # shellcheck disable=SC2086
  sufsort $command whole
  for call in linkat rename mkdir; do
    for ((number = 1; ; ++number)); do
      rm -rf w; mkdir w
      was_stopped=1
      # shellcheck disable=SC2086
      stopped KILL "$call" "$number" sufsort $command w/f || was_stopped=0
      [[ ! -e w/f ]] || diff -rq whole w/f > /dev/null || fail "sufsort $command: SIGKILL at $call $number: half a folder: $(ls -A w/f)"
      # shellcheck disable=SC2086
      expect 0 sufsort $command w/f
      [[ $(ls -A w) == f ]] || fail "sufsort $command: the run after a SIGKILL at $call $number: $(ls -A w)"
      ((was_stopped)) || break
    done
  done
done
# In the middle of the work nothing is there.
mkfifo input; rm -rf w; mkdir w
sufsort aligner-index -q --for=star input -o w/f & exec 3> input
sleep 0.2; kill -s KILL $!; wait $! 2> /dev/null || :
exec 3>&-
((!nameless)) || [[ ! $(ls -A w) ]] || fail "a folder of a command that was killed: $(ls -A w)"
rm -rf i/y.*

# Builds of one name at the same time, some of them killed: whoever reads meanwhile finds one of the indexes, whole.
rm -f i/y.* i/.y.*
sufsort build -q a.fa -o i/y --lcp
builds() {
  local k
  for ((k = 0; k < 15; ++k)); do sufsort build -q "$@" -o i/y; done
}
builds a.fa --lcp & first=$!
builds b.fa --kmer-table 1 --force-kmer-table & second=$!
for ((k = 0; k < 15; ++k)); do
  sufsort kmers -q i/y --length 1 --force-kmer-table 2> kmers.err || grep -q 'replaced meanwhile' kmers.err || fail "kmers: $(< kmers.err)"
  sufsort build -q a.fa -o i/y & sleep 0.0$((RANDOM % 10)); kill -s KILL $! 2> /dev/null || :
  wait $! 2> /dev/null || :
  expect 0 sufsort count i/y C
  [[ $(cut -f 2 out) == [12] ]] || fail "no index of either text: $(cat out)"
done
wait $first || fail 'a build failed beside another one'
wait $second || fail 'a build failed beside another one'
expect 0 sufsort check i/y
