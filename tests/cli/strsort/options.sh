# strsort under GNU's name beside the installed sort: the same exit status and the same words for whatever is refused.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C
installed=$(command -v sort)
# The installed sort, called "sort": newer ones leave out the folder that they are called by.
theirs() { (exec -a sort "$installed" "$@"); }
mkdir bin
ln -s "$(command -v strsort)" bin/sort

# refused ARGUMENT...: the installed sort refuses it; so does strsort, in the same words.
refused() {
  local want=0 got=0
  theirs "$@" < stdin > sort.out 2> sort.err || want=$?
  (exec -a sort bin/sort ${compat[@]+"${compat[@]}"} "$@") < stdin > strsort.out 2> strsort.err || got=$?
  cp sort.err want.err
  if sort_before 9.8; then sed -i 's/file names from stdin,/file names from standard input,/' want.err strsort.err; fi
  [[ $want != 0 && -s want.err ]] || fail "the installed sort does not refuse: $*"
  [[ $got == "$want" ]] || fail "exit status $got instead of $want: $*: $(< strsort.err)"
  cmp sort.out strsort.out || fail "other output: $*"
  cmp want.err strsort.err || fail "other words: $*: $(< strsort.err)"
}
printf 'b\na\n' | tee f > stdin
printf 'a\nb\n' > g

# Keys.
for key in 0 '' 1.0 1. 1, 1,0 1,1. 1x 1,1x 1.1x -1 x 1,x 1.x 0x 1,0.0 0.1 1,00 1,2,3 1.1.1 '1 ' 1.99999999999999999999x 1,b \
  1.b b1 1,1.1x 1.1,2.2,3 $'1\n' 'é' 1\' '1\' 1,-k0 2.,3 1,+ -0; do
  refused -k "$key"
done
for key in 1n,1d 1h,1n 1dfgiMnRhVbr 1,1ng 1,2Mh 1iM 1dR,1g 1Vn; do refused -k "$key"; done
refused -k1,2x -k0
refused -k1 -k1,1x
refused --key=0
refused --key 1.0
refused -bk0 -n

# The obsolete form, and what is like it.
for arguments in '+1x' '+1 -2x' '+ f' '+x' '-- +1' 'f -1' '+1. f' '+1. -2. f' '+1 -2.x' '+1 -x' '+1 -2 -3' '-1' '-- f +1' \
  '+1 -2.' '+1n.2' '+1 -2n3' '+1 -2 -k0' '+1 -2 absent' '+1.2.3' '+-1' '+1 -k2 -2' '+1ng f' '+1n -2g f' '-k1 -2 f' '+1 f -2' \
  '+1x -2' '+1n -2d f' '+1.2x -3' '+0 -0x'; do
  refused $arguments
  for version in 199209 200112 200809 x; do _POSIX2_VERSION=$version refused $arguments; done
done
for arguments in '+1 f' 'f +1' '+1b f' '+0.99999999999999999999 f' '+1ng f'; do
  for version in 200112 ' 200112' 200808; do _POSIX2_VERSION=$version refused $arguments; done
done
# After one pair of positions a single one is a key, too.
printf '1 b c\n2 a b\n' > '+0n'
printf '2 x y\n10 b c\n9 a b\n' > pairs
for arguments in '+1 -2 +0n pairs' '+1 -2 pairs +0n' '+0n +1 -2 pairs' 'pairs +1 -2r +0n +2' '+0 -0 +0n -o made pairs' '+1 -2 -k2 +0n pairs' \
  '+1 -2 -- +0n pairs' 'pairs -omade -o made pairs' 'pairs -o made' '+1 -2x +0n pairs' '+1 -2 +0nx pairs' '+2 -1 +0rn pairs'; do
  for version in 199209 200112 200808 200809; do
    export _POSIX2_VERSION=$version
    for posix in '' 1; do
      if [[ $posix ]]; then export POSIXLY_CORRECT=1; fi
      rm -f made
      # shellcheck disable=SC2086
      want=0; theirs $arguments > sort.out 2> sort.err || want=$?
      if [[ -e made ]]; then mv made sort.out; fi
      # shellcheck disable=SC2086
      status=0; (exec -a sort bin/sort ${compat[@]+"${compat[@]}"} $arguments) > strsort.out 2> strsort.err || status=$?
      if [[ -e made ]]; then mv made strsort.out; fi
      [[ $status == "$want" ]] || fail "status $status: _POSIX2_VERSION=$version sort $arguments: $(< strsort.err)"
      cmp sort.out strsort.out && cmp sort.err strsort.err || fail "_POSIX2_VERSION=$version sort $arguments"
      unset POSIXLY_CORRECT
    done
  done
