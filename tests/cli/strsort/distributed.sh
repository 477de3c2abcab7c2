# strsort as the processes of an MPI job writes the bytes of one process.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi

python3 - "${ORDO_SEED:-$RANDOM}" << 'END'
import random, sys
print("seed", sys.argv[1])
random.seed(int(sys.argv[1]))
kinds = [lambda: b"http://www.example.org/%d/%d" % (random.randrange(50), random.randrange(1000)), lambda: b"",
         lambda: b"x" * random.randrange(60), lambda: b"%d\t%s" % (random.randrange(100), random.choice([b"a", b"B", b"zz"])),
         lambda: bytes(random.randrange(256) for _ in range(random.randrange(9))).replace(b"\n", b"q")]
with open("mixed", "wb") as file:
    for _ in range(3000):
        file.write(random.choice(kinds)() + b"\n")
    file.write(b"no line end")
open("equal", "wb").write(b"again\n" * 2000)
open("long", "wb").write(b"b\n" + b"a" * 300000 + b"\nc\n" + b"a" * 299999 + b"b")
open("two", "wb").write(b"2\n1")
open("none", "wb").close()
END
gzip -k mixed

check() {  # PROCESSES ARGUMENTS...
  local processes=$1; shift
  strsort "$@" > one
  ranks "$processes" strsort "$@" -o several 2> err || { cat err; echo "$processes: $*"; exit 1; }
  cmp one several || { echo "$processes: $*"; exit 1; }
}
for input in mixed equal long two none; do check 3 $input; done
check 2 -u mixed equal mixed
check 2 -s -t $'\t' -k2,2 mixed two mixed
check 2 --count mixed equal
check 2 -k1,1n -k2 -r none mixed
check 2 -R --random-source="$ORDO_SOURCE/LICENSE" mixed
check 2 --head 1234 mixed
check 2 --by-count mixed
check 2 -s -n two mixed.gz equal mixed
check 16 -V two mixed
ranks 2 strsort - two < mixed > several
strsort mixed two | cmp - several
printf 'mixed\0two\0' > names
ranks 2 strsort --files0-from=- < names > several
strsort mixed two | cmp - several

# Processes with commands of their own, and those that a script starts, work alone.
mpirun --oversubscribe --allow-run-as-root -n 1 strsort mixed -o a : -n 1 strsort -r mixed -o b
cmp a <(strsort mixed)
cmp b <(strsort -r mixed)
ranks 2 bash -c 'strsort mixed -o own.$OMPI_COMM_WORLD_RANK; true'
cmp own.0 a
cmp own.1 a
ORDO_MPI=off ranks 2 strsort two > several
[[ $(sort several | uniq -c | tr -s ' \n' ' ') == ' 2 1 2 2 ' ]]

# specsort is one process's work, and the output is written once.
ranks 2 specsort "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" --to=mgf > several
specsort "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" --to=mgf | cmp - several

# An error is said once, and ends all. No output is left.
ranks 3 strsort missing -o out 2> err && exit 1
[[ $(grep -c '^strsort' err) == 1 ]]
grep -q '^strsort: cannot read: missing: No such file' err
ranks 2 strsort mixed -o /dev/full 2> err && exit 1
grep -q '^strsort: cannot write: /dev/full: No space left' err
for _ in $(seq 300); do cat mixed; done > large
strsort large large large > one
killed=0
for wait in 0.6 0.3 0.1 0 0 0; do  # the output is whole or absent; it is whole if the process was killed in its own end
  if killed_midway $wait strsort large large large -o out; then killed=1; [[ ! -e out ]] || cmp out one; else cmp out one; fi
  rm -f out
done
((killed))
if find . -name '.*ordo*' | grep .; then echo 'a temporary file is left'; exit 1; fi
