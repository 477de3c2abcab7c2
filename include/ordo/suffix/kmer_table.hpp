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

namespace ordo::suffix {

/// Rows [begin, end) of a suffix array.
struct row_range {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

/// Which words a k-mer table is of: all words of `length` letters out of `letters`, which ascend. They are numbered in order.
struct kmer_words {
  static constexpr unsigned longest = 30;  // more are too many, of however few letters

  unsigned length = 0;
  std::string letters;

  /// How many words there are; nothing if more than 2^30, none of a letter or no letters.
  [[nodiscard]] std::optional<std::uint64_t> count() const noexcept;
};

/// The letters to make a table of: the nucleotides of a text that hardly has others but N, else those that make up 99 of 100.
std::string frequent_letters(std::string_view residues);

/// The suffix array's first row that is not below a word, for every word, and the number of rows behind that: count() + 1
/// entries. It tells a search where to begin, so that it saves as many steps as the table has bits of entries.
class kmer_table {
 public:
  /// None: knows of no pattern where it is.
  kmer_table() = default;
  /// @param name  for messages
  kmer_table(kmer_words words, entries first_rows, std::string name);

  /// Of a pattern, before rows(): the entries that will be read.
  void expect(std::string_view pattern) const noexcept;
  /// Rows of [0, n) that hold all suffixes that begin with the pattern, and few others if it is as long as a word.
  /// @throws input_error  if the entries are no rows, or descend
  [[nodiscard]] row_range rows(std::string_view pattern, std::size_t n) const;

 private:
  struct bounds {
    std::uint64_t first, last;  // entries
  };
  [[nodiscard]] std::optional<bounds> find(std::string_view pattern) const noexcept;

  kmer_words words_;
  entries first_rows_;
  std::string name_;
  std::array<signed char, 256> digit_of_{};
  std::array<std::uint64_t, 32> power_{};  // of the number of letters
};

/// The bytes of a table's file, entries as wide as those of sa. By `threads` threads (0: all), O(n length).
/// @throws input_error  naming `name` and the row, where sa holds no position or is out of order
std::vector<char> make_kmer_table(text const& input, entries sa, kmer_words const& words, std::string const& name,
                                  unsigned threads = 0);

/// The first word whose entry is not what make_kmer_table would write. @throws as that does
std::optional<std::size_t> wrong_kmer(text const& input, entries sa, kmer_words const& words, entries first_rows,
                                      std::string const& name, unsigned threads = 0);

}  // namespace ordo::suffix
