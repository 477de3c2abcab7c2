#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/fm_view.hpp"
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
  /// @param name  the name of the file, for messages
  /// @throws input_error  if sizes and symbols contradict each other or the text
  fm_index(std::span<char const> bytes, text const& input, std::string name);

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Returns the distance of sampled rows.
  [[nodiscard]] std::uint64_t sample() const noexcept { return view_.sample; }
  /// Returns the number of different letters.
  [[nodiscard]] std::size_t letters() const noexcept;

  /// Returns how often a letter occurs.
  [[nodiscard]] std::uint64_t count(char letter) const noexcept {
    std::size_t const symbol = empty() ? 0 : symbols_->of_byte[static_cast<unsigned char>(letter)];
    return symbol == 0 ? 0 : symbols_->first[symbol + 1] - symbols_->first[symbol];
  }
  /// Returns true if it is an index of runs (run_length_index), which has no letters of the text: its rows of N come after
  /// those of T, and both strands of each record are records.
  [[nodiscard]] bool has_runs() const noexcept { return view_.in_runs; }
  /// Returns true if the file holds the letters of the text: in the packed layout.
  [[nodiscard]] bool has_text() const noexcept { return view_.packed; }
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

  using interval = fm_interval;
  /// Returns the interval of the empty string.
  [[nodiscard]] interval all_rows() const noexcept { return view_.all_rows(); }
  /// Returns the interval of a letter followed by the string of `of`: a step of backward search.
  /// @throws input_error  for counts that no BWT has
  [[nodiscard]] interval before(char letter, interval of) const {
    interval next;
    if (!view_.step(letter, of, next)) refuse_counts(next);
    return next;
  }
  /// Does fm_view::last_letters.
  [[nodiscard]] interval last_letters(std::string_view string, std::size_t& left) const noexcept {
    return view_.last_letters(string.data(), string.size(), left);
  }
  /// Makes a table of the intervals of all strings of k of the four most frequent letters, k such that it has at most an entry
  /// for 32 letters of the text, and at most as many as there are searches to come. It saves each search k steps. Does nothing
  /// for the general layout. Takes 16 bytes and a step an entry. @param threads  see machine_options @throws as before
  void make_kmers(std::uint64_t searches, unsigned threads = 0);

  /// Throws input_error for an interval that no BWT has.
  [[noreturn]] void refuse_counts(interval rows) const;
  /// Returns how many rows are not greater than a letter followed by a string, if `rows` rows are not greater than the string.
  /// @throws as before
  [[nodiscard]] std::uint64_t rows_before(char letter, std::uint64_t rows) const;
  /// Returns its rows of suffixes.
  [[nodiscard]] row_range rows(interval of) const noexcept {
    interval const rows = view_.suffixes(of);
    return {std::size_t(rows.begin), std::size_t(rows.end)};
  }
  /// Prefetches what the next step from this interval reads.
  void prefetch(interval of) const noexcept { view_.prefetch(of); }

  /// Returns the parts in memory, the file, the symbols that the view points to, and the table of k-mers.
  [[nodiscard]] fm_view const& view() const noexcept { return view_; }
  [[nodiscard]] std::span<char const> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::span<interval const> kmers() const noexcept {
    return kmers_ ? std::span<interval const>(*kmers_) : std::span<interval const>();
  }
  /// Returns the letters of the text as they lie in a copy of the file. @pre has_text()
  [[nodiscard]] text_letters packed_text(char const* file) const noexcept;

 private:
  friend std::vector<char> make_fm_index(text const&, entries, std::uint64_t, std::string const&, unsigned, std::size_t);
  struct layout;

  [[noreturn]] void refuse(std::string const& why) const;
  [[noreturn]] void refuse_walk(fm_view::walk const& walk, fm_view::outcome why) const;
  void check_symbols(layout const& at);
  void open_runs();

  std::span<char const> bytes_;
  std::string name_;
  // Copies of an index share what they point to.
  std::shared_ptr<fm_symbols> symbols_;
  std::shared_ptr<std::vector<interval> const> kmers_;
  fm_view view_;
  std::uint64_t codes_at_ = 0, text_runs_at_ = 0;  // where the text is in the file
  text_letters packed_text_;
};

/// Returns the bytes of an FM index's file, in the packed layout if the letters other than the four most frequent ones are few
/// or in few runs. O(n), on `threads` threads (0: all). Memory: the result.
/// @param sa  the suffix array of all suffixes @param sample  every how many rows a position is stored, above 0
/// @param max_bytes  the maximum size of the result
/// @throws input_error  naming `name` and the row, if sa holds no position of the text; usage_error  for wrong sizes;
///     out_of_memory
std::vector<char> make_fm_index(text const& input, entries sa, std::uint64_t sample, std::string const& name,
                                unsigned threads = 0, std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
