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

# A small file that expands to a line, record or spectrum of gigabytes: an error that states the figures, and never a kill,
# which is how a control group answers. Root can make one on most systems; elsewhere the unit tests of large blocks stand for
# this.
group=
for place in /sys/fs/cgroup/memory:memory.limit_in_bytes /sys/fs/cgroup:memory.max; do
  limit=${place#*:} place=${place%:*}/ordo-test-$$
  if mkdir "$place" 2> /dev/null; then
    if echo 256M > "$place/$limit"; then group=$place; break; fi 2> /dev/null
    rmdir "$place"
  fi
done
if [[ $group ]]; then
  trap 'rmdir "$group"' EXIT
  # in_group COMMAND...: status 2, one line with two figures or with why the input is refused at once, and no output.
  in_group() {
    local status=0
    (echo "$BASHPID" > "$group/cgroup.procs"; exec "$@") > out 2> err || status=$?
    [[ $status == 2 ]] || fail "status $status in a control group: $*: $(head -c 500 err)"
    complaint "$(basename "$1")"
    grep -Eq 'out of memory: [^:]+: .*[0-9]+ bytes.*, [0-9]+ are|not MGF: ' err || fail "no figures: $*: $(cat err)"
    [[ ! -e made && ! -s out ]] || fail "an output: $*"
  }
  # endless HEAD [BYTE]: 400 MB after a head, packed.
  endless() { { printf "$1"; head -c 400000000 /dev/zero | tr '\0' "${2-a}"; } | zstd -q1 > endless.zst; }
  endless ''
  for options in '-S 64M' --head=1 --distinct-estimate -c -C -m -u --count --csv --header=1 '-k 1,1n' '-k /b+/'; do
    # shellcheck disable=SC2086
    in_group strsort $options endless.zst
  done
  in_group specsort endless.zst -o made
  grep -q '^specsort: not MGF: endless.zst:1: ' err || fail "not refused at once: $(cat err)"
  in_group sufsort build --format lines endless.zst -o made
  endless 'BEGIN IONS\nTITLE=a\nPEPMASS=500\n1' 1
  for options in '-o made' --check --summary; do
    # shellcheck disable=SC2086
    in_group specsort endless.zst $options
  done
  endless 'Name: '; in_group specsort endless.zst -o made
  endless '<mzML '; in_group specsort endless.zst -o made
  endless '>'; in_group sufsort build endless.zst -o made
  endless '{"text": "'; in_group sufsort build --format jsonl --field text endless.zst -o made
  # Up to eight spectra at a time, each of which fits: if too many are in memory at once, an error, and else the result.
  python3 - << 'END' > declared.mzML
import base64, zlib
n = 4000000
array = base64.b64encode(zlib.compress(bytes(8 * n), 1)).decode()
print('<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0"><softwareList count="1"><software id="s" version="1"/></softwareList>'
      '<run id="r"><spectrumList count="24" defaultDataProcessingRef="d">')
for i in range(24):
    print(f'<spectrum index="{i}" id="scan={i}" defaultArrayLength="{n}"><cvParam accession="MS:1000511" value="2"/>'
          '<binaryDataArrayList count="2">' + ''.join(
          f'<binaryDataArray><cvParam accession="MS:1000523"/><cvParam accession="MS:1000574"/><cvParam accession="MS:{a}"/>'
          f'<binary>{array}</binary></binaryDataArray>' for a in (1000514, 1000515)) + '</binaryDataArrayList></spectrum>')
print('</spectrumList></run></mzML>')
END
  status=0
  (echo "$BASHPID" > "$group/cgroup.procs"; exec specsort --threads 8 --by intensity declared.mzML -o made) > out 2> err || status=$?
  [[ $status == 2 && ! -e made || $status == 0 && -s made ]] || fail "status $status: spectra of a declared size: $(head -c 500 err)"
  [[ $status == 0 ]] || grep -Eq 'out of memory: declared.mzML: .*[0-9]+ bytes.*, [0-9]+ are' err || fail "no figures: $(< err)"
  rm -f made
  trap - EXIT
  rmdir "$group"
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
