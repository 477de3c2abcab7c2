# The pages of benchmarks are made from the templates and the JSON files, and nothing else; run.py runs the commands they name.
. "$ORDO_SOURCE/tests/cli/lib.sh"
page=$ORDO_SOURCE/bench/page results=$ORDO_SOURCE/bench/results
make_page() { python3 -B "$page/make.py" "$@"; }
run_all() { python3 -B "$page/run.py" "$@"; }

# Made again in a copy of the tree, they are the committed ones.
mkdir -p copy/docs
cp -r "$ORDO_SOURCE/bench" copy
sed '/make.py writes from here/a to be replaced' "$ORDO_SOURCE/README.md" > copy/README.md
python3 -B copy/bench/page/make.py 2> err
[[ ! -s err ]] || fail "$(cat err)"  # files that no page shows
cmp copy/BENCHMARKS.md "$ORDO_SOURCE/BENCHMARKS.md"
diff -r copy/docs/benchmarks "$ORDO_SOURCE/docs/benchmarks"
cmp copy/README.md "$ORDO_SOURCE/README.md"  # its table

# Every link leads to a file, every plot is shown, every JSON file and every page is linked, and no placeholder is left.
check_links() {  # FOLDER
  local from link
  for from in "$1"/BENCHMARKS.md "$1"/docs/benchmarks/*.md; do
    while read -r link; do
      [[ -s $(dirname "$from")/$link ]] || fail "$from: no $link"
      realpath "$(dirname "$from")/$link"
    done < <(grep -oE '\]\([^)#]+' "$from" | cut -c3- | grep -v '^http')
  done | sort -u
}
check_links copy > linked
for file in copy/docs/benchmarks/{*.md,plots/*} copy/bench/results/*.json; do
  grep -qxF "$(realpath "$file")" linked || fail "no link to $file"
done
! grep -n '[{}][{}]' copy/BENCHMARKS.md copy/docs/benchmarks/*.md || fail 'a placeholder is left'
(($(wc -l < copy/BENCHMARKS.md) <= 64)) || fail 'BENCHMARKS.md is longer than a screen'

# Every JSON file names the device on which it was measured; these are older than that, and their page says so:
old=' host_segments_2_cores host_sorts_2_26_2_cores host_sorts_2_cores '
for json in "$results"/*.json; do
  grep -qE '"(device|gpu|processor)": ?"' "$json" || [[ $old == *" $(basename "$json" .json) "* ]] ||
    fail "$json names no device"
done

# Pages and sections without results are left out, and any file alone makes pages.
mkdir empty
make_page --results empty --out alone
[[ $(ls alone/docs/benchmarks) == $'README.md\nplots' ]] || fail "pages without results: $(ls alone/docs/benchmarks)"
[[ $(grep -c '^## ' alone/BENCHMARKS.md) == 1 ]] || fail "sections without results: $(grep '^## ' alone/BENCHMARKS.md)"
for json in "$results"/*_h200.json; do
  rm -f empty/*
  cp "$json" empty
  make_page --results empty --out alone 2> err || fail "no pages of $json alone: $(cat err)"
  check_links alone > linked
done

make_page --card 2_cores --out without_gpu 2> err
! grep -q 'NVIDIA' without_gpu/BENCHMARKS.md without_gpu/docs/benchmarks/*.md || fail 'pages without a GPU name one'
[[ -e without_gpu/docs/benchmarks/cpu_sorts.md ]] || fail 'no page of sorts on a CPU'
check_links without_gpu > linked

# A figure that changes in the JSON file changes on the page, and sections come with their files.
cp -r "$results" changed
python3 -B - changed <<'END'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
def put(name, report): (folder / f"{name}_h200.json").write_text(json.dumps(report))
arrays = json.loads((folder / "array_sort_h200.json").read_text())
row = next(row for row in arrays["rows"] if row["name"] == "f32 1000")
row["headline_ms"], row["copy"]["ms"] = 9.25, 0.386
put("array_sort", arrays)
radix = json.loads((folder / "radix_sort_h200.json").read_text())
row = next(row for row in radix["rows"] if row["name"] == "u64/u32 20-bit told 2^28")  # the slowest
row["ours"]["ms"] = row["ours"]["min_ms"] = row["ours"]["max_ms"] = 2 * row["rivals"]["CUB"]["ms"]
put("radix_sort", radix)
segments = json.loads((folder / "segmented_sort_h200.json").read_text())
for row in segments["rows"]:
    for rival in "bb_segsort", "ModernGPU":
        row["rivals"].pop(rival, None)
pairs = next(row for row in segments["rows"] if row["name"].startswith("u32/u32 "))  # the rate of their copy is that of products
pairs["items"], pairs["copy"]["ms"] = 268435456, 1.0226
row = next(row for row in segments["rows"] if row["name"] == "u32/u32 8 holes")  # an optional rival in one table
row["rivals"]["bb_segsort"] = {"ms": 7.75, "runs": 5, "right": True}
put("segmented_sort", segments)
def time(ms): return {"ms": ms, "runs": 5, "right": True}
put("array_sort_sweep", {"machine": arrays["machine"], "rows": [
    {"name": f"f32 {length} x {count}", "items": length * count, "segments": count, "longest": length,
     "headline_ms": length * count / 1e8, "copy": time(length * count / 4e8),
     "rivals": {"STA": time(length * count / 2e7), "packed": time(length * count / 3e7)} if length != 4000 else {}}
    for length in (1000, 2000, 3000, 4000) for count in (25000, 100000)]})
machine = {"device": "NVIDIA H200", "processor": "a processor", "cuda": "13.0", "cccl": "3.0.1"}
put("array_stream", {"machine": machine, "rows": [
    {"name": "arrays of 1000", "length": 1000, "bytes": 280e9, "seconds": 6.5, "up_gbs": 55, "down_gbs": 50, "rate_gbs": 43.1,
     "share": 0.862}]})
put("string_sort", {"threads": 16, "runs": 5, "machine": machine, "rows": [
    {"set": "url", "bytes": 305000000, "gpu_ms": 44.5, "cpu_ms": 277, "lines": 10000000, "device_memory": 1, "tlx": 149},
    {"set": "random", "bytes": 97000000, "gpu_ms": 18.5, "cpu_ms": 11, "lines": 1000000, "device_memory": 1, "tlx": 9.25}]})
def contender(ms, runs=5): return {"ms": ms, "runs": runs, "bytes": 2500000000, "right": True, "why": ""}
put("spgemm", {"machine": machine, "rows": [
    {"name": name, "type": "f32", "rows": 4000000, "entries": 60000000, "products": 900000000, "result_entries": 100000000,
     "contenders": {"Ordo": contender(ours), "cuSPARSE": contender(20), "cuSPARSE 3": contender(0, 0)}}
    for name, ours in (("banded 15", 10), ("uniform 8", 40))]})
def race(seconds, **more): return {"runs": 5, "seconds": seconds, "best_seconds": seconds, **more}
def build(machine, seconds, **more):
    return {"input": "one.fa", "residues": 64000000, "entry_bytes": 4, "machine": machine, **race(seconds, **more), "rivals": {
        "libcubwt": race(0.025, version="1.6.3", makes="BWT"), "libsais": race(0.6, version="2.10.4", makes="suffix array"),
        "libdivsufsort": {"runs": 0, "version": "2.0.1", "makes": "suffix array", "why": "another result"}}}
put("suffix_array", {"threads": 16, "runs": 5, "machine": machine,
                     "rows": [build("gpu", 0.05, device_memory=1660000000), build("cpu", 0.4)]})
put("suffix_array_3100m", {"threads": 16, "runs": 5, "machine": machine, "rows": [
    {"input": "genome:3100M", "residues": 3100000000, "entry_bytes": 4, "machine": "gpu", "rivals": {},
     **race(1.25, device_memory=24500000000)}]})
put("suffix_array_6200m", {"threads": 16, "runs": 5, "machine": machine, "rows": [
    {"input": "genome:6200M", "residues": 6200000000, "entry_bytes": bytes, "machine": name, "rivals": {},
     **race(seconds, device_memory=74000000000)} for name, bytes, seconds in (("gpu", 8, 4.5), ("gpu, 40 bits", 5, 3.5))]})
put("spgemm_matrices", {"machine": machine, "rows": [
    {"name": "rajat22", "type": "f32", "rows": 39899, "entries": 197264, "products": 1e6, "result_entries": 5e5,
     "contenders": {"Ordo": contender(2), "cuSPARSE": contender(5), "cuSPARSE 3": contender(0, 0)}}]})
# Single figures of the papers.
machine |= {"memory": "150000000000"}
def put_rows(name, rows, key="rows"): put(name, {"machine": machine, key: rows})
put_rows("comparator_radix", [{"name": "u64 uniform 2^28", "items": 2**28, "ours": time(10), "copy": time(1), "rivals": {"CUB radix": time(25)}}])
put_rows("segmented_grid", [{"name": "u32/u32 zipf 0.1", "exponent": 0.1, "segments": 0, "longest": [50, 100], "items": [9, 9],
                             "ms": {"Ordo": [1, 1], "CUB seg": [2, 4], "packed": [0, 3]}, "wrong": ""}])
put_rows("segment_kernels", [{"name": "u32/u32", "copy_ps_per_item": 4, "shapes": [
    {"shape": f"{by} {shape} 8", "ps_per_item": {"128": ps}} for by, shape, ps in (
        ("network", "8x16", 8), ("network", "16x8", 5), ("buckets", "32x4", 10))]}], "widths")
put_rows("array_sort_lengths", [
    {"name": f"f32 {n} x 50000", "items": 50000 * n, "segments": 50000, "longest": n, "headline_ms": n / 1000, "copy": time(n / 4000),
     "rivals": {"CUB seg": time(n / 500)}, "extra_bytes": 0} for n in (1000, 4000)])
put_rows("array_fit", [{"name": f"{name} 1000", "sort": name, "length": 1000, "arrays": floats // 1000, "floats": floats, "ms": 260,
                        "limit": "memory", "wrong_arrays": wrong}
                       for name, floats, wrong in (("Ordo", 36 * 10**9, 0), ("CUB seg", 18 * 10**9, 0), ("bb_segsort", 9 * 10**9, 7))]
         + [{"name": "STA 1000", "sort": "STA", "length": 1000, "why": "no memory"}])
sorts = {"all_bits_ms": {"Ordo": 3, "CUB": 4.5}, "range_ms": {"Ordo": 2, "CUB": 5}}
put_rows("key_ranges", [{"name": "f32 [1, 2) 2^28", "items": 2**28, "bits": 23, "copy_ms": 0.5, **sorts}])
put_rows("key_lengths", [{"name": f"{n} bytes", "bytes": n, "items": 30000000, "ms": {"Ordo": n, "CUB": 3 * n}} for n in (1, 8, 16)])
put_rows("product_sorts", [{"name": "banded 5 2^11", "rows": 2048, "entries": 10234, "Ordo_product_ms": 1.25, "expand_ms": 2, "products": 51150,
                            "bits": 22, "compress_ms": 1, **sorts}])
steps = {"rounds": 2, "total_ms": 30, "sort_ms": 4, "scan_ms": 1, "kernel_ms": 3, "live": [100, 25]}
put_rows("string_steps", [{"name": "url", "strings": 10**7, "bytes": 305000000, "Ordo": {"total_ms": 20}, "adaptive": steps,
                           "fixed": steps | {"rounds": 3, "sort_ms": 8}, "fixed, all": steps | {"sort_ms": 20},
                           "Thrust": {"total_ms": 500, "sort_ms": 450}},
                          {"name": "filelist twice", "strings": 2 * 10**7, "bytes": 1, "Ordo": {"total_ms": 70}, "adaptive": steps}])
put_rows("spgemm_collection", [
    {"name": "like rajat22", "type": "f32", "rows": 39899, "entries": 197264, "products": 1e6, "result_entries": 5e5,
     "contenders": {"Ordo": contender(4), "cuSPARSE": contender(0, 0), "cuSPARSE 3": contender(9), "ESC": contender(6)}}])
put("suffix_array_dna", {"threads": 16, "runs": 5, "machine": machine, "rows": [build("gpu", 0.02), build("cpu", 0.4)]})
END
mkdir made
cp copy/README.md made
make_page --results changed --out made
grep -qF '| sort 200,000 arrays of 1000 floats, in place | NVIDIA H200 | **9.25 ms** |' made/README.md || fail 'the table of the README'
while read -r name line; do
  grep -qF -- "$line" "made/docs/benchmarks/$name.md" || fail "not on the page $name: $line"
done <<'END'
segmented_sort | CUB seg | seg radix | packed | Ordo / copy |
segmented_sort | CUB seg | seg radix | bb_segsort | Ordo / copy |
segmented_sort Not in this build: `ModernGPU` (`-DORDO_MODERNGPU=...`).
segmented_sort | 7.75 |
radix_sort - u64/u32 20-bit told 2^28: 0.50 (CUB);
array_sort | f32 1000 | 0.386 | **9.25** |
array_sort (plots/arrays_by_number.svg)
array_sort | 25,000 | **0.25** | 5.0 | **0.5** | 5.0 | **0.75** | 5.0 | **1** |  |
array_sort | arrays of 1000 | 280 | 6.5 | 55.0 | 50.0 | **43.1** | 86 % |
string_sort | url | 10 | 305 | 6.35 | **44.5** | **277** | 6.85 | 149 | 3.35 | 0.54 |
string_sort - random: 0.50 (tlx)
sparse_matrices | banded 15 f32 | 4 | 60 | 900 | 9.0 | 3.43 | **10** (2.50) | 20 (2.50) |  | 2.00 |
sparse_matrices - uniform 8 f32: 0.50 (cuSPARSE)
segmented_sort | 2^26 pairs, 32-bit values | CUB seg | 2 | 2.00 | 3.00 | 4.00 | 0 |
segmented_sort | 2^26 pairs, 32-bit values | packed | 1 | 3.00 | 3.00 | 3.00 | 0 |
segmented_sort | 128 | **16 x 8: 200** | 8 x 16: 125 |
segmented_sort | 128 | **1 x 4: 100** |  |
segmented_sort | [Figure 12](#figure-12-the-whole-grid) | lengths by a power law: 640 points | ahead: 2.50 |
sample_sort | u64 uniform 2^28 | **10** | 25 | 2.50 | 26.84 | 10.74 |
array_sort | f32 4000 x 50000 | 1 | **4** | 8 |
array_sort | NVIDIA H200, 150 GB | CUB seg | 1000 | 18,000,000 | 18.00 | 260 | memory | 2.00 |
array_sort | NVIDIA H200, 150 GB | bb_segsort | 1000 | 9,000,000 | 9.00 | 260 | 7 arrays out of order | 4.00 |
radix_sort | f32 [1, 2) 2^28 | 23 | 0.5 | 3 | **2** | 4.5 | 5 | 1.50 | 0.90 | 2.50 |
radix_sort | banded 5 2^11 | 0.0512 | 8 | 25 / 62 / 12 | 5 | 40 / 40 / 20 | **1.25** |
radix_sort | below 1 million | 1 | 1.50 | 2.50 | 1.50 | 0.90 |
string_sort | url | 8,714 | 37 | 416 + 102 + 264 | 936 | 500 | 2 | 4 + 1 + 3 | 30 | 2.0 | **20** | 25.0 | 1.5 |
string_sort | url | 4.6 | 12 | 24 | 2.0 | 100 25 |
string_sort | url | 54 and 37 | 1.5 | 3 and 2 | 12 | 8 | 1.5 |
string_sort | url | 782 | 1,233 | 8 | 40 | 20 |
string_sort | filelist twice |  | 2,574 | 30 | **70** |
sparse_matrices | like rajat22 f32 | 0.0399 | 0.197 | 1 | 2.0 | 0.00381 | **4** (2.50) |  | 9 (2.50) | 6 (2.50) | 1.50 |
suffix_array | one.fa | 64 | **20** | 400 | 25 | 600 |  | 1.25 | 3,200 |
paper_figures | [Figure 14](sparse_matrices.md#figure-14-of-hou-et-al) | squares of six sparse matrices | ahead: 1.50 |
sparse_matrices | rajat22 f32 | 0.0399 | 0.197 | 1 | 2.0 | 0.00381 | **2** (2.50) | 5 (2.50) |  | 2.50 |
suffix_array | one.fa | 64 | **50** | **400** | 1.66 | 25 | 600 |  | 0.50 | 1.50 |
suffix_array - one.fa: 0.50 (libcubwt)
suffix_array | genome:3100M | 3100 | **1250** |  | 24.50 |  |  |  |  |  |
suffix_array | genome:6200M | 6200 | **4500** |  | 74.00 |  |  |  |  |  |
suffix_array | genome:6200M, 40 bits | 6200 | **3500** |  | 74.00 |  |  |  |  |  |
END

# Long names fit into a plot, and ticks do not overlap.
PYTHONPATH=$page python3 -B - <<'END'
import re
from plot import Axis, Series, dots, panels
name = "a rival whose name has forty letters in all"
points = [(1, 0.3), (10, 7), (100, 30000)]
for svg in (panels("", Axis("", log=True), Axis("", log=True), {"one": [Series(name, points)], "two": [Series("b", points)]}),
            dots("", Axis("", log=True), {name: {"a": 3, name: 4e5}, "b": {"a": 2}})):
    width = float(re.search(r'viewBox="0 0 ([0-9.]+) ', svg)[1])
    texts = re.findall(r'<text x="([0-9.]+)" y="([0-9.]+)"([^>]*)>([^<]*)</text>', svg)
    for x, y, style, text in texts:
        if text == name:
            assert float(x) - 6 * len(name) > 0 if "end" in style else float(x) + 6 * len(name) < width, (x, text)
    ticks = sorted((float(y), float(x)) for x, y, style, text in texts if "middle" in style and re.fullmatch("[0-9.]+", text))
    assert len(ticks) > 3 and all(b[1] - a[1] > 33 for a, b in zip(ticks, ticks[1:]) if a[0] == b[0]), ticks
END

# A small GPU: no rows of 2^28 items, others without rivals, for lack of memory, and files without rows.
mkdir small
python3 -B - changed small <<'END'
import json, pathlib, sys
of, to = map(pathlib.Path, sys.argv[1:])
for name in ("radix_sort", "comparator_sort", "segmented_sort", "array_sort"):
    report = json.loads((of / f"{name}_h200.json").read_text())
    report["rows"] = [row for row in report["rows"] if not row["name"].endswith("2^28") and row["name"] != "f32 4000"]
    for row in report["rows"][::3]:
        row["rivals"] = {}
    (to / f"{name}_h200.json").write_text(json.dumps(report))
(to / "spgemm_h200.json").write_text(json.dumps({"machine": {"device": "small"}, "rows": []}))
END
make_page --results small --out alone 2> err
check_links alone > linked
grep -q '^| u32 sorted 2^26 | ' alone/docs/benchmarks/radix_sort.md || fail 'the largest size measured'
[[ ! -e alone/docs/benchmarks/sparse_matrices.md ]] || fail 'a page without results'

# run.py, with programs that copy earlier results, on a GPU of that name.
mkdir programs
cat > programs/strsort <<'END'
#!/bin/sh
echo 'strsort (Ordo) 0.1.0'; echo "$GPU_LINE"
END
cat > programs/copy_results <<'END'
#!/bin/sh
name=${0##*/}
echo "$name $*" >> calls
while [ "$1" != --json ]; do shift; done
case $2 in *_sweep_*) ;; *) [ "$name" != "$BROKEN" ] || { echo '{' > "$2"; exit 1; } ;; esac
file=${2##*/}
cp "$FROM/${file%.part}" "$2"
END
chmod +x programs/*
for name in segmented_sort radix_sort array_sort comparator_sort small_sorts machines suffix_array spgemm_bench string_sort \
  array_stream host_sorts host_segments distributed_sort segmented_grid segment_kernels key_ranges product_sorts array_fit \
  string_steps segment_lengths; do
  cp programs/copy_results programs/$name
done
export FROM=$PWD/changed BROKEN='' GPU_LINE='GPU: NVIDIA H200, compute capability 9.0, 150.1 GB'
echo '>one' > own.fa
echo '%%MatrixMarket' > own.mtx
options=(--programs programs --results left --fasta own.fa --matrix own.mtx)

# A dry run names all commands of the pages, and runs nothing.
run_all "${options[@]}" --only files_1000m --only files_3100m --only suffix_array_3100m --only suffix_array_6200m --only distributed_sort_two \
  --only distributed_sort_four --only distributed_sort_four_small --only distributed_sort_four_large --only host_sorts --only host_segments \
  --only python_libraries --only similar_pairs_rivals --dry-run > large
run_all "${options[@]}" --dry-run > plan
[[ ! -e left && ! -e calls ]] || fail 'a dry run that ran'
sed -nE "s|^\[.*min: ||; s|^[^ ]*python3[^ ]* $ORDO_SOURCE/||; s|$PWD/programs/||; s|$PWD/programs|PROGRAMS|
  s|$PWD/own.fa|FASTA|; s|$PWD/own.mtx|MATRIX|; s|ORDO_GPU_MEMORY=[0-9]+M ([^ ]*array_stream)|ORDO_GPU_MEMORY=HALF \1|
  s|--gigabytes [0-9]+ |--gigabytes S |; s|$PWD/left/[a-z0-9_]+\.json|FILE|; s|--capacity 34 |--capacity G |
  s|auto,cpu,gpu|DEVICES|
  /--json FILE\$/p" plan large > commands
sed -nE 's/^- `([^`]+)`:( \[.*)?$/\1/p' made/docs/benchmarks/*.md > of_page
(($(wc -l < of_page) >= 15)) || fail "commands of the page: $(cat of_page)"
while read -r command; do grep -qxF -- "$command" commands || fail "not run: $command"; done < of_page
grep -q 'total: about [0-9]* min' plan || fail 'no total time'

# It leaves the results, and the pages that make.py makes of them, and measures again only with --again.
only=()
for name in segmented_sort{,_sweep_pairs,_sweep_keys} radix_sort array_sort{,_capacity} machines; do
  only+=(--only "$name")
done
run_all "${options[@]}" "${only[@]}" > out
for name in "${only[@]/--only/}"; do [[ -z $name ]] || cmp "left/${name}_h200.json" "changed/${name}_h200.json"; done
cp made/README.md before.md
make_page --results left --out made
! cmp -s before.md made/README.md || fail 'the table of the README did not change'
check_links left > linked
cmp left/BENCHMARKS.md made/BENCHMARKS.md
grep -q "machines $PWD/own.fa --json" calls || fail "own genomes: $(cat calls)"
[[ $(wc -l < calls) == 7 && $(grep -c '^  took [0-9]* s$' out) == 7 ]] || fail "$(cat out calls)"
run_all "${options[@]}" "${only[@]}" > out
[[ $(wc -l < calls) == 7 ]] || fail "measured again: $(cat calls)"
run_all "${options[@]}" --only radix_sort --again > out
[[ $(wc -l < calls) == 8 ]] || fail "not measured again: $(cat calls)"

# A failed benchmark is reported and its file kept apart; the others go on. Unknown names and files are errors.
BROKEN=array_sort expect 1 run_all --programs programs --results broken --only array_sort --only radix_sort
grep -q 'FAILED: array_sort$' out || fail "$(cat out)"
[[ -e broken/array_sort_h200.json.part && ! -e broken/array_sort_h200.json && -e broken/radix_sort_h200.json ]] ||
  fail "$(ls broken)"
expect 2 run_all --programs programs --only no_such_step
expect 2 run_all --programs programs --fasta no_such_file
expect 1 run_all --programs programs --results no_genome --only machines --only radix_sort  # there is no ordo_generate
grep -q 'FAILED: machines$' out || fail "$(cat out)"
[[ -e no_genome/radix_sort_h200.json && -e no_genome/BENCHMARKS.md ]] || fail "$(ls no_genome)"

# Benchmarks without time are left for later, those of --skip are not.
run_all "${options[@]}" --results late --only radix_sort --only array_sort --skip array_sort --minutes 0 > out
grep -q '^array_sort: skipped' out || fail "$(cat out)"
grep -q 'no time left.*: radix_sort$' out || fail "$(cat out)"
[[ -e late/BENCHMARKS.md && ! -e late/radix_sort_h200.json ]] || fail "$(ls late)"
run_all "${options[@]}" --results late --only radix_sort --minutes 5 > out
[[ -e late/radix_sort_h200.json ]] || fail "$(cat out)"

# Of a GPU of 8 GB, some memory stays free.
GPU_LINE='GPU: NVIDIA GeForce RTX 3070, compute capability 8.6, 8.4 GB' run_all "${options[@]}" --dry-run > out
grep -q -- "--capacity 1.3 --json $PWD/left/array_sort_capacity_rtx_3070.json" out || fail "$(cat out)"
half=$(sed -nE 's/.*ORDO_GPU_MEMORY=([0-9]+)M [^ ]*array_stream .*/\1/p' out)  # less than the GPU has, however much the host has
((half > 0 && half <= 6408)) || fail "$(cat out)"
expect 2 run_all --programs empty

# Without a GPU, the benchmarks that need none, under the number of cores.
GPU_LINE='GPU: none' run_all --programs programs --results left --dry-run > out
grep -q '^segmented_sort: needs a GPU' out || fail "$(cat out)"
for name in string_sort host_sorts host_segments; do
  grep -qE "$name (.* )?--json $PWD/left/${name}_[0-9]+_cores.json" out || fail "$(cat out)"
done
grep -q -- '--devices cpu' out || fail "$(cat out)"
