# specsort as the processes of an MPI job writes the bytes of one process.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi

seed=${ORDO_SEED:-$RANDOM}
python3 - "$seed" << 'END'
import random, sys
print("seed", sys.argv[1])
random.seed(int(sys.argv[1]))
def spectrum(k, peaks):
    lines = ["BEGIN IONS", "TITLE=%d BEGIN IONS" % k, "PEPMASS=%.3f" % random.uniform(100, 900), "CHARGE=%d+" % random.randrange(1, 4)]
    lines += ["%.4f %d" % (random.uniform(100, 999), random.randrange(1000)) for _ in range(peaks)]
    return "\n".join(lines + ["END IONS", ""]) + random.choice(["", "\n", "# between\n"])
def mgf(name, peaks, head=""):
    with open(name, "w") as file:
        file.write(head + "".join(spectrum(k, n) for k, n in enumerate(peaks)))
mgf("mixed.mgf", [random.randrange(60) for _ in range(300)], "COM=made up\nCHARGE=2+\n")
mgf("skewed.mgf", [3] * 40 + [20000] + [5] * 7)
mgf("two.mgf", [4, 9])
open("cut.mgf", "w").write(open("two.mgf").read().rstrip("\n"))
open("windows.mgf", "w").write(open("mixed.mgf").read().replace("\n", "\r\n"))
open("wrong.mgf", "w").write(open("mixed.mgf").read().replace("TITLE=200 ", "what=ever\nthis is wrong\nTITLE=200 "))
open("doubtful.mgf", "w").write(open("mixed.mgf").read().replace("TITLE=200 ", "100 nan\nTITLE=200 "))
open("none.mgf", "w").close()
# Inputs that go together: equal parameters, comments, a byte order mark, an end without a line end, and nothing.
head = "COM=made up\nCHARGE=2+\n"
mgf("more.mgf", [random.randrange(20) for _ in range(80)], "# more\n" + head)
open("marked.mgf", "w").write("\ufeff" + open("mixed.mgf").read())
open("ends.mgf", "w").write((head + "".join(spectrum(k, 5) for k in range(9))).rstrip("\n#between "))
open("remarks.mgf", "w").write("# remarks alone")
equal = "".join(spectrum(7, 3) for _ in range(60))
open("equal.mgf", "w").write(head + "\n".join("PEPMASS=500" if line.startswith("PEPMASS") else line for line in equal.split("\n")))
END
gzip -k mixed.mgf

check() {  # PROCESSES ARGUMENTS...
  local processes=$1 status=0 other=0; shift
  rm -f one.mgf several.mgf
  specsort "$@" -o one.mgf 2> err.one || status=$?
  ranks "$processes" specsort "$@" -o several.mgf 2> err.several || other=$?
  grep '^specsort' err.several > said || true
  if [[ $status != "$other" ]] || ! cmp err.one said || [[ $status == 0 ]] && ! cmp one.mgf several.mgf || [[ $status != 0 && -e several.mgf ]]; then
    cat err.one err.several
    echo "$processes: $*"
    exit 1
  fi
}
for input in mixed skewed two cut windows none; do
  check $((2 + RANDOM % 3)) $input.mgf
  check $((2 + RANDOM % 3)) $input.mgf --top=5 --min-peaks=3
done
check 16 two.mgf
# Orders of spectra, and several files.
several=(marked.mgf more.mgf none.mgf remarks.mgf ends.mgf equal.mgf mixed.mgf)
for processes in 2 $((3 + RANDOM % 6)); do
  check $processes "${several[@]}"
  check $processes "${several[@]}" --spectra-by=charge,pepmass
