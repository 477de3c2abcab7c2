#pragma once
#include <algorithm>
#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
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
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t b) { f(b, begin(b), end(b)); });
  }
};

/// Calls f(i) for each i in [0, n), in parallel by ranges of at least `grain`.
template <class F>
void parallel_each(std::size_t n, std::size_t grain, F f) {
  if (n <= grain) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain), [&](auto const& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) f(i);
    });
  }
}

}  // namespace ordo::inline v0::host_detail
