#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/text_letters.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// An FM index (Ferragina and Manzini, FOCS 2000) as it lies in its file: the BWT in bit planes with counts of each symbol,
/// every s-th entry of the suffix array, and the record of each letter '$'. Its alphabet is what the text has. There are two
/// layouts. If almost all letters are four, as in DNA, the packed one takes 2.67 bits a letter: two bit planes and the counts
/// of 192 rows lie in 64 bytes, and the rows of other letters are listed as runs. It also holds the text in two bits a letter,
/// so that a search for matches reads no other file. The other one takes a bit plane for each bit of a symbol. Entries for each
/// s-th row come on top. Finds what a searcher finds, by the same rows, in a fraction of the memory: a pattern costs two random
/// reads for each of its letters, a position s reads on average. Numbers are checked before use: nothing outside the file is
/// read, whatever it holds. Any number of threads may use one index.
class fm_index {
 public:
  fm_index() = default;
  /// @param input  its starts must outlive this; its residues are not read
  /// @param name  of the file, for messages
  /// @throws input_error  if sizes and symbols contradict each other or the text
  fm_index(std::span<char const> bytes, text const& input, std::string name);

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  /// Returns the distance of sampled rows.
  [[nodiscard]] std::uint64_t sample() const noexcept { return sample_; }
  /// Returns the number of different letters.
  [[nodiscard]] std::size_t letters() const noexcept { return symbols_ == 0 ? 0 : symbols_ - 1; }

  /// Returns how often a letter occurs.
  [[nodiscard]] std::uint64_t count(char letter) const noexcept {
    std::size_t const symbol = symbol_of_[static_cast<unsigned char>(letter)];
    return symbol == 0 ? 0 : first_[symbol + 1] - first_[symbol];
  }
  /// Returns whether the file holds the letters of the text: in the packed layout.
  [[nodiscard]] bool has_text() const noexcept { return packed_; }
  /// @pre has_text()
  [[nodiscard]] text_letters const& packed_text() const noexcept { return packed_text_; }

  /// Sets rows[i] to the rows of the suffixes that begin with patterns[i]; to all rows for an empty pattern.
  /// @throws input_error  for counts that no BWT has; usage_error  rows and patterns differ in number
  void find(std::span<std::string_view const> patterns, std::span<row_range> rows) const;
  [[nodiscard]] row_range find(std::string_view pattern) const {
    row_range rows;
    find({&pattern, 1}, {&rows, 1});
    return rows;
  }
  /// Returns the position that a row holds. @throws input_error  if it is no position of the text
  [[nodiscard]] std::uint64_t position(std::size_t row) const;
  /// Replaces rows by the positions that they hold. Interleaved walks hide the latency of memory. @throws as position
  void positions(std::span<std::uint64_t> rows) const;

  /// An interval of the rows of all suffixes and, before them, of the ends of records.
  struct interval {
    std::uint64_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const noexcept { return begin >= end; }
  };
  /// Returns the interval of the empty string.
  [[nodiscard]] interval all_rows() const noexcept { return {0, rows_}; }
  /// Returns the interval of a letter followed by the string of `of`: a step of backward search.
  /// @throws input_error  for counts that no BWT has
  [[nodiscard]] interval before(char letter, interval of) const;
  /// Returns the interval of the last letters of a string, as many as the table of k-mers has, and sets `left` to the number of
  /// letters before these. Without a table, or for other letters than the four most frequent ones, those are no letters.
  [[nodiscard]] interval last_letters(std::string_view string, std::size_t& left) const noexcept {
    left = string.size();
    if (kmers_.empty() || left < kmer_length_) return all_rows();
    std::size_t word = 0;
    for (char const letter : string.substr(left - kmer_length_)) {
      std::size_t const code = kmer_code_[static_cast<unsigned char>(letter)];
      if (code > 3) return all_rows();
      word = word << 2 | code;
    }
    left -= kmer_length_;
    return kmers_[word];
  }
  /// Makes a table of the intervals of all strings of k of the four most frequent letters, k such that it has at most an entry
  /// for 32 letters of the text, and at most as many as there are searches to come. It saves each search k steps. Does nothing
  /// for the general layout. Takes 16 bytes and a step an entry. @throws as before
  void make_kmers(std::uint64_t searches);

