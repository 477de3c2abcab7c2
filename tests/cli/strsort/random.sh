# Random command lines on random texts: strsort under GNU's name says and does what the installed sort does, to the byte of
# stdout, stderr and the exit status. Beside a sort of coreutils 9.1 half of the command lines have --compat=9.1, and the others
# nothing that 9.2 changed. ORDO_SEED and ORDO_CASES change what is tried, and ORDO_DEVICE=gpu where: the number of cases that a GPU
# sorted is printed then. ORDO_JOBS=N runs N parts of the cases at a time, each with a seed of its own. ORDO_KEPT=1 runs all
# command lines of a part in one process, ordo_soak_commands, which starts the driver of a GPU once.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C
installed=$(command -v sort)
# The installed sort, called "sort": newer ones leave out the folder that they are called by.
theirs() { (exec -a sort "$installed" "$@"); }
seed=${ORDO_SEED-17} cases=${ORDO_CASES-250} jobs=${ORDO_JOBS-1}

if ((jobs > 1)); then
  failed=0 parts=()
  for ((part = 0; part < jobs; ++part)); do
    mkdir "part.$part"
    (cd "part.$part"
     ORDO_JOBS=1 ORDO_SEED=$((seed + part)) ORDO_CASES=$((cases * (part + 1) / jobs - cases * part / jobs)) \
       exec bash -euo pipefail "$ORDO_SOURCE/tests/cli/strsort/random.sh") > "part.$part/said" 2>&1 &
    parts+=($!)
  done
  for part in "${!parts[@]}"; do
    wait "${parts[part]}" || failed=1
    cat "part.$part/said"
  done
  exit $failed
fi

mkdir bin
ln -s "$(command -v strsort)" bin/sort

# Texts 0 to 39 of some kinds: few letters, blanks, numbers of each reading, months, versions, any bytes, NULs; short and long
# lines, many that repeat, some without an end. NaN only beside newer sorts than 9.1, which orders it by what memory holds.
cat > texts.awk <<'AWK'
function below(n) { return int(n * rand()) }
function letters(set, n,   word) { while (n-- > 0) word = word substr(set, 1 + below(length(set)), 1); return word }
BEGIN {
  srand(seed)
  kinds = split("ab|abAB .|0123456789|01.-+ |0123456789.eE+-xi |kKMGTPRQ0123456789. -|JANFEBMARjnfebmr |a.~1b0-_Z/ |nN.aA0-|ab:, -1|", set, "|")
  for (i = 1; i < 256; ++i) if (i != 10) set[kinds] = set[kinds] sprintf("%c", i)
  separators = split(" |\t|:|  |,|", separator, "|")
  lengths = split("1 2 4 9 20", length_of, " ")
  for (text = 0; text < 40; ++text) {
    kind = 1 + text % kinds
    pool = 3 + below(40)
    for (i = 0; i < pool; ++i) word[i] = letters(set[kind], below(length_of[1 + below(lengths)] + 1))
    between = separator[1 + below(separators)]
    file = "text." text
    printf "" > file
    for (lines = text % 7 == 0 ? below(3) : below(60); lines > 0; --lines) {
      line = word[below(pool)]
      for (i = below(4); i > 0; --i) line = line between word[below(pool)]
      if (rand() < 0.004) for (i = 0; i < 12; ++i) line = line line "x"
      if (!nans) gsub(/[nN][aA][nN]/, "x", line)
      if (rand() < 0.03) line = line "\n\n"
      printf "%s%s", line, rand() < 0.05 ? "\035" : lines == 1 && rand() < 0.3 ? "" : "\n" > file
    }
    close(file)
  }
}
AWK
nans=1
if sort_before 9.2; then nans=0; fi
awk -v seed="$seed" -v nans="$nans" -f texts.awk
for text in text.*; do tr '\035' '\000' < "$text" > in && mv in "$text"; done
head -c 64 bin/sort > random

# On a chosen machine warnings tell that the CPU reads some keys, which no sort says: --quiet, and a report of who did it.
sorted_here=0 where=()
if [[ ${ORDO_DEVICE-auto} != auto ]]; then where=(--quiet --stats=report); fi

# ours STDIN WORD...: the tool's outputs are out and err.
kept=${ORDO_KEPT-}
if [[ $kept ]]; then coproc keeper { ordo_soak_commands; }; fi
ours() {
  local from=$1 status
  shift
  if [[ $kept ]]; then
    printf '%s\0' $# "$from" "$@" >&"${keeper[1]}"
    read -r status <&"${keeper[0]}" || fail "the process of all command lines has ended: sort$(printf ' %q' "$@") < $from"
    return "$status"
  fi
  (exec -a sort bin/sort "$@") < "$from" > out 2> err
}

