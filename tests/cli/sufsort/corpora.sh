# sufsort of texts that are no FASTA: bytes, lines, JSONL and tokens; compared with a plain reference, and what is refused.
. "$ORDO_SOURCE/tests/cli/lib.sh"

python3 "$ORDO_SOURCE/tests/reference/corpora_reference.py" random "${ORDO_SEED-1}" "${ORDO_CASES-40}"
want() { [[ $1 == "$2" ]] || fail "$3: '$1' instead of '$2'"; }
tabs() { tr ' ' '\t'; }

# Lines: the last one may lack its LF; CR, NUL and bytes that are no UTF-8 are text.
printf 'to be\n\nor not to be\r\nb\0\377' > in.txt
expect 0 sufsort build in.txt -o x --format lines --lcp --bwt
want "$(od -An -tu8 -v x.starts | xargs)" '0 5 5 18' 'starts of lines'
expect 0 sufsort check x
want "$(cat out)" 'x: right: seq, sa, lcp, bwt, starts of 21 residues in 4 records' check
expect 0 sufsort locate x 'to be' be$'\r' nothing --context 2
want "$(cat out)" "$(printf '%s\n' 'to be~2~in.txt:1~0~+~.~.' 'to be~2~in.txt:3~7~+~t ~\r' 'be\r~1~in.txt:3~10~+~o ~.' 'nothing~0~.~.~.~.~.' | tr '~' '\t')" 'hits of lines'
expect 0 sufsort locate x --pattern-format hex '00 ff' --context 1
want "$(cat out)" "$(echo '00_ff 1 in.txt:4 1 + b .' | tabs | tr _ ' ')" 'hits of hexadecimal digits'
expect 0 sufsort info x
want "$(grep -E '^(case|input|file|record)' out | xargs)" \
  'records 4 case kept input lines file in.txt 4 records record in.txt:1 0 5 record in.txt:2 5 0 record in.txt:3 5 13 record in.txt:4 18 3' info
expect 0 sufsort repeats x -l 4
want "$(cut -f 2- out | xargs)" '5 2 in.txt:1 0 + 5 2 in.txt:3 7 +' 'repeats of lines'
expect 0 sufsort unique x -k 5
want "$(head -n 1 out)" "$(echo 'in.txt:1 0 1 2' | tabs)" 'unique of lines'
expect 0 sufsort export x --format raw64 -o x.raw

# Bytes: a file is a record; '$' is a letter, which the BWT cannot tell from the start of a record.
printf 'a$b$a$b$' > dollars
expect 0 sufsort build dollars dollars - -o y --format bytes --lcp < in.txt
expect 0 sufsort repeats y -l 3
want "$(cut -f 2- out | xargs)" '8 2 dollars 0 + 8 2 dollars 0 + 4 4 dollars 0 + 4 4 dollars 4 + 4 4 dollars 0 + 4 4 dollars 4 + 5 2 standard input 0 + 5 2 standard input 14 +' 'repeats of bytes'
expect 0 sufsort count y --pattern-format hex ff
want "$(cat out)" "$(echo 'ff 1' | tabs)" 'a byte of standard input'
: > empty
expect 0 sufsort build empty -o e --format bytes --lcp --bwt
expect 0 sufsort check e
want "$(cat out)" 'e: right: seq, sa, lcp, bwt, starts of 0 residues in 1 record' 'an empty record'
expect 0 sufsort locate e a
expect_error sufsort build empty -o e --format lines
want "$(cat err)" 'sufsort: no records: empty: the file is empty' 'no lines'
expect 0 sufsort check e

# Separators.
printf 'a\0\0b\0' > zeros
expect 0 sufsort build zeros -o z --format bytes --separator '\0'
want "$(od -An -tu8 -v z.starts | xargs) $(cat z.seq)" '0 1 1 ab' 'records that a NUL ends'
want "$(grep -c '"separator": "00"' z.json)" 1 'the separator in the description'
expect 0 sufsort locate z b
want "$(cat out)" "$(echo 'b 1 zeros:3 0 +' | tabs)" 'names of records with a separator'
expect_error sufsort build zeros -o z --format bytes --separator '\q'
want "$(cat err)" "sufsort: invalid escape: --separator: '\\q': use \\n, \\t, \\r, \\0, \\xHH or \\\\" 'a wrong escape'
expect_error sufsort build zeros -o z --format bytes --separator ''
expect_error sufsort build zeros -o z --format lines --separator ,
expect_error sufsort build zeros -o z --separator ,

# Tokens: 2 1 2 1 300, in two records of 16 bits; the same big-endian, and as arrays of NumPy.
printf '\2\0\1\0\2\0\1\0\54\1' > t.u16
printf '\0\2\0\1\0\2\0\1\1\54' > big.u16
printf '2\n3\n' > lengths
expect 0 sufsort build t.u16 -o t --format u16 --lengths lengths --lcp
want "$(od -An -tu4 -v t.sa | xargs) $(od -An -tu8 -v t.starts | xargs)" '1 3 0 2 4 0 2' 'an index of tokens'
expect 0 sufsort check t
want "$(cat out)" 't: right: seq, sa, lcp, starts of 5 residues in 2 records' 'check of tokens'
expect 0 sufsort locate t '2 1' 300,4 --context 2
want "$(cat out)" "$(printf '%s\n' '2_1 2 t.u16:1 0 + . .' '2_1 2 t.u16:2 0 + . 300' '300,4 0 . . . . .' | tabs | tr _ ' ')" 'hits of tokens'
expect 0 sufsort count t 2 1,2 --by-record
want "$(cat out)" "$(printf '%s\n' '2 t.u16:1 1' '2 t.u16:2 1' '1,2 . 0' | tabs)" 'tokens by record'
expect 0 sufsort spectrum t -k 2
want "$(cat out)" "$(printf '%s\n' '1 1' '2 1' | tabs)" 'a spectrum of tokens'
expect 0 sufsort unique t -k 2
want "$(cat out)" "$(printf '%s\n' 't.u16:1 0 1 2' 't.u16:2 0 1 2' 't.u16:2 1 2 1' | tabs)" 'unique tokens'
expect 0 sufsort build big.u16 -o b --format u16 --lengths lengths --lcp --byte-order big
for array in seq sa lcp starts; do cmp t.$array b.$array; done
expect 0 sufsort build t.u16 -o t --format u16 --separator 1
want "$(od -An -tu2 -v t.seq | xargs) $(od -An -tu8 -v t.starts | xargs)" '2 2 300 0 1 2' 'a token that ends records'
expect 0 sufsort count t 300
want "$(cat out)" "$(echo 300 1 | tabs)" 'a token'
expect_error sufsort count t --pattern-format text a
want "$(cat err)" 'sufsort: conflicting options: --pattern-format: the index is of tokens: give patterns as tokens' 'text in tokens'
expect_error sufsort count t 65536
want "$(cat err)" "sufsort: invalid token: '65536': a number below 2^16 is expected" 'a large token'
expect_error sufsort count x --pattern-format tokens 1
expect_error sufsort count t ' ,'
want "$(cat err)" "sufsort: empty pattern: ' ,': it would match everywhere" 'a pattern of no tokens'
expect_error sufsort build t.u16 -o n --separator ' ,'
want "$(cat err)" "sufsort: invalid separator: --separator: ' ,': it has no token" 'a separator of no tokens'
for option in --utf-8 '--unit lines' '--unit paragraphs'; do
  # shellcheck disable=SC2086
  expect_error sufsort duplicates t -l 2 $option
  want "$(cat err)" "sufsort: conflicting options: ${option% *}: t.json: the index is of tokens" "duplicates $option"
