#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/policy.hpp"

namespace ordo::suffix::detail {

/// The positions of a text whose suffixes have rows. Memory: a bit a letter.
class chosen_rows {
 public:
  /// By `threads` threads (0: all).
  chosen_rows(text const& input, row_choice which, unsigned threads = 0);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool operator()(std::size_t p) const noexcept { return words_[p / 64] >> (63 - p % 64) & 1; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
};

/// Returns what check_chosen holds beside the memory of build and check: the arrays of all rows, and which are chosen.
inline std::size_t memory_of_all_rows(std::size_t n, std::size_t index_bytes, bool lcp) {
  return n * index_bytes * (lcp ? 2 : 1) + n / 8 + 64;
}

/// suffix::check where rows are left out.
template <class Index>
std::optional<fault> check_chosen(text const& input, arrays<Index const> all, options const& how, report* done);

}  // namespace ordo::suffix::detail
