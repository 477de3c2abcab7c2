#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <tbb/parallel_for.h>

#include "base/external/bucket_file.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "suffix/duplicates/window_scan.hpp"

namespace ordo::inline v0::suffix::detail {

inline constexpr int bucket_bits = std::bit_width(copy_finder::num_buckets - 1);

/// A window_group as it is sorted: by the hash of its minimizer, then by position.
struct group_entry {
  static constexpr std::uint64_t max_positions = std::uint64_t{1} << 40;
  static constexpr std::uint64_t several = 4095;  // the offset of a group with several minimizers

  group_entry() = default;
  group_entry(window_group const& group, std::uint64_t base)
      : hash(mixed(group.hash)),
        where((base + group.first) << 24 | (group.same ? group.minimizer - group.first : several) << 12 | group.count) {}

  [[nodiscard]] std::size_t bucket() const { return std::size_t(hash >> (64 - bucket_bits)); }
  [[nodiscard]] std::uint64_t first() const { return where >> 24; }
  [[nodiscard]] std::uint64_t count() const { return where & 4095; }
  [[nodiscard]] bool has_one_minimizer() const { return offset() != several; }
  [[nodiscard]] std::uint64_t minimizer() const { return first() + offset(); }
  friend auto operator<=>(group_entry const&, group_entry const&) = default;

  std::uint64_t hash;   // minima are small: mixed once more, they are distributed evenly
  std::uint64_t where;  // 40 bits of the first position, 12 of the offset of the minimizer, 12 of the number of windows

 private:
  [[nodiscard]] std::uint64_t offset() const { return where >> 12 & 4095; }
};

/// Entries on disk, in partitions: adjacent buckets, as many in each. An entry takes 12 bytes there. Its hash lacks the bits
/// that the partition tells, and the last ones. So a few hashes become equal; their windows are compared as all others are.
class entry_file {
 public:
  static constexpr std::size_t entry_bytes = 12;

  /// @param memory  bytes that blocks in memory may take, at least 8 KiB
  entry_file(std::string const& folder, std::size_t memory)
      : partition_bits_(memory >= std::size_t{128} << 20 ? 12
                        : memory >= std::size_t{1} << 20 ? 8
                                                         : 4),
        file_(folder, num_partitions(), 2 * entry_bytes, std::min(memory >> partition_bits_, std::size_t{1} << 20)) {}

  [[nodiscard]] std::size_t num_partitions() const { return std::size_t{1} << partition_bits_; }
  [[nodiscard]] std::size_t partition(std::size_t bucket) const { return bucket >> (bucket_bits - partition_bits_); }
  [[nodiscard]] std::size_t first_bucket(std::size_t partition) const { return partition << (bucket_bits - partition_bits_); }
  [[nodiscard]] std::uint64_t disk_bytes() const { return file_.disk_bytes(); }

  /// Returns more buckets in the same file, for items of 8 bytes.
  [[nodiscard]] external::bucket_file make_buckets(std::size_t count) const { return external::bucket_file(file_, count); }

  /// Stores the entries of buckets [begin, end). Any thread may call it.
  void append(std::vector<group_entry> const& some, std::size_t begin, std::size_t end) {
    std::vector<std::size_t> ends(num_partitions() + 1);
    auto const is_in_range = [&](group_entry const& entry) { return entry.bucket() >= begin && entry.bucket() < end; };
    for (group_entry const& entry : some)
      if (is_in_range(entry)) ++ends[partition(entry.bucket()) + 1];
    for (std::size_t p = 1; p < ends.size(); ++p) ends[p] += ends[p - 1];
    std::vector<char> bytes(ends.back() * entry_bytes);
    for (group_entry const& entry : some) {
      if (!is_in_range(entry)) continue;
      char* const to = &bytes[ends[partition(entry.bucket())]++ * entry_bytes];
      auto const hash = std::uint32_t(entry.hash >> (32 - partition_bits_));
      std::memcpy(to, &hash, sizeof(hash));
      std::memcpy(to + sizeof(hash), &entry.where, sizeof(entry.where));
    }
    for (std::size_t p = 0, first = 0; p < num_partitions(); first = ends[p++])
      if (ends[p] != first) file_.append(p, std::span(bytes).subspan(first * entry_bytes, (ends[p] - first) * entry_bytes));
  }
  void flush() { file_.flush(); }
  void discard(std::size_t first_partition, std::size_t last_partition) {
    for (std::size_t p = first_partition; p < last_partition; ++p) file_.discard(p);
  }
  /// Calls use(entries) for parts of the entries of buckets [begin, end), which may hold others of their partitions, in
  /// parallel.
  template <class Use>
  void each(std::size_t begin, std::size_t end, Use use) const {
    struct part {
      std::size_t partition;
      external::bucket_file::block const* block;
    };
    std::vector<part> parts;
    for (std::size_t p = partition(begin); p <= partition(end - 1); ++p)
      for (external::bucket_file::block const& block : file_.blocks(p)) parts.push_back({p, &block});
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t k) {
      std::vector<char> bytes;
      file_.read(*parts[k].block, bytes);
      std::vector<group_entry> entries(bytes.size() / entry_bytes);
      char const* from = bytes.data();
      for (group_entry& entry : entries) {
        std::uint32_t hash;
        std::memcpy(&hash, from, sizeof(hash));
        std::memcpy(&entry.where, from + sizeof(hash), sizeof(entry.where));
        entry.hash = (std::uint64_t(parts[k].partition) << 32 | hash) << (32 - partition_bits_);
        from += entry_bytes;
      }
      use(entries);
    });
  }

 private:
  int partition_bits_;
  external::bucket_file file_;
};

}  // namespace ordo::inline v0::suffix::detail
