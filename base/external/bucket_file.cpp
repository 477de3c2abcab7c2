#include "base/external/bucket_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/external/positional_checksum.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::external {
namespace {

std::uint64_t checksum(std::span<char const> bytes) {
  positional_checksum sum;
  sum.add(0, bytes);
  return sum.sum();
}

}  // namespace

bucket_file::bucket_file(std::string const& folder, std::size_t num_buckets, std::size_t item_bytes, std::size_t block_bytes)
    : file_(folder), block_bytes_(std::max(block_bytes / item_bytes, std::size_t{1}) * item_bytes), buckets_(num_buckets) {}

void bucket_file::append(std::size_t number, std::span<char const> items) {
  bucket& to = buckets_[number];
  std::lock_guard const lock(to.mutex);
  while (!items.empty()) {
    if (to.open.empty()) to.open.reserve(block_bytes_);
    std::size_t const count = std::min(items.size(), block_bytes_ - to.open.size());
    to.open.insert(to.open.end(), items.begin(), items.begin() + std::ptrdiff_t(count));
    items = items.subspan(count);
    if (to.open.size() == block_bytes_) write(to);
  }
}

void bucket_file::write(bucket& to) {
  block next{.bytes = std::uint32_t(to.open.size()), .checksum = checksum(to.open)};
  {
    std::lock_guard const lock(mutex_);
    if (free_slots_.empty()) {
      next.slot = num_slots_++;
    } else {
      next.slot = free_slots_.back();
      free_slots_.pop_back();
    }
  }
  file_.write_at(next.slot * block_bytes_, to.open);
  to.blocks.push_back(next);
  to.open.clear();
}

void bucket_file::flush() {
  for (bucket& each : buckets_) {
    std::lock_guard const lock(each.mutex);
    if (!each.open.empty()) write(each);
    std::vector<char>().swap(each.open);
  }
}

void bucket_file::read(block const& block, std::vector<char>& to) const {
  to.resize(block.bytes);
  file_.read_at(block.slot * block_bytes_, to);
  if (checksum(to) != block.checksum)
    throw input_error(fmt::format("cannot read: {}: it is not what was written to it", file_.name()));
}

void bucket_file::discard(std::size_t number) {
  bucket& of = buckets_[number];
  std::lock_guard const lock(of.mutex), lock_slots(mutex_);
  std::vector<char>().swap(of.open);
  for (block const& block : of.blocks) {
    file_.discard(block.slot * block_bytes_, block_bytes_);
    free_slots_.push_back(block.slot);
  }
  std::vector<block>().swap(of.blocks);
}

std::uint64_t bucket_file::disk_bytes() const {
  std::lock_guard const lock(mutex_);
  return (num_slots_ - free_slots_.size()) * block_bytes_;
}

}  // namespace ordo::inline v0::external