done
unset _POSIX2_VERSION
rm '+0n'
for arguments in 'f +1' 'f -r' 'f -o x -r' 'f -ox -o y' 'f -o' 'f -- -o x' 'f -r -o x' '-c f -o x' 'f +1 -o x' 'f -oxxx -k0' \
  'f -c' '-- f -o x' '-c f -c'; do
  POSIXLY_CORRECT=1 refused $arguments
done
POSIXLY_CORRECT=1 _POSIX2_VERSION=200112 refused +1 -2 f

# Options that exclude one another, for keys that inherit them, too.
for arguments in -in -nR -dfgiMnR -hn '-V -n' -RVM -Mi -dnb '-ng -k1' '-in -k1r -k2' '-k1in -ng' -ngr -fbrng \
  '--sort=random -n' '--sort=version --sort=numeric' '--sort=n -g' '-n -k1,1b -M -k2'; do
  refused $arguments
done
for arguments in '-c f g' '-C f g' '--check f g' '-c -o x f' '-C -o x f' '-m -c f g' '-c -o x f g' -cC '-C --check' \
  '--check=quiet -c' '--debug -c f' '--debug -C f' '--debug -o x f' '--debug -o x -c f' '--debug -c f g' '--debug -ng f' \
  '--debug -ng -c f' '-ng -c f g' '--debug --check f -o x' '-o x -o y' '-o x -o x -o ./x' '-o x -o x -c f g' \
  '-c f absent' '-o x -c absent'; do
  refused $arguments
done

# Values.
for size in 1Z 1Y 1p 1e 1B 1c 1w 99999999999999999999% 1.5 1.5% -1 '1 ' x '' kb 1kB 1KB 1KiB 1Ki 1MiB 1bb 1%% 1K% \
  18446744073709551615 18446744073709551616b 99999999999999999999 18014398509481984K 17179869184G 16E 16777216T 20000P % b 0x10 \
  1D 1kD 99999999999999999999K 99999999999999999999X +K 1.K -K ' K' 18446744073709551615% Kk K1 -0 é; do
  refused -S "$size"
  refused --buffer-size="$size"
done
for size in 1R 1Q; do  # too large, or no number: that depends on the version
  ! theirs -S "$size" f 2> /dev/null || fail "the installed sort takes -S $size"
  expect_error strsort -S "$size" f
done
refused --buf 1X
refused -S1X
refused -S 1 -S x
for number in 0 1 -1 a '' 99999999999999999999 2x 1000000000 2k 1.5 0x2 ' ' +; do refused --batch-size="$number"; done
for number in 0 -1 a '' 2x 2k 1.5 -a; do refused --parallel="$number"; done
for word in x '' general-numericx N numeric1 -n; do refused --sort="$word"; done
for word in x '' quietx C noisy; do refused --check="$word"; done
refused --check=x --help
for separator in xx '' '\\' '\n' '\0x' '\00'; do refused -t "$separator"; done
refused -t a -t b
refused -t a -t '\0'
refused -t xx -t y
refused --field-separator=
refused --compress-program=a --compress-program=b f
refused --random-source=a --random-source=b f

# What getopt_long refuses. (An option of ours is not one of GNU's.)
for arguments in --foo --foo=x -1 -Q -W ---x -n- -nQ --num=3 --r --r=x --reverse=3 --k --key --v --ver -o -t -S -T -k -y --out \
  --he= --c --co --d --f --fi --i --ig --m --ran --random-s --s --t --b --h --o --s=n --=x --= --random-source \
  --zero=1 --foo=bar=baz '-n --' '--batch-size' '-:' '-;' '-é' '-r-'; do
  [[ $arguments == '-n --' ]] || refused $arguments
done

# Files, and their names.
for arguments in '-c absent' '-C absent' absent . '-c .' '-o no/such f' '-o . f' '-o no/such absent' \
  '--files0-from=absent' '--files0-from=.' '--files0-from=/dev/null' '--files0-from=f g h' '--files0-from=f' \
  '--files0-from=absent -ng -c -o x' '--files0-from=absent -k0' '--files0-from=f -cC' '--files0-from=absent x' \
  '-R --random-source=missing f' '-k1R --random-source=missing f' '-R --random-source=/dev/null f' '-R --random-source=f f' \
  '-R --random-source=. f' '-R --random-source=missing nofile' '-R --random-source=missing f -o no/such' \
  '-R --random-source=missing -C f g' '-R --random-source=missing -ng' '-R --random-source=- f'; do
  refused $arguments
done
for list in 'f\0-\0' '\0' '\0\0' 'f\0\0-\0' 'f\0absent\0' 'f\0g' '-'; do
  printf "$list" | tee list > 'a list'
  refused --files0-from=list -c -o x
  refused --files0-from='a list' -c -o x
