#pragma once
#include <memory>
#include <type_traits>
#include <utility>

#include <tbb/task_arena.h>

#include "base/threads.hpp"

namespace ordo::inline v0 {

/// An arena of a number of threads, for one call. Calls that end give theirs back to the process, which lends them to later
/// calls: oneTBB 2021.8 does not free one that has worked (https://github.com/uxlfoundation/oneTBB/issues/967). Each call would
/// leave some kilobytes, and would be slower than the one before. The process keeps as many as were in use at a time.
class pooled_arena {
 public:
  /// @param threads  what threads_for() returns
  /// @throws std::bad_alloc
  explicit pooled_arena(int threads);
  ~pooled_arena();
  pooled_arena(pooled_arena const&) = delete;
  pooled_arena& operator=(pooled_arena const&) = delete;

  [[nodiscard]] tbb::task_arena& get() noexcept { return *arena_; }
  [[nodiscard]] int max_concurrency() const { return arena_->max_concurrency(); }
  template <class F>
  decltype(auto) execute(F&& f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>)
      host_detail::run_in(*arena_, f);
    else
      return arena_->execute(std::forward<F>(f));
  }

 private:
  std::unique_ptr<tbb::task_arena> arena_;
};

}  // namespace ordo::inline v0
