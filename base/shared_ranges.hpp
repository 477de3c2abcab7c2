#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "ordo/io.hpp"

// Distribution of the bytes that are read or written among threads, and the handling of a thread's failure. Both backends use
// it.
namespace ordo::inline v0::detail {

struct byte_range {
  std::uint64_t at;
  std::size_t size;
};

/// The pieces of [0, bytes), which several threads take in ascending order. After a failure there are no more.
class shared_ranges {
 public:
  shared_ranges(std::uint64_t bytes, std::size_t largest) : bytes_(bytes), largest_(largest) {}

  [[nodiscard]] std::uint64_t count() const noexcept { return (bytes_ + largest_ - 1) / largest_; }
  [[nodiscard]] std::optional<byte_range> next() noexcept {
    if (failed_.load(std::memory_order_relaxed)) return std::nullopt;
    std::uint64_t const p = next_.fetch_add(1, std::memory_order_relaxed);
    if (p >= count()) return std::nullopt;
    return byte_range{p * largest_, std::size_t(std::min<std::uint64_t>(largest_, bytes_ - p * largest_))};
  }

  /// Calls work(k) for k in [0, threads), as many at a time as the arena has threads. `work` calls next() until it returns
  /// none.
  /// @throws the exception of the first call that failed, after all calls have ended
  template <class Work>
  void share(tbb::task_arena& arena, unsigned threads, Work work) {
    threads = unsigned(std::min<std::uint64_t>(threads, count()));
    auto const guarded = [&](unsigned k) {
      try {
        work(k);
      } catch (...) {
        std::lock_guard const lock(failing_);
        if (!failed_.exchange(true)) failure_ = std::current_exception();
      }
    };
    if (threads == 1)
      guarded(0);
    else if (threads > 1)
      arena.execute([&] { tbb::parallel_for(0u, threads, guarded); });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::uint64_t bytes_;
  std::size_t largest_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex failing_;
  std::exception_ptr failure_;
};

/// Reads from a source into host memory with all threads of the arena; below, writes from host memory to a sink.
inline std::size_t load(tbb::task_arena& arena, source& from, std::span<char> to) {
  constexpr std::size_t range_bytes = std::size_t{2} << 20;
  auto const part = addressed_part(from, to.size());
  if (!part) return from.read(to);
  shared_ranges all(part->bytes, range_bytes);
  all.share(arena, unsigned(arena.max_concurrency()), [&](unsigned) {
    while (auto const p = all.next()) from.read_at(part->from + p->at, to.subspan(std::size_t(p->at), p->size));
  });
  from.skip(part->bytes);
  return std::size_t(part->bytes);
}
inline void store(tbb::task_arena& arena, std::span<char const> from, sink& to, std::uint64_t offset) {
  constexpr std::size_t range_bytes = std::size_t{4} << 20;
  constexpr unsigned max_threads = 4;  // a file system lets one thread at a time write to a file: more only wait
  if (!to.addressable()) return to.write(from);
  shared_ranges all(from.size(), range_bytes);
  all.share(arena, std::min(max_threads, unsigned(arena.max_concurrency())), [&](unsigned) {
    while (auto const p = all.next()) to.write_at(offset + p->at, from.subspan(std::size_t(p->at), p->size));
  });
}

}  // namespace ordo::inline v0::detail