done
for name in "x'y" 'a:b' "a'b" 'a b' $'a\nb' $'a\x80b' 'a\b' '~a' 'a~' '#a' 'a#' 'a=b' '[x]' '{' '}' 'a{b' "a'b\$c" "a'b\"c" \
  $'\x01\x02x3' $'a\'\nb' 'a"b' '!' '^' 'a^b' '?' % '@,+-._/' $'\x07\x08\x0c\r\t\x0b\x1b\x7f' $'a\x01''1' '' $'\n\'' \
  "'" "''" "a'{" "a'#" "a'~b" "'~" "#'" "a'*b" "a'(" "a'b c" "a';" "a'|" "a'<" "a'?" "a'[" "a'=" "a'^" "a'!" "a'\\" "a'\`" "a'&" \
  '`' 'a&' '<' '>' ';' '|' '(' ')' '*' '$' ' ' $'\t' 'é' "é'" ',' "a',"; do
  refused -- "$name"
  refused -c f -- "$name"
done
# Bytes that a name or a key may hold, one by one.
for byte in 01 07 0a 1b 21 22 23 24 25 26 28 2a 2b 2c 3a 3b 3c 3d 3f 40 5b 5c 5d 5e 5f 60 7b 7c 7d 7e 7f 80 c3 ff; do
  printf -v name '%b' "\\x$byte"
  refused -- "a${name}b"
  refused -k "1,$name" -- "a${name}b'"
done

# Checks by keys: the same line is out of order. random SEED: text of letters, numbers, units, months and blanks, some in order.
random() { awk -v seed="$1" 'BEGIN {
  srand(seed); n = split("a A b ab a-b 1 2 10 -1 1.5 1e1 0x2 nan inf 1K 1M 2k Jan FEB mar v1.2 v1.10 . , : _ ~", word, " ")
  for (i = 0; i < 6; ++i) { line = ""
    for (j = int(4 * rand()); j >= 0; --j) line = line word[1 + int(n * rand())] substr(" \t::  ,", 1 + int(7 * rand()), 1)
    print line } }'; }
checked() {
  local want=0 got=0
  theirs "$@" > sort.out 2> sort.err || want=$?
  (exec -a sort bin/sort "$@") > strsort.out 2> strsort.err || got=$?
  [[ $got == "$want" ]] || fail "exit status $got instead of $want: $*: $(< strsort.err)"
  cmp sort.err strsort.err || fail "other words: $*"
}
other=(-cs -cr -C) ordered_by=(-c -cu) turn=0
random 1 > text
for keys in -n -g -h -M -V -d -f -i -b -k2 '-k1,1' '-k2n' '-t: -k2,2' '-t: -k2g' '-k1.2,1.3' '-k2b,2 -k1r' '-fr -k1,1' \
  '-k2,2M -k1V' '-fd -k2' '-k1h -k2nr' '-R --random-source=bin/sort' '-k2R --random-source=bin/sort' '+0 -1' '+1n'; do
  checked $keys -cu text
  checked $keys "${other[turn % 3]}" text
  theirs $keys text > ordered
  checked $keys "${ordered_by[turn % 2]}" ordered
  ((++turn))
done
# Several fields, ends supplied, NUL ended lines, many blocks.
printf 'a b\0a\0b\nc\0' > text
checked -zc -k2 text
checked -zc -k1,1 text
printf '2\n10\n9' > text
checked -nc text
{ yes 'x 10' || true; } 2> /dev/null | head -n 400000 > text
echo 'x 9' >> text
checked -c -k2n text
checked -c -k2 text
checked -C -k2n text

# --debug: the same remarks and the same underlined lines.
debugged() {
  theirs --debug "$@" > sort.out 2> sort.err || fail "the installed sort refuses: $*"
  (exec -a sort bin/sort ${compat[@]+"${compat[@]}"} --debug "$@") > strsort.out 2> strsort.err || fail "refused: --debug $*: $(< strsort.err)"
  cmp sort.out strsort.out || fail "other output: --debug $*"
  if sort_before 9.7; then sed -i 's/^sort: note numbers use /sort: numbers use /' sort.err strsort.err; fi
  cmp sort.err strsort.err || fail "other words: --debug $*: $(< strsort.err)"
}
printf 'b\tc\n\n\1\na 1.5K\n  Feb\n\200\n' > text
for arguments in '' -r -s -rb -n -b -k1n -k1,1n -k1 -k2,1 -k1b,1 '-t: -k1' -k2.2,2.3 -k1.2,1.2 -k2.3M '-u -r -k1' '-s -r -k1n' \
  '-r -k1n -k2' '-bdfgiMnRrV -k1b' '-dfir -k1n,1' +1 '+1 -2' '+1.2 -3.4' '+1.2n -3.0b' '+2 -1' '-g -t.' '-k1n -t.' '-k1n -t-' \
  '-k1g -t+' '-k1n -k2,2g -t+' '-t. -k1,1n' '-b -k1,1bn' '-b -k1,1bn -k2b,2' '-d -k1,1b' '-i -k1,1d' '-rM -k1,1' '-n -k1,1r' \
  '+99999999999999999999 -3' '+1 -99999999999999999999' '-rb -k2n +2.2 -1b' '-k1,1 -r -u' '-s -k2n' '-s -k1h -k2M'; do
  debugged $arguments text
