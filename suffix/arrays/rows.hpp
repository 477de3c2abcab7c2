#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/policy.hpp"

namespace ordo::inline v0::suffix::detail {

/// The positions of a text whose suffixes have rows. Memory: a bit a letter.
class chosen_rows {
 public:
  /// @param threads  0: all
  chosen_rows(text const& input, row_selection selection, unsigned threads = 0);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool operator()(std::size_t p) const noexcept { return words_[p / 64] >> (63 - p % 64) & 1; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
};

/// Returns the memory of check_chosen besides that of build and check: the arrays of all rows, and the set of chosen ones.
inline std::size_t memory_of_all_rows(std::size_t n, std::size_t index_bytes, bool lcp) {
  return n * index_bytes * (lcp ? 2 : 1) + n / 8 + 64;
}

/// Implements suffix::check for arrays without some rows.
template <class Index>
std::optional<mismatch> check_chosen(text const& input, arrays<Index const> all, build_options const& options,
                                     build_report* done);

}  // namespace ordo::inline v0::suffix::detail
