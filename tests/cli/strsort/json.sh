# JSON Lines, empty values, lengths, first lines in the order of the input, and SAM by names: beside plain Python and samtools.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C
mkdir random
(cd random && python3 -B "$ORDO_SOURCE/tests/reference/strsort_json_reference.py" "${ORDO_SEED-3}" "${ORDO_CASES-8}")

# is EXPECTED ARGUMENT...: the output for the file in.
is() {
  printf '%b' "$1" > want
  shift
  strsort "$@" in > out || fail "strsort $*"
  cmp want out || fail "strsort $*: $(head -c 400 out)"
}

# Lines stay as they are: blanks, escapes, line ends of DOS. Every digit counts.
printf '{"n":12345678901234567891,"s":"b"}\r\n{ "n" : 1.0e-2, "s":"\\u0061" }\n\n{"n":12345678901234567890,"s":null}\n{"s":{"t":[5,"x"]}}\n' > in
is '\n{"s":{"t":[5,"x"]}}\n{ "n" : 1.0e-2, "s":"\\u0061" }\n{"n":12345678901234567890,"s":null}\n{"n":12345678901234567891,"s":"b"}\r\n' --jsonl -k n:n
is '{"n":12345678901234567891,"s":"b"}\r\n{"n":12345678901234567890,"s":null}\n{ "n" : 1.0e-2, "s":"\\u0061" }\n\n{"s":{"t":[5,"x"]}}\n' \
  --jsonl -s -k n:nr,last -k s
is '\n{"n":12345678901234567890,"s":null}\n{ "n" : 1.0e-2, "s":"\\u0061" }\n{"n":12345678901234567891,"s":"b"}\r\n{"s":{"t":[5,"x"]}}\n' --jsonl -s -k s
is '      4 {"n":12345678901234567891,"s":"b"}\r\n      1 {"s":{"t":[5,"x"]}}\n' --jsonl --count -k s.t.1
printf '{"s":"a\\nb"}\n{"s":"a\\tz"}\n{"s":"a\\u000bb"}\n{"s":"a b"}\n' > in  # bytes in their order, a newline among them
is '{"s":"a\\tz"}\n{"s":"a\\nb"}\n{"s":"a\\u000bb"}\n{"s":"a b"}\n' --jsonl -k s
printf '{"s":"\\n"}\n{"s":"\\u000b"}\n{"s":"b"}\n' > in  # blanks are empty for last, other characters are not
is '{"s":"\\u000b"}\n{"s":"b"}\n{"s":"\\n"}\n' --jsonl -k s:last
printf '{"a":"10.0.0.2"}\n{"a":"10.0.0.10"}\n' > in
is '{"a":"10.0.0.2"}\n{"a":"10.0.0.10"}\n' --jsonl --ip -k a
is '{"a":"10.0.0.10"}\n{"a":"10.0.0.2"}\n' --jsonl -r --ip -k a
strsort --jsonl -c --ip -k a in
strsort --jsonl --explain -k a:n,last in | grep -qF "the value of 'a' in the line as a decimal number; text without one counts as 0; empty values last"

for line in '{"a":1' '[1]' '7' '{"a":1} x' '{"a":01}' '{"a":1e}' '{"a":tru}' '{"a":"\x"}' '{"a":1}{"a":2}' '{"b":"'$'\xff''","a":1}'; do
  printf '%s\n{"a":2}\n' "$line" > in
  expect_error strsort --jsonl -k a in
  grep -q '^strsort: in:1: ' err || fail "$line: $(< err)"
done
printf '\357\273\277{"a":1}\n{"a":2}\n' > in  # as editors of Windows write it
expect_error strsort --jsonl -k a in
grep -q '^strsort: in:1: it begins with a byte order mark' err || fail "$(< err)"
echo '{"a":1e999999}' > in
expect_error strsort --jsonl -k a in
for key in a:x '' a..b .a; do expect_error strsort --jsonl -k "$key" in; done
for option in --csv --tsv --header=1 --as=bed -z --debug '-t,'; do expect_error strsort --jsonl $option -k a in; done

# Empty values.
printf 'x 5\ny\nz -3\nw \n' > in
is 'z -3\nx 5\nw \ny\n' -k2,2:n,last
is 'x 5\nz -3\nw \ny\n' -k2,2:nr,last
printf 'd,v\n2026-01-02,1\n,2\n2025-01-01,3\n' > in
is 'd,v\n2025-01-01,3\n2026-01-02,1\n,2\n' --csv -k d:date,last
is 'd,v\n2026-01-02,1\n2025-01-01,3\n,2\n' --csv -k d:date,r,last
printf 'city,n\n"a",1\nb,2\n"a",3\n' > in
is 'city,n\n      2 "a",1\n      1 b,2\n' --csv --by-count -k city
is 'city,n\n      2 "a",1\n      1 b,2\n' --csv --count -k city

