#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/temporary_file.hpp"

namespace ordo::inline v0::external {

/// Items of one size that are distributed to buckets on disk: an unnamed file of blocks, each of which belongs to one bucket.
/// Blocks of a discarded bucket are reused; the file does not shrink, since giving space back waits for the disk. Memory: a
/// block for each bucket that has items which are not written yet, and 24 bytes for each block on disk.
class bucket_file {
 public:
  /// A block on disk.
  struct block {
    std::uint64_t slot = 0;  // which block of the file
    std::uint32_t bytes = 0;
    std::uint64_t checksum = 0;
  };

  /// @param block_bytes  bytes of a block, of which as many are used as hold whole items @throws output_error
  bucket_file(std::string const& folder, std::size_t num_buckets, std::size_t item_bytes, std::size_t block_bytes);
  /// Makes more buckets in the file of another object, whose free blocks these use, too. Its items may have another size, if
  /// that divides the one of the other.
  bucket_file(bucket_file const& beside, std::size_t num_buckets) : store_(beside.store_), buckets_(num_buckets) {}

  // Any thread may call these at any time.

  /// Appends items to a bucket. @throws output_error
  void append(std::size_t bucket, std::span<char const> items);
  /// Writes what is in memory, and frees the memory. append() may be called again. @throws output_error
  void flush();
  /// Removes the items of a bucket.
  void discard(std::size_t bucket);
  /// Returns the bytes of all blocks of the file that are in use.
  [[nodiscard]] std::uint64_t disk_bytes() const;

  // The rest is not for the time when a thread calls these.

  /// Returns the blocks of a bucket, all of whose items flush() has written.
  [[nodiscard]] std::span<block const> blocks(std::size_t bucket) const { return buckets_[bucket].blocks; }
  /// Reads a block. Any thread may call it. @throws input_error  also if the bytes are not those that were written
  void read(block const& block, std::vector<char>& to) const;

 private:
  struct bucket {
    std::mutex mutex;
    std::vector<char> open;  // items that are not written yet
    std::vector<block> blocks;
  };
  /// A file of blocks.
  struct block_store {
    temporary_file file;
    std::size_t block_bytes;
    std::mutex mutex;  // guards the slots
    std::vector<std::uint64_t> free_slots;
    std::uint64_t num_slots = 0;
  };
  void write(bucket& to);

  std::shared_ptr<block_store> store_;
  std::vector<bucket> buckets_;
};

}  // namespace ordo::inline v0::external
