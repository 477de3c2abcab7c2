#!/usr/bin/env bash
# run_coreutils_tests.sh COREUTILS BIN [TEST...]: coreutils' own tests of sort, on the strsort in BIN called `sort` and on the
# installed sort. COREUTILS is a source tree of coreutils, which nothing is built in and which is under the GPL: it is fetched,
# never kept here (git clone https://github.com/coreutils/coreutils). A TEST is a file of its tests/sort: sort.pl, sort-merge.pl...
# Says for each file how many of its runs passed, and what fails here only. Exit status 1: something does.
set -uo pipefail
tree=$(readlink -f "$1"); bin=$(readlink -f "$2"); shift 2
installed=$(readlink -f "$(command -v sort)")
work=$(mktemp -d); trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
(($#)) || set -- $(cd "$tree/tests/sort" && ls -- *.pl *.sh)

# What stands in for a built tree: src/sort and src/getlimits, and the system's other programs.
for who in ours theirs; do
  mkdir -p "$work/$who/src"
  cat > "$work/$who/src/getlimits" <<'END'
#!/bin/sh
cat <<'LIMITS'
INT_MAX=2147483647
INT_OFLOW=2147483648
INTMAX_MAX=9223372036854775807
INTMAX_OFLOW=9223372036854775808
UINTMAX_MAX=18446744073709551615
UINTMAX_OFLOW=18446744073709551616
SIZE_MAX=18446744073709551615
SIZE_OFLOW=18446744073709551616
FLT_MIN=1.175494e-38
FLT_MAX=3.402823e+38
DBL_MIN=2.225074e-308
DBL_MAX=1.797693e+308
LDBL_MIN=3.362103e-4932
LDBL_MAX=1.189731e+4932
LIMITS
END
  chmod +x "$work/$who/src/getlimits"
done
ln -s "$bin/strsort" "$work/ours/src/sort"
ln -s "$installed" "$work/theirs/src/sort"
# gnulib's init.sh, which the shell scripts begin with, is not in coreutils' tree: what they use of it.
mkdir -p "$work/tree/tests"
ln -s "$tree/init.cfg" "$work/tree/"
ln -s "$tree"/tests/* "$work/tree/tests/"
rm -f "$work/tree/tests/init.sh"
cat > "$work/tree/tests/init.sh" <<'END'
fail=0 ME_=${0##*/} stderr_fileno_=2
skip_() { echo "$ME_: skipped: $*" >&2; Exit 77; }
fail_() { echo "$ME_: failed: $*" >&2; Exit 1; }
framework_failure_() { echo "$ME_: set-up failure: $*" >&2; Exit 99; }
fatal_() { framework_failure_ "$@"; }
warn_() { echo "$*" >&2; }
Exit() { exit "$1"; }
compare() { diff -u "$@" >&2; }
compare_() { diff -u "$@"; }
returns_() { want_=$1; shift; got_=0; "$@" || got_=$?; test "$got_" = "$want_"; }
path_prepend_() { :; }
print_ver_() { :; }
cleanup_() { :; }
initial_cwd_=$PWD
test_dir_=$(mktemp -d "$PWD/gt-XXXXXX")
trap 'st_=$?; cleanup_; cd "$initial_cwd_"; chmod -R u+rwX "$test_dir_"; rm -rf "$test_dir_"; exit $st_' 0
cd "$test_dir_"
. "$srcdir/init.cfg"
END
utf8=$(locale -a | grep -ix 'fr_FR.utf-\?8' | head -n 1 || true)

# run WHO TEST: its log on stdout, its exit status.
run() (
  cd "$work/$1" || exit 99
  export PATH="$work/$1/src:$PATH" srcdir="$work/tree" top_srcdir="$work/tree" abs_srcdir="$work/tree" abs_top_srcdir="$work/tree" \
    abs_top_builddir="$work/$1" built_programs='sort getlimits printf' VERBOSE=yes SHELL=/bin/sh PERL=perl AWK=awk \
    LOCALE_FR=none LOCALE_FR_UTF8="${utf8:-none}" LOCALE_JA=none LC_ALL=C PREFERABLY_POSIX_SHELL=/bin/sh CU_TEST_NAME="$2"
  if [[ $2 == *.pl ]]; then
    timeout 600 perl -w -I "$tree/tests" -MCuSkip -MCoreutils -M"CuTmpdir qw(sort)" "$tree/tests/sort/$2" 2>&1 < /dev/null
  else
    timeout 120 bash "$tree/tests/sort/$2" 2>&1 < /dev/null 9>&2
  fi
)

# failures STATUS TEST LOG: the names of the runs that failed; of a shell script, its own.
failures() {
  case $1:$2 in
    0:* | 77:*) ;;
    *.pl)
      grep -oE '^sort[^:]*: test [^:]*: ' "$3" | sed 's/.*: test //; s/: $//; s/ failed$//' | sort -u
      grep -qE '^sort[^:]*: test ' "$3" || echo "$2"
      ;;
    *) echo "$2" ;;
  esac
}

worse=0
for test in "$@"; do
  for who in ours theirs; do
    run "$who" "$test" > "$work/$who.log"
    status=$?
    failures "$status" "$test" "$work/$who.log" > "$work/$who.failed"
    [[ $status != 77 ]] || echo "$test" > "$work/$who.skipped"
  done
  if [[ -n ${KEEP_LOGS-} ]]; then
    mkdir -p "$KEEP_LOGS"
    cp "$work/ours.log" "$KEEP_LOGS/$test.log"
    cp "$work/theirs.log" "$KEEP_LOGS/$test.theirs.log"
  fi
  runs=$([[ $test == *.pl ]] && grep -cE '^[^ ]+\.\.\.$' "$work/ours.log" || echo 1)
  if [[ -e $work/ours.skipped ]]; then
    printf '%-28s skipped%s\n' "$test" "$(grep -m 1 -o ': skipped: .*' "$work/ours.log" | cut -c 10-)"
    rm -f "$work"/*.skipped
    continue
  fi
  rm -f "$work"/*.skipped
  printf '%-28s %s of %s\n' "$test" "$((runs - $(wc -l < "$work/ours.failed")))" "$runs"
  also=$(comm -12 "$work/ours.failed" "$work/theirs.failed" | tr '\n' ' ')
  only=$(comm -23 "$work/ours.failed" "$work/theirs.failed" | tr '\n' ' ')
  gone=$(comm -13 "$work/ours.failed" "$work/theirs.failed" | tr '\n' ' ')
  [[ -z $also ]] || printf '  both fail: %s\n' "$also"
  [[ -z $gone ]] || printf '  the installed sort alone fails: %s\n' "$gone"
  [[ -z $only ]] || { printf '  strsort alone fails: %s\n' "$only"; worse=1; }
done
exit $worse
