#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/byte_mask.hpp"
#include "ordo/backend.hpp"
#include "ordo/suffix/policy.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/buffer_sizes.hpp"
#include "suffix/text/packed_text.hpp"

// Arrays without some rows. Unwanted rows of sorted suffixes are dropped as the arrays are stored. The LCP of a kept row is the
// minimum over it and the rows dropped before it.
namespace ordo::inline v0::suffix::detail {

/// A set of positions, as bits in the order of break_mask.
struct position_set {
  std::uint64_t const* words;
  ORDO_FN bool operator()(std::size_t p) const { return words[p / 64] >> (63 - p % 64) & 1; }
};

/// Computes word w of the set of positions whose suffixes have rows. Letters has a member byte(p).
template <class Letters>
struct mark_rows {
  Letters text;
  std::uint64_t const* starts;  // starts of the records; the first one is 0
  std::size_t records, n;
  row_selection selection;

  ORDO_FN std::uint64_t operator()(std::size_t w) const {
    std::size_t const begin = 64 * w, end = begin + 64 < n ? begin + 64 : n;
    std::size_t record = 0;  // the last one that begins at or before `begin`
    for (std::size_t beyond = records; beyond - record > 1;) {
      std::size_t const middle = record + (beyond - record) / 2;
      (starts[middle] <= begin ? record : beyond) = middle;
    }
    std::uint64_t word = 0, phase = (begin - starts[record]) % selection.sample;
    for (std::size_t p = begin; p < end; ++p) {
      for (; record + 1 < records && starts[record + 1] == p; ++record) phase = 0;
      if (phase == 0 && !(selection.skip_ambiguous && !is_nucleotide(text.byte(p)))) word |= std::uint64_t{1} << (63 - p % 64);
      if (++phase == selection.sample) phase = 0;
    }
    return word;
  }
};

/// Sets to[i] to f(i).
template <class F, class T>
struct store_each {
  F f;
  T* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = f(i); }
};

/// Counts the positions of a set in a word.
struct ones_of_set {
  std::uint64_t const* words;
  ORDO_FN std::size_t operator()(std::size_t w) const { return count_ones(words[w]); }
};

/// Sets kept[i] to 1 if row i is kept, otherwise to 0.
template <class Index>
struct mark_kept {
  position_set set;
  Index const* suffix;
  std::size_t size;
  unsigned char* kept;
  ORDO_FN void operator()(std::size_t i) const {
    if (i + lookahead < size) prefetch(set.words + suffix[i + lookahead] / 64);
    kept[i] = set(suffix[i]) ? 1 : 0;
  }
};

struct row_is_kept {
  unsigned char const* kept;
  ORDO_FN bool operator()(std::size_t i) const { return kept[i] != 0; }
};

/// The minimum length of the rows since the last kept one. (No padding: every byte that is copied from a GPU must have a
/// value.)
template <class Index>
struct min_length {
  Index length, begins;  // whether the row before is kept: 0 or 1
};

struct min_length_of_two {
  template <class Index>
  ORDO_FN min_length<Index> operator()(min_length<Index> a, min_length<Index> b) const {
    if (b.begins != 0) return b;
    return {b.length < a.length ? b.length : a.length, a.begins};
  }
};

template <class Index>
struct length_of_row {
  unsigned char const* kept;
  Index const* lcp;
  min_length<Index> before;  // the rows dropped before these; begins: the row before is kept

  ORDO_FN min_length<Index> operator()(std::size_t i) const {
    if (i != 0) return {lcp[i], kept[i - 1]};
    return {before.begins != 0 || lcp[0] < before.length ? lcp[0] : before.length, 1};
  }
};

template <class Index>
struct stored_length {
  min_length<Index> const* of;
  ORDO_FN Index operator()(std::size_t i) const { return of[i].length; }
};

/// Returns the number of rows that are filtered at a time: enough to be worth storing, few compared with the memory of sorting.
constexpr std::size_t rows_at_once(std::size_t n) {
  return std::min(n, std::clamp(n / 16, std::size_t{1} << 16, std::size_t{1} << 23));
}

/// Returns the memory of a row_filter for a text of n letters.
template <class Index>
std::size_t row_filter_memory(std::size_t n, bool lcp) {
  std::size_t const rows = rows_at_once(n), entry = sizeof(Index);
  return buffer_sizes::of((n + 63) / 64, 8) + buffer_sizes::of(rows, 1) + buffer_sizes::of(rows, entry) +
         (lcp ? buffer_sizes::of(rows, entry) + buffer_sizes::of(rows, 2 * entry) : 0);
}

/// Some rows of an order: how many, how many of them are kept, and the lowest length in those after the last kept one, or in
/// all of them.
struct dropped_rows {
  std::uint64_t rows = 0, kept = 0, lowest = 0, ends_kept = 1;  // ends_kept: whether the last one is kept, 0 or 1
};