done
debugged -z text
# Remarks that cannot be written are an error, as sort has it.
for stderr in /dev/full '&-'; do
  status=0; eval "strsort --debug text > /dev/null 2>$stderr" || status=$?
  [[ $status == 2 ]] || fail "--debug 2>$stderr: status $status"
done
# An empty name of the output: sort's words under its name, ours under our own.
status=0; (exec -a sort bin/sort -o '' text) 2> strsort.err || status=$?
theirs -o '' text 2> sort.err || [[ $? == "$status" ]] || fail "-o '': status $status"
cmp sort.err strsort.err || fail "other words: -o '': $(< strsort.err)"
expect_error strsort -o '' text
[[ $(< err) == "strsort: no file name: --output: ''" ]] || fail "-o '': $(< err)"
# What --by-count says builds on what --count says.
[[ $(strsort --help | grep -oe '^ *--\(by-\)*count ' | tr -d ' \n') == --count--by-count ]] || fail 'the order of --help'

# Merging with few descriptors: with 3 taken, 3 are left, for 2 inputs and what holds the merged; a named output needs one more.
mkdir many
for ((i = 1; i <= 31; ++i)); do echo "$i" | tee -a want > "many/$i"; done
few() { (ulimit -n "$1"; shift; exec "$@" 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-); }
few 6 bin/sort -n -m many/* < /dev/null > out || fail 'no merge with 6 descriptors'
cmp want out
few 7 bin/sort -n -m many/* -o out < /dev/null || fail 'no merge into a file with 7 descriptors'
cmp want out
few 5 bin/sort -n -m many/1 - < many/2 > out || fail 'no merge of 2 with 5 descriptors'
cmp out <(printf '1\n2\n')
few 5 strsort -n -m many/* < /dev/null > out 2> err && fail 'a merge of many with 5 descriptors' || [[ $? == 2 ]]
complaint strsort
grep -q 'many/.*Too many open files' err || fail "no word of the descriptors: $(< err)"
for ((n = 6; n <= 12; ++n)); do
  few "$n" bin/sort -n -m --batch-size=3 many/* < /dev/null > out || fail "no merge with $n descriptors"
  cmp want out
done
cp many/1 made
few 9 bin/sort -n -m --batch-size=5 -o made many/* made < /dev/null
cmp made <({ echo 1; cat want; })

# Files are what they are under GNU's name, and compressed or not by content and name under its own.
printf 'b\na\n' | gzip -n > packed.gz
theirs packed.gz > want
(exec -a sort bin/sort packed.gz) | cmp - want || fail 'sort decompressed'
(exec -a sort bin/sort f -o sorted.gz)
cmp sorted.gz g || fail 'sort compressed'
strsort packed.gz | cmp - g || fail 'strsort did not decompress'
strsort f -o sorted.gz
gzip -dc sorted.gz | cmp - g || fail 'strsort did not compress'

# A program that cannot be started compresses nothing: a warning, once, when it is needed. In 9.1 it is an error.
awk 'BEGIN { for (i = 0; i < 900000; ++i) printf "%d a line of some length\n", i * 7919 % 900001 }' > long
theirs long > want
for program in no-such-program ./f; do
  (exec -a sort bin/sort -S16M --compress-program=$program long) > out 2> err || fail "$program: $(cat err)"
  cmp want out || fail "other output without $program"
  grep -q "^sort: could not run compress program '$program': " err && [[ $(wc -l < err) == 1 ]] || fail "$program: $(cat err)"
  strsort --compress-program=$program f 2> err | cmp - g
  [[ ! -s err ]] || fail "a warning of what was not needed: $(cat err)"
done
expect_error strsort -S16M --compat=9.1 --compress-program=no-such-program long
if ! sort_before 9.9; then
  theirs -S1M --compress-program=no-such-program long > /dev/null 2> want.err
  (exec -a sort bin/sort -S16M --compress-program=no-such-program long) 2> err > /dev/null
  cmp want.err err || fail "other words: $(cat err)"
fi