RANDOM=$seed
one_in() { ((RANDOM % $1 == 0)); }
# any WORD...: one of them, as $picked.
any() { local k=$((RANDOM % $# + 1)); picked=${!k}; }
# letters: some for a key, as $picked.
letters() {
  local made=
  while one_in 3; do any "${readings[@]}"; made+=$picked; done
  picked=$made
}
position() {
  picked=$((RANDOM % 4 + 1))
  if one_in 3; then picked+=.$((RANDOM % 4 + $1)); fi
}
key() {
  local made=-k
  if one_in 3; then made+=' '; fi
  position 1; made+=$picked
  letters; made+=$picked
  if ! one_in 3; then position 0; made+=,$picked; letters; made+=$picked; fi
  picked=$made
}

for ((number = 1; number <= cases; ++number)); do
  arguments=() files=() rules=()
  readings=(b d f i g n M h r V) debug=1
  if sort_before 9.2; then
    if one_in 2; then rules=(--compat=9.1); else readings=(b d f i g M r) debug=; fi
  elif sort_before 9.7; then
    debug=
  fi
  for letter in "${readings[@]}"; do if one_in 14; then arguments+=("-$letter"); fi; done
  for letter in r s u z; do if one_in 6; then arguments+=("-$letter"); fi; done
  while one_in 2; do
    key
    if [[ $picked == *' '* ]]; then arguments+=("${picked% *}" "${picked#* }"); else arguments+=("$picked"); fi
  done
  if one_in 4; then any : ' ' $'\t' a '\0' , 1; arguments+=("-t$picked"); fi
  checks=
  if one_in 7; then any -c -C -cu --check=quiet; arguments+=("$picked") checks=1; fi
  if one_in 8; then arguments+=(-m); fi
  if one_in 20; then arguments+=(-R --random-source=random); fi
  if one_in 20; then any +1 '+1 -2' '+0.2M -1' '+1.1b -3.2r'; arguments+=($picked); fi
  if [[ -n $debug ]] && one_in 12; then arguments+=(--debug); fi
  if one_in 12; then any -S16M --parallel=2 --batch-size=2 -T. --compress-program=gzip --files0-from=list; arguments+=("$picked"); fi
  if [[ -z $checks ]] && one_in 9; then any made "made -o made"; arguments+=(-o $picked); fi
  files+=("text.$((RANDOM % 40))")
  while one_in 2 && { [[ -z $checks ]] || one_in 9; }; do files+=("text.$((RANDOM % 40))"); done
  if [[ -z $checks ]] && one_in 5; then files+=("${files[0]}"); fi
  if [[ -z $checks ]] && one_in 6; then files+=(-); fi
  if one_in 40; then files+=(missing); fi
  printf '%s\0' "${files[@]}" > list
  if [[ " ${arguments[*]-} " == *' --files0-from'* ]]; then files=(); fi
  if one_in 5; then arguments=("${files[@]}" ${arguments[@]+"${arguments[@]}"}); else arguments+=("${files[@]}"); fi

  stdin=text.$((RANDOM % 40)) want=0 got=0
  rm -f made theirs.made report
  theirs ${arguments[@]+"${arguments[@]}"} < $stdin > want.out 2> want.err || want=$?
  if [[ -e made ]]; then mv made theirs.made; fi
  ours $stdin ${where[@]+"${where[@]}"} ${rules[@]+"${rules[@]}"} ${arguments[@]+"${arguments[@]}"} || got=$?
  shown="ORDO_SEED=$seed, case $number: sort$(printf ' %q' ${rules[@]+"${rules[@]}"} ${arguments[@]+"${arguments[@]}"}) < $stdin"
  [[ $got == "$want" ]] || fail "exit status $got instead of $want: $shown: $(head -c 300 err)"
  cmp want.out out || fail "other output: $shown"
  if sort_before 9.8; then sed -i 's/file names from stdin,/file names from standard input,/' want.err err; fi
  cmp want.err err || fail "other words: $shown: $(head -c 300 err)"
  if [[ -e theirs.made || -e made ]]; then cmp theirs.made made || fail "other file: $shown"; fi
  if [[ -s report ]] && grep -q '"device": *"gpu"' report; then ((++sorted_here)); fi
  # A GPU takes minutes: whoever stops it knows how far it came.
  if ((${#where[@]} && number % 10 == 0)); then echo "seed $seed: $number of $cases cases as expected so far, $sorted_here of them sorted on a GPU"; fi
done
if ((${#where[@]})); then echo "seed $seed: all $cases cases as expected, $sorted_here of them sorted on a GPU"; fi