/// Drops rows of the arrays of a text, part by part in order.
template <Backend B, class Index>
class row_filter {
 public:
  /// Allocates all the memory that it needs, except that of operations.
  /// @param lcp  whether there is one
  row_filter(B& backend, packed_text<B> const& packed, row_selection selection, bool lcp)
      : backend_(backend),
        marks_(backend.template buffer<std::uint64_t>((packed.size() + 63) / 64)),
        kept_(backend.template buffer<unsigned char>(rows_at_once(packed.size()))),
        sa_(backend.template buffer<Index>(kept_.size())),
        lcp_(backend.template buffer<Index>(lcp ? sa_.size() : 0)),
        lengths_(backend.template buffer<min_length<Index>>(lcp_.size())) {
    auto const bounds = packed.breaks().bounds();
    mark_rows<packed_view> const marked{packed.view(), bounds.data(), packed.records(), packed.size(), selection};
    backend.each(marks_.size(), store_each<mark_rows<packed_view>, std::uint64_t>{marked, marks_.data()});
    rows_ = backend.reduce(marks_.size(), ones_of_set{marks_.data()}, std::size_t{0}, plus{});
  }

  /// Returns the number of kept rows.
  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// Calls give(sa, lcp, row) for parts of the kept rows; `row` counts kept rows and is that of the first one.
  template <class Give>
  void operator()(std::span<Index const> sa, std::span<Index const> lcp, Give give) {
    for (std::size_t first = 0; first < sa.size(); first += kept_.size()) {
      std::size_t const size = std::min(sa.size() - first, kept_.size());
      std::span<Index const> const part = sa.subspan(first, size);
      backend_.each(size, mark_kept<Index>{{marks_.data()}, part.data(), size, kept_.data()});
      row_is_kept const is_kept{kept_.data()};
      std::size_t const count = backend_.select(size, is_kept, ordo::detail::element<Index>{part.data()}, sa_.span());
      if (!lcp.empty()) {
        backend_.scan(size, length_of_row<Index>{kept_.data(), lcp.data() + first, before_}, lengths_.span(),
                      min_length_of_two{});
        backend_.select(size, is_kept, stored_length<Index>{lengths_.data()}, lcp_.span());
        before_ = value_at(backend_, lengths_.span(), size - 1);
        before_.begins = value_at(backend_, kept_.span(), size - 1);
      }
      if (count != 0)
        give(std::span<Index const>(sa_.span().first(count)),
             std::span<Index const>(lcp.empty() ? lcp_.span() : lcp_.span().first(count)), given_);
      given_ += count;
    }
  }

  /// Returns what would be dropped of these rows, the first of an order.
  dropped_rows survey(std::span<Index const> sa, std::span<Index const> lcp) {
    (*this)(sa, lcp, [](std::span<Index const>, std::span<Index const>, std::size_t) {});
    dropped_rows const rows{sa.size(), given_, before_.length, before_.begins};
    start_behind({});
    return rows;
  }
  /// Starts again, with rows that follow others.
  void start_behind(dropped_rows const& before) {
    before_ = {Index(before.lowest), Index(before.ends_kept)};
    given_ = 0;
  }

 private:
  B& backend_;
  buffer<std::uint64_t> marks_;
  buffer<unsigned char> kept_;
  buffer<Index> sa_, lcp_;
  buffer<min_length<Index>> lengths_;
  min_length<Index> before_{0, 1};
  std::size_t rows_ = 0, given_ = 0;
};

// A sample: only every sample-th position of each record has a row, and only these suffixes are sorted. At a multiple of the
// distance after such a position there is another one, or the end of its record. So their ranks tell them apart, and time and
// memory are proportional to the number of rows.

/// Computes word w of these positions and the end of the text, and their number.
struct sampled_word {
  mark_rows<packed_view> marked;
  ORDO_FN set_word operator()(std::size_t w) const {
    std::uint64_t const end = w == marked.n / 64 ? std::uint64_t{1} << (63 - marked.n % 64) : 0, bits = marked(w) | end;
    return {bits, count_ones(bits)};
  }
};

struct set_word_at {
  set_word const* words;
  ORDO_FN set_word operator()(std::size_t w) const { return words[w]; }
};

/// Some positions of a text, and their numbers among these.
template <Backend B>
class numbered_positions {
 public:
  /// Returns the memory for a text of n letters: 1/4 byte a letter.
  static std::size_t memory(std::size_t n) { return buffer_sizes::of(set_words(n), sizeof(set_word)); }

  /// @param distance  the distance between positions of the sample
  /// @param make_word  makes word w of the positions, with the end of the text, of a sample
  template <class MakeWord>
  numbered_positions(B& backend, packed_text<B> const& packed, std::uint64_t distance, MakeWord make_word)
      : distance_(distance), words_(backend.template buffer<set_word>(set_words(packed.size()))) {
    mark_rows<packed_view> const sample{
        packed.view(), packed.breaks().bounds().data(), packed.records(), packed.size(), {false, distance}};
    using word_at = decltype(make_word(sample));
    backend.each(words_.size(), store_each<word_at, set_word>{make_word(sample), words_.data()});
    backend.scan(words_.size(), set_word_at{words_.data()}, words_.span(), count_on{});
    count_ = std::size_t(value_at(backend, words_.span(), words_.size() - 1).end) - 1;
  }

  /// Returns the number of positions, without the end of the text, whose number this is.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] numbered_position numbers() const { return {words_.data(), std::size_t(distance_)}; }

 private:
  std::uint64_t distance_;
  buffer<set_word> words_;
  std::size_t count_ = 0;
};

/// The positions of a sample.
template <Backend B>
class sampled_positions : public numbered_positions<B> {
 public:
  sampled_positions(B& backend, packed_text<B> const& packed, std::uint64_t distance)
      : numbered_positions<B>(backend, packed, distance,
                              [](mark_rows<packed_view> const& sample) { return sampled_word{sample}; }) {}
};

}  // namespace ordo::inline v0::suffix::detail
