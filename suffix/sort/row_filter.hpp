#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/byte_mask.hpp"
#include "ordo/backend.hpp"
#include "ordo/suffix/policy.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/text/packed_text.hpp"

// Arrays of which some rows are left out. The rows of sorted suffixes that are not wanted are dropped as the arrays are
// stored, and an LCP is the least of the rows between two that stay (of a row and those dropped before it).
namespace ordo::suffix::detail {

/// A set of positions: bit p of a stream as that of break_mask.
struct position_set {
  std::uint64_t const* words;
  ORDO_FN bool operator()(std::size_t p) const { return words[p / 64] >> (63 - p % 64) & 1; }
};

/// Word w of the set of positions whose suffixes have rows. Letters has a member byte(p).
template <class Letters>
struct mark_rows {
  Letters text;
  std::uint64_t const* starts;  // of the records; the first one is 0
  std::size_t records, n;
  row_choice which;

  ORDO_FN std::uint64_t operator()(std::size_t w) const {
    std::size_t const begin = 64 * w, end = begin + 64 < n ? begin + 64 : n;
    std::size_t record = 0;  // the last one that begins at `begin` or before it
    for (std::size_t beyond = records; beyond - record > 1;) {
      std::size_t const middle = record + (beyond - record) / 2;
      (starts[middle] <= begin ? record : beyond) = middle;
    }
    std::uint64_t word = 0, phase = (begin - starts[record]) % which.sample;
    for (std::size_t p = begin; p < end; ++p) {
      for (; record + 1 < records && starts[record + 1] == p; ++record) phase = 0;
      if (phase == 0 && !(which.skip_ambiguous && !is_nucleotide(text.byte(p)))) word |= std::uint64_t{1} << (63 - p % 64);
      if (++phase == which.sample) phase = 0;
    }
    return word;
  }
};

/// to[i] := f(i)
template <class F, class T>
struct store_each {
  F f;
  T* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = f(i); }
};

/// How many positions of a set are in a word.
struct ones_of_set {
  std::uint64_t const* words;
  ORDO_FN std::size_t operator()(std::size_t w) const { return count_ones(words[w]); }
};

/// stays[i] := 1 if row i does, else 0.
template <class Index>
struct write_stays {
  position_set set;
  Index const* suffix;
  std::size_t size;
  unsigned char* stays;
  ORDO_FN void operator()(std::size_t i) const {
    if (i + lookahead < size) prefetch(set.words + suffix[i + lookahead] / 64);
    stays[i] = set(suffix[i]) ? 1 : 0;
  }
};

struct row_stays {
  unsigned char const* stays;
  ORDO_FN bool operator()(std::size_t i) const { return stays[i] != 0; }
};

/// The least length of the rows since the last one that stayed. (No padding: a GPU's memory has no byte without a value.)
template <class Index>
struct least_length {
  Index length, begins;  // is the row before one that stays? 0 or 1
};

struct least_length_of_two {
  template <class Index>
  ORDO_FN least_length<Index> operator()(least_length<Index> a, least_length<Index> b) const {
    if (b.begins != 0) return b;
    return {b.length < a.length ? b.length : a.length, a.begins};
  }
};

template <class Index>
struct length_of_row {
  unsigned char const* stays;
  Index const* lcp;
  least_length<Index> before;  // of what was dropped before these rows; begins: the row before stays

  ORDO_FN least_length<Index> operator()(std::size_t i) const {
    if (i != 0) return {lcp[i], stays[i - 1]};
    return {before.begins != 0 || lcp[0] < before.length ? lcp[0] : before.length, 1};
  }
};

template <class Index>
struct stored_length {
  least_length<Index> const* of;
  ORDO_FN Index operator()(std::size_t i) const { return of[i].length; }
};

/// How many rows of n are looked at together: enough that storing them is worth it, few beside what sorting takes.
constexpr std::size_t rows_at_once(std::size_t n) {
  return std::min(n, std::clamp(n / 16, std::size_t{1} << 16, std::size_t{1} << 23));
}

/// What a row_filter takes from the pool for a text of n letters.
template <class Index>
std::size_t row_filter_memory(std::size_t n, bool lcp) {
  std::size_t const rows = rows_at_once(n), entry = sizeof(Index);
  return buffer_sizes::of((n + 63) / 64, 8) + buffer_sizes::of(rows, 1) + buffer_sizes::of(rows, entry) +
         (lcp ? buffer_sizes::of(rows, entry) + buffer_sizes::of(rows, 2 * entry) : 0);
}

/// Drops rows of the arrays of a text, which are given part by part, in order.
template <Backend B, class Index>
class row_filter {
 public:
  /// @param lcp  is there one? Takes all the memory that it will need, but for that of verbs
  row_filter(B& machine, packed_text<B> const& packed, row_choice which, bool lcp)
      : machine_(machine),
        marks_(machine.template buffer<std::uint64_t>((packed.size() + 63) / 64)),
        stays_(machine.template buffer<unsigned char>(rows_at_once(packed.size()))),
        sa_(machine.template buffer<Index>(stays_.size())),
        lcp_(machine.template buffer<Index>(lcp ? sa_.size() : 0)),
        lengths_(machine.template buffer<least_length<Index>>(lcp_.size())) {
    auto const bounds = packed.breaks().bounds();
    mark_rows<packed_view> const marked{packed.view(), bounds.data(), packed.records(), packed.size(), which};
    machine.each(marks_.size(), store_each<mark_rows<packed_view>, std::uint64_t>{marked, marks_.data()});
    rows_ = machine.reduce(marks_.size(), ones_of_set{marks_.data()}, std::size_t{0}, plus{});
  }

  /// How many rows stay.
  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// give(sa, lcp, row) for parts of what stays of the next rows; `row` is that of the first one among those that stay.
  template <class Give>
  void operator()(std::span<Index const> sa, std::span<Index const> lcp, Give give) {
    for (std::size_t first = 0; first < sa.size(); first += stays_.size()) {
      std::size_t const size = std::min(sa.size() - first, stays_.size());
      std::span<Index const> const part = sa.subspan(first, size);
      machine_.each(size, write_stays<Index>{{marks_.data()}, part.data(), size, stays_.data()});
      row_stays const stays{stays_.data()};
      std::size_t const kept = machine_.select(size, stays, ordo::detail::element<Index>{part.data()}, sa_.span());
      if (!lcp.empty()) {
        machine_.scan(size, length_of_row<Index>{stays_.data(), lcp.data() + first, before_}, lengths_.span(),
                      least_length_of_two{});
        machine_.select(size, stays, stored_length<Index>{lengths_.data()}, lcp_.span());
        before_ = value_at(machine_, lengths_.span(), size - 1);
        before_.begins = value_at(machine_, stays_.span(), size - 1);
      }
      if (kept != 0)
        give(std::span<Index const>(sa_.span().first(kept)),
             std::span<Index const>(lcp.empty() ? lcp_.span() : lcp_.span().first(kept)), given_);
      given_ += kept;
    }
  }

 private:
  B& machine_;
  buffer<std::uint64_t> marks_;
  buffer<unsigned char> stays_;
  buffer<Index> sa_, lcp_;
  buffer<least_length<Index>> lengths_;
  least_length<Index> before_{0, 1};
  std::size_t rows_ = 0, given_ = 0;
};

}  // namespace ordo::suffix::detail