done
check 4 mixed.mgf --spectra-by=title --descending-spectra
check 3 "${several[@]}" --spectra-by=peaks,title --top=5 --min-peaks=3
check 4 "${several[@]}" --spectra-by=rt  # missing from all
check 5 equal.mgf equal.mgf equal.mgf --spectra-by=pepmass,charge
check 4 skewed.mgf --spectra-by=peaks
check 4 remarks.mgf --spectra-by=title
check 3 cut.mgf remarks.mgf --spectra-by=title
check 16 two.mgf --spectra-by=pepmass
check 2 windows.mgf windows.mgf --spectra-by=scan --charge=2
# One process alone orders files with faults, files that do not fit the memory, and what cannot be divided.
check 3 more.mgf wrong.mgf --spectra-by=pepmass
check 3 wrong.mgf more.mgf
check 2 more.mgf doubtful.mgf --spectra-by=pepmass --lenient
check 2 mixed.mgf two.mgf  # other parameters
check 2 mixed.mgf more.mgf --spectra-by=pepmass --memory=100k
check 2 mixed.mgf more.mgf --memory=100k
for input in more equal ends remarks none; do gzip -k $input.mgf; done
several=(mixed.mgf.gz more.mgf.gz none.mgf.gz remarks.mgf.gz ends.mgf equal.mgf.gz mixed.mgf)
check 3 "${several[@]}"
check 7 "${several[@]}" --spectra-by=charge,title
head -c 5000 mixed.mgf.gz > torn.mgf.gz
check 2 more.mgf.gz torn.mgf.gz
ranks 3 specsort mixed.mgf.gz mixed.mgf.gz mixed.mgf.gz --spectra-by=title -o several.mgf --stats=report
python3 -c '
import json
assert [m["exchanged_bytes"] > 0 for m in json.load(open("report"))["members"]] == 3 * [True]'
check 2 mixed.mgf more.mgf --sample=20
check 2 mixed.mgf missing.mgf --spectra-by=pepmass
check 5 mixed.mgf --by=intensity --descending
check 2 mixed.mgf --charge=2 --min-intensity=100
# One process does what cannot be divided, and says what is wrong, once.
check 3 wrong.mgf
check 2 doubtful.mgf --lenient
check 2 mixed.mgf.gz
check 2 mixed.mgf --sample=20
check 2 missing.mgf
ranks 2 specsort mixed.mgf > several.mgf
specsort mixed.mgf | cmp - several.mgf
ranks 2 specsort - -o several.mgf < mixed.mgf
specsort mixed.mgf | cmp - several.mgf
ranks 2 specsort mixed.mgf more.mgf --spectra-by=pepmass > several.mgf
specsort mixed.mgf more.mgf --spectra-by=pepmass | cmp - several.mgf
ranks 2 specsort more.mgf - --spectra-by=pepmass -o several.mgf < mixed.mgf
specsort more.mgf mixed.mgf --spectra-by=pepmass | cmp - several.mgf
ranks 3 specsort mixed.mgf -o several.mgf --stats=report
python3 -c '
import json
report = json.load(open("report"))
assert [m["member"] for m in report["members"]] == [0, 1, 2], report
assert all("scan" in {p["name"] for p in m["phases"]} for m in report["members"])'
ranks 3 specsort "${several[@]}" --spectra-by=pepmass -o several.mgf --stats=report
python3 -c '
import json
report = json.load(open("report"))
assert [m["member"] for m in report["members"]] == [0, 1, 2], report
assert all({"scan", "exchange"} <= {p["name"] for p in m["phases"]} for m in report["members"])
assert sum(m["exchanged_bytes"] for m in report["members"]) > 0'
[[ $(ranks 2 specsort --help | grep -c '^Usage') == 1 ]]

# Other inputs and outputs: all processes work on chunks, and the first one writes. It says what is wrong, once.
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
specsort $(printf 'run.mzML %.0s' {1..20}) --spectra-by=title -o runs.mzML  # several chunks
specsort $(printf 'mixed.mgf more.mgf %.0s' {1..30}) -q -o large.mgf
check 4 runs.mzML --to=mzml --top=20 --min-peaks=200
ranks 4 specsort runs.mzML --by=intensity -o several.mzML --stats=report
python3 -c '
import json
members = json.load(open("report"))["members"]
assert len(members) == 4 and all("unpack" in {p["name"] for p in m["phases"]} for m in members), members
assert [m["exchanged_bytes"] > 0 for m in members] == [False, True, True, True], members'
check 3 runs.mzML --by=intensity --spectra-by=rt --memory=1M --to=mzml
check 2 runs.mzML run.mzML runs.mzML --spectra-by=pepmass --to=mzml
check 3 runs.mzML  # to MGF
check 2 runs.mzML missing.mzML --spectra-by=title
head -c 1500000 runs.mzML > cut.mzML
check 3 cut.mzML --spectra-by=rt
gzip runs.mzML && zstd -q large.mgf
check 2 runs.mzML.gz
check 3 large.mgf.zst --spectra-by=pepmass --top=9
ranks 3 specsort large.mgf.zst mixed.mgf -q --spectra-by=rt --split-count=3 --map=map.tsv -o several.mgf
mkdir parts && mv several.0* map.tsv parts
specsort large.mgf.zst mixed.mgf -q --spectra-by=rt --split-count=3 --map=map.tsv -o several.mgf
for part in several.0* map.tsv; do cmp $part parts/$part; done
rm several.0*
seq 3 7 5000 > list
ranks 3 specsort large.mgf.zst --index=list | cmp - <(specsort large.mgf.zst --index=list)

# A process is killed at a random moment: the others end, and the old output stays.
for _ in $(seq 40); do cat mixed.mgf skewed.mgf; done > large.mgf
specsort large.mgf -o one.mgf
gzip -k -1 large.mgf
killed=0 turn=0
for wait in 0.2 0.1 0.05 0 0 0; do
  echo old > several.mgf
  input=large.mgf  # of which each process does a part; then one of which they share the chunks
  ((turn++ % 2 == 0)) || input=large.mgf.gz
  if killed_midway $wait specsort $input --threads=1 -o several.mgf; then
    killed=1
    [[ $(< several.mgf) == old ]] || cmp one.mgf several.mgf
  else
    cmp one.mgf several.mgf
  fi
done
((killed))
if find . -name '.*ordo*' | grep .; then echo 'a temporary file is left'; exit 1; fi

# An output for each input, and summaries of many, are the work of the first process.
specsort mixed.mgf two.mgf --out-dir each_one --top=3
ranks 2 specsort mixed.mgf two.mgf --out-dir each_several --top=3
diff -r each_one each_several
specsort --summary mixed.mgf two.mgf > one.txt
ranks 2 specsort --summary mixed.mgf two.mgf | cmp - one.txt
