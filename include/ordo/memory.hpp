#pragma once
#include <cstddef>
#include <map>
#include <utility>

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

/// A source of raw memory of one machine. Not thread-safe: a machine is used by one thread at a time.
class memory_resource {
 public:
  virtual ~memory_resource() = default;
  /// Allocates at least `bytes` bytes, aligned to 256. @throws out_of_memory
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* block, std::size_t bytes) noexcept = 0;
  /// Throws if the source can allocate nothing now, whatever the size. A pool calls it before it frees blocks to make room.
  virtual void check_allocation(std::size_t /*bytes*/) const {}
  /// Returns the number of bytes that can still be allocated, as far as is known. Other processes may allocate from them, too.
  [[nodiscard]] virtual std::size_t available() const { return ~std::size_t{0}; }
};

/// Host memory. Large blocks request huge pages.
class host_memory final : public memory_resource {
 public:
  /// Returns an object that all threads may use: it has no state.
  static host_memory& shared() noexcept {
    static host_memory one;
    return one;
  }
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
};

/// A pool that caches freed blocks and reuses each for the next request of the same size class. A loop that allocates and frees
/// buffers reaches the source only in its first round.
///
/// Except with reuse::larger_too, callers never hold more than the sum of their rounded requests, whatever blocks are cached.
/// So a plan that fits a limit once always fits. A pool holds at most twice the maximum that was in use or reserved. If the
/// source runs out, cached blocks are freed and the request is repeated.
class pool final : public memory_resource {
 public:
  enum class reuse {
    none,        // never: the source caches blocks itself
    same_size,   // for requests of the same size class
    larger_too,  // also for requests down to half the size, while the excess of all such blocks is at most a sixteenth of the
                 // free memory, and the free memory at least the maximum in use. On a GPU this saves an allocation and a
                 // free, a tenth of a millisecond. Not suitable if a plan may use the source to the last byte
  };
  explicit pool(memory_resource& source, reuse kind = reuse::same_size) : source_(source), reuse_(kind) {}
  ~pool() override { trim(); }
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  [[nodiscard]] std::size_t available() const override;
  /// Allocates one block of `bytes` bytes, which serves requests as long as they fit. Requests that are freed in the reverse
  /// order of their allocation fit if the sum of their rounded sizes does. The block is kept, whatever the kind of reuse, until
  /// trim() or a larger reservation finds it unused. A reservation that is large enough already is left unchanged.
  /// @throws out_of_memory
  void reserve(std::size_t bytes);
  /// Returns the number of bytes that a request of `bytes` takes from the source: up to an eighth more.
  [[nodiscard]] static std::size_t rounded(std::size_t bytes) noexcept;
  /// Frees cached blocks, the largest first, until at most `max_bytes` bytes are cached.
  void trim(std::size_t max_bytes = 0) noexcept;

  /// Limits the bytes that callers hold of the pool, for the lifetime of the object.
  class limit {
   public:
    limit(pool& of, std::size_t bytes) : of_(of), before_(std::exchange(of.limit_, bytes)) {}
    ~limit() { of_.limit_ = before_; }
    limit(limit const&) = delete;
    limit& operator=(limit const&) = delete;

   private:
    pool& of_;
    std::size_t before_;
  };

  /// Returns true if the pool holds no memory of its source, in use or cached.
  [[nodiscard]] bool empty() const noexcept { return used_.empty() && kept_.empty() && !reserve_; }
  /// Return the number of bytes that callers hold: now, and the maximum so far.
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
  /// Returns the peak and restarts its measurement.
  std::size_t reset_peak() noexcept { return std::exchange(peak_, in_use_); }

 private:
  void check_limit(std::size_t size) const;
  [[nodiscard]] void* from_source(std::size_t size);
  [[nodiscard]] void* from_reserve(std::size_t size);
  [[nodiscard]] bool to_reserve(void* block) noexcept;
  /// Returns the size of the reserved block if no part of it is in use, else 0.
  [[nodiscard]] std::size_t idle_reserve() const noexcept { return reserve_parts_.empty() ? reserve_size_ : 0; }
  void release_reserve() noexcept;
  [[nodiscard]] std::multimap<std::size_t, void*>::iterator kept_for(std::size_t size);
  [[nodiscard]] std::size_t spare();
  void keep_few(std::size_t coming) noexcept;
  void release(std::multimap<std::size_t, void*>::iterator kept) noexcept;

  memory_resource& source_;
  std::multimap<std::size_t, void*> kept_;  // free blocks by their size
  struct used_block {
    std::size_t requested, size;
  };
  std::map<void*, used_block> used_;  // blocks in use
  char* reserve_ = nullptr;           // the reserved block
  std::size_t reserve_size_ = 0, reserve_free_ = 0;
  std::map<std::size_t, std::size_t> reserve_parts_;  // begin and end of its parts in use
  std::size_t in_use_ = 0, peak_ = 0, kept_bytes_ = 0;
  std::size_t unused_ = 0;      // excess of the blocks in use over the requests
  std::size_t max_in_use_ = 0;  // maximum bytes in use at any time
  std::size_t limit_ = ~std::size_t{0};
  reuse reuse_;
  std::size_t spare_ = 0;      // see spare()
  std::size_t spare_for_ = 0;  // the maximum in use when spare_ was computed
};

/// A memory resource that throws out_of_memory where the bytes in use would exceed `limit`. For tests, and for users who share
/// a GPU (ORDO_GPU_MEMORY).
class limited_memory final : public memory_resource {
 public:
  limited_memory(memory_resource& source, std::size_t limit) : source_(source), limit_(limit) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  void check_allocation(std::size_t bytes) const override { source_.check_allocation(bytes); }
  [[nodiscard]] std::size_t available() const override;

 private:
  memory_resource& source_;
  std::size_t limit_, in_use_ = 0;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
