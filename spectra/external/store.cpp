#include "spectra/external/store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ordo/memory.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

host_memory plain;

constexpr std::size_t min_block = std::size_t{64} << 10, max_block = std::size_t{16} << 20;
// A growing vector takes up to three times the size of its content. Sorting takes 28 bytes a spectrum.
constexpr std::size_t growing = 3, to_sort = 28;
constexpr std::size_t max_spectra = ~std::uint32_t{0};

}  // namespace

spectrum_store::spectrum_store(order_keys const& keys, std::size_t limit)
    : keys_(keys), limit_(limit), block_(std::clamp(limit / 16, min_block, max_block)) {}

// Returns the size of the block to allocate for some bytes; 0 if they fit an existing one.
std::size_t spectrum_store::new_block(std::size_t bytes) const {
  if (blocks_used_ != 0 && blocks_[blocks_used_ - 1].size() - used_ >= bytes) return 0;
  if (blocks_used_ != blocks_.size() && blocks_[blocks_used_].size() >= bytes) return 0;
  return std::max(bytes, block_);
}

bool spectrum_store::has_room(std::size_t bytes, std::size_t spectra) {
  std::size_t const title = keys_.has(spectrum_key::title) ? sizeof(std::string_view) : 0;
  std::size_t const each = growing * (sizeof(ordered_spectrum) + keys_.count() * sizeof(std::uint64_t) + title) + to_sort;
  std::size_t const count = all_.size() + spectra;
  if (count >= max_spectra) return false;
  for (;;) {
    if (taken_ + new_block(bytes) + count * each <= limit_) return true;
    if (blocks_.size() == blocks_used_) return false;
    taken_ -= blocks_.back().size();  // allocated before, and not in use
    blocks_.pop_back();
  }
}

char* spectrum_store::place(std::size_t bytes) {
  if (std::size_t const size = new_block(bytes); size != 0) {
    blocks_.emplace(blocks_.begin() + std::ptrdiff_t(blocks_used_), plain, size);
    taken_ += size;
  }
  if (blocks_used_ == 0 || blocks_[blocks_used_ - 1].size() - used_ < bytes) {
    if (blocks_used_++ != 0) ends_.push_back(all_.size());
    used_ = 0;
  }
  return blocks_[blocks_used_ - 1].data() + std::exchange(used_, used_ + bytes);
}

void spectrum_store::add(ordered_spectrum const& spectrum, std::span<std::uint64_t const> codes, std::string_view title) {
  all_.push_back(spectrum);
  table_.codes.insert(table_.codes.end(), codes.begin(), codes.end());
  if (keys_.has(spectrum_key::title)) table_.titles.push_back(title);
  text_bytes_ += spectrum.bytes;
}

void spectrum_store::prepend(std::string_view text) {
  if (text.empty()) return;
  ordered_spectrum& first = all_.front();
  char* const memory = place(text.size() + std::size_t(first.bytes));
  std::copy_n(first.text, first.bytes, std::copy(text.begin(), text.end(), memory));
  first.text = memory;
  first.bytes += text.size();
  text_bytes_ += text.size();
}

// Keeps blocks of the usual size for later spectra.
void spectrum_store::clear() noexcept {
  std::erase_if(blocks_, [&](buffer<char> const& buffer) { return buffer.size() != block_; });
  taken_ = blocks_.size() * block_;  // has_room() may free them
  blocks_used_ = used_ = released_ = 0;
  ends_.clear();
  text_bytes_ = 0;
  all_.clear();
  table_.codes.clear();
  table_.titles.clear();
}

void spectrum_store::release() noexcept {
  clear();
  blocks_.clear();
  taken_ = 0;
  all_ = {};
  table_ = {};
}

void spectrum_store::release_before(std::size_t first) noexcept {
  for (; released_ < ends_.size() && ends_[released_] <= first; ++released_) blocks_[released_] = {};
}

bool stored_in_order::next(ordered_spectrum& to) {
  if (next_ == order_.size()) return false;
  to = from_.all()[order_[next_++]];
  return true;
}

void stored_in_order::append_index(std::string& to) const {
  std::size_t const i = order_[next_ - 1], keys = from_.keys().count();
  ordered_spectrum const& spectrum = from_.all()[i];
  std::string_view const title = from_.table().titles.empty() ? std::string_view() : from_.table().titles[i];
  index_entry const entry{spectrum.bytes, spectrum.number, spectrum.offset, spectrum.input, std::uint32_t(title.size())};
  to.append(reinterpret_cast<char const*>(&entry), sizeof(entry));
  to.append(reinterpret_cast<char const*>(from_.table().codes.data() + i * keys), keys * sizeof(std::uint64_t));
  to.append(title);
}

void stored_in_order::load(std::span<ordered_spectrum const> all, char* to) const {
  for (ordered_spectrum const& spectrum : all) {
    std::memcpy(to, spectrum.text, spectrum.bytes);
    to += spectrum.bytes;
  }
}

}  // namespace ordo::inline v0::spectra::detail
