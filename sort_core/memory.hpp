#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ordo {

/// A source of raw memory of one machine. Not thread-safe: a machine is used by one thread at a time.
class memory {
 public:
  virtual ~memory() = default;
  /// At least `bytes` bytes, aligned to 256. @throws out_of_memory
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* block, std::size_t bytes) noexcept = 0;
};

/// Plain host memory; large blocks ask for huge pages.
class host_memory final : public memory {
 public:
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
};

/// Keeps freed blocks for the next request that rounds to their size, so that a loop which takes and drops buffers allocates
/// only in its first round. What callers hold is never more than their requests, rounded, whatever was kept before: a plan
/// that fits a limit once fits it always. When the source runs out, the kept blocks go back first.
class pool final : public memory {
 public:
  explicit pool(memory& source) : source_(source) {}
  ~pool() override { trim(); }
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  /// What a request of `bytes` takes from the source: up to an eighth more.
  [[nodiscard]] static std::size_t rounded(std::size_t bytes) noexcept;
  /// Give every kept block back to the source.
  void trim() noexcept;

  /// Bytes in the hands of callers, now and at most so far.
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

 private:
  memory& source_;
  std::multimap<std::size_t, void*> kept_;  // free blocks by their size
  std::map<void*, std::size_t> lent_;       // blocks in use, with their size
  std::size_t in_use_ = 0, peak_ = 0;
};

/// Refuses what would bring the bytes in use above `limit`. For tests, and for users who share a card (ORDO_GPU_MEMORY).
class limiting_memory final : public memory {
 public:
  limiting_memory(memory& source, std::size_t limit) : source_(source), limit_(limit) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;

 private:
  memory& source_;
  std::size_t limit_, in_use_ = 0;
};

/// Fails the `nth` allocation (counted from 0), and every later one if `forever`. For tests.
class failing_memory final : public memory {
 public:
  failing_memory(memory& source, std::size_t nth, bool forever = false) : source_(source), nth_(nth), forever_(forever) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override { source_.deallocate(block, bytes); }
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

 private:
  memory& source_;
  std::size_t nth_, calls_ = 0;
  bool forever_;
};

}  // namespace ordo
