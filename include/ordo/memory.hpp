#pragma once
#include <cstddef>
#include <map>
#include <utility>

namespace ordo {

/// A source of raw memory of one machine. Not thread-safe: a machine is used by one thread at a time.
class memory_resource {
 public:
  virtual ~memory_resource() = default;
  /// At least `bytes` bytes, aligned to 256. @throws out_of_memory
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* block, std::size_t bytes) noexcept = 0;
  /// How many bytes there may still be, as far as is known: others may take of them, too.
  [[nodiscard]] virtual std::size_t available() const { return ~std::size_t{0}; }
};

/// Plain host memory; large blocks ask for huge pages.
class host_memory final : public memory_resource {
 public:
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
};

/// Keeps freed blocks for the next request that rounds to their size, so that a loop which takes and drops buffers allocates
/// only in its first round. Except with reuse::larger_too, what callers hold is never more than their requests, rounded,
/// whatever was kept before: a plan that fits a limit once fits it always. In all a pool holds up to twice what was in use or
/// reserved at most; when the source runs out, the kept blocks go back first.
class pool final : public memory_resource {
 public:
  enum class reuse {
    none,        // over a source that keeps blocks itself
    same_size,   // as above
    larger_too,  // and a block up to twice as large, while what such blocks have in excess of the requests is at most a
                 // sixteenth of the free memory, and this at least the most that was in use. On a GPU getting a block and
                 // giving it back takes a tenth of a millisecond. Not for a source that a plan may use to the last byte
  };
  explicit pool(memory_resource& source, reuse how = reuse::same_size) : source_(source), reuse_(how) {}
  ~pool() override { trim(); }
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  [[nodiscard]] std::size_t available() const override;
  /// Takes one block of so many bytes from the source, from which requests are served as long as they fit. Requests that are
  /// given back in the reverse order of their taking fit if their sizes, rounded, do. The block is kept, whatever the kind of
  /// reuse, until trim() or a larger reservation finds none of it in use; one that is as large already is left as it is.
  /// @throws out_of_memory
  void reserve(std::size_t bytes);
  /// What a request of `bytes` takes from the source: up to an eighth more.
  [[nodiscard]] static std::size_t rounded(std::size_t bytes) noexcept;
  /// Give kept blocks back to the source, the largest first, until at most `keep` bytes are kept.
  void trim(std::size_t keep = 0) noexcept;

  /// While it lives, callers hold no more than so many bytes of the pool.
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

  /// Bytes in the hands of callers, now and at most so far.
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
  /// The peak, which from now on is counted anew.
  std::size_t take_peak() noexcept { return std::exchange(peak_, in_use_); }

 private:
  void check_limit(std::size_t size) const;
  [[nodiscard]] void* from_source(std::size_t size);
  [[nodiscard]] void* from_reserve(std::size_t size);
  [[nodiscard]] bool to_reserve(void* block) noexcept;
  /// Bytes of the reserved block, if none of them are in use.
  [[nodiscard]] std::size_t idle_reserve() const noexcept { return reserve_parts_.empty() ? reserve_size_ : 0; }
  void release_reserve() noexcept;
  [[nodiscard]] std::multimap<std::size_t, void*>::iterator kept_for(std::size_t size);
  [[nodiscard]] std::size_t spare();
  void keep_few(std::size_t coming) noexcept;
  void release(std::multimap<std::size_t, void*>::iterator kept) noexcept;

  memory_resource& source_;
  std::multimap<std::size_t, void*> kept_;  // free blocks by their size
  struct lent_block {
    std::size_t asked, size;
  };
  std::map<void*, lent_block> lent_;  // blocks in use
  char* reserve_ = nullptr;           // the reserved block
  std::size_t reserve_size_ = 0, reserve_free_ = 0;
  std::map<std::size_t, std::size_t> reserve_parts_;  // its parts in use: where each begins and ends
  std::size_t in_use_ = 0, peak_ = 0, kept_bytes_ = 0;
  std::size_t unused_ = 0;  // of lent blocks, beyond what was asked for
  std::size_t most_ = 0;    // bytes in use at any time so far
  std::size_t limit_ = ~std::size_t{0};
  reuse reuse_;
  std::size_t spare_ = 0;      // see spare()
  std::size_t spare_for_ = 0;  // bytes in use at most, then
};

/// Refuses what would bring the bytes in use above `limit`. For tests, and for users who share a card (ORDO_GPU_MEMORY).
class limited_memory final : public memory_resource {
 public:
  limited_memory(memory_resource& source, std::size_t limit) : source_(source), limit_(limit) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;
  [[nodiscard]] std::size_t available() const override;

 private:
  memory_resource& source_;
  std::size_t limit_, in_use_ = 0;
};

/// Fails the `nth` allocation (counted from 0), and every later one if `forever`. For tests.
class failing_memory final : public memory_resource {
 public:
  failing_memory(memory_resource& source, std::size_t nth, bool forever = false)
      : source_(source), nth_(nth), forever_(forever) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override { source_.deallocate(block, bytes); }
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

 private:
  memory_resource& source_;
  std::size_t nth_, calls_ = 0;
  bool forever_;
};

}  // namespace ordo