done
head -c 5 t.u16 > cut.u16
expect_error sufsort build cut.u16 -o n --format u16
want "$(cat err)" 'sufsort: truncated tokens: cut.u16: 5 bytes are no whole number of tokens of 2' 'cut tokens'
expect_error sufsort build t.u16 -o n --format u32
for command in mem ms; do
  expect_error sufsort $command t x.seq
  want "$(cat err)" 'sufsort: no letters: t.json: queries are letters, but the index is of tokens' "$command of tokens"
done
printf '4\n2\n' > lengths
expect_error sufsort build t.u16 -o n --format u16 --lengths lengths
want "$(cat err)" 'sufsort: wrong lengths: t.u16: the lengths of records are more than its 5 residues' 'too long records'
printf '4\n' > lengths
expect_error sufsort build t.u16 -o n --format u16 --lengths lengths
want "$(cat err)" 'sufsort: wrong lengths: t.u16: the lengths of records are 4 in all, but it has 5 residues' 'too short records'
printf '4\nx\n' > lengths
expect_error sufsort build t.u16 -o n --format u16 --lengths lengths
want "$(cat err)" "sufsort: bad number: lengths:2: 'x'" 'a length that is none'
: > lengths
expect_error sufsort build t.u16 -o n --format u16 --lengths lengths
want "$(cat err)" 'sufsort: no lengths: lengths: the file holds no numbers' 'no lengths'
expect_error sufsort build t.u16 -o n --format u16 --bwt
expect_error sufsort build t.u16 -o n --format u16 --fm --without-sa
want "$(cat err)" 'sufsort: conflicting options: --fm: --format=u16 has no FM index; it is for bytes' 'an FM index of tokens'
expect_error sufsort build t.u16 -o n --format u16 --device gpu
expect_error sufsort build t.u16 t.u16 -o n --format u16 --lengths lengths
expect_error sufsort build t.u16 -o n --format u16 --lengths lengths --separator 1
expect_error sufsort build in.txt -o n --format bytes --byte-order big
expect_error sufsort build t.u16 -o n --format u16 --separator x
array() { printf '\223NUMPY\1\0\166\0'; printf '%-117s\n' "$1"; printf "$2"; }
array "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" '\1\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377' > n.npy
expect_error sufsort build n.npy -o n --format u32
want "$(cat err)" 'sufsort: bad token: n.npy: number 1 is -1, which does not fit 32 bits' 'a negative token'
array "{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }" '\1\0' > n.npy
expect_error sufsort build n.npy -o n --format u16
want "$(cat err)" 'sufsort: truncated tokens: n.npy: 2 bytes of numbers, but its shape has 3 of 2 bytes' 'a cut array'
array "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" '\0\0\0\0' > n.npy
expect_error sufsort build n.npy -o n --format u32
want "$(cat err)" 'sufsort: bad array: n.npy: the .npy file holds no integers of 8 to 64 bits' 'an array of floats'

# JSONL: nested names, escapes, an empty line, values that are no string, malformed lines.
printf '{"id":1,"text":"to \\u00e4 \\"be\\"","meta":{"text":"inner"}}\n\n{"meta":{"text":"or\\n"},"list":[{"text":"no"}],"text":"be"}' > j.jsonl
expect 0 sufsort build j.jsonl -o j --format jsonl --lcp
want "$(cat j.seq)" 'to ä "be"be' 'strings of JSON'
want "$(od -An -tu8 -v j.starts | xargs)" '0 10 10' 'starts of strings'
expect 0 sufsort check j
expect 0 sufsort locate j be
want "$(cat out)" "$(printf '%s\n' 'be 2 j.jsonl:1 7 +' 'be 2 j.jsonl:3 0 +' | tabs)" 'hits in JSON'
gzip -k j.jsonl
expect 0 sufsort build j.jsonl.gz -o j --format jsonl --field meta.text
want "$(od -An -tx1 j.seq | xargs)" '69 6e 6e 65 72 6f 72 0a' 'nested strings'
want "$(sufsort info j | grep ^field)" "$(echo 'field meta.text' | tabs)" 'the field in the description'
wrong() {
  printf '{"text":"a"}\n%s\n' "$1" > w.jsonl
  expect_error sufsort build w.jsonl -o n --format jsonl
  grep -q "bad JSON: w.jsonl:2: field text: $2" err || fail "JSON $1: $(cat err)"
}
wrong '{"text":1}' 'it is a number, but a string is expected'
wrong '{"text":{"text":"a"}}' 'it is an object'
wrong '{"text":["a"]}' 'it is a list'
wrong '{"a":{"text":"a"}}' 'no such field'
wrong '{"id":1,"content":"a","meta":{"title":"b"},"a.b":"c"}' 'no such field, but content, meta.title: choose one with --field$'
wrong '[{"text":"a"}]' 'no such field'
wrong '"text"' 'no such field'
wrong '{"text":"a"} x' 'parse error'
wrong '{"text":"a"' 'parse error'
wrong $'{"text":"\xff"}' 'parse error'
# JSONL without copies, and with their ranges: all other bytes stay, and nothing is written if a file has changed.
printf '{"n": 1e40, "text":"ab \\u00e4\\ud83d\\ude00 \\/cd", "x":[1, 2]}\n\n' > k1.jsonl
printf '{"x":null,"text" : "ab \303\244\360\237\230\200 /c","y":"ab" }' > k2.jsonl
expect 0 sufsort build k1.jsonl k2.jsonl -o k --format jsonl --lcp
expect 0 sufsort duplicates k -l 5 --format text --report k.html
cmp out <(cat k1.jsonl; printf '{"x":null,"text" : "","y":"ab" }\n')
for part in '<!DOCTYPE html>' '12 bytes' '1 range of 1 record' 'ab ä😀 /c'; do grep -q "$part" k.html || fail "no $part: $(cat k.html)"; done
! grep -q 'https\?:' k.html || fail 'the page needs others'
expect 0 sufsort duplicates k -l 5 --keep none --format annotated --column 'a"b'
cmp out <(sed -n '1s/}$/,"a\\"b":[[0,12]]}/p;2p' k1.jsonl; sed 's/}$/,"a\\"b":[[0,12]]}\n/' k2.jsonl)
for name in n text x; do
  expect_error sufsort duplicates k -l 5 --format annotated --column $name
  want "$(cat err)" "sufsort: field exists: k1.jsonl:1: \"$name\": choose another name with --column" 'the name of another field'
