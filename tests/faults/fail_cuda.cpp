// Stands where libcuda.so.1 is looked for (LD_LIBRARY_PATH), hands each call on to the real driver, and fails one of them, or
// every one from it on: tests/faults/every_cuda_call.py. The CUDA runtime asks cuGetProcAddress for the functions that it
// calls, however it is linked, so this counts them all but for those of the driver's internal tables.
//
// ORDO_DRIVER=FILE is the real driver. ORDO_FAULT=KIND:N:RESULT fails the N-th call of KIND with that CUresult, KIND:N+:RESULT
// that one and all after it, as a GPU that is lost does. ORDO_CALLS=FILE adds up the calls of each kind there, as 64-bit
// numbers in the order of the kinds.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

/// `call` is every call, those for memory among them.
enum kind { memory, call, num_kinds };
constexpr char const* kind_names[num_kinds] = {"memory", "call"};
/// A call of these asks for memory of the GPU, or for pinned memory of the host.
constexpr char const* memory_calls[] = {"cuMemAlloc", "cuMemHostAlloc", "cuMemHostRegister", "cuMemCreate", "cuMemPoolCreate"};
/// Not counted: what makes a message of an error.
constexpr char const* text_calls[] = {"cuGetErrorString", "cuGetErrorName"};

constexpr int version_of_second_get = 12000;
constexpr int not_found = 500;  // CUDA_ERROR_NOT_FOUND
constexpr std::size_t max_functions = 1024;

std::atomic<std::uint64_t> own_counts[num_kinds];
std::atomic<std::uint64_t>* counts = own_counts;
int failing = num_kinds;
unsigned long long failing_number = 0;
bool failing_on = false;
int failing_result = 0;

bool begins(char const* name, char const* with) noexcept {
  return std::strncmp(name, with, std::strlen(with)) == 0;
}

/// The result of a call that is to fail, or 0.
int count(bool for_memory) noexcept {
  int result = 0;
  for (int k = for_memory ? memory : call; k < num_kinds; ++k) {
    std::uint64_t const number = counts[k].fetch_add(1) + 1;
    if (k == failing && (failing_on ? number >= failing_number : number == failing_number)) result = failing_result;
  }
  return result;
}

struct driver {
  void* library;

  driver() {
    if (char const* const file = std::getenv("ORDO_CALLS")) {
      int const fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (fd < 0 || ftruncate(fd, sizeof own_counts) != 0) std::abort();
      void* const shared = mmap(nullptr, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (shared == MAP_FAILED) std::abort();
      counts = static_cast<std::atomic<std::uint64_t>*>(shared);
      close(fd);
    }
    if (char const* const fault = std::getenv("ORDO_FAULT")) {
      char name[32] = {}, rest[32] = {};
      if (std::sscanf(fault, "%31[a-z]:%llu%31s", name, &failing_number, rest) != 3) std::abort();
      for (int k = 0; k < num_kinds; ++k)
        if (std::strcmp(name, kind_names[k]) == 0) failing = k;
      char const* const result = std::strchr(rest, ':');
      if (failing == num_kinds || !result) std::abort();
      failing_on = rest[0] == '+';
      failing_result = std::atoi(result + 1);
    }
    char const* const file = std::getenv("ORDO_DRIVER");
    library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) {
      std::fprintf(stderr, "fail_cuda: ORDO_DRIVER: %s\n", file ? dlerror() : "it is not set");
      std::abort();
    }
  }

  template <class Function>
  Function* get(char const* name) const noexcept {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
};

driver const& real() {
  static driver const one;
  return one;
}

std::mutex changing;
std::size_t num_functions = 0;
bool is_memory_call[max_functions];

}  // namespace

// A door for each function that was looked up. It keeps the arguments, whatever they are, asks ordo_count_call() for a result,
// and returns that, or goes on to the function if the result is 0.
extern "C" {
__attribute__((visibility("hidden"))) void* ordo_real_functions[max_functions];
__attribute__((visibility("hidden"))) extern unsigned char const ordo_doors[];
__attribute__((visibility("hidden"))) int ordo_count_call(std::uint32_t function) noexcept {
  return count(is_memory_call[function]);
}
}
constexpr std::size_t door_bytes = 16;
asm(R"(
  .text
  .balign 16
  .hidden ordo_doors
ordo_doors:
  .set number, 0
  .rept 1024
  .balign 16
  endbr64
  movl $number, %eax
  jmp ordo_through_door
  .set number, number + 1
  .endr
  .balign 16
ordo_through_door:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movl %eax, %edi
  call ordo_count_call
  movl %eax, %r10d
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  testl %r10d, %r10d
  jne 1f
  leaq ordo_real_functions(%rip), %r11
  movl %eax, %eax
  jmpq *(%r11,%rax,8)
1:
  movl %r10d, %eax
  ret
)");

namespace {

/// The door of a function, the same one for the same function.
void* door_of(char const* name, void* function) {
  for (char const* text : text_calls)
    if (begins(name, text)) return function;
  std::lock_guard const lock(changing);
  std::size_t f = 0;
  while (f < num_functions && ordo_real_functions[f] != function) ++f;
  if (f == max_functions) std::abort();
  if (f == num_functions) {
    ordo_real_functions[f] = function;
    for (char const* allocation : memory_calls) is_memory_call[f] |= begins(name, allocation);
    ++num_functions;
  }
  return const_cast<unsigned char*>(ordo_doors) + f * door_bytes;
}

}  // namespace

#define ORDO_EXPORTED __attribute__((visibility("default")))

extern "C" {

ORDO_EXPORTED int cuGetProcAddress_v2(char const* name, void** function, int version, std::uint64_t flags, int* status);

ORDO_EXPORTED int cuGetProcAddress(char const* name, void** function, int version, std::uint64_t flags) {
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *function = version >= version_of_second_get ? reinterpret_cast<void*>(cuGetProcAddress_v2)
                                                 : reinterpret_cast<void*>(cuGetProcAddress);
    return 0;
  }
  auto* const get = real().get<int(char const*, void**, int, std::uint64_t)>("cuGetProcAddress");
  int const result = get ? get(name, function, version, flags) : not_found;
  if (result == 0 && *function) *function = door_of(name, *function);
  return result;
}

int cuGetProcAddress_v2(char const* name, void** function, int version, std::uint64_t flags, int* status) {
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    if (status) *status = 0;  // CU_GET_PROC_ADDRESS_SUCCESS
    return cuGetProcAddress(name, function, version, flags);
  }
  auto* const get = real().get<int(char const*, void**, int, std::uint64_t, int*)>("cuGetProcAddress_v2");
  if (!get) return not_found;
  int const result = get(name, function, version, flags, status);
  if (result == 0 && *function) *function = door_of(name, *function);
  return result;
}

ORDO_EXPORTED int cuInit(unsigned flags) {
  auto* const next = real().get<int(unsigned)>("cuInit");
  int const result = count(false);
  return result != 0 ? result : next(flags);
}

ORDO_EXPORTED int cuDriverGetVersion(int* version) {
  auto* const next = real().get<int(int*)>("cuDriverGetVersion");
  int const result = count(false);
  return result != 0 ? result : next(version);
}

ORDO_EXPORTED int cuGetExportTable(void const** table, void const* id) {
  return real().get<int(void const**, void const*)>("cuGetExportTable")(table, id);
}

}  // extern "C"
