# The library that fails calls of the CUDA driver hands on all others with their arguments, and counts. On a GPU, where the programs
# are for one, some of their calls fail: a clean error, or success as if they had not. All calls: tests/faults/every_cuda_call.py.
. "$ORDO_SOURCE/tests/cli/lib.sh"

bin=$(dirname "$(command -v strsort)")
build=$(dirname "$bin")
failing=$build/fail_cuda/libcuda.so.1
[[ -e $failing ]] || exit 77  # a build with a sanitizer, or for another processor

cat > calls.py <<'PYTHON'
import ctypes, sys

driver = ctypes.CDLL(sys.argv[1])

def function(name, *types):
    found, status = ctypes.c_void_p(), ctypes.c_int(-1)
    if driver.cuGetProcAddress_v2(name, ctypes.byref(found), 12000, ctypes.c_uint64(0), ctypes.byref(status)) != 0:
        return None
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(found.value)

many = function(b"cuMany", *[ctypes.c_int64] * 8, ctypes.c_double, ctypes.c_float)
allocate = function(b"cuMemAlloc")
assert function(b"cuMissing") is None
print(driver.cuInit(0), *(call for _ in range(3) for call in (many(1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5), allocate())))
PYTHON
calls() { ORDO_DRIVER=$build/stub_driver/libcuda.so.1 python3 calls.py "$failing"; }
same() { [[ $1 == "$2" ]] || fail "results of calls: $1, not $2"; }
same "$(ORDO_CALLS=$PWD/counts calls)" '100 0 0 0 0 0 0'
same "$(od -An -td8 -w16 counts | tr -s ' ')" ' 3 7'
same "$(ORDO_FAULT=memory:2:2 calls)" '100 0 0 0 2 0 0'
same "$(ORDO_FAULT=memory:2+:2 calls)" '100 0 0 0 2 0 2'
same "$(ORDO_FAULT=call:4:999 calls)" '100 0 0 999 0 0 0'
same "$(ORDO_FAULT=call:1+:719 calls)" '719 719 719 719 719 719 719'

# Without a GPU the rest has nothing to try.
[[ $(strsort --version) == *', driver '* ]] || exit 0
"$ORDO_SOURCE/tests/faults/every_cuda_call.py" "$bin" "$failing" --only MGF --runs 6 > table || fail "$(tail -n 1 table)"
[[ $(tail -n 1 table | cut -f 5) -gt 5 ]] || fail "hardly an error: $(tail -n 1 table)"
