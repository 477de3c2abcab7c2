#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/external/bucket_file.hpp"
#include "base/temporary_file.hpp"
#include "suffix/duplicates/copy_bits.hpp"

namespace ordo::inline v0::suffix::detail {

/// Bits of positions in memory or, if these take too much of it, in a temporary file. There, marked positions are collected by
/// regions of the text, and the file is written region by region.
class stored_bits {
 public:
  /// Makes bits in memory, 0.
  explicit stored_bits(std::uint64_t positions) : num_words_(positions / 64 + 1), bits_(std::size_t(num_words_)) {}
  /// Makes bits in a file, 0. @param memory  bytes that may be used, at least 64 KiB @param threads  that write them
  /// @throws output_error
  stored_bits(std::uint64_t positions, std::string const& folder, std::size_t memory, int threads);
  ~stored_bits();
  stored_bits(stored_bits const&) = delete;
  stored_bits& operator=(stored_bits const&) = delete;

  /// Marks positions for a thread.
  class marker {
   public:
    explicit marker(stored_bits& bits) : bits_(bits) {}
    /// Sets the bits of positions [p, p + count), at once or by flush().
    void operator()(std::uint64_t p, std::uint64_t count) {
      if (!bits_.file_) return mark(bits_.bits_, p, count);
      if (runs_.size() == bits_.max_runs_) flush();
      runs_.push_back({p, p + count});
    }
    void flush();

   private:
    friend stored_bits;
    struct run {
      std::uint64_t begin, end;
    };
    stored_bits& bits_;
    std::vector<run> runs_;
  };

  [[nodiscard]] bool is_in_file() const noexcept { return file_.has_value(); }
  /// Sets the bits that flush() has collected. To be called when no thread marks. @throws output_error, input_error
  void apply();
  /// Returns true if what has been collected takes as much disk space as the bits.
  [[nodiscard]] bool is_full() const { return collected_ && collected_->disk_bytes() > num_words_ * sizeof(std::uint64_t); }
  /// Sets all bits as in `words`. @throws output_error
  void assign(std::span<std::uint64_t const> words);
  /// Returns all bits that are set. A file is mapped.
  [[nodiscard]] std::span<std::uint64_t const> words() const noexcept {
    return file_ ? std::span(mapped_, std::size_t(num_words_)) : std::span<std::uint64_t const>(bits_);
  }

 private:
  static constexpr unsigned count_bits = 24;  // bits of the count in a collected run, below those of its begin in the region

  [[nodiscard]] std::uint64_t region_words(std::size_t region) const {
    return std::min(region_words_, num_words_ - region * region_words_);
  }

  std::uint64_t num_words_ = 0;
  copy_bits bits_;  // empty: in a file
  std::optional<temporary_file> file_;
  std::optional<external::bucket_file> collected_;  // runs of positions, by regions
  std::uint64_t const* mapped_ = nullptr;
  std::uint64_t region_words_ = 0;
  std::size_t num_regions_ = 0, max_runs_ = 0;
};

}  // namespace ordo::inline v0::suffix::detail
