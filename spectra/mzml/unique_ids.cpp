#include "spectra/mzml/unique_ids.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "spectra/mzml/outline.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t min_size = 1024;

// No hash is 0, which stands for a free place.
std::size_t nonzero(std::size_t hash) {
  return hash == 0 ? 1 : hash;
}

}  // namespace

bool unique_ids::holds(std::size_t hash) const {
  if (table_.empty()) return false;
  hash = nonzero(hash);
  std::size_t const mask = table_.size() - 1;
  for (std::size_t at = hash & mask; table_[at] != 0; at = (at + 1) & mask)
    if (table_[at] == hash) return true;
  return false;
}

void unique_ids::insert(std::size_t hash) {
  if (2 * (used_ + 1) > table_.size()) {
    std::vector<std::size_t> const before =
        std::exchange(table_, std::vector<std::size_t>(std::max(min_size, 2 * table_.size())));
    used_ = 0;
    for (std::size_t const known : before)
      if (known != 0) insert(known);
  }
  hash = nonzero(hash);
  std::size_t const mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at] != 0; at = (at + 1) & mask)
    if (table_[at] == hash) return;
  table_[at] = hash;
  ++used_;
}

void unique_ids::end_input() {
  std::string suffix;
  for (std::size_t number = suffixes_.size() + 1;; ++number) {
    if (std::ranges::none_of(now_, [&](std::size_t hash) { return holds(id_hash(suffix, hash)); })) break;
    suffix = fmt::format(" file={}", number);
  }
  for (std::size_t const hash : now_) insert(id_hash(suffix, hash));
  now_.clear();
  suffixes_.push_back(std::move(suffix));
}

}  // namespace ordo::inline v0::spectra::detail
