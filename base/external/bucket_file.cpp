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
    : store_(new block_store{.file = temporary_file(folder),
                             .block_bytes = std::max(block_bytes / item_bytes, std::size_t{1}) * item_bytes,
                             .mutex = {},
                             .free_slots = {}}),
      buckets_(num_buckets) {}

void bucket_file::append(std::size_t number, std::span<char const> items) {
  bucket& to = buckets_[number];
  std::lock_guard const lock(to.mutex);
  while (!items.empty()) {
    if (to.open.empty()) to.open.reserve(store_->block_bytes);
    std::size_t const count = std::min(items.size(), store_->block_bytes - to.open.size());
    to.open.insert(to.open.end(), items.begin(), items.begin() + std::ptrdiff_t(count));
    items = items.subspan(count);
    if (to.open.size() == store_->block_bytes) write(to);
  }
}

void bucket_file::write(bucket& to) {
  block next{.bytes = std::uint32_t(to.open.size()), .checksum = checksum(to.open)};
  {
    std::lock_guard const lock(store_->mutex);
    if (store_->free_slots.empty()) {
      next.slot = store_->num_slots++;
    } else {
      next.slot = store_->free_slots.back();
      store_->free_slots.pop_back();
    }
  }
  store_->file.write_at(next.slot * store_->block_bytes, to.open);
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
  store_->file.read_at(block.slot * store_->block_bytes, to);
  if (checksum(to) != block.checksum)
    throw input_error(fmt::format("cannot read: {}: it is not what was written to it", store_->file.name()));
}

void bucket_file::discard(std::size_t number) {
  bucket& of = buckets_[number];
  std::lock_guard const lock(of.mutex), lock_slots(store_->mutex);
  std::vector<char>().swap(of.open);
  for (block const& block : of.blocks) store_->free_slots.push_back(block.slot);
  std::vector<block>().swap(of.blocks);
}

std::uint64_t bucket_file::disk_bytes() const {
  std::lock_guard const lock(store_->mutex);
  return (store_->num_slots - store_->free_slots.size()) * store_->block_bytes;
}

}  // namespace ordo::inline v0::external
