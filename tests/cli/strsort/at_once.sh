# A few lines are sorted by the file that users call, which loads the C library alone; for all else it starts the program.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C
unset ORDO_DEVICE

own=$(readlink -f "$(command -v strsort)")
# A build in one file, and a sanitizer, have nothing apart.
program=$(find "${own%/bin/*}"/lib*/ -name ordo_strsort 2> /dev/null | head -n 1)
[[ $program ]] || exit 77
if ! nm "$own" 2> /dev/null | grep -q '__[at]san_init'; then
  if ldd "$own" | grep -vE 'linux-vdso|libc\.so|ld-linux|ld64'; then fail 'it loads that'; fi
fi

# Without the program: what is sorted at once, and what is not.
mkdir alone
cp "$own" alone/strsort
ln -s strsort alone/sort
awk 'BEGIN { srand(3); for (i = 0; i < 900; ++i) printf "%s%d,%dK\tx%d\n", substr("abcABC ", 1 + i % 7, 1), rand() * 50, rand() * 90, i % 8 }' > in
printf 'b\na' > unended
cp in ordered
sort -o ordered ordered
at_once() {  # at_once STDIN OPTION...
  local from=$1
  shift
  alone/strsort "$@" < "$from" > out 2> err || fail "not at once: $*: $(< err)"
  sort "$@" < "$from" | cmp - out || fail "other lines: $*"
  alone/sort "$@" < "$from" | cmp - out || fail "other lines as sort: $*"
}
for options in '' -r -u -ru -s -f -d -i -b -n -g -h -M -V -nr -z '-t, -k2,2n -k1,1r' '-k1.2,1.3 -s' '-k 2b -u' --reverse --key=2 -S1M -T/tmp \
  --parallel=2; do
  at_once /dev/null $options in
  at_once unended $options in - in
done
at_once in
at_once /dev/null
at_once /dev/null -c ordered
# A disorder, in the words of sort.
for options in -c -C -cu '-c -k2,2n -t,' '-cz' '-cr'; do
  for file in in ordered - missing_end; do
    printf 'b\na\n\001c\nb' > missing_end
    want=0 got=0
    # shellcheck disable=SC2086
    (exec -a sort "$(command -v sort)" $options $file) < in 2> want || want=$?
    # shellcheck disable=SC2086
    (exec -a sort alone/sort $options $file) < in 2> err || got=$?
    [[ $got == "$want" ]] && cmp want err || fail "$options $file: $got: $(head -c 200 err)"
  done
done
LC_ALL='' LANG=C.UTF-8 alone/sort in | cmp - <(sort in)
for options in --csv --locale=xx_XX --locale= -R -k1,1R '-k2 -k1b,1bR' '-k2:ip' '-k/a/' --head=1 -m '-o made' --debug '-S 0x' \
  -k0 --no-such missing unended.gz '+1' --stats=made --device=cpu; do
  expect 2 alone/strsort $options in
  grep -qx "strsort: cannot start: .*ordo_strsort: No such file or directory" err || fail "not for the program: $options: $(< err)"
done
for variable in ORDO_DEVICE=gpu POSIXLY_CORRECT=1 OMPI_COMM_WORLD_SIZE=2; do expect 2 env $variable alone/strsort in; done
expect 2 env LC_ALL=xx_XX.UTF-8 alone/sort in
# Files whose size is not known, and a folder in the place of standard input, alone and after lines that were read.
for from in /proc/version .; do
  for files in '' 'in -'; do
    # shellcheck disable=SC2086
    expect 2 alone/strsort $files < $from
    grep -q '^strsort: cannot start: ' err || fail "not for the program: $files < $from: $(< err)"
  done
done
expect 0 strsort in - /proc/version < /proc/version; sort in /proc/version /proc/version | cmp - out
expect_error strsort in - < .; grep -qx 'strsort: cannot read: standard input: Is a directory' err || fail "$(< err)"

# In a locale, too, by its name or by that of the environment. One is made here if the system has its source.
if localedef --no-archive -i en_US -f UTF-8 made.UTF-8 > err 2>&1; then
  for options in '' -r -u -f '-k2,2 -k1,1r' '-t, -k2n' -c; do
    for file in in ordered; do
      want=0 got=0
      # shellcheck disable=SC2086
      LOCPATH=$PWD LC_ALL=made.UTF-8 sort $options $file > want 2> err || want=$?
      # shellcheck disable=SC2086
      LOCPATH=$PWD alone/strsort --locale=made.UTF-8 $options $file > out 2> err || got=$?
      [[ $got == "$want" ]] && cmp out want || fail "other lines in a locale: $options: $(< err)"
      # shellcheck disable=SC2086
      { LOCPATH=$PWD LC_ALL=made.UTF-8 alone/sort $options $file 2> err || true; } | cmp - want || fail "other lines in a locale as sort: $options"
    done
  done
  LOCPATH=$PWD LC_ALL=made.UTF-8 alone/strsort --locale in | cmp - <(LOCPATH=$PWD LC_ALL=made.UTF-8 sort in)
fi

# What has been read of a pipe is read again by the program: more than a few lines, a disorder, output that nobody takes.
seq 200000 -1 1 > many
sort many > want
cat many | strsort | cmp - want
{ head -c 1000 many; sleep 0.1; tail -c +1001 many; } | strsort - | cmp - want
cat many | strsort in - | cmp - <(sort in many)
cat in | strsort - many | cmp - <(sort in many)
cat in | strsort --csv - --header=0 | cmp - <(sort in)
strsort < many | cmp - want
(read -r _; strsort; cat) < in | cmp - <(tail -n +2 in | sort)
got=0
cat in | strsort -c - 2> err || got=$?
[[ $got == 1 ]] && sed 's/^strsort/sort/' err | cmp - <(sort -c - < in 2>&1) || fail "disorder: $got: $(< err)"
if [[ -e /dev/full ]]; then
  got=0
  cat in | strsort > /dev/full 2> err || got=$?
  [[ $got == 2 ]] && grep -qx 'strsort: cannot write: standard output: No space left on device' err || fail "$got: $(< err)"
fi
# A file that is read may be written, once it has been read.
cp in f
strsort f >> f
cmp f <(cat in; sort in)
# A child that gets the environment reads its own input: what another process has read is not its.
printf 'x\n' | ORDO_READ_INPUT=0:1 strsort | cmp - <(echo x)
# Output that ends within the lines: the disk is full.
(ulimit -f 1; trap '' XFSZ; expect 2 strsort in)
complaint strsort
grep -q 'File too large' err || fail "$(< err)"
