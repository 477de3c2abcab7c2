# Sorting in little memory, and merging, beside the installed sort.
. "$ORDO_SOURCE/tests/cli/lib.sh"

export LC_ALL=C
sort --version 2> /dev/null | grep -q GNU || exit 77
awk 'BEGIN { srand(7); for (i = 0; i < 200000; ++i) printf "%d %s%d\t%d\n", rand() * 5000, substr("abcdefgh", 1 + rand() * 8), rand() * 100, i % 1000 }' > in
mkdir temp
same() {
  sort "$@" > want
  expect 0 strsort "$@"
  cmp out want || fail "not as sort: $*"
  expect 0 strsort "$@" -o sorted
  cmp sorted want || fail "not as sort: $* -o"
}
for options in "" -r -u -rn '-s -k2,2' '-u -k1,1n' '-k2.2,2r -k1n' '-f -u'; do
  # shellcheck disable=SC2086
  same -S 1M -T temp $options in
done
same -S 16M --compress-program=gzip -T temp -n in
tr '\n' '\0' < in > zeros
same -S 16M -z zeros
sort in in in > want
expect 0 strsort -S 16M in - in < in
cmp out want
[[ -z $(ls -A temp) ]] || fail "left behind: $(ls -A temp)"

# Merging, of texts in order and of others: what comes out is what GNU sort makes of them, pass by pass.
split -n l/37 in part.
for part in part.*; do sort "$part" > "sorted.$part"; done
printf 'no end' > sorted.part.zz
: > sorted.part.zzz
for options in '' --batch-size=2 --batch-size=5 '--batch-size=3 -u' --batch-size=1000 \
  '--compress-program=gzip --batch-size=4'; do
  # shellcheck disable=SC2086
  same -m $options sorted.part.*
  # shellcheck disable=SC2086
  same -m $options part.*
done
same -m -n -s -k1,1 part.a?
sort -m sorted.part.ab sorted.part.aa > want
expect 0 strsort -m - sorted.part.aa < sorted.part.ab
cmp out want
cp sorted.part.ab ab
sort -m sorted.part.aa ab > want
expect 0 strsort -m sorted.part.aa ab -o ab
cmp ab want
expect_error strsort -m sorted.part.aa missing