done
expect_error sufsort duplicates k -l 5 --format annotated --column y -o k.out
grep -q '^sufsort: field exists: k2.jsonl:1: "y"' err || fail "$(cat err)"
[[ ! -e k.out ]] || fail 'an output of an error'
expect_error sufsort duplicates k -l 5 --column z
grep -q '^sufsort: conflicting options: --column' err || fail "$(cat err)"
expect_error sufsort duplicates k -l 5 --format annotated --column $'\xff'
grep -q '^sufsort: not UTF-8: --column' err || fail "$(cat err)"
expect 0 sufsort duplicates k -l 5 --keep none --format text -o k.out
head -n 1 k.out | grep -qxF '{"n": 1e40, "text":"d", "x":[1, 2]}' || fail "escapes: $(cat k.out)"
sed -i 's/cd/ce/' k1.jsonl
expect_error sufsort duplicates k -l 5 --format text -o k.out
want "$(cat err)" 'sufsort: changed input: k1.jsonl:1: the line has another string than when it was indexed as k.json' 'a changed file'
head -n 1 k.out | grep -qxF '{"n": 1e40, "text":"d", "x":[1, 2]}' || fail 'an old output is lost'
sed -i 's/ce/cd/;2d' k1.jsonl
expect_error sufsort duplicates k -l 5 --format annotated
printf '\n\n' >> k1.jsonl
expect_error sufsort duplicates k -l 5 --format annotated
rm k1.jsonl
expect_error sufsort duplicates k -l 5 --format text
expect 0 sufsort duplicates k -l 5
expect 0 sufsort build - -o s --format jsonl --lcp < k2.jsonl
expect_error sufsort duplicates s -l 5 --format text
want "$(cat err)" 'sufsort: cannot read again: s.json: the index is of standard input' 'standard input'
expect_error sufsort build in.txt -o n --format lines --field a

# Duplicates.
expect 0 sufsort build in.txt -o x --format lines --lcp
expect 0 sufsort duplicates x -l 4
want "$(cat out)" "$(echo 'in.txt:3 7 12' | tabs)" 'later copies'
expect 0 sufsort duplicates x -l 4 --keep none --format jsonl
want "$(cat out)" '{"record":"in.txt:1","begin":0,"end":5}'$'\n''{"record":"in.txt:3","begin":7,"end":12}' 'all copies'
expect 0 sufsort duplicates x -l 4 --format pairs
want "$(od -An -tu8 -v out | xargs)" '12 17' 'pairs of positions'
expect 0 sufsort duplicates x -l 4 --format text
cmp out <(printf 'to be\n\nor not \r\nb\0\377\n')
printf '\303\244\303\266\303\244\303\274' > umlauts
expect 0 sufsort build umlauts -o u --format bytes --lcp
expect 0 sufsort duplicates u -l 3
want "$(cut -f 2- out | xargs)" '4 7' 'a copy that ends in a character'
expect 0 sufsort duplicates u -l 3 --utf-8
want "$(cut -f 2- out | xargs)" '4 6' 'whole characters'
expect 0 sufsort build in.txt -o bare --format lines --text-only
want "$(echo bare.*)" 'bare.json bare.seq bare.starts' 'the files of a text'
expect 0 sufsort check bare
want "$(cat out)" 'bare: right: seq, starts of 21 residues in 4 records' 'check of a text'
expect 0 sufsort dedup bare -l 4
want "$(cat out)" "$(echo 'in.txt:3 7 12' | tabs)" 'copies of a text without an array'
expect 0 sufsort duplicates bare -l 4 --report bare.html
expect 0 sufsort duplicates x -l 4 --report x.html
for file in x.*; do ln -s "$file" $'x\xff'".${file#x.}"; done
expect 0 sufsort duplicates $'x\xff' -l 4 --report odd.html
grep -q $'x\xef\xbf\xbd' odd.html || fail "a name that is not UTF-8: $(grep -a '<th>index' odd.html)"
rm $'x\xff'.*
diff <(grep -v '<th>index' bare.html) <(grep -v '<th>index' x.html) || fail 'a report without an LCP'
grep -q 'to be' bare.html || fail "no strings: $(cat bare.html)"
expect_error sufsort count bare to
want "$(cat err)" 'sufsort: no suffix array: bare.json: the index is a text, for duplicates only: build it without --text-only' 'a search without an array'
expect_error sufsort export bare --format raw32 -o bare.raw
expect_error sufsort build in.fa -o n --text-only
for option in --lcp --bwt --fm --width=40 --sample=2 --plan; do
  expect_error sufsort build in.txt -o n --format lines --text-only $option
done
# Copies of one string in more places than fit into memory. Other texts may be larger than memory.
seq 20000 | sed 's/.*/abcde/' > same.txt
expect 0 sufsort build same.txt -o same --format lines --text-only
expect_error sufsort build same.txt -o n --format bytes --device cpu --memory 50K
grep -q '^sufsort: out of memory: records of same.txt: [0-9]* bytes .* are allowed: --memory [0-9]*K may suffice$' err ||
  fail "a text in memory: $(cat err)"
