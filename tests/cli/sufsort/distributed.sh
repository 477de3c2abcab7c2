# sufsort build as the processes of an MPI job writes the files of one process.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi

seed=${ORDO_SEED:-$RANDOM}
python3 - "$seed" << 'END'
import random, sys
print("seed", sys.argv[1])
random.seed(int(sys.argv[1]))
def letters(n, alphabet="ACGT"): return "".join(random.choice(alphabet) for _ in range(n))
def fasta(name, records):
    with open(name, "w") as file:
        for k, record in enumerate(records): file.write(">%s%d some words\n%s\n" % (name, k, record))
fasta("genome.fa", [letters(20000)])
strain = letters(4000)
def mutated(s): p = random.randrange(len(s)); return s[:p] + random.choice("ACGTN") + s[p + 1:]
fasta("strains.fa", [mutated(strain) for _ in range(5)] + [strain, strain])
fasta("many.fa", [letters(random.randrange(40), "ACGTNacgt") for _ in range(800)])
fasta("equal.fa", ["A" * 6000])
fasta("period.fa", ["CAB" * 2000, "CAB" * 100])
fasta("runs.fa", [letters(500) + "N" * 3000 + letters(500) + "N" * 2999])
a, b = "a", "b"
while len(a) < 8000: a, b = a + b, a
open("fibonacci.txt", "w").write(a)
fasta("two.fa", ["CA"])
fasta("large.fa", [letters(150000)])
with open("documents.jsonl", "w") as file:
    for _ in range(300): file.write('{"text": "%s"}\n' % letters(random.randrange(100), "abc "))
open("tokens.bin", "wb").write(bytes(random.choice((1, 2, 3, 0)) for _ in range(8000)))
END
gzip -k strains.fa

check() {  # PROCESSES ARGUMENTS...
  local processes=$1; shift
  rm -f one.* several.*
  sufsort build "$@" -o one 2> err
  ranks "$processes" sufsort build "$@" -o several 2> err || { cat err; echo "$processes: $*"; exit 1; }
  for file in one.*; do cmp "$file" several."${file#one.}" || { echo "$processes: $*"; exit 1; }; done
  [[ $(echo one.* | wc -w) == $(echo several.* | wc -w) ]]
}
for input in genome.fa strains.fa many.fa equal.fa period.fa runs.fa two.fa; do
  check $((2 + RANDOM % 3)) $input --lcp --bwt
done
check 3 fibonacci.txt --format=bytes --lcp --bwt
check 4 documents.jsonl --lcp
check 3 tokens.bin --format=u16 --lcp
check 2 strains.fa.gz genome.fa many.fa --lcp --fm --kmer-table=4
check 2 strains.fa genome.fa --strands=both --ambiguous=break --lcp
check 3 genome.fa runs.fa --ambiguous=skip --lcp
check 3 strains.fa --sample=5 --lcp
check 2 genome.fa --fm --without-sa
check 2 many.fa --bwt --without-sa
check 2 many.fa --width=40 --lcp
check 16 strains.fa --lcp --bwt
check 3 large.fa --lcp --split-output=2
check 2 large.fa --width=40 --split-output=5
sufsort check several > out
ranks 16 sufsort check several > together
cmp out together

