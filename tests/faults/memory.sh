# Too little memory, by any measure: the right result, or status 2 and one line; never a crash, never a half file,
# never a wait without end.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in "${tools[@]}"; do
  sample "$tool" 40000 > in
  expect 0 work "$tool" in good --device cpu
  refused=0
  for ((kib = 10000; kib < 300000; kib += kib / 5)); do
    (ulimit -v "$kib"; "$tool" --version) > /dev/null 2>&1 || continue  # not even enough to load the program
    rm -rf place; mkdir place
    status=0
    (ulimit -v "$kib"; launch="timeout 60" work "$tool" in place/out --device cpu --threads 2) > out 2> err || status=$?
    case $status in
      0) cmp "$(result "$tool" good)" "$(result "$tool" place/out)" ;;
      2) complaint "$tool"
         grep -qE "^$tool: [^:]+: [^:]+: ." err || fail "$tool: not what: where: why: $(cat err)"
         ! grep -q 'out of memory: [^0-9]*$' err || fail "$tool: out of memory, but no figure: $(cat err)"
         [[ -z $(ls -A place) ]] || fail "$tool: $kib KiB: left behind: $(ls -A place)"
         refused=1 ;;
      *) fail "$tool: $kib KiB: status $status: $(head -c 500 err)" ;;
    esac
  done
  ((refused)) || fail "$tool: this test never ran out of memory"
done

# A text that repeats itself takes more of a GPU than the plan says at least: the CPU takes it, residues and all.
{ echo '>a'; head -c 2000000 /dev/zero | tr '\0' A; echo; echo '>b'; head -c 500000 /dev/zero | tr '\0' A; } > repeats.fa
expect 0 sufsort build --device cpu --bwt -o right repeats.fa
for limit in 1M 62M 66M 72M 1G; do
  rm -f gpu.*
  ORDO_GPU_MEMORY=$limit expect 0 sufsort build --threads 1 --bwt --quiet --stats report.json -o gpu repeats.fa
  for array in sa bwt seq; do cmp right.$array gpu.$array; done
  grep '"device"' report.json
done | sort | uniq -c > machines
if have_gpu; then
  [[ $(grep -c . machines) == 2 ]] || fail "the GPU took all, or none: $(cat machines)"
fi

# Files of control groups and of memory are read once in a run, and not at all for a few lines, which load no library that
# only compressed files need.
strace -f -o /dev/null true 2> /dev/null || exit 0
opened() { strace -f -e trace=openat -o calls "$@" > /dev/null; }
seq 10 > few; seq 300000 > many
opened strsort few
! grep -E 'cgroup|meminfo|libhts|libcurl|libcrypto' calls || fail 'a few lines need none of these'
for options in '' '-S 32M' -m; do
  # shellcheck disable=SC2086
  opened strsort $options many
  [[ $(grep -c /proc/self/cgroup calls) == 1 ]] || fail "strsort $options reads its groups $(grep -c /proc/self/cgroup calls) times"
done
