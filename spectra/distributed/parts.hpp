#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/spectra.hpp"

// Parts of the work that members of a communicator share.
namespace ordo::inline v0::spectra::detail {

/// Bytes [begin, begin + size) of a source, as a source.
class source_part final : public source {
 public:
  source_part(source const& from, std::uint64_t begin, std::uint64_t size) : from_(from), begin_(begin), size_(size) {}

  std::size_t read(std::span<char> to) override {
    std::size_t const n = std::size_t(std::min<std::uint64_t>(to.size(), size_ - std::min(size_, position_)));
    read_at(position_, to.first(n));
    position_ += n;
    return n;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }
  void read_at(std::uint64_t offset, std::span<char> to) const override { from_.read_at(begin_ + offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  void skip(std::uint64_t bytes) override { position_ += bytes; }

 private:
  source const& from_;
  std::uint64_t begin_, size_, position_ = 0;
};

/// Replaces the counts of this member by those of all. Collective.
inline void add_others(communicator& members, sort_report& to) {
  std::uint64_t* const counts[] = {&to.bytes,        &to.lines,      &to.spectra,
                                   &to.peaks,        &to.reordered,  &to.written,
                                   &to.spectra_kept, &to.peaks_kept, &to.missing_precursor};
  std::vector<std::uint64_t> all;
  for (std::uint64_t const* const count : counts) all.push_back(*count);
  members.reduce(all, reduction::sum);
  for (std::size_t i = 0; i < all.size(); ++i) *counts[i] = all[i];
}

}  // namespace ordo::inline v0::spectra::detail