truncate -s 5G large.bin  # nothing of it is read, nor is it on the disk
expect_error sufsort build large.bin -o n --format bytes --width 32 --plan
want "$(cat err)" 'sufsort: too few bits: --width 32: 5368709120 residues in 1 record need 40 bits' 'a large text'
rm large.bin
[[ ! -e n.json && ! -e n.seq ]] || fail 'an index of a text that is refused'
expect_error sufsort duplicates same -l 4 --memory 2
grep -q '^sufsort: out of memory: duplicates of same.seq: [0-9]* bytes are needed, 2 are available: --memory [0-9]*K suffices' err || fail "$(cat err)"
expect 0 sufsort duplicates same -l 4 --memory "$(grep -o '[0-9]*K suffices' err | cut -d ' ' -f 1)"
[[ $(wc -l < out) == 19999 ]] || fail "copies of one string: $(wc -l < out)"
expect 0 sufsort duplicates bare -l 4
cp out whole.tsv
expect 0 sufsort duplicates bare -l 4 --memory 2
cmp out whole.tsv
python3 - << 'END'
import random
rng = random.Random(5)
pool, lines = [], []
for k in range(3000):
    text = ''.join(rng.choice(pool) if pool and rng.random() < 0.3 else ''.join(rng.choice('abcdefgh ') for _ in range(90)) for _ in range(4))
    if rng.random() < 0.3: pool.append(text[50:250])
    lines.append(text)
open('much.txt', 'w').write('\n'.join(lines))
END
expect 0 sufsort build much.txt -o much --format lines --text-only
sed -n 1,99p much.txt > first.txt
expect 0 sufsort build first.txt -o first --format lines --text-only
mkdir spill
for options in '-l 40' '-l 40 --keep none' '-l 9 --across' '-l 40 --within' '-l 20 --against first' '-l 40 --format text'; do
  # shellcheck disable=SC2086
  expect 0 sufsort duplicates much $options
  cp out whole.tsv
  # shellcheck disable=SC2086
  TMPDIR=spill expect 0 sufsort duplicates much $options --memory 100K
  cmp out whole.tsv
done
TMPDIR=/nonexistent expect_error sufsort duplicates much -l 40 --memory 100K
grep -q "^sufsort: cannot create temporary file in '/nonexistent'" err || fail "no folder: $(cat err)"
[[ ! $(ls -A spill) ]] || fail "temporary files stay: $(ls -A spill)"
# The plan: more passes over the text where the minimizers would take more than 1.5 times as much disk.
expect 0 sufsort duplicates much -l 40 --memory 100K --plan -o none
want "$(cut -f 1 out | xargs)" 'residues minimizers memory passes disk time' plan
want "$(grep passes out)" $'passes\t1 over the text' 'one pass'
grep -q "^disk"$'\tabout [0-9.]* [kM]B in .*, at most 2.2 MB' out || fail "disk of the plan: $(cat out)"
expect 0 sufsort duplicates much -l 8 --memory 100K --plan
want "$(grep passes out)" $'passes\t4 over the text' 'several passes'
expect 0 sufsort duplicates much -l 40 --plan
want "$(grep disk out)" $'disk\tnone: all fits into memory' 'a plan in memory'
expect 0 sufsort duplicates e -l 4 --plan
[[ ! -e none ]] || fail '--plan wrote an output'
# Progress that was kept: only of the same index and options, and removed at the end.
expect 0 sufsort duplicates bare -l 4 --resume kept
[[ ! -e kept ]] || fail 'finished ranges stay'
expect_error sufsort duplicates bare -l 4 --resume kept -o /nonexistent/out
echo text > kept
expect_error sufsort duplicates bare -l 4 --resume kept
want "$(cat err)" 'sufsort: no finished ranges: kept: another program wrote the file: remove it, or name another file' 'a file of others'
want "$(cat kept)" text 'a file of others'
rm kept
expect_error sufsort duplicates bare -l 4 --resume bare.seq
expect_error sufsort duplicates x
expect_error sufsort duplicates x -l 0
expect_error sufsort duplicates x -l 4 -o x.lcp
expect 0 sufsort duplicates t -l 4
expect_error sufsort duplicates x -l 4 --within --across
expect_error sufsort duplicates x -l 4 --format annotated
expect_error sufsort duplicates x -l 4 --against nothing
expect_error sufsort duplicates x -l 4 --against t
expect_error sufsort duplicates x -l 4 --against bare --within
expect_error sufsort duplicates x -l 4 --against bare -o bare.sa
expect_error sufsort duplicates x -l 4 --report x.seq
expect 0 sufsort duplicates x -l 4 --against bare --format pairs
want "$(od -An -tu8 out | xargs)" '0 5 5 18' 'the same text'
# An index of infini-gram.
printf '{"text":"abab"}\n{"text":""}\n{"text":"b"}' > g.jsonl
expect 0 sufsort build g.jsonl -o g --format jsonl
expect 0 sufsort export g --format infini-gram -o grams
want "$(od -An -tx1 grams/tokenized.0 | xargs)" 'ff 61 62 61 62 ff ff 62' 'tokens of infini-gram'
want "$(od -An -tu8 -v grams/offset.0 | xargs)" '0 5 6' 'offsets of infini-gram'
want "$(od -An -tu1 grams/table.0 | xargs)" '1 3 7 2 4 0 6 5' 'table of infini-gram'
expect_error sufsort export g --format raw32 --shard-size 5 -o g.raw
expect_error sufsort export g --format infini-gram -o g.seq
expect 0 sufsort export g --format infini-gram --shard-size 2 -o parts
want "$(ls parts | xargs)" 'offset.0 offset.1 offset.2 table.0 table.1 table.2 tokenized.0 tokenized.1 tokenized.2' 'shards'
expect_error sufsort export g --format infini-gram -o parts
want "$(cat err)" 'sufsort: cannot write: parts/tokenized.1: the folder holds an index of more shards: remove it first' 'old shards'
printf 'a\377' > ones
expect 0 sufsort build ones -o n --format bytes
expect_error sufsort export n --format infini-gram -o ones.grams
want "$(cat err)" 'sufsort: cannot export: n.json: record ones holds the byte 255 at 1, which precedes records in infini-gram' 'a separator in a record'

# What only FASTA has.
for option in --strands=both --ambiguous=skip --mask=fold --mask=keep --kmer-table=2; do
  expect_error sufsort build in.txt -o n --format lines "$option"
  grep -q "conflicting options: ${option%=*}: --format=lines" err || fail "$option: $(cat err)"
done
expect_error sufsort count x --both-strands to
expect_error sufsort repeats x -l 4 --letters nucleotides
expect_error sufsort unique x -k 4 --letters nucleotides
expect_error sufsort kmers x --length 2
expect_error sufsort export x --format sufr -o x.sufr
printf '>a\nACGT\n' > in.fa
expect 0 sufsort build in.fa -o f --lcp
expect_error sufsort duplicates f -l 1 --format text
expect 0 sufsort duplicates f -l 1
[[ ! -s out ]] || fail 'duplicates of different letters'
expect_error sufsort count f --pattern-format hex 41
want "$(cat err)" 'sufsort: conflicting options: --pattern-format: f.json: patterns of an index of FASTA are letters' 'hex in FASTA'

