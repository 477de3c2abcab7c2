# The product of sparse matrices, from file to file.
. "$ORDO_SOURCE/tests/cli/lib.sh"

awk 'BEGIN {
  srand(5); print "%%MatrixMarket matrix coordinate integer general"; print 40, 30, 200
  for (i = 0; i < 200; ++i) print 1 + int(rand() * 40), 1 + int(rand() * 30), 1 + int(rand() * 9)
}' > a.mtx
awk 'BEGIN { print "%%MatrixMarket matrix coordinate pattern general"; print 30, 30, 30; for (i = 1; i <= 30; ++i) print i, i }' > one.mtx

# An entry a line, each once, sorted.
entries() { grep -v '^%' "$1" | tail -n +2 | sort -n -k1,1 -k2,2; }
summed() { entries "$1" | awk '{ sum[$1 " " $2] += $3 } END { for (at in sum) print at, sum[at] }' | sort -n -k1,1 -k2,2; }

# By the identity: the matrix itself, what stood twice added up.
spgemm a.mtx one.mtx -o same.mtx
cmp <(entries same.mtx) <(summed a.mtx)
[[ $(sed -n 2p same.mtx) == "40 30 $(entries same.mtx | wc -l)" ]] || fail "sizes: $(sed -n 2p same.mtx)"

# By its own transpose, whole and by parts, from a compressed file, beside awk.
summed a.mtx | awk '{ v[$1, $2] = $3; row[$1]; column[$2] }
  END { for (i in row) for (j in row) { sum = 0; met = 0
    for (k in column) if ((i, k) in v && (j, k) in v) { sum += v[i, k] * v[j, k]; met = 1 }
    if (met) print i, j, sum } }' | sort -n -k1,1 -k2,2 > want
gzip -c a.mtx > a.mtx.gz
for how in '' '--type float' '--part 7' '--threads 1'; do
  spgemm a.mtx.gz --transposed $how > product.mtx
  cmp <(entries product.mtx) want || fail "transposed $how"
done

# Bad input: status 2, a line that names file and line, and no output.
expect_error spgemm a.mtx a.mtx
grep -q 'the first has 30 columns, the second 40 rows' err
sed '5s/.*/1 99 1/' a.mtx > bad.mtx
expect_error spgemm bad.mtx one.mtx -o gone.mtx
grep -q 'bad.mtx:5: bad column: 99' err
[[ ! -e gone.mtx ]] || fail 'an output of a product that failed'
expect_error spgemm missing.mtx
expect_error spgemm a.mtx a.mtx --transposed --stats a.mtx
for part in -1 1e3 0x10 '' 99999999999999999999 18446744073709551616; do
  expect_error spgemm a.mtx one.mtx --part "$part" -o gone.mtx
  [[ $(< err) == "spgemm: invalid number: --part: '$part'" ]] || fail "--part '$part': $(< err)"
done
[[ ! -e gone.mtx ]] || fail 'an output in spite of a bad option'

# What is no number is nan, on every machine.
printf '%%%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 inf\n1 2 -inf\n' > row.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 1 2\n1 1 1\n2 1 1\n' > column.mtx
[[ $(spgemm row.mtx column.mtx | tail -n 1) == '1 1 nan' ]] || fail "inf - inf: $(spgemm row.mtx column.mtx | tail -n 1)"

# The result need not fit the host's memory: 12 bytes an entry would be 75 MB.
awk 'BEGIN { n = 2500; print "%%MatrixMarket matrix coordinate pattern general"; print n, n, 2 * n - 1
  for (i = 1; i <= n; ++i) print 1, i; for (i = 2; i <= n; ++i) print i, 1 }' > cross.mtx
spgemm cross.mtx -o square.mtx --part 100000 --device cpu --threads 1 --stats report.json
[[ $(sed -n 2p square.mtx) == '2500 2500 6250000' ]] || fail "sizes: $(sed -n 2p square.mtx)"
[[ $(wc -l < square.mtx) == 6250002 ]] || fail "lines: $(wc -l < square.mtx)"
[[ $(sed -n 3p square.mtx) == '1 1 2500' && $(tail -n 1 square.mtx) == '2500 2500 1' ]] || fail 'entries of the square'
grep -q '"tool": "spgemm"' report.json
memory=$(sed -n 's/.*"peak_memory": \([0-9]*\),/\1/p' report.json)
((memory < 60000000)) || fail "$memory bytes of memory"
