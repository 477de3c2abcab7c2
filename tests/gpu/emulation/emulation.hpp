#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// The core's kernels on the CPU (x86-64), for hosts without a GPU and for sanitizers. Each thread of a block has a stack of its
// own and runs until it waits for others. The next thread to run is chosen at random, which exposes code that relies on an
// order that no barrier enforces. Blocks run one after the other; kernels whose blocks wait for each other (launch_cooperative)
// have one block. Shared memory has exactly the size that the launch requested, and is filled with garbage at first.
//
// Include this before any header of sort_core/cuda: some of these have replacements beside this file.
namespace emulation {

struct place {
  unsigned x = 0, y = 0, z = 0;
};

/// A barrier for threads, which ignores those that have ended.
struct barrier {
  unsigned alive = 0, arrived = 0;
  std::uint64_t passed = 0;
  void pass_if_all() {
    if (alive != 0 && arrived == alive) {
      arrived = 0;
      ++passed;
    }
  }
};

/// The lanes' arguments of a collective: two in turn, because a lane may be one collective ahead. And the result of a
/// reduction: three in turn, because the next one is cleared, too.
struct warp {
  struct reduction {
    bool begun = false;
    std::uint64_t bits = 0;
  };
  barrier everyone;
  std::uint64_t arguments[2][32] = {};
  bool turn[32] = {};
  reduction reductions[3];
  unsigned char reduction_turn[32] = {};
};

struct thread {
  place index;
  void* stack = nullptr;
  void* sanitizer = nullptr;          // the sanitizer's state of the stack while another one is in use
  bool begun = false, ended = false;  // begun: it has waited for the previous kernel
  barrier* at = nullptr;              // waits until that many have passed there
  std::uint64_t passed = 0;
};

struct block {
  barrier everyone;
  std::vector<warp> warps;
  std::vector<thread> threads;
  unsigned left = 0;                     // threads that have not ended
  unsigned at = 0, step = 1, still = 0;  // the round: its next thread, and the number of threads that are still to come
  unsigned char* shared = nullptr;
  std::size_t count = 0;   // of a vote
  bool too_early = false;  // true if a thread did something before waiting for the previous kernel
};

inline std::mt19937_64 chance(1);  // the same order on every run
inline std::function<void()> kernel;
inline block* now = nullptr;
inline thread* self = nullptr;
inline place block_index, block_size, grid_size;
inline void* scheduler = nullptr;  // the scheduler's stack, while a thread runs
inline void* scheduler_sanitizer = nullptr;
inline void const* scheduler_stack = nullptr;
inline std::size_t scheduler_stack_size = 0;
inline bool from_scheduler = false;  // a thread is about to continue, and another thread did not switch to it
constexpr std::size_t stack_size = std::size_t{256} << 10, outermost_frames = std::size_t{8} << 10;

inline void leaves([[maybe_unused]] void** remembered, [[maybe_unused]] void const* stack, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(remembered, stack, size);
#endif
}
inline void arrives([[maybe_unused]] void* remembered, [[maybe_unused]] void const** stack,
                    [[maybe_unused]] std::size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(remembered, stack, size);
#endif
}
/// Ends a switch to a thread's stack.
inline void arrived(void* remembered) {
  bool const by_scheduler = std::exchange(from_scheduler, false);
  arrives(remembered, by_scheduler ? &scheduler_stack : nullptr, by_scheduler ? &scheduler_stack_size : nullptr);
}
inline void forbid([[maybe_unused]] unsigned char* from, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(from, bytes);
#endif
}
inline void allow([[maybe_unused]] void* from, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(from, bytes);
#endif
}

// Saves the registers that a function must preserve on the stack, stores the stack pointer in *from, and continues with the
// stack `to` that another call has saved. Replaces swapcontext, which is far slower because it makes two system calls.
extern "C" void emulation_switch(void** from, void* to);
asm(R"(
.text
.weak emulation_switch
emulation_switch:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

/// Returns the next thread of the round that can run, or nullptr at the end of the round.
inline thread* next_in_round(block& of) {
  while (of.still != 0) {
    thread& x = of.threads[of.at];
    --of.still;
    of.at += of.step;
    if (of.at >= of.threads.size()) of.at -= unsigned(of.threads.size());
    if (x.ended || (x.at && x.at->passed == x.passed)) continue;
    x.at = nullptr;
    return &x;
  }
  return nullptr;
}

/// Returns the stack of a thread. Stacks at a distance of a power of two would share a few lines of the caches.
inline unsigned char* stack_of(unsigned thread) {
  struct aligned_delete {
    void operator()(unsigned char* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  constexpr std::size_t line = 64, shifts = 256;
  static std::vector<std::unique_ptr<unsigned char[], aligned_delete>> stacks;
  while (stacks.size() <= thread) stacks.emplace_back(new (std::align_val_t{64}) unsigned char[stack_size + shifts * line]);
  return stacks[thread].get() + thread * 17 % shifts * line;
}

/// Continues with a thread of the block, on its stack. `from` and `sanitizer` are those of the stack in use.
inline void continue_with(thread& next, void** from, void** sanitizer) {
  self = &next;
  leaves(sanitizer, stack_of(next.index.x), stack_size);
  emulation_switch(from, next.stack);
}

/// Continues with the next thread of the round, or at its end with the scheduler.
inline void yield() {
  thread& me = *self;
  void** const sanitizer = me.ended ? nullptr : &me.sanitizer;
  if (thread* const next = next_in_round(*now)) {
    continue_with(*next, &me.stack, sanitizer);
  } else {
    leaves(sanitizer, scheduler_stack, scheduler_stack_size);
    emulation_switch(&me.stack, scheduler);
  }
  arrived(me.sanitizer);
}

inline void wait(barrier& at) {
  now->too_early |= !self->begun;
  std::uint64_t const passed = at.passed;
  ++at.arrived;
  at.pass_if_all();
  if (at.passed != passed) return;
  self->at = &at;
  self->passed = passed;
  yield();
}

inline warp& own_warp() {
  return now->warps[self->index.x / 32];
}
inline unsigned lane() {
  return self->index.x % 32;
}

inline void run_thread() {
  arrived(nullptr);
  kernel();
  now->too_early |= !self->begun;
  self->ended = true;
  --now->left;
  for (barrier* b : {&own_warp().everyone, &now->everyone}) {
    --b->alive;
    b->pass_if_all();
  }
  yield();
}

inline void run_block(unsigned threads, std::size_t shared_bytes) {
  constexpr std::size_t unit = 256;
  std::size_t const room = shared_bytes / unit * unit + 2 * unit;
  std::unique_ptr<unsigned char, void (*)(void*)> const memory(static_cast<unsigned char*>(std::aligned_alloc(unit, room)),
                                                               std::free);
  std::memset(memory.get(), 0xcd, room);
  forbid(memory.get() + shared_bytes, room - shared_bytes);

  block b;
  now = &b;
  b.shared = memory.get();
  b.everyone.alive = threads;
  b.warps.resize((threads + 31) / 32);
  for (std::size_t w = 0; w < b.warps.size(); ++w)
    b.warps[w].everyone.alive = std::min<unsigned>(32, threads - unsigned(32 * w));
  b.threads.resize(threads);
  for (unsigned t = 0; t < threads; ++t) {
    thread& x = b.threads[t];
    x.index = {t, 0, 0};
    // A thread that ended left its outermost functions, which are at the end of the stack. What they called has returned.
    allow(stack_of(t) + stack_size - outermost_frames, outermost_frames);
    // The stack is as if run_thread had called emulation_switch at its very begin.
    auto** const top = reinterpret_cast<void**>(stack_of(t) + stack_size - 64);
    std::fill(top - 8, top, nullptr);
    top[-2] = reinterpret_cast<void*>(&run_thread);
    x.stack = top - 8;
  }
  for (b.left = threads; b.left != 0;) {
    b.at = unsigned(chance() % threads);
    b.step = chance() % 2 == 0 ? 1 : threads - 1;
    b.still = threads;
    thread* const next = next_in_round(b);
    if (!next) throw std::logic_error("emulation: all threads of a block wait");
    from_scheduler = true;
    continue_with(*next, &scheduler, &scheduler_sanitizer);
    arrives(scheduler_sanitizer, nullptr, nullptr);
  }
  allow(memory.get(), room);
  if (b.too_early) throw std::logic_error("emulation: a kernel that does not wait for the one before it");
}

/// The GPU's maximum of shared memory per block.
inline std::size_t shared_memory_limit = 227 << 10;
/// Sets the GPU's shared memory per block during the object's lifetime.
struct block_memory_scope {
  explicit block_memory_scope(std::size_t shared_memory) : before(std::exchange(shared_memory_limit, shared_memory)) {}
  ~block_memory_scope() { shared_memory_limit = before; }
  std::size_t before;
};
inline std::size_t launches = 0;  // number so far

inline void run(unsigned blocks, unsigned threads, std::size_t shared_bytes, std::function<void()> body) {
  if (shared_bytes > shared_memory_limit) throw std::logic_error("emulation: more shared memory than a block can have");
  ++launches;
  kernel = std::move(body);
  block_size = {threads, 1, 1};
  grid_size = {blocks, 1, 1};
  for (unsigned b = 0; b < blocks; ++b) {
    block_index = {b, 0, 0};
    run_block(threads, shared_bytes);
  }
}

/// Returns the arguments of all lanes of the warp, valid until the lane's next collective but one.
template <class T>
std::uint64_t const* arguments_of_lanes(T x) {
  static_assert(sizeof(T) <= 8);
  warp& w = own_warp();
  auto* const all = w.arguments[w.turn[lane()]];
  w.turn[lane()] = !w.turn[lane()];
  all[lane()] = 0;
  std::memcpy(&all[lane()], &x, sizeof x);
  wait(w.everyone);
  return all;
}
template <class T>
T as(std::uint64_t bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
template <class T, class F>
T reduced(T x, F f) {
  warp& w = own_warp();
  unsigned char& turn = w.reduction_turn[lane()];
  warp::reduction& here = w.reductions[turn];
  turn = (turn + 1) % 3;
  w.reductions[turn].begun = false;
  T const result = here.begun ? f(as<T>(here.bits), x) : x;
  std::memcpy(&here.bits, &result, sizeof result);
  here.begun = true;
  wait(w.everyone);
  return as<T>(here.bits);
}

/// Returns the number of threads of the block for which x is true.
inline std::size_t votes(bool x) {
  now->count += x;
  wait(now->everyone);
  std::size_t const result = now->count;
  wait(now->everyone);
  now->count = 0;
  wait(now->everyone);
  return result;
}

}  // namespace emulation

// ---- The language ----
#define __host__
#define __device__
#define __global__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define threadIdx (emulation::self->index)
#define blockIdx (emulation::block_index)
#define blockDim (emulation::block_size)
#define gridDim (emulation::grid_size)

struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline void __syncthreads() {
  emulation::wait(emulation::now->everyone);
}
inline int __syncthreads_count(int x) {
  return int(emulation::votes(x != 0));
}
inline int __syncthreads_or(int x) {
  return emulation::votes(x != 0) != 0;
}
inline int __syncthreads_and(int x) {
  return emulation::votes(x == 0) == 0;
}
/// Blocks run one after the other.
inline void __threadfence() {}
inline void __syncwarp(unsigned = ~0u) {
  emulation::wait(emulation::own_warp().everyone);
}

inline unsigned __ballot_sync(unsigned, bool x) {
  return emulation::reduced(unsigned(x) << emulation::lane(), [](unsigned a, unsigned b) { return a | b; });
}
inline bool __any_sync(unsigned mask, bool x) {
  return __ballot_sync(mask, x) != 0;
}
inline bool __all_sync(unsigned mask, bool x) {
  return __ballot_sync(mask, x) == ~0u;
}
inline unsigned __reduce_or_sync(unsigned, unsigned x) {
  return emulation::reduced(x, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_add_sync(unsigned, unsigned x) {
  return emulation::reduced(x, [](unsigned a, unsigned b) { return a + b; });
}
inline unsigned __reduce_min_sync(unsigned, unsigned x) {
  return emulation::reduced(x, [](unsigned a, unsigned b) { return std::min(a, b); });
}
inline unsigned __reduce_max_sync(unsigned, unsigned x) {
  return emulation::reduced(x, [](unsigned a, unsigned b) { return std::max(a, b); });
}
template <class T>
unsigned __match_any_sync(unsigned, T x) {
  auto const* const all = emulation::arguments_of_lanes(x);
  std::uint64_t const own = all[emulation::lane()];
  unsigned alike = 0;
  for (unsigned i = 0; i < 32; ++i) alike |= unsigned(all[i] == own) << i;
  return alike;
}
template <class T>
T __shfl_sync(unsigned, T x, unsigned from, unsigned width = 32) {
  return emulation::as<T>(emulation::arguments_of_lanes(x)[emulation::lane() / width * width + from % width]);
}
template <class T>
T __shfl_xor_sync(unsigned, T x, unsigned mask, unsigned width = 32) {
  unsigned const lane = emulation::lane(), other = lane ^ mask;
  return emulation::as<T>(emulation::arguments_of_lanes(x)[other / width <= lane / width ? other : lane]);
}
template <class T>
T __shfl_up_sync(unsigned, T x, unsigned by, unsigned width = 32) {
  unsigned const lane = emulation::lane();
  return emulation::as<T>(emulation::arguments_of_lanes(x)[lane % width >= by ? lane - by : lane]);
}

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline int __clz(int x) {
  return std::countl_zero(unsigned(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned(std::uint64_t{a} * b >> 32);
}
inline float __fdividef(float a, float b) {
  return a / b;
}

template <class T, class U>
T atomicAdd(T* to, U x) {
  return std::exchange(*to, T(*to + x));
}
template <class T, class U>
T atomicOr(T* to, U x) {
  return std::exchange(*to, T(*to | x));
}
template <class T, class U>
T atomicXor(T* to, U x) {
  return std::exchange(*to, T(*to ^ x));
}
template <class T, class U>
T atomicMin(T* to, U x) {
  return std::exchange(*to, std::min<T>(*to, x));
}
template <class T, class U>
T atomicMax(T* to, U x) {
  return std::exchange(*to, std::max<T>(*to, x));
}
template <class T, class U, class W>
T atomicCAS(T* to, U if_it_is, W x) {
  return std::exchange(*to, *to == T(if_it_is) ? T(x) : *to);
}
template <class A, class B>
constexpr auto min(A a, B b) {
  using both = std::common_type_t<A, B>;
  return both(b) < both(a) ? both(b) : both(a);
}
template <class A, class B>
constexpr auto max(A a, B b) {
  using both = std::common_type_t<A, B>;
  return both(a) < both(b) ? both(b) : both(a);
}

// ---- The runtime ----
using cudaStream_t = int;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
inline void cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  std::memset(to, byte, bytes);
}
inline void cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
}