# Formats by content and by name.
is() { expect 0 sufsort build "${@:2}" -o r --text-only; grep -q "\"input\": \"$1\"" r.json || fail "$2 is no $1: $(cat r.json)"; }
cp j.jsonl j.txt; gzip -k j.txt
is jsonl j.txt; is jsonl j.txt.gz; is jsonl k2.jsonl
printf '\n' > blank.ndjson; is jsonl blank.ndjson
cp t.u16 t.tokens.u32; is u16 t.u16; gzip -c t.u16 > t.u16.gz; is u16 t.u16.gz; truncate -s 12 t.tokens.u32; is u32 t.tokens.u32
array "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }" '\1\0' > two.npy; is u16 two.npy
array "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }" '\1\0\0\0\0\0\0\0' > eight.npy; is u32 eight.npy
is bytes j.txt --format bytes
expect 0 sufsort build in.fa -o r
for files in 'in.txt' 'in.fa j.jsonl' 'two.npy eight.npy'; do
  # shellcheck disable=SC2086
  expect_error sufsort build $files -o r
done
want "$(cat err)" 'sufsort: different formats: eight.npy: u32, but two.npy is u16: give --format' 'different formats'
# Tokens may have any bytes: the name decides before the content. Raw ones are read as they are, also those that begin as compressed
# files do; with --format, whatever the name, unless it is that of a compressed file.
tokens() { expect 0 sufsort build "${@:2}" -o r --text-only; cmp r.seq "$1" || fail "tokens of ${*:2}"; }
n=0
for magic in '>\1\1\1' ';\5\n\1' '{}' '\37\213' '\37\213\10\4' 'BZh9' '\3757zXZ\0' '(\265/\375' 'P*M\30' '@a' '\37\213\10\0\0\0\0\0'; do
  # shellcheck disable=SC2059
  printf "$magic" > magic.u16; cp magic.u16 "magic$n"; cp magic.u16 magic.u16.bin
  gzip -c magic.u16 > packed.u16.gz
  tokens magic.u16 magic.u16
  tokens magic.u16 "magic$n" --format u16
  tokens magic.u16 - --format u16 < magic.u16
  tokens magic.u16 packed.u16.gz
  tokens magic.u16 packed.u16.gz --format u16
  n=$((n + 1))
done
gzip -c two.npy > two.array
expect 0 sufsort build two.array -o tok
want "$(od -An -tu2 tok.seq | xargs)" 1 'an array that is recognised in a compressed file'
printf '>a\nACGT\n' > fa.jsonl
expect_error sufsort build fa.jsonl -o n
grep -q '^sufsort: bad JSON: fa.jsonl:1' err || fail "a name that decides: $(cat err)"
# A file that is one record gives it its name, whatever made it one.
printf '\5\0\6\0' > f.u16; echo 2 > one.lengths; printf '1\n1\n' > two.lengths
for option in '' '--separator 9' '--lengths one.lengths'; do
  # shellcheck disable=SC2086
  expect 0 sufsort build f.u16 -o n $option
  want "$(sufsort locate n 6 | cut -f 3)" f.u16 "one record, $option"
done
expect 0 sufsort build f.u16 -o n --lengths two.lengths
want "$(sufsort locate n 6 | cut -f 3)" f.u16:2 'two records'
expect 0 sufsort build f.u16 magic9 -o n --separator 5
want "$(sufsort locate n 6 | cut -f 3)" f.u16:2 'two records of one file'

# Files that no command reads: the format is named, or the option that reads any text.
no_fasta() {  # NAME CONTENT MESSAGE
  # shellcheck disable=SC2059
  printf "$2" > "$1"
  for command in "build $1 -o n" "build $1 -o n --text-only" "aligner-index --for=bwa $1 -o n"; do
    # shellcheck disable=SC2086
    expect_error sufsort $command
    grep -q "$1.*$3" err || fail "sufsort $command: $(cat err)"
  done
}
no_fasta data.parquet 'PAR1\25\4PAR1' 'it is Parquet: python -m ordosort.corpus removes its copies; else write its column of text as JSONL first'
no_fasta data.bin 'PAR1\25\4PAR1' 'it is Parquet'
no_fasta frame.arrow 'ARROW1\0\0x' 'it is Arrow'
no_fasta t.csv 'name,price\na,10\n' 'it is CSV: .*--format=lines'
no_fasta t.dat 'a,b,c\n1,2,3\n4,5,6\n' 'it is CSV'
no_fasta t.tab 'a\tb\tc\n1\t2\t3\n' 'it is TSV'
no_fasta pretty.json '{\n "text": "a"\n}\n' 'it is JSON: write an object a line'
no_fasta list '[\n{"text": "a"}\n]\n' 'it is JSON'
no_fasta g.gbk 'LOCUS       SCU49845     5028 bp    DNA\n' 'it is GenBank'
no_fasta g.txt 'LOCUS       SCU49845     5028 bp    DNA\n' 'it is GenBank'
no_fasta e.embl 'ID   X56734; SV 1;\n' 'it is EMBL'
no_fasta r.sam '@HD\tVN:1.6\n' 'it is SAM: convert it first, as by samtools fasta'
printf 'BAM\1\0\0\0\0' | gzip > r.bam
expect_error sufsort build r.bam -o n
want "$(cat err)" 'sufsort: no FASTA: r.bam: it is BAM: convert it first, as by samtools fasta' BAM
expect_error sufsort locate f -f r.bam
want "$(cat err)" 'sufsort: no queries: r.bam: it is BAM: convert it first, as by samtools fasta' 'BAM as queries'
printf 'plain text\n' > notes
expect_error sufsort build notes -o n
want "$(cat err)" "sufsort: bad FASTA: notes:1: text before the first '>': --format=lines reads the lines of any text" 'plain text'
printf '\n;c\nACGT\n' > comment
expect_error sufsort build comment -o n
want "$(cat err)" "sufsort: bad FASTA: comment:3: text before the first '>': a line that begins with ';' is a comment, not the name of a record" 'a comment'
printf ';c\n>a\nACGT\n' > comment
expect 0 sufsort build comment -o n
# An index that does not exist yet.
for command in 'duplicates j.jsonl -l 9' 'dedup j.jsonl -l 9'; do
  # shellcheck disable=SC2086
  expect_error sufsort $command
  want "$(cat err)" 'sufsort: no index: j.jsonl: it is JSONL: build an index of it first: sufsort build j.jsonl -o j --text-only' "$command"
