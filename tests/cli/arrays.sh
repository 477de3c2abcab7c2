# Arrays of raw floats, from file to file and through pipes.
. "$ORDO_SOURCE/tests/cli/lib.sh"

# floats COUNT SEED: so many of them, raw.
floats() {
  python3 -c 'import array, random, sys
random.seed(int(sys.argv[2]))
array.array("f", (random.uniform(-9, 9) for _ in range(int(sys.argv[1])))).tofile(sys.stdout.buffer)' "$1" "$2"
}
# ordered LENGTH < FILE: each array in order, raw.
ordered() {
  python3 -c 'import array, sys
all, n = array.array("f", sys.stdin.buffer.read()), int(sys.argv[1])
for i in range(0, len(all), n): array.array("f", sorted(all[i:i + n])).tofile(sys.stdout.buffer)' "$1"
}

floats 20000 1 > f
for length in 1 25 1000 20000; do
  ordered $length < f > want
  expect 0 arrays f --length $length -o sorted
  cmp sorted want
  [[ ! -s out ]] || fail 'something on standard output'
  grep -q "^arrays: $((20000 / length)) arrays of $length floats on the [cg]pu: 0.00 GB, .* s, .* GB/s$" err || fail "$(< err)"
done

# Ends of every kind; the output in the place of the input; where there is nothing, nothing comes.
ordered 100 < f > want
expect 0 arrays --quiet - -l 100 < f
cmp out want
[[ ! -s err ]] || fail "--quiet: $(< err)"
cat f | arrays -q - -l 100 | cmp - want
cp f both
expect 0 arrays both -l 100 -o both --device cpu
cmp both want
: > empty
expect 0 arrays -q empty -l 7 -o nothing
[[ -f nothing && ! -s nothing ]] || fail 'no empty file of an empty file'
expect 0 arrays f -l 100 -o again --stats report.json
grep -q '"tool": "arrays"' report.json
grep -q '"input_bytes": 80000' report.json
no_leftovers

# Bytes are floats, whatever they look like and the files are called: gzip's and zstd's first bytes are some.
for magic in '\x1f\x8b\x08\x00' '\x28\xb5\x2f\xfd' 'BZh9'; do
  { printf "$magic"; head -c 396 f; } > looks.gz
  ordered 50 < looks.gz > want.gz
  expect 0 arrays -q looks.gz -l 50 -o sorted.gz
  cmp sorted.gz want.gz
  arrays -q - -l 50 < looks.gz | cmp - want.gz
done
head -c 4 f > short.zst
expect 0 arrays -q short.zst -l 1 -o sorted.zst
cmp sorted.zst short.zst

# What is wrong: status 2, a line that names it, and no output.
head -c 103 f > cut
expect_error arrays cut -l 25 -o gone
[[ $(< err) == 'arrays: bad arrays: cut: 103 bytes are no whole number of arrays of 25 floats' ]] || fail "$(< err)"
expect 2 arrays - -l 25 -o gone < <(cat cut)
[[ $(< err) == 'arrays: bad arrays: standard input: 103 bytes are no whole number of arrays of 25 floats' ]] || fail "$(< err)"
expect_error arrays f -l 3000 -o gone
expect_error arrays f -l 4611686018427387904 -o gone
expect_error arrays empty -l 4611686018427387904 -o gone
[[ $(< err) == 'arrays: --length 4611686018427387904: more bytes than can be addressed' ]] || fail "$(< err)"
expect_error arrays missing -l 25 -o gone
grep -q missing err
expect_error arrays f --length 0 -o gone
[[ $(< err) == 'arrays: --length 0: an array has a float at least' ]] || fail "$(< err)"
for length in -1 '' 1e3 99999999999999999999; do
  expect_error arrays f --length "$length" -o gone
  [[ $(< err) == "arrays: invalid number: --length: '$length'" ]] || fail "$(< err)"
done
expect_error arrays f -o gone
expect_error arrays f -l 100 -o gone --device tpu
expect_error arrays f -l 100 -o gone --stats f
expect 2 arrays f -l 100 -o no/such/folder
[[ ! -e gone ]] || fail 'an output in spite of an error'
[[ $(head -c 100 f | md5sum) == $(floats 25 1 | md5sum) ]] || fail 'the input is not what it was'

# Another machine than the one that was asked for takes nothing.
if have_gpu; then
  expect 0 arrays f -l 100 -o on_gpu --device gpu
  grep -q 'on the gpu' err
  cmp on_gpu want
else
  expect_error arrays f -l 100 -o gone --device gpu
  expect_error arrays missing -l 100 -o gone --device gpu:0
  ORDO_DEVICE=gpu expect_error arrays f -l 100 -o gone
  [[ ! -e gone ]] || fail 'an output without a GPU'
fi
