# The disk of one process of an MPI job is full: the job says so, ends, and leaves no output. A limit of file sizes stands in.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi

python3 - << 'END'
import random
random.seed(1)
letters = random.randbytes(3500000).translate(bytes.maketrans(bytes(range(256)), b"ACGT" * 64))
open("genome.fa", "wb").write(b">a\n" + letters + b"\n")
open("lines", "wb").write(b"".join(letters[i:i + 100] + b"\n" for i in range(0, 3500000, 20)))
spectrum = "BEGIN IONS\n" + "".join("%d.5 %d\n" % (k * 7919 % 1000, k) for k in range(200)) + "END IONS\n\n"
open("spectra.mgf", "w").write(spectrum * 9000)
END

full() {  # RANK PROGRAM ARGUMENTS...: the files of that rank of three end at 5 MB
  local rank=$1 begin=$SECONDS; shift
  rm -f out*
  echo old > out
  if mpirun --oversubscribe --allow-run-as-root -n 3 bash -c '((OMPI_COMM_WORLD_RANK != '"$rank"')) || ulimit -f 5000; exec "$@"' - "$@" \
    > said 2> err; then
    echo "rank $rank: $*: status 0"
    exit 1
  fi
  grep -q "^$1: .*cannot write: .*: File too large" err || { cat err; exit 1; }
  ((SECONDS - begin <= 60)) || { echo 'the others went on'; exit 1; }
  [[ $(< out) == old && $(echo out*) == out ]]
}
for rank in 0 1 2; do full $rank strsort lines -o out; done
for rank in 1 2; do full $rank specsort spectra.mgf -o out; done
gzip -1 spectra.mgf
full 0 specsort spectra.mgf.gz -o out
full 2 sufsort build genome.fa --lcp -o out
if find . -name '.*ordo*' | grep .; then echo 'a temporary file is left'; exit 1; fi