# Lengths: of bytes, or of characters in a locale of UTF-8.
printf 'ccc\na\nbb\n\nd\n' > in
is '\na\nd\nbb\nccc\n' -k1:length
is 'ccc\nbb\na\nd\n\n' -k1:length,r
printf 'éa\nbbb\nc\n' > in
is 'c\nbbb\néa\n' -k1:length
[[ $(locale -a) != *C.utf8* ]] || is 'c\néa\nbbb\n' --locale=C.UTF-8 -k1:length

# A line that is no object is named by its file and number; of standard input, by its beginning.
printf '{"a": 3}\n' > right; printf '{"a": 1}\n[1]\n{"a":\n' > wrong
for options in '' -c --by-count; do
  # shellcheck disable=SC2086
  expect_error strsort --jsonl -k a $options wrong; [[ $(< err) == 'strsort: wrong:2: it is no JSON object' ]] || fail "$options: $(< err)"
done
{ sed -n 1p wrong; seq -f '{"a": %.0f}' 200000; printf '{"a"'; } | gzip > wrong.gz
expect_error strsort --jsonl -k a:n right wrong.gz -o made; [[ $(< err) == 'strsort: wrong.gz:200002: it is no JSON object' ]] || fail "$(< err)"
expect_error strsort --jsonl -k a - < wrong; grep -q "line '\[1\]': it is no JSON object" err || fail "$(< err)"
[[ ! -e made ]]

# First lines in the order of the input.
printf 'b 1\na 2\nb 1\nc 2\na 1' > in
is 'b 1\na 2\nc 2\na 1\n' --unique-keep-order
is 'b 1\na 2\n' --unique-keep-order -k2,2n
is 'b 1\na 2\n' --unique-keep-order --head=2
awk 'BEGIN { srand(9); for (i = 0; i < 200000; ++i) print int(rand() * 30000) " x" i % 3 }' > in
awk '!seen[$0]++' in > want
strsort --unique-keep-order in | cmp - want
strsort --unique-keep-order -o in in && cmp in want
(cat in; cat in) | strsort --unique-keep-order | cmp - want
awk '!seen[$1 + 0]++' in | cmp - <(strsort --unique-keep-order -k1,1n in)
seq 1000000 > in
expect_error strsort --unique-keep-order -S 16M in -o made
grep -q '^strsort: out of memory: input: the [0-9]* distinct keys ' err || fail "$(< err)"
[[ ! -e made ]]
for option in -c -m --count --debug --distinct-estimate --as=bed; do
  expect_error strsort --unique-keep-order $option in
  grep -q 'are incompatible$' err || fail "$(< err)"
done

# SAM by names.
printf '@SQ\tSN:c\tLN:9\n' > head
for name in r10 r2 r02 r002 r2a 10 a; do
  for flag in 2305 65 129 2113 321 16; do printf '%s\t%s\tc\t%s\t9\t1M\t*\t0\t0\tA\t*\n' $name $flag $((flag % 7 + 1)); done
done > body
cat head body > in.sam
strsort --as sam-name in.sam > made
[[ $(head -n 1 made) == $'@HD\tVN:1.6\tSO:queryname\tSS:queryname:natural' ]] || fail "$(head -n 1 made)"
[[ $(grep -v '^@' made | cut -f 1 | uniq | xargs) == '10 a r002 r02 r2 r2a r10' ]] || fail 'names with numbers'
[[ $(grep -v '^@' made | cut -f 2 | head -n 6 | xargs) == '16 2305 65 2113 321 129' ]] || fail "flags: $(cut -f 2 made | xargs)"
strsort --as sam-name-bytes in.sam > made
[[ $(head -n 1 made) == $'@HD\tVN:1.6\tSO:queryname\tSS:queryname:lexicographical' ]] || fail "$(head -n 1 made)"
[[ $(grep -v '^@' made | cut -f 1 | uniq | xargs) == '10 a r002 r02 r10 r2 r2a' ]] || fail 'bytes of names'
[[ $(strsort --as sam-name -r in.sam | grep -v '^@' | cut -f 1 | uniq | xargs) == 'r10 r2a r2 r02 r002 a 10' ]] || fail 'reversed'
if command -v samtools > /dev/null; then
  awk -F'\t' '/^@/ || $2 < 256' in.sam > primary.sam  # older releases of samtools do not order the others
  samtools sort -n --no-PG -O sam primary.sam 2> /dev/null | grep -v '^@' | cmp - <(strsort --as sam-name primary.sam | grep -v '^@')
fi
expect_error strsort --as sam-name --natural in.sam
expect_error strsort --as sam-other in.sam

# Further keys decide among lines that are equal by those of the format.
printf 'c\t1\t5\tz\t2\nc\t1\t5\ty\t10\nb\t9\t9\tx\t1\n' > in
is 'b\t9\t9\tx\t1\nc\t1\t5\ty\t10\nc\t1\t5\tz\t2\n' --as bed -k as -k 5,5nr
is 'b\t9\t9\tx\t1\nc\t1\t5\tz\t2\nc\t1\t5\ty\t10\n' --as bed -k as -k 5,5n
expect_error strsort --as bed -k 5,5n -k as in
