# Records of one size, an output in several files, and checksums, beside plain Python and the installed sort.
. "$ORDO_SOURCE/tests/cli/lib.sh"
export LC_ALL=C
command -v python3 > /dev/null || exit 77

"$ORDO_SOURCE/tests/reference/strsort_fixed_reference.py" "${ORDO_SEED-$RANDOM}" "${ORDO_CASES-25}" || fail 'not as the reference'

# Records with every byte, some of them those with which a compressed file begins.
python3 -c 'import random, sys
draw = random.Random(5)
sys.stdout.buffer.write(b"\x1f\x8b\x08\0" + bytes(96) + draw.randbytes(100 * 19999))' > in
strsort --record-bytes=100 -k 1.1,1.10 in -o sorted
strsort -S 16M --record-bytes=100 -k 1.1,1.10 < in | cmp - sorted
cp in same
strsort --record-bytes=100 -k 1.1,1.10 same -o same
cmp same sorted
expect 0 strsort -c --record-bytes=100 -k 1.1,1.10 sorted
expect 1 strsort -c --record-bytes=100 in
grep -qx 'strsort: in:[0-9]*: disorder' err || fail "$(< err)"
expect 1 strsort -C --record-bytes=100 in
[[ ! -s err ]] || fail "words of -C: $(< err)"
# Keys without a byte: all records are equal.
strsort --record-bytes=100 -s -k 1.9,1.8 in | cmp - in
strsort --record-bytes=100 -u -k 1.9,1.8 in | cmp - <(head -c 100 in)
# The checksum is that of the input, in any order; a byte that differs changes it.
strsort --checksum --record-bytes=100 in > want
[[ $(head -n 1 want) == 'records: 20000' ]] || fail "$(< want)"
strsort -c --checksum --record-bytes=100 -k 1.1,1.10 sorted > got
cmp want <(head -n 2 got)
[[ $(tail -n 1 got) == 'equal keys: 0' ]] || fail "$(< got)"
{ head -c 1999999 sorted; printf '\377'; } > wrong
strsort --checksum --record-bytes=100 wrong | cmp -s - want && fail 'the checksum of other records'

# What is no record, and what does not go together.
head -c 1050 in > cut
expect_error strsort --record-bytes=100 cut -o made
grep -qx 'strsort: cannot read: cut: the last record is cut: it has 50 of 100 bytes' err || fail "$(< err)"
cat cut > piped
{ expect_error strsort --record-bytes=100 -o made; } < <(cat piped)
[[ ! -e made ]] || fail 'an output in spite of an error'
for options in --record-bytes=0 --record-bytes=x --record-bytes=-1 --record-bytes=99999999999999999999 '--record-bytes=9 -n' \
  '--record-bytes=9 -t,' '--record-bytes=9 -z' '--record-bytes=9 --csv' '--record-bytes=9 -k2' '--record-bytes=9 -k1.10' \
  '--record-bytes=9 -k1.1n' '--record-bytes=9 --head=1' '--record-bytes=9 -m' '--record-bytes=2147483648' --split-output=2 \
  '--split-output=0 -o made' '--split-output=2 -c -o made' '--split-output=2 --header -o made' '--checksum -m'; do
  # shellcheck disable=SC2086
  expect_error strsort $options cut
done
: > empty
expect 0 strsort --record-bytes=2147483648 empty
[[ ! -s out ]] || fail 'something of nothing'
expect 0 strsort --record-bytes=1 cut
[[ $(wc -c < out) == 1050 ]] || fail 'bytes as records'

# Parts: whole lines, in order, of about equal size, from memory and from runs; more parts than lines; compressed.
awk 'BEGIN { srand(2); for (i = 0; i < 400000; ++i) printf "%d line %d\n", rand() * 100000000, i % 977 }' > lines
sort lines > want
for options in '' '-S 16M' --parallel=1; do
  # shellcheck disable=SC2086
  strsort $options --split-output=5 lines -o part.txt
  cat part.000[1-5].txt | cmp - want
  for part in part.000?.txt; do
    size=$(wc -c < "$part")
    ((size > $(wc -c < want) / 5 - 100 && size < $(wc -c < want) / 5 + 100)) || fail "$part has $size bytes"
    [[ -z $(tail -c 1 "$part") ]] || fail "a line is cut: $part"
  done
done
strsort -c --checksum part.000[1-5].txt > got
strsort --checksum lines | cmp - <(head -n 2 got)
expect 1 strsort -c --checksum part.0002.txt part.0001.txt
strsort -u -k1.1,1.2 --split-output=3 lines -o few.txt
cat few.000[123].txt | cmp - <(sort -u -k1.1,1.2 lines)
printf 'b\na\n' | strsort --split-output=4 -o tiny
cat tiny.000[1-4] | cmp - <(printf 'a\nb\n')
[[ $(printf 'x' | strsort --split-output=2 -o packed.gz; zcat packed.0001.gz packed.0002.gz) == x ]] || fail 'compressed parts'
strsort --record-bytes=100 -k 1.1,1.10 --split-output=3 in -o r.bin
cat r.000[123].bin | cmp - sorted
for part in r.000?.bin; do (($(wc -c < "$part") % 100 == 0)) || fail "a record is cut: $part"; done

# A part of an output with more parts, an input, and a place that cannot be written: nothing changes.
cp part.0001.txt before
expect_error strsort --split-output=4 lines -o part.txt
grep -q 'part.0005.txt: it would be taken for a part' err || fail "$(< err)"
expect_error strsort --split-output=5 part.0003.txt -o part.txt
cmp part.0001.txt before
mkdir taken.0002
expect_error strsort --split-output=3 lines -o taken
[[ ! -e taken.0001 && ! -e taken.0003 ]] || fail 'some of the parts'