done
expect_error sufsort count t.u16 1
want "$(cat err)" 'sufsort: no index: t.u16: it is a file of tokens: build an index of it first: sufsort build t.u16 -o t' 'tokens'
expect_error sufsort duplicates notes -l 5
want "$(cat err)" 'sufsort: no index: notes: there is no notes.json: of text, sufsort build notes -o notes --format=lines --text-only makes an index' 'text'

# Ranges under the name of a text are worth a word.
warns() { sufsort duplicates "${@:2}" 2> err || fail "$*"; [[ $(grep -c 'warning: ranges only' err) == "$1" ]] || fail "${*:2}: $(cat err)"; }
expect 0 sufsort build j.jsonl -o j --format jsonl
warns 1 j -l 9 -o clean.jsonl; warns 1 j -l 9 -o clean.jsonl.gz; warns 1 j -l 9 -o clean.txt; warns 0 j -l 9 -o clean.tsv
warns 0 j -l 9 -o clean.jsonl --format tsv; warns 0 j -l 9 -o clean.jsonl --format text; warns 0 j -l 9 -o ranges
warns 0 j -l 9 -o clean.jsonl --quiet
# Files of an index are found beside it, too.
mkdir -p elsewhere; (cd elsewhere && sufsort duplicates ../j -l 9 --format text) > out || fail 'JSONL from another folder'
cmp out <(cat j.jsonl; echo)
# The longest record keeps its copy; the report names the files, with an example.
printf '{"text":"see: all work and no play"}\n{"text":"short"}\n' > one.jsonl
printf '{"text":"all work and no play makes Jack a dull boy"}\n{"text":"<b>all work and no play</b>"}\n' > two.jsonl
expect 0 sufsort build one.jsonl two.jsonl -o rules --text-only
for memory in '' '--memory=2'; do
  # shellcheck disable=SC2086
  expect 0 sufsort duplicates rules -l 20 $memory
  want "$(cut -f 1,2 out | xargs)" 'two.jsonl:1 0 two.jsonl:2 3' 'the first copy is kept'
  # shellcheck disable=SC2086
  expect 0 sufsort duplicates rules -l 20 --keep longest --report rules.html $memory
  want "$(cut -f 1,2 out | xargs)" 'one.jsonl:1 5 two.jsonl:2 3' 'the copy in the longest record is kept'
done
grep -q '<tr><td>two.jsonl</td><td class="number">2</td><td class="number">69</td><td class="number">1</td><td class="number">20</td><td class="number">28.986</td><td>two.jsonl:2: <code>all work and no play</code></td></tr>' rules.html ||
  fail "files of a report: $(grep two.jsonl rules.html)"
# Sources: the copy of the one that is named first is kept, of nested folders the inner one counts; the report has a row for each.
mkdir -p src/web/good src/wiki
for file in src/web/a src/web/good/b src/wiki/c src/webs; do echo "{\"text\":\"all work and no play, ${file##*/}\"}" > $file.jsonl; done
expect 0 sufsort build src -o src --text-only
kept() { sufsort duplicates src -l 20 --keep best "$@" --format text --out-dir srcs > out && cat out | awk '$4 == 0 { print $1 }' | xargs; }
want "$(kept --sources=src/web,src/wiki)" src/web/a.jsonl 'the first of the best source'
want "$(kept --sources=src/web/good,src/wiki,src/web)" src/web/good/b.jsonl 'an inner folder'
want "$(kept --sources=src/web,src/web/good/)" src/web/a.jsonl 'an inner folder that is worse'
want "$(kept --sources=src/wiki/c.jsonl,src/wiki)" src/wiki/c.jsonl 'a folder whose only file is named before it'
want "$(kept --sources=./,src/web)" src/webs.jsonl 'a folder of all files'
want "$(kept --sources=src/webs.jsonl)" src/webs.jsonl 'a file'
expect 0 sufsort duplicates src -l 20 --keep best --sources=src/wiki,src/web --report src.html
for row in '<td>src/wiki</td><td class="number">1</td><td class="number">1</td><td class="number">23</td><td class="number">0</td>' \
  '<td>src/web</td><td class="number">2</td><td class="number">2</td><td class="number">46</td><td class="number">2</td><td class="number">44</td>' \
  '<td>others</td><td class="number">1</td>.*src/webs.jsonl:1: <code>all work and no play, </code>'; do
  grep -q "$row" src.html || fail "no $row: $(grep -A 9 Sources src.html)"
done
expect_error sufsort duplicates src -l 20 --keep best --sources=src/web,src/we
want "$(cat err)" 'sufsort: no such source: src/we: no file of src.json has this name, or is below it' 'a source without files'
# Scores from a file, here the same as of src/wiki: the order of records is src/web/a, src/web/good/b, src/webs, src/wiki/c.
printf '\0\0\0\0\0\0\360\277\0\0\0\0\0\0\370\177\0\0\0\0\0\0\360\277\0\0\0\0\0\0\0\0' > scores
want "$(kept --score-file scores)" src/wiki/c.jsonl 'a score in a file'
expect_error sufsort duplicates src -l 20 --keep best --score-file scores -o scores
head -c 24 scores > cut.scores
expect_error sufsort duplicates src -l 20 --keep best --score-file cut.scores
want "$(cat err)" 'sufsort: wrong scores: cut.scores: it has 24 bytes, where 4 records have 8 each' 'cut scores'

# Lines, paragraphs and records; scores; n-grams of words.
printf '%s\n' '{"text":"Home\nNews of today\n\nend","s":1}' '{"text":" Home \nSports\n\n\nend","s":{"q":3}}' '{"text":"Home\nSports","s":2.5}' \
  '{"text":"Home\nSports","s":"x"}' > pages.jsonl
expect 0 sufsort build pages.jsonl -o pages --text-only
expect 0 sufsort duplicates pages -l 1 --unit lines --format text
want "$(cut -d , -f 1 out | paste -sd ' ')" '{"text":"Home\nNews of today\n\nend" {"text":"Sports\n\n\n" {"text":"" {"text":""' 'lines'
for memory in '' '--memory=1'; do
  # shellcheck disable=SC2086
  expect 0 sufsort duplicates pages -l 1 --unit paragraphs --format tsv $memory --report pages.html
  want "$(paste -sd ' ' out)" $'pages.jsonl:2\t16\t19 pages.jsonl:4\t0\t11' 'paragraphs'
  grep -q '<td class="number">2</td><td class="number">11</td><td><code>Home.nSports' pages.html || fail "paragraphs of a report"
  # shellcheck disable=SC2086
  expect 0 sufsort duplicates pages -l 1 --unit records --format text $memory --resume pages.part
  cmp out <(head -n 3 pages.jsonl) || fail 'records'
