#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Rows [begin, end) of a suffix array.
struct row_range {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

/// The k-mers of a table: all strings of `length` letters out of `letters`, which ascend. They are numbered in order.
struct kmer_set {
  static constexpr unsigned max_length = 30;  // an alphabet of two letters has 2^30

  unsigned length = 0;
  std::string letters;

  /// Returns the number of k-mers; nothing if there are more than 2^30, or if length or letters are empty.
  [[nodiscard]] std::optional<std::uint64_t> count() const noexcept;
};

/// Returns the alphabet of a table: the nucleotides if a text has hardly any other letter but N, otherwise the letters that
/// make up 99 of 100 residues.
std::string frequent_letters(std::string_view residues);

/// A k-mer table: for each k-mer the first row that is not smaller, then the number of rows: count() + 1 entries. A search
/// starts from it, and saves as many steps as its number of entries has bits.
class kmer_table {
 public:
  /// An empty table, which restricts no search.
  kmer_table() = default;
  /// @param name  for messages
  kmer_table(kmer_set kmers, entries first_rows, std::string name);

  /// Returns the number of letters of a k-mer; 0 for an empty table.
  [[nodiscard]] unsigned length() const noexcept { return first_rows_.empty() ? 0 : kmers_.length; }
  /// Prefetches the entries that rows(pattern) will read.
  void prefetch(std::string_view pattern) const noexcept;
  /// Returns rows in [0, n) that include all suffixes that begin with the pattern, and few others if the pattern has `length`
  /// letters.
  /// @throws input_error  if the entries are no rows, or descend
  [[nodiscard]] row_range rows(std::string_view pattern, std::size_t n) const;

 private:
  struct bounds {
    std::uint64_t first, last;  // entries
  };
  [[nodiscard]] std::optional<bounds> find(std::string_view pattern) const noexcept;

  kmer_set kmers_;
  entries first_rows_;
  std::string name_;
  std::array<signed char, 256> digit_of_{};
  std::array<std::uint64_t, 32> power_{};  // powers of the number of letters
};

/// Returns the bytes of a table's file, with entries as wide as those of sa. O(n length), on `threads` threads (0: all).
/// @throws input_error  naming `name` and the row, if sa holds no position or is out of order
std::vector<char> make_kmer_table(text const& input, entries sa, kmer_set const& kmers, std::string const& name,
                                  unsigned threads = 0);

/// Returns the first k-mer whose entry differs from what make_kmer_table would write.
/// @throws as make_kmer_table
std::optional<std::size_t> find_wrong_kmer(text const& input, entries sa, kmer_set const& kmers, entries first_rows,
                                           std::string const& name, unsigned threads = 0);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
