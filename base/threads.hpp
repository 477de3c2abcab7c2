#pragma once
#include <algorithm>
#include <cstddef>

#include <tbb/task_arena.h>

namespace ordo::inline v0 {

/// Starts oneTBB, which must precede any use of an arena, and returns the size of a tbb::task_arena for `wanted` threads; 0
/// means all. The result is at most the number of threads that the process may use, because more would only take turns and make
/// oneTBB print a warning. If address space is limited (ulimit -v), it is one thread per 128 MiB, at least one. In a process
/// that was forked after oneTBB had started it is one.
/// @throws std::bad_alloc
int threads_for(unsigned wanted);

}  // namespace ordo::inline v0

namespace ordo::inline v0::host_detail {

#pragma GCC visibility push(default)
/// Calls call(context, begin, end) for ranges that make up [0, n), in parallel. Ranges of more than `grain` items may be divided.
/// Not a template: each of its instances would compile the tasks of oneTBB again, which took half of the build.
void for_ranges(std::size_t n, std::size_t grain, void (*call)(void const* context, std::size_t begin, std::size_t end),
                void const* context);
/// Calls call(context) in an arena.
void in_arena(tbb::task_arena& arena, void (*call)(void const* context), void const* context);
#pragma GCC visibility pop

/// Calls f() in an arena.
template <class F>
void run_in(tbb::task_arena& arena, F const& f) {
  in_arena(arena, [](void const* call) { (*static_cast<F const*>(call))(); }, &f);
}

/// Equal blocks of a range: few enough that a table per block is cheap, and enough that threads share them evenly.
struct blocks {
  std::size_t n, count;

  blocks(std::size_t items, std::size_t min_items) : n(items) {
    std::size_t const threads = std::size_t(tbb::this_task_arena::max_concurrency());
    count = std::clamp<std::size_t>(n / min_items, 1, threads == 1 ? 1 : 8 * threads);
  }
  [[nodiscard]] std::size_t begin(std::size_t block) const { return n / count * block + std::min(block, n % count); }
  [[nodiscard]] std::size_t end(std::size_t block) const { return begin(block + 1); }

  /// Calls f(block, begin, end) for each block, in parallel.
  template <class F>
  void run(F f) const {
    if (count == 1) return f(std::size_t{0}, std::size_t{0}, n);
    auto const on_block = [&](std::size_t b) { f(b, begin(b), end(b)); };
    for_ranges(
        count, 1,
        [](void const* call, std::size_t b, std::size_t last) {
          for (; b != last; ++b) (*static_cast<decltype(on_block)*>(call))(b);
        },
        &on_block);
  }
};

/// Calls f(i) for each i in [0, n), in parallel by ranges of at least `grain`.
template <class F>
void parallel_each(std::size_t n, std::size_t grain, F f) {
  if (n <= grain) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  } else {
    for_ranges(
        n, grain,
        [](void const* call, std::size_t i, std::size_t last) {
          for (F& each = *static_cast<F*>(const_cast<void*>(call)); i != last; ++i) each(i);
        },
        &f);
  }
}

}  // namespace ordo::inline v0::host_detail