done
expect 0 sufsort duplicates pages -l 1 --unit records --format annotated; [[ $(tail -n 1 out) == *'"duplicate_ranges":[[0,11]]}' ]] || fail "$(cat out)"
expect 0 sufsort duplicates pages -l 5 --unit lines --keep best --score s
want "$(paste -sd ' ' out)" $'pages.jsonl:2\t7\t14 pages.jsonl:4\t5\t11' 'the best line'
grep -q 'warning: no score: pages.jsonl:2: 2 lines have no number in .s., and are the lowest' err || fail "scores: $(cat err)"
expect 0 sufsort duplicates pages -l 6 --keep best --score s; want "$(cut -f 1 out | paste -sd ' ')" 'pages.jsonl:2 pages.jsonl:4' 'the best string'
printf 'Sports\nand  more\nMilk\nno one wins the big game\n' > tests.txt
printf 'who wins\nthe big  game? no one wins the\nbig game today\nSportsmilk Sports and\tmore\n' > docs.txt
expect 0 sufsort build tests.txt -o tests --format lines --text-only; expect 0 sufsort build docs.txt -o docs --format bytes --separator '\0' --text-only
expect 0 sufsort duplicates docs -l 5 --unit words --against tests; want "$(cut -f 2,3 out)" $'24\t48' 'n-grams'
grep -q 'warning: too short: tests: 3 records have fewer than 5 words, and are not looked for' err || fail "short records: $(cat err)"
expect 0 sufsort duplicates docs -l 5 --unit words --against tests --short-records 2
want "$(cut -f 2,3 out | paste -sd ' ')" $'24\t48 73\t81' 'records of two words'
expect 0 sufsort duplicates docs -l 5 --unit words --against tests --short-records 1 --format text
want "$(tr '\0' '.' < out)" $'who wins\nthe big  game?  today\nSportsmilk  \n.' 'records of one word'
expect 0 sufsort duplicates docs -l 1 --unit lines --against tests; want "$(cat out)" '' 'lines of another text'
while read -r options; do
  # shellcheck disable=SC2086
  expect_error sufsort duplicates docs -l 5 $options
done << 'END'
--unit words
--unit lines --short-records 2
--unit sentences
--keep best
--score s
--keep best --score s
--keep best --sources docs.txt --score-file scores
--keep best --sources docs.txt,docs.txt
--keep best --sources docs.txt,
--sources docs.txt
--score-file scores
--unit lines --plan
--unit words --against tests --short-records 0
END
# A page does not list one string again and again, with other letters before it: twice, and as the example of a file.
awk 'BEGIN { for (i = 0; i < 300; ++i) printf "%c%cthe quick brown fox jumps over the lazy dog%c\n", 97 + i % 20, 97 + int(i / 7) % 20, 65 + i % 15
             for (i = 0; i < 3; ++i) print "another sentence that occurs three times here" i }' > foxes
expect 0 sufsort build foxes -o foxes --format lines --lcp
expect 0 sufsort duplicates foxes -l 20 --report foxes.html
[[ $(grep -c 'brown fox' foxes.html) -le 3 ]] || fail "one string again and again: $(grep -c 'brown fox' foxes.html)"
grep -q 'another sentence' foxes.html || fail 'the other string is missing'
expect_error sufsort build - -o r < j.jsonl

# Bad lines and files that are cut or unreadable are put aside, and duplicates leaves them out. Lines keep their numbers.
printf '%s\n' '{"id":1,"text":"all work and no play"}' '{"id":2 "text":"x"}' '{"id":3}' $'no\tjson\377' '' '{"text":null}' '{"text":""' '{"text":""}' \
  '{"id":9,"text":"say: all work and no play"}' > mixed.jsonl
awk 'BEGIN { srand(3); for (i = 0; i < 900; ++i) printf "{\"text\":\"%d line %d %d\"}\n", i, rand() * 1e9, rand() * 1e9 }' > whole.jsonl
for suffix in gz xz zst bz2; do
  case $suffix in gz) gzip -kf whole.jsonl ;; xz) xz -kf whole.jsonl ;; zst) zstd -qkf whole.jsonl ;; bz2) bzip2 -kf whole.jsonl ;; esac
  head -c $(($(stat -c %s whole.jsonl.$suffix) * 2 / 3)) whole.jsonl.$suffix > part.jsonl.$suffix
  for threads in 1 3; do
    expect 0 sufsort build mixed.jsonl part.jsonl.$suffix nothing.jsonl whole.jsonl -o bad --text-only --bad-lines bad.tsv --threads $threads
    [[ $threads == 1 ]] || cmp bad.tsv first.tsv
    cp bad.tsv first.tsv
  done
  grep -q '^sufsort: warning: bad lines: bad.tsv: [56] lines, 2 files cut or unreadable$' err || fail "no count of bad lines: $(cat err)"
  want "$(head -n 5 bad.tsv | cut -f 1,2,4- | sed 's/\t/ /g' | LC_ALL=C tr '\377' '?' | paste -sd '|')" \
    'mixed.jsonl 2 {"id":2 "text":"x"}|mixed.jsonl 3 {"id":3}|mixed.jsonl 4 no json?|mixed.jsonl 6 {"text":null}|mixed.jsonl 7 {"text":""' 'bad lines'
  grep -q "^part.jsonl.$suffix"$'\t[0-9]*\tcannot read: part.jsonl.'"$suffix: .*"$'\t$' bad.tsv || fail "a cut file: $(cat bad.tsv)"
  grep -q $'^nothing.jsonl\t1\tcannot read: nothing.jsonl: No such file' bad.tsv || fail "a missing file: $(cat bad.tsv)"
  expect 0 sufsort check bad
  expect 0 sufsort duplicates bad -l 12 --format text -o out.jsonl
  want "$(head -n 4 out.jsonl)" $'{"id":1,"text":"all work and no play"}\n\n{"text":""}\n{"id":9,"text":"say: "}' 'lines without bad ones'
  records=$(sufsort info bad | awk '$1 == "file" && $2 ~ /part/ { print $3 }')
  records=$((records - $(grep -c "^part.*{" bad.tsv || :)))
  awk -v n=$records 'NR > 4 && NR <= 4 + n' out.jsonl | cmp - <(head -n $records whole.jsonl) || fail 'the lines before a cut'
  want "$(wc -l < out.jsonl)" $((904 + records)) 'lines of cut files'
  [[ $suffix != gz ]] || ((records > 300)) || fail "few lines before the cut: $records"