# A check by several processes says what one says, of right and of damaged indexes: the first wrong row, whoever has it.
cat > damage.py << 'END'
import os, random, sys
# Changes some entries of an index, but no size.
prefix = sys.argv[1]
random.seed(int(sys.argv[2]))
arrays = [a for a in ("sa", "lcp", "bwt", "seq", "fm", "kmers") if os.path.exists(prefix + "." + a)]
for _ in range(random.randrange(1, 4)):
    with open(prefix + "." + random.choice([a for a in arrays if a in ("sa", "lcp", "bwt")] * 3 + arrays), "r+b") as file:
        data = file.read()
        size = 4 if len(data) % 4 == 0 and random.random() < 0.5 else 1
        at, other = (random.randrange(len(data) // size) * size for _ in range(2))
        file.seek(at)
        file.write(data[other:other + size] if random.random() < 0.7 else bytes([random.choice((1, 255))] * size))
END
verdict() {  # PROCESSES PREFIX
  local status=0 other=0
  sufsort check "$2" > out.one 2>&1 || status=$?
  ranks "$1" sufsort check "$2" > out.several 2> err.several || other=$?
  grep '^sufsort' err.several >> out.several || true
  [[ $status == "$other" ]] && cmp out.one out.several || { cat out.one out.several err.several; exit 1; }
}
sufsort build strains.fa many.fa --lcp --bwt --fm --kmer-table=4 -o whole 2> err
sufsort build two.fa --lcp --bwt -o tiny
sufsort build genome.fa --sample=5 --lcp -o sampled
sufsort build many.fa --width=40 --lcp -o wide 2> err
sufsort build genome.fa --fm --without-sa -o fm
sufsort build tokens.bin --format=u16 --lcp -o tokens
for prefix in whole tiny sampled wide fm tokens; do verdict $((2 + RANDOM % 3)) $prefix; done
for trial in 1 2 3 4; do
  for prefix in whole wide; do
    for file in $prefix.*; do cp "$file" "damaged.${file#*.}"; done
    python3 damage.py damaged $((seed + trial))
    verdict $((2 + RANDOM % 4)) damaged
    rm damaged.*
  done
done
verdict 9 tiny
ranks 3 sufsort check whole --stats=report > out
python3 -c '
import json
report = json.load(open("report"))
assert [m["member"] for m in report["members"]] == [0, 1, 2], report
assert all(m["exchanged_bytes"] > 0 for m in report["members"])'
verdict 2 missing
ranks 2 sufsort check wide --memory=200K > out 2> err && exit 1
grep -q '^sufsort: out of memory: entries of 40 bits.*: more processes need less memory each$' err

# Standard input is read once, and a command that is not shared is the first process's.
rm -f one.* several.*
sufsort build - -o one < genome.fa
ranks 3 sufsort build - -o several < genome.fa
for file in one.*; do cmp "$file" several."${file#one.}"; done
ranks 2 sufsort build genome.fa --plan -o plan > out
[[ $(grep -c '^residues' out) == 1 ]]
ranks 2 sufsort info several > out
[[ $(grep -c '^residues' out) == 1 ]]
[[ $(ranks 2 sufsort build --help | grep -c '^Usage') == 1 ]]

# The report has each process; several GPUs are for a build by one process.
ranks 3 sufsort build strains.fa --lcp -o reported --stats=report
python3 -c '
import json
report = json.load(open("report"))
assert [m["member"] for m in report["members"]] == [0, 1, 2], report
assert all({"sort", "lcp", "store"} <= {p["name"] for p in m["phases"]} for m in report["members"])'
ranks 2 sufsort build two.fa --device=gpu:0-1 -o out 2> err && exit 1
grep -q '^sufsort: conflicting options: --device gpu:0-1: each process of a job works on one machine' err
sufsort count reported A --device=all 2> err && exit 1
grep -q '^sufsort: conflicting options: --device all: only' err
sufsort build two.fa --device=gpu:3-1 -o out 2> err && exit 1
grep -q '^sufsort: no device: gpu:3-1: ' err
specsort documents.jsonl --device=all 2> err && exit 1
grep -q '^specsort: several GPUs: --device all: this command works on one machine' err

# An error is said once, and ends all. No index is left, and an old one stays.
ranks 3 sufsort build missing.fa -o out 2> err && exit 1
[[ $(grep -c '^sufsort' err) == 1 ]]
grep -q '^sufsort: cannot read: missing.fa: No such file' err
ranks 2 sufsort build genome.fa -o none/out 2> err && exit 1
grep -q '^sufsort: cannot write: none/out' err
for _ in $(seq 60); do grep -v '>' genome.fa; done > copies.txt
killed=0
for wait in 0.3 0.1 0 0 0 0; do
  if killed_midway $wait sufsort build copies.txt --format=bytes --lcp -o several; then killed=1; else continue; fi
  for file in one.*; do cmp "$file" several."${file#one.}"; done
done
((killed))
if find . -name '.*ordo*' | grep .; then echo 'a temporary file is left'; exit 1; fi
