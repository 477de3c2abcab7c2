#include "spectra/mzml/document/index.hpp"

#include <algorithm>
#include <numeric>

namespace ordo::inline v0::spectra::detail {
namespace {

// Writes seven bits a byte; the last byte is without the eighth bit.
void append_number(std::uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to += char(0x80 | (value & 0x7f));
  to += char(value);
}

std::uint64_t read_number(std::string_view from, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    auto const byte = static_cast<unsigned char>(from[at++]);
    value |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

void indexed_elements::add(std::size_t id, std::string_view name, std::uint64_t read_at, std::uint64_t at) {
  all_.push_back({id, at});
  staying_ += at != dropped;
  auto const [same, unused] = std::ranges::mismatch(last_.name, name);
  std::size_t const kept = std::size_t(same - last_.name.begin());
  append_number(kept, log_);
  append_number(name.size() - kept, log_);
  log_ += name.substr(kept);
  append_number(read_at - last_.read_at, log_);
  last_.name.replace(kept, std::string::npos, name.substr(kept));
  last_.read_at = read_at;
}

void indexed_elements::move(std::size_t from, std::uint64_t by) {
  for (std::size_t i = from; i < all_.size(); ++i)
    if (all_[i].at != dropped) all_[i].at += by;
}

std::optional<indexed_elements::element> indexed_elements::next() {
  if (next_ == all_.size()) return std::nullopt;
  std::size_t const kept = read_number(log_, log_at_), size = read_number(log_, log_at_);
  visited_.name.replace(kept, std::string::npos, log_, log_at_, size);
  log_at_ += size;
  visited_.read_at += read_number(log_, log_at_);
  std::size_t const number = next_++;
  return element{visited_.name, visited_.read_at, all_[number].at, number};
}

std::optional<std::size_t> indexed_elements::find(std::size_t id) {
  if (next_ < all_.size() && all_[next_].id == id) return next_;
  if (by_id_.size() != all_.size()) {
    by_id_.resize(all_.size());
    std::iota(by_id_.begin(), by_id_.end(), std::size_t{0});
    std::ranges::stable_sort(by_id_, {}, [&](std::size_t number) { return all_[number].id; });
  }
  auto const begin = std::lower_bound(by_id_.begin(), by_id_.end(), id,
                                      [&](std::size_t number, std::size_t wanted) { return all_[number].id < wanted; });
  auto const end = std::upper_bound(begin, by_id_.end(), id,
                                    [&](std::size_t wanted, std::size_t number) { return wanted < all_[number].id; });
  if (begin == end) return std::nullopt;
  auto const later = std::lower_bound(begin, end, next_);
  return later == end ? *begin : *later;
}

void indexed_elements::note_added(std::size_t number) {
  if (added_.empty()) added_.resize(all_.size());
  added_[number] = true;
}

bool indexed_elements::pop_added(std::size_t number) {
  if (added_.empty() || !added_[number]) return false;
  added_[number] = false;
  return true;
}

}  // namespace ordo::inline v0::spectra::detail
