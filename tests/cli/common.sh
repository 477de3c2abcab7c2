# What the three tools do alike: help, version, bad flags, the choice of the machine, reports, silence.
. "$ORDO_SOURCE/tests/cli/lib.sh"

for tool in "${tools[@]}"; do
  expect 0 "$tool" --help
  [[ ! -s err ]] || fail "$tool --help: something on stderr"
  grep -qi usage out || fail "$tool --help: no usage"
  for option in --device --threads --quiet --verbose --stats --version; do
    grep -qe "$option" out || fail "$tool --help does not name $option"
  done
  expect 0 "$tool" --version
  [[ ! -s err ]] || fail "$tool --version: something on stderr"
  grep -q "^$tool (Ordo) [0-9]" out || fail "$tool --version: no version"
  grep -q '^compiler: ' out || fail "$tool --version: no compiler"
  grep -q '^CUDA: ' out || fail "$tool --version: no word on CUDA"

  expect_error "$tool" --no-such-option
  sample "$tool" 20 > in
  expect_error work "$tool" in result --no-such-option
  expect_error work "$tool" in result --device tpu
  for threads in many '' 0x10 +1 ' 1' -1; do
    expect_error work "$tool" in result --threads "$threads"
    [[ $(< err) == "$tool: invalid number: --threads: '$threads'" ]] || fail "$tool --threads '$threads': $(< err)"
  done
  expect_error work "$tool" in result --stats ''
  [[ ! -e $(result "$tool" result) ]] || fail "$tool: output in spite of a bad flag"

  # The machine: by option, by environment, the option stronger; and what was taken is told.
  expect 0 work "$tool" in cpu --device cpu --verbose
  grep -q cpu err || fail "$tool --verbose does not name the machine"
  ORDO_DEVICE=cpu expect 0 work "$tool" in auto
  cmp "$(result "$tool" cpu)" "$(result "$tool" auto)"
  ORDO_DEVICE=tpu expect_error work "$tool" in result
  if have_gpu; then
    expect 0 work "$tool" in gpu --device gpu
    cmp "$(result "$tool" cpu)" "$(result "$tool" gpu)"
  else
    expect_error work "$tool" in result --device gpu
    ORDO_DEVICE=gpu expect_error work "$tool" in result
    [[ ! -e $(result "$tool" result) ]] || fail "$tool: output in spite of the missing GPU"
    ORDO_DEVICE=gpu expect 0 work "$tool" in cpu --device cpu
  fi
  # What needs no machine must not be asked of one that is not there.
  case $tool in
    sufsort) sufsort build in -o index; checks=('sufsort check index' 'sufsort info index' 'sufsort locate index A') ;;
    specsort) checks=("specsort --check $(result specsort cpu)") ;;
    strsort) checks=("strsort -c $(result strsort cpu)") ;;
  esac
  for check in "${checks[@]}"; do
    expect 0 $check --device cpu
    ORDO_DEVICE=bogus expect_error $check
    ORDO_DEVICE=bogus expect 0 $check --device cpu
    expect_error $check --device bogus
    if have_gpu; then
      ORDO_DEVICE=gpu expect 0 $check --device gpu
    else
      expect_error $check --device gpu
      ORDO_DEVICE=gpu expect_error $check
    fi
    expect 0 $check --stats report.json
    grep -q '"name": ' report.json || fail "$check: a report of no phase"
    [[ $check == *info* ]] || ! grep -q '"input_bytes": 0,' report.json || fail "$check: a report of no input"
  done
  for n in 1 2 5; do
    expect 0 work "$tool" in threads --threads "$n"
    cmp "$(result "$tool" cpu)" "$(result "$tool" threads)"
  done

  # Silent where there is nothing to say, and no progress where there is no terminal.
  expect 0 work "$tool" in silent --device cpu
  [[ ! -s out && ! -s err ]] || fail "$tool is not silent: $(cat out err)"

  expect 0 work "$tool" in reported --stats report.json
  for key in tool version device seconds waited phases peak_memory; do
    grep -q "\"$key\": " report.json || fail "$tool: the report has no $key"
  done
  expect_error work "$tool" in result --stats no/such/folder/report.json
  # Before a name, --stats takes it as that of the report.
  for content in $'>a\nACGT' '{"text": "a"}'; do
    printf '%s\n' "$content" > other
    expect_error work "$tool" in result --stats other
    [[ $(cat other) == "$content" ]] || fail "$tool: --stats replaced a file that is no report"
  done
  rm other
  no_leftovers
done

# Files that the system makes take no new file beside them: the new content is written elsewhere, then over the old one.
if [[ -w /proc/self/oom_score_adj ]]; then
  file=/proc/self/oom_score_adj
  printf 'no number\n' > in
  TMPDIR=/no/such expect_error strsort in -o $file
  grep -q "^strsort: cannot write: $file: .*; no temporary file in .*: No such file or directory$" err || fail "$(cat err)"
  mkdir temporary
  TMPDIR=$PWD/temporary expect 2 strsort in -o $file
  grep -q "^strsort: cannot write: $file: Invalid argument; the new content is in $PWD/temporary/.oom_score_adj.*tmp$" err ||
    fail "$(cat err)"
  cmp in temporary/.oom_score_adj.*.tmp || fail 'the new content is lost'
fi