  /// Returns how many rows are not greater than a letter followed by a string, if `rows` rows are not greater than the string.
  /// @throws as before
  [[nodiscard]] std::uint64_t rows_before(char letter, std::uint64_t rows) const;
  /// Returns its rows of suffixes.
  [[nodiscard]] row_range rows(interval of) const noexcept {
    std::uint64_t const begin = std::max(of.begin, records_);
    return {std::size_t(begin - records_), std::size_t(std::max(of.end, begin) - records_)};
  }
  /// Prefetches what the next step from this interval reads.
  void prefetch(interval of) const noexcept {
    prefetch(of.begin);
    prefetch(of.end);
  }

 private:
  friend std::vector<char> make_fm_index(text const&, entries, std::uint64_t, std::string const&, unsigned, std::size_t);
  struct layout;
  struct run_list {  // the rows of a symbol that is in no bit plane
    char const* at = nullptr;
    std::uint64_t count = 0;
  };
  struct walk;
  static constexpr std::size_t max_symbols = 257;  // the end of a record, and all bytes

  [[noreturn]] void refuse(std::string const& why) const;
  void check_symbols(layout const& at);
  [[nodiscard]] char const* block_of(std::uint64_t row) const noexcept;
  void prefetch(std::uint64_t row) const noexcept;
  [[nodiscard]] std::uint64_t rank(std::size_t symbol, std::uint64_t row) const noexcept;
  [[nodiscard]] std::uint64_t rank_in_block(std::size_t symbol, std::uint64_t row) const noexcept;
  [[nodiscard]] std::uint64_t rank_in_runs(std::size_t symbol, std::uint64_t row) const noexcept;
  [[nodiscard]] std::uint64_t rank_of_code(std::size_t code, std::uint64_t row) const noexcept;
  [[nodiscard]] std::size_t symbol_at(std::uint64_t row) const noexcept;
  [[nodiscard]] bool step(walk& one) const;

  std::span<char const> bytes_;
  std::span<std::uint64_t const> starts_;
  std::string name_;
  std::uint64_t residues_ = 0, records_ = 0, rows_ = 0, sample_ = 1;
  std::size_t symbols_ = 0, planes_ = 0, block_rows_ = 0, block_bytes_ = 0;
  std::array<std::uint16_t, 256> symbol_of_{};          // 0: the text does not have the byte
  std::array<std::uint64_t, max_symbols + 1> first_{};  // the first row of each symbol; then the number of rows
  char const *super_ = nullptr, *blocks_ = nullptr;
  entries ends_, samples_;
  // Of the packed layout: the symbols in the bit planes, and the runs of each other symbol.
  bool packed_ = false;
  std::array<std::uint16_t, 4> common_{};  // 0: none
  std::vector<std::uint8_t> code_of_;      // 4: in runs
  std::vector<run_list> runs_;             // by symbol
  std::vector<std::uint16_t> listed_;      // the symbols in runs
  text_letters packed_text_;
  // The table of k-mers, by the codes of their letters, the first letter's the most significant one; may be empty.
  std::vector<interval> kmers_;
  std::size_t kmer_length_ = 0;
  std::array<std::uint8_t, 256> kmer_code_{};  // 4: none
};

/// Returns the bytes of an FM index's file, in the packed layout if the letters other than the four most frequent ones are few
/// or in few runs. O(n), on `threads` threads (0: all). Memory: the result.
/// @param sa  of all suffixes @param sample  every how many rows a position is stored, above 0
/// @param max_bytes  of the result
/// @throws input_error  naming `name` and the row, if sa holds no position of the text; usage_error  for wrong sizes;
///     out_of_memory
std::vector<char> make_fm_index(text const& input, entries sa, std::uint64_t sample, std::string const& name,
                                unsigned threads = 0, std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
