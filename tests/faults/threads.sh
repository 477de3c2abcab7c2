# Threads that cannot be started: the right result by fewer of them, or status 2 and one line, whichever thread it is that
# cannot start another.
. "$ORDO_SOURCE/tests/cli/lib.sh"

refusing=$(dirname "$(dirname "$(command -v strsort)")")/preloaded/libordo_refuse_threads.so
[[ -e $refusing ]] || exit 77  # a build with the thread sanitizer
export ORDO_DEVICE=cpu ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
ulimit -c 0

# few THREADS COMMAND...: status and stderr of a command that may start so many, on 16 processors.
few() {
  status=0
  ORDO_THREADS_LEFT=$1 LD_PRELOAD=$refusing timeout 60 "${@:2}" > out 2> err || status=$?
}
sample sufsort 20000 > in.fa
sample specsort 30000 > in.mgf
sample strsort 60000 > in.txt
for name in fa mgf txt; do
  bgzip -c in.$name > in.$name.gz
done
mkdir place want
sufsort build in.fa -o want/index --lcp --bwt
specsort in.mgf -o want/mgf
strsort in.txt -o want/txt
declare -A commands=(
  [index]='sufsort build in.fa.gz -o place/index --lcp --bwt'
  [txt]='strsort in.txt.gz -o place/txt'
  [mgf]='specsort in.mgf.gz -o place/mgf'
)
refused=0
for threads in 0 1 2 5 15 16 18 30 31 47; do
  for made in index txt mgf; do
    few $threads ${commands[$made]}
    case $status in
      0) [[ ! -s err && -n $(ls -A place) ]] || fail "$threads threads: ${commands[$made]}: $(< err)" ;;
      2)
        complaint "${commands[$made]%% *}"
        grep -q 'cannot start a thread' err || fail "$threads threads: no word of them: $(< err)"
        ((++refused)) ;;
      *) fail "$threads threads: ${commands[$made]}: status $status: $(head -c 500 err)" ;;
    esac
    # Whole or absent: a thread of no more use may fail when all is done.
    for file in $(ls -A place); do [[ $file == *.json ]] || cmp "place/$file" "want/$file"; done
    rm -rf place; mkdir place
  done
done
((refused > 3 && refused < 30)) || fail "all were refused, or none: $refused"

# One thread needs no other: not to inflate, not to write beside the work, not for the progress line.
few 0 sufsort build in.fa.gz -o place/index --lcp --bwt --threads 1
[[ $status == 0 && ! -s err ]] || fail "sufsort by one thread: status $status: $(< err)"
for array in seq sa lcp bwt; do cmp place/index.$array want/index.$array; done
few 0 specsort in.mgf.gz --threads 1
[[ $status == 0 && ! -s err ]] || fail "specsort by one thread: status $status: $(< err)"
cmp out want/mgf
few 0 strsort in.txt.gz --threads 1
[[ $status == 0 && ! -s err ]] || fail "strsort by one thread: status $status: $(< err)"
cmp out want/txt
bgzip -c want/txt > sorted.gz
few 0 strsort -m sorted.gz sorted.gz
[[ $status == 0 && ! -s err ]] || fail "strsort -m: status $status: $(< err)"
strsort -m want/txt want/txt | cmp - out
if script -qec true /dev/null > /dev/null < /dev/null; then
  export TERM=xterm
  few 0 script -qec 'strsort in.txt --threads 1 -o place/txt' /dev/null < /dev/null
  grep -q 'strsort: ' out || fail 'no progress'
  cmp place/txt want/txt
fi

# A limit on address space does not turn the threads of a large machine into an error.
head -n 100000 in.txt > some.txt
strsort some.txt -o want/some
for kib in 300000 400000; do
  (ulimit -v $kib; strsort --version) > /dev/null 2>&1 || continue  # a sanitizer
  (ulimit -v $kib; LD_PRELOAD=$refusing strsort some.txt) | cmp - want/some || fail "ulimit -v $kib"
done
