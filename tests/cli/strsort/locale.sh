# strsort --locale=NAME beside LC_ALL=NAME sort, in the locales that the system has: the same bytes and the same exit status.
. "$ORDO_SOURCE/tests/cli/lib.sh"
unset LC_ALL LANG
export LANGUAGE=en  # the words of messages
seed=${ORDO_SEED-$RANDOM}
echo "seed $seed"
RANDOM=$seed

# What is no locale is refused, by name, before anything else is done.
for name in xx_XX.UTF-8 '' no/such 'en US'; do
  expect_error strsort --locale="$name" /dev/null -o made
  grep -qF "unknown locale '$name'" err || fail "no word of the locale: $(cat err)"
  [[ ! -e made ]] || fail 'output in spite of an unknown locale'
done
printf 'b\nB\na\n' > f
for name in C POSIX; do strsort --locale=$name f | cmp - <(printf 'B\na\nb\n') || fail "other order: $name"; done

# Those that the system lacks are made here, if it has their sources: accents that count backwards, letters of two characters,
# bytes above 127 that are characters.
mkdir made_here
declare -A folder
locales=()
for name in en_US.UTF-8 de_DE.UTF-8 fr_CA.UTF-8 cs_CZ.UTF-8 de_DE.ISO-8859-1 C.UTF-8; do
  if [[ $(LC_ALL=$name locale charmap 2>&1) == *Cannot* ]]; then
    localedef --no-archive -i "${name%%.*}" -f "${name#*.}" "made_here/$name" > /dev/null 2>&1 || continue
    folder[$name]=$PWD/made_here
  fi
  locales+=("$name")
