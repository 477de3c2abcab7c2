# Work that is too small for a GPU asks no driver: a stand-in for libcuda tells whether it was loaded.
. "$ORDO_SOURCE/tests/cli/lib.sh"
stub=$(dirname "$(dirname "$(command -v strsort)")")/stub_driver
[[ $(strsort --version) == *nvcc* ]] || exit 77  # a build without CUDA
[[ -e $stub/libcuda.so.1 ]] || exit 77         # not for this processor
export LD_LIBRARY_PATH=$stub ORDO_DRIVER_ASKED=$PWD/asked
unset ORDO_DEVICE

strsort --version > /dev/null
[[ -e asked ]] || { echo "FAILED: the stand-in is not found, so this test can tell nothing" >&2; exit 1; }

quiet() {
  rm -f asked
  "$@" > /dev/null
  if [[ -e asked ]]; then echo "FAILED: the driver was asked: $*" >&2; exit 1; fi
}
samples=$ORDO_SOURCE/datasets/samples
quiet strsort "$samples/urls.txt.gz"
quiet strsort -c -u /dev/null
quiet strsort --help
quiet strsort --device cpu "$samples/urls.txt.gz"
quiet specsort "$samples/massbank_cc0.mgf.gz" -o - --by intensity
quiet specsort --check /dev/null
quiet sufsort build "$samples/lambda.fa" -o lambda --lcp --bwt
quiet sufsort check lambda
quiet sufsort locate lambda ACGT
quiet sufsort info lambda
