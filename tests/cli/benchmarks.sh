# BENCHMARKS.md and its plots are what the benchmarks printed, and nothing else.
. "$ORDO_SOURCE/tests/cli/lib.sh"

mkdir made
python3 -B "$ORDO_SOURCE/tools/bench/page/make.py" --out made
cmp made/BENCHMARKS.md "$ORDO_SOURCE/BENCHMARKS.md"
diff -r made/tools/bench/plots "$ORDO_SOURCE/tools/bench/plots"

# Every plot is shown and every file named is there; every figure comes from a file that says on which device it was measured.
grep -oE 'tools/bench/[a-z0-9_/.]+\.(svg|json|py)' made/BENCHMARKS.md | sort -u > named
while read -r file; do [[ -s $ORDO_SOURCE/$file ]] || fail "no $file"; done < named
for plot in made/tools/bench/plots/*; do grep -q "${plot#made/}" named || fail "$plot is not shown"; done
for json in $(grep json named); do grep -qE '"(device|gpu|processor)": ?"' "$ORDO_SOURCE/$json" || fail "$json: of which machine?"; done

# A figure that changes in the JSON changes on the page.
cp -r "$ORDO_SOURCE/tools/bench/results" changed
sed -i 's/"name":"f32 1000","items":200000000,"segments":200000,"longest":1000,"offsets":{"ms":1.6235,"runs":5},"uniform":{"ms":1.5445,"runs":5},"headline_ms":1.5445/"name":"f32 1000","items":200000000,"segments":200000,"longest":1000,"offsets":{"ms":1.6235,"runs":5},"uniform":{"ms":1.5445,"runs":5},"headline_ms":9.25/' \
  changed/array_sort_h200.json
python3 -B "$ORDO_SOURCE/tools/bench/page/make.py" --results changed --out made
grep -q '^| f32 1000 | 0.386 | \*\*9.25\*\*' made/BENCHMARKS.md || fail 'the page does not follow the JSON'
