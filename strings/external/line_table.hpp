#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/detail/load.hpp"

namespace ordo::inline v0::strings::detail {

/// Returns a hash of a text, by multiplications of 64 by 64 bits whose halves are combined. The same on every processor.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15, other = 0xd6e8feb86659fd93;
  auto const mixed = [](std::uint64_t a, std::uint64_t b) {
    auto const product = static_cast<unsigned __int128>(a) * b;
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
  };
  std::uint64_t hash = seed ^ mixed(text.size() + factor, other);
  char const* p = text.data();
  std::size_t left = text.size();
  for (std::uint64_t word = 0; left >= 8; p += 8, left -= 8) {
    std::memcpy(&word, p, 8);
    hash = mixed(hash ^ word, factor) + word;
  }
  std::uint64_t word = 0;
  if (left != 0) std::memcpy(&word, p, left);
  hash = mixed(hash ^ word, factor) + word;
  return mixed(hash ^ other, factor ^ (hash >> 32));
}

/// Distinct keys, each with the first line that has it and the number of such lines, in the order of their first lines. A hash
/// table with open addresses.
class line_table {
 public:
  struct entry {
    std::uint64_t hash, count;
    std::string_view key, line;
  };

  /// Returns the entry of a key, or null. Valid until the next insertion.
  [[nodiscard]] entry* find(std::string_view key, std::uint64_t hash) {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      if (slots_[at] == 0) return nullptr;
      entry& e = entries_[slots_[at] - 1];
      if (e.hash == hash && e.key == key) return &e;
    }
  }
  /// Load what find() will read, in three steps: the slot, the entry and its key. Between them the processor has time to do so.
  void prefetch_slot(std::uint64_t hash) const {
    if (!slots_.empty()) prefetch(&slots_[hash & mask()]);
  }
  void prefetch_entry(std::uint64_t hash) const {
    if (entry const* const e = first_entry(hash)) prefetch(e);
  }
  void prefetch_key(std::uint64_t hash) const {
    if (entry const* const e = first_entry(hash)) prefetch(e->key.data());
  }
  /// Adds a key that the table does not have. The texts must outlive it.
  void insert(entry const& added) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    entries_.push_back(added);
    place(entries_.size());
  }
  /// As above, with copies of the texts.
  void insert_copies(entry added) {
    bool const same = added.key.data() == added.line.data() && added.key.size() == added.line.size();
    added.line = stored(added.line);
    added.key = same ? added.line : stored(added.key);
    insert(added);
  }
  /// Copies a text, for as long as the table is not cleared.
  std::string_view stored(std::string_view text) {
    if (text.size() > room_) {
      room_ = std::max(text.size(), text_block);
      texts_.push_back(std::make_unique<char[]>(room_));
      at_ = texts_.back().get();
      text_bytes_ += room_;
    }
    char* const to = at_;
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    at_ += text.size();
    room_ -= text.size();
    return {to, text.size()};
  }
  void clear() {
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), std::size_t{0});
    texts_.clear();
    text_bytes_ = room_ = 0;
  }
  [[nodiscard]] std::span<entry const> entries() const { return entries_; }
  /// Returns the maximum memory after one more insertion, while the table grows, besides the text of that.
  [[nodiscard]] std::size_t memory() const {
    return text_bytes_ + 3 * (entries_.size() + 1) * sizeof(entry) + 3 * slots_.size() * sizeof(std::size_t);
  }

 private:
  static constexpr std::size_t text_block = std::size_t{64} << 10;

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] entry const* first_entry(std::uint64_t hash) const {
    std::size_t const number = slots_.empty() ? 0 : slots_[hash & mask()];
    return number == 0 ? nullptr : &entries_[number - 1];
  }
  void place(std::size_t number) {
    std::size_t at = entries_[number - 1].hash & mask();
    while (slots_[at] != 0) at = (at + 1) & mask();
    slots_[at] = number;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
    for (std::size_t number = 1; number <= entries_.size(); ++number) place(number);
  }

  std::vector<entry> entries_;
  std::vector<std::size_t> slots_;  // numbers of entries from 1 on; 0: free. A power of two, at least twice as many
  std::vector<std::unique_ptr<char[]>> texts_;
  char* at_ = nullptr;
  std::size_t room_ = 0, text_bytes_ = 0;
};

}  // namespace ordo::inline v0::strings::detail