done
expect 0 sufsort duplicates bad -l 12
grep -q '^mixed.jsonl:9'$'\t5\t25' out || fail "numbers of lines: $(cat out)"
expect_error sufsort build mixed.jsonl -o strict --text-only --bad-lines bad.tsv --strict
want "$(cat err)" 'sufsort: bad lines: bad.tsv: 5 lines' '--strict'
[[ $(wc -l < bad.tsv) == 5 && -e strict.json ]] || fail '--strict wrote nothing'
expect 0 sufsort build whole.jsonl -o strict --text-only --bad-lines bad.tsv --strict
[[ ! -s bad.tsv && ! -s err ]] || fail 'bad lines of a good file'
# A file that was whole and is cut now is an error, beside one that was cut before.
cp whole.jsonl.gz one.jsonl.gz; cp part.jsonl.gz cut.jsonl.gz
expect 0 sufsort build cut.jsonl.gz one.jsonl.gz -o pair --text-only --bad-lines bad.tsv --quiet
echo old > out.jsonl
now() {  # WHY: the commands that read the files of the index again
  local command
  for command in "${again[@]}"; do
    # shellcheck disable=SC2086
    expect_error sufsort $command
    grep -q "^sufsort: $1" err || fail "$command: $(cat err)"
    [[ $(cat out.jsonl) == old && ! -e pairs ]] || fail "an output of an error: $command"
  done
}
again=('duplicates pair -l 12 --format text -o out.jsonl' 'duplicates pair -l 12 --format annotated -o out.jsonl'
  'duplicates pair -l 12 --keep best --score s -o out.jsonl -q' 'export pair --format infini-gram --metadata -o pairs')
head -c 200 whole.jsonl.gz > one.jsonl.gz; now 'cannot read: one.jsonl.gz: truncated gzip data at byte 200$'
rm one.jsonl.gz; now 'cannot read: one.jsonl.gz: No such file or directory$'
head -n 899 whole.jsonl | gzip -c > one.jsonl.gz; now 'changed input: one.jsonl.gz:.* when it was indexed as pair.json$'
{ cat whole.jsonl; echo '{"text":"more"}'; } | gzip -c > one.jsonl.gz
now 'changed input: one.jsonl.gz:.* when it was indexed as pair.json$'
cp whole.jsonl.gz one.jsonl.gz; head -c 200 part.jsonl.gz > cut.jsonl.gz
now 'changed input: cut.jsonl.gz:.* when it was indexed as pair.json$'
# Bad lines that became good ones, and a cut file that is whole again.
expect 0 sufsort build mixed.jsonl -o bad --text-only --bad-lines bad.tsv --quiet
[[ ! -s err ]] || fail "--quiet: $(cat err)"
cp mixed.jsonl kept.jsonl
sed -i '3s/.*/{"text":""}/' mixed.jsonl
expect_error sufsort duplicates bad -l 12 --format text
want "$(cat err)" 'sufsort: changed input: bad.json: 4 of 5 bad lines are left of when they were indexed' 'a bad line that is none'
mv kept.jsonl mixed.jsonl
echo old > bad.tsv
expect_error sufsort build mixed.jsonl -o bad --text-only --bad-lines bad.tsv --field txt
grep -q '^sufsort: no text: mixed.jsonl:1: field txt: no such field, but text: all other lines are bad, too, or empty$' err || fail "a wrong field: $(cat err)"
want "$(cat bad.tsv)" old 'an old list after an error'
expect_error sufsort build nothing.jsonl -o bad --text-only --bad-lines bad.tsv
expect_error sufsort build mixed.jsonl -o bad --text-only --bad-lines mixed.jsonl
expect_error sufsort build mixed.jsonl -o bad --text-only --bad-lines bad.seq
echo old > bad.fm
for file in bad.fm bad.lcp; do
  expect_error sufsort build mixed.jsonl -o bad --text-only --bad-lines $file
  want "$(cat err)" "sufsort: cannot write: $file: it is a file of the index" 'bad lines in a file of the index'
done
[[ $(cat bad.fm) == old && ! -e bad.lcp ]] || fail 'a list in the place of an array'
rm bad.fm
expect_error sufsort build in.txt -o bad --text-only --bad-lines bad.tsv --format lines
expect_error sufsort build mixed.jsonl -o bad --bad-lines bad.tsv
expect_error sufsort build mixed.jsonl -o bad --text-only --strict
expect_error sufsort build mixed.jsonl -o bad --text-only --bad-lines /dev/full
want "$(cat bad.tsv)" old 'an old list'

# Patterns.
expect_error sufsort count x --pattern-format hex 4
want "$(cat err)" "sufsort: invalid pattern: '4': pairs of hexadecimal digits are expected" 'half a byte'
expect_error sufsort count x --pattern-format hex ' '
want "$(cat err)" "sufsort: empty pattern: ' ': it would match everywhere" 'a pattern of no bytes'
printf '7\n' > patterns
expect_error sufsort count x --pattern-format hex -f patterns
want "$(cat err)" "sufsort: bad pattern: patterns:1: invalid pattern: '7': pairs of hexadecimal digits are expected" 'half a byte in a file'
printf 'to be\n\n' > patterns
expect_error sufsort count x -f patterns
grep -q 'empty pattern: patterns:2' err || fail "an empty pattern: $(cat err)"
expect_error sufsort count x ''

# Names of files are names of records. An index is replaced as a whole, and starts of an older one do not stay.
printf 'a' > $'tab\t'
expect_error sufsort build $'tab\t' -o n --format bytes
grep -q 'holds a control character' err || fail "a control character in a name: $(cat err)"
expect 0 sufsort build in.fa -o z
[[ ! -e z.starts ]] || fail 'starts of an older index'
expect 0 sufsort check z
# Damage.
printf '\377' | dd of=x.starts bs=1 seek=8 conv=notrunc status=none
expect_error sufsort count x to
want "$(cat err)" "sufsort: bad index: x.starts: the records' starts are out of order" 'starts out of order'
gzip < in.txt > whole.gz; head -c 20 whole.gz > cut.gz
expect_error sufsort build in.txt cut.gz -o n --format bytes
grep -q 'cut.gz' err || fail "a cut file: $(cat err)"
no_leftovers
