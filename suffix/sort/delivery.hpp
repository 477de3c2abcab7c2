#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ordo/suffix.hpp"
#include "suffix/sort/bwt.hpp"
#include "suffix/sort/row_filter.hpp"
#include "suffix/text/packed_text.hpp"

// Where what a machine has made goes.
namespace ordo::suffix::detail {

/// Where the results of build go. A machine makes them in the host's memory, or for it; where there is none, in its own; and
/// stores to the sinks that there are. Where rows are left out, only sinks get what is left.
template <class Index>
struct results {
  wanted what;
  arrays<Index> memory;
  sinks stored;
  row_choice rows = {};
};

constexpr std::size_t narrow_bytes = 5;  // of an entry of 40 bits

/// The first bytes of a sink.
inline void store_first(sink& to, std::span<char const> bytes) {
  if (to.addressable())
    to.write_at(0, bytes);
  else
    to.write(bytes);
}

/// Byte i of entries of five bytes.
template <class Index>
struct narrow_byte {
  Index const* entries;
  unsigned char* to;
  ORDO_FN void operator()(std::size_t i) const {
    to[i] = static_cast<unsigned char>(std::uint64_t(entries[i / narrow_bytes]) >> (8 * (i % narrow_bytes)));
  }
};

/// What has been made goes to the host's memory and to the sinks.
template <Backend B, class Index>
class delivery {
 public:
  /// Takes what memory it needs.
  delivery(B& machine, packed_text<B> const& packed, results<Index> const& to)
      : machine_(machine),
        to_(to),
        records_(packed.records()),
        narrow_(machine.template buffer<unsigned char>(
            to.stored.entry_bytes == narrow_bytes ? std::min(packed.size(), narrowed_at_once) * narrow_bytes : 0)) {}

  /// What was made of sa and lcp, where there is one, from row `at` on; parts come in order.
  void give_order(std::span<Index const> sa, std::span<Index const> lcp, std::size_t at, row_filter<B, Index>* filter) const {
    if (filter) {
      (*filter)(sa, lcp, [&](std::span<Index const> kept, std::span<Index const> lengths, std::size_t row) {
        give_entries(kept, {}, to_.stored.sa, row);
        if (to_.what.lcp) give_entries(lengths, {}, to_.stored.lcp, row);
      });
      return;
    }
    give_entries(sa, to_.memory.sa, to_.stored.sa, at);
    if (to_.what.lcp) give_entries(lcp, to_.memory.lcp, to_.stored.lcp, at);
  }

  /// Entries of sa or lcp, from entry `at` on.
  void give_entries(std::span<Index const> made, std::span<Index> memory, sink* stored, std::size_t at) const {
    if (narrow_.size() == 0) return give(made, memory, stored, at);
    give(made, memory, nullptr, at);
    for (std::size_t first = 0; stored && first < made.size(); first += narrowed_at_once) {
      std::size_t const bytes = std::min(made.size() - first, narrowed_at_once) * narrow_bytes;
      machine_.each(bytes, narrow_byte<Index>{made.data() + first, narrow_.data()});
      machine_.store(std::span<unsigned char const>(narrow_.span().first(bytes)), *stored, (at + first) * narrow_bytes);
    }
  }
  /// Rows of the BWT, behind those of the ends.
  void give_rows(std::span<char const> made, std::size_t at) const {
    give(made, to_.memory.bwt, to_.stored.bwt, records_ + at);
  }
  /// The rows of the ends.
  void give_rows_of_ends(packed_text<B> const& packed) const {
    auto const rows = machine_.template buffer<char>(records_);
    residues_before_ends(machine_, packed, rows.span());
    std::string last(records_, '\0');
    machine_.download(std::span<char const>(rows.span()), std::span<char>(last));
    if (to_.stored.bwt)
      store_first(*to_.stored.bwt, last);
    else
      std::ranges::copy(last, to_.memory.bwt.begin());
  }

 private:
  static constexpr std::size_t narrowed_at_once = std::size_t{1} << 23;

  template <class T>
  void give(std::span<T const> made, std::span<T> memory, sink* stored, std::size_t at) const {
    if (!memory.empty()) machine_.download(made, memory.subspan(at, made.size()));
    if (stored) machine_.store(made, *stored, at * sizeof(T));
  }

  B& machine_;
  results<Index> const& to_;
  std::size_t records_;
  buffer<unsigned char> narrow_;
};

}  // namespace ordo::suffix::detail