done
echo "locales: ${locales[*]-none}"
[[ ${#locales[@]} != 0 ]] || exit 0

# same LOCALE ARGUMENT...: output and exit status are those of the installed sort.
same() {
  local want=0 got=0 name=$1
  shift
  export LOCPATH=${folder[$name]-}
  LC_ALL=$name sort "$@" > want.out 2> want.err || want=$?
  strsort ${compat[@]+"${compat[@]}"} --locale="$name" "$@" > out 2> err || got=$?
  [[ $got == "$want" ]] || fail "$name: exit status $got instead of $want: $*: $(cat err)"
  cmp want.out out || fail "$name: other output: $*"
  [[ $want != 1 ]] || cmp <(sed 's/^[^:]*//' want.err) <(sed 's/^[^:]*//' err) || fail "$name: other words: $*"
}

# words N: lines of a few syllables, with what is hard among them: accents, both cases, punctuation that collation passes over,
# digits, bytes that are no characters, NULs, blanks, repeated lines.
cat > words.awk <<'AWK'
BEGIN {
  srand(seed)
  n = split("a b e A B E z Z ab Ab aB st ß ä Ä é É e\314\201 ñ ø œ ö ch lj 1 2 10 3 - - . , ' ’ _ / : ( ) # ¥ ² \303 \377 \200 \001 \177 日本 Ω д ﷺ", part, " ")
  for (i = 0; i < lines; ++i) {
    if (i > 4 && rand() < 0.1) { print old[int(rand() * 5)]; continue }
    line = ""
    for (k = int(rand() * 7); k > 0; --k) line = line part[1 + int(rand() * n)] (rand() < 0.15 ? " " : "") (rand() < 0.02 ? "\t" : "")
    if (rand() < 0.03) line = line "\035" part[1 + int(rand() * n)]
    old[i % 5] = line
    print line
  }
}
AWK
words() { LC_ALL=C awk -v seed="$RANDOM" -v lines="$1" -f words.awk | tr '\035' '\000'; }
words 2000 > words
words 300 > few
tr '\n\000' '\000\n' < words > ended
printf '3d\n3-D\n3D\n3-d\n0a\n0-a\n00ê\n0#0ê\nHaus-Tür\nHaustür\nhaus tür\n\n-\n\n\000\n\000a\na\000\na\na\000b\na\377\na\376\na\001\n' > hard

# numbers N: columns of numbers as locales write them, and months.
cat > numbers.awk <<'AWK'
function number(k) {
  k = int(rand() * 9)
  if (k == 0) return int(rand() * 3000) "," int(rand() * 100)
  if (k == 1) return int(rand() * 3000) "." int(rand() * 100)
  if (k == 2) return int(rand() * 30) "." int(100 + rand() * 900) "," int(rand() * 10)
  if (k == 3) return int(rand() * 30) "," int(100 + rand() * 900) "." int(rand() * 10)
  if (k == 4) return "-" int(rand() * 20) (rand() < 0.5 ? "," : ".") int(rand() * 3) "e1"
  if (k == 5) return "." int(rand() * 30)
  if (k == 6) return "," int(rand() * 30)
  if (k == 7) return int(rand() * 20) ",,5" (rand() < 0.5 ? "." : "")
  return int(rand() * 20)
}
BEGIN {
  srand(seed)
  n = split("Jan jan FEB Mär MÄR mär Mar mai May may Okt Oct okt dez Dec Apr abr Sept févr. févr x Jänner Juni lis", month, " ")
  u = split("K k M G T P E Z , . x Ki", unit, " ")
  for (i = 0; i < lines; ++i)
    print number() (rand() < 0.6 ? unit[1 + int(rand() * u)] : "") (rand() < 0.5 ? " " : "  ") month[1 + int(rand() * n)] " " number()
}
AWK
LC_ALL=C awk -v seed="$RANDOM" -v lines=1500 -f numbers.awk > numbers
head -c 64 /dev/zero > zeros

# Each of the options with every second text of every second locale, others in another run.
turn=$RANDOM
versions=(-V '-k2,2V -k1,1')
for name in "${locales[@]}"; do
  for file in hard words; do
    for options in "${versions[@]}" '' -r -s -u -ur -f -d -i -df -fr -fu -b -di -k2 -k2,2 '-k2,2 -k1,1r' '-sk2,2' -uk1,1f \
      -k1.2,1.4 '-t1 -k2' '-k1,1 -u -r' --parallel=1; do
      ((++turn % 2)) || continue
      same "$name" $options $file
    done
    same "$name" -R --random-source=zeros $file
    same "$name" -k1,1Rf -k2 --random-source=zeros $file
    same "$name" -z ended
    same "$name" -z -u -k2 ended
    LC_ALL=$name LOCPATH=${folder[$name]-} sort $file > sorted
    LC_ALL=$name LOCPATH=${folder[$name]-} sort few > sorted_few
    for options in -c -C -cu -cr; do
      same "$name" $options sorted
      same "$name" $options $file
    done
    same "$name" -m sorted sorted_few
    same "$name" -mu sorted sorted_few sorted
  done
  for options in -n -nr -g -h -hr -M '-k2,2M -k3,3n' '-k2M' '-k3,3n -k1,1n' '-k3,3g' '-sn' '-nu' '-k1,1h -k2,2Mr' '-Mu -k2,2' \
    '-t, -k2n' '-t. -k2,2n -k1,1n'; do
    ((++turn % 2)) || continue
    same "$name" $options numbers
  done
  turn=$((turn + 1))
done

# Under GNU's name the locale is that of the environment, with a category apart, too; one that the system does not know is C.
# Under its own name, --locale asks for it.
mkdir bin
ln -s "$(command -v strsort)" bin/sort
installed=$(command -v sort)
in_environment() {
  local want=0 got=0
  env "$@" bash -c 'exec -a sort "$0" "${@}"' "$installed" $options > want.out 2> want.err || want=$?
  env "$@" bash -c 'exec -a sort "$0" "${@}"' bin/sort ${compat[@]+"${compat[@]}"} $options > out 2> err || got=$?
  [[ $got == "$want" ]] || fail "$*: exit status $got instead of $want: sort $options: $(cat err)"
  cmp want.out out || fail "$*: other output: sort $options"
  sed -i "s/‘/'/g; s/’/'/g" want.err err  # quotes of UTF-8, which lines may have, too
  if sort_before 9.7; then sed -i 's/^sort: note numbers use /sort: numbers use /' want.err err; fi
  cmp want.err err || fail "$*: other words: sort $options: $(cat err)"
  [[ $options != *-R* ]] || return 0
  if [[ $want == 0 && $options != --debug* && $* != *xx_XX* ]]; then
    env "$@" strsort ${compat[@]+"${compat[@]}"} --locale $options | cmp - want.out || fail "$*: other output: strsort --locale $options"
  fi
}
for name in "${locales[@]}"; do
  export LOCPATH=${folder[$name]-}
  for options in few '-c few' '-n numbers' '-k2,2M -k3,3n numbers' '-f few' '-R --random-source=zeros few' '--debug -k1,1n numbers'; do
    ((++turn % 2)) || continue
    in_environment LANG="$name"
    in_environment LC_ALL= LC_COLLATE="$name"
    in_environment LANG="$name" LC_COLLATE=C
    in_environment LANG=C LC_NUMERIC="$name"
    in_environment LC_ALL="$name" LC_COLLATE=C LANG=C
  done
done
unset LOCPATH
for options in few '--debug few' '-n numbers'; do
  in_environment LANG=xx_XX.UTF-8
  in_environment LANG=C LC_PAPER=xx_XX
  in_environment LC_ALL=POSIX
done

# uniq compares bytes, in every locale.
for name in "${locales[@]}"; do
  for file in hard few; do
    export LOCPATH=${folder[$name]-}
    strsort --locale="$name" --count $file > out
    LC_ALL=$name sort $file | LC_ALL=$name uniq -c > want.out
    cmp want.out out || fail "$name: other counts: $file"
    strsort --locale="$name" --count --by-count --head=20 $file > out
    LC_ALL=$name sort -rn want.out > all.out
    cmp <(head -n 20 all.out) out || fail "$name: other counts in front: $file"
  done
done

# Beyond memory, a piece of the lines at a time.
name=${locales[0]}
words 100000 > many
same "$name" -S 16M many
same "$name" -u -S 16M -k1,1 many

# So many that the tables of the locale pay in the small program, too.
head -n 5000 many > some
for options in '' -r '-uk1,1'; do same "$name" $options some; done

# A line of which only the beginning is transformed, and one that collation passes over until late.
times() { head -c "$1" /dev/zero | tr '\000' "$2"; }
{ times 300000 -; echo b; times 300000 -; echo a; times 30000 x; echo; times 30000 x; echo a; echo x; } > long
same "$name" long
same "$name" -r -k1 long

# --debug: the same lines under the lines.
# Keys that begin and end within a character, too.
for options in --debug '--debug -k1,1n -k3,3h' '--debug -k2,2M' '--debug -k1,1g' '--debug -s -k1.2 -k1.3,1.4' '--debug -s -k1.3 -k2.3,2.4'; do
  same "$name" $options numbers
  same "$name" $options few
done
if [[ " ${locales[*]} " == *' de_DE.UTF-8 '* ]]; then
  LOCPATH=${folder[de_DE.UTF-8]-} strsort --locale=de_DE.UTF-8 --debug -n numbers > out 2> err
  grep -q "'de_DE.UTF-8' sorting rules" err || fail "no word of the rules: $(cat err)"
  grep -q "numbers use ',' as a decimal point" err || fail "no word of the point: $(cat err)"
fi
