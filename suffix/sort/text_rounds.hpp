#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/text/packed_text.hpp"

// The first rounds of suffix_sort.hpp, by letters of the text.
namespace ordo::inline v0::suffix::detail {

/// Computes keys for suffixes that agree in their first `depth` letters: the letters that follow.
struct text_key {
  packed_view text;
  std::size_t depth;

  ORDO_FN std::uint64_t operator()(std::size_t p) const { return text.key_behind(p + depth); }
  ORDO_FN void prefetch(std::size_t p) const { text.prefetch(p + depth); }
};

/// Returns true if a group of equal keys begins at i. A suffix that ends in its key is settled, as a group of its own.
struct begins_key_group {
  packed_view text;
  std::uint64_t const* key;
  ORDO_FN bool operator()(std::size_t i) const { return i == 0 || key[i] != key[i - 1] || text.ends(key[i]); }
};

/// Returns true if a group of equal run keys begins at i. Suffixes of a run that ends its record are settled.
template <class Index>
struct begins_run_group {
  run_key runs;
  std::uint64_t const* key;
  Index const* suffix;
  ORDO_FN bool operator()(std::size_t i) const { return i == 0 || key[i] != key[i - 1] || runs.ends_record(suffix[i]); }
};

/// Runs the first round: sorts all suffixes by their first key. Suffixes with equal keys are left open; equal suffixes are
/// settled, because the sort is stable and begins with the order of positions. with_keys(keys, 0, 0) receives the keys in
/// order; later rounds permute only suffixes with equal keys.
template <Backend B, class Index, class WithKeys>
void sort_by_first_key(B& backend, packed_view text, std::span<Index> order, refinement<B, Index, Index>& open,
                       WithKeys with_keys) {
  auto const keys = backend.template buffer<std::uint64_t>(order.size());
  backend.argsort(
      order.size(), [=] ORDO_FN(std::size_t p) { return text.key(p); }, keys.span(), order, text.key_bits());
  open.start(std::span<Index const>(order), begins_key_group{text, keys.data()});
  with_keys(std::span<std::uint64_t const>(keys.span()), 0, 0);
}

/// Runs the first round for the suffixes of a range, whose order begins at row `first`. Keys are stored as distances from the
/// first letters of the range: with_keys(distances, first, key of these letters).
/// @param part  the suffixes, in the order of positions
template <Backend B, class Index, class WithKeys>
void sort_range_by_first_key(B& backend, packed_view text, key_range const& range, std::size_t first, std::span<Index> part,
                             refinement<B, Index, Index>& open, WithKeys& with_keys) {
  auto const keys = backend.template buffer<std::uint64_t>(part.size());
  auto* const key = keys.data();
  auto const* const suffix = part.data();
  std::size_t const size = part.size();
  std::uint64_t const letters = range.first - text.length(range.first);  // without its length
  backend.each(size, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < size) text.prefetch(suffix[i + lookahead]);
    key[i] = text.key(suffix[i]) - letters;
  });
  std::uint64_t const farthest = std::min(range.last, text.greatest_number()) - letters;
  if (range.first != range.last)
    backend.radix_sort(keys.span(), part, bit_range{0, unsigned(std::bit_width(farthest))}, key_code<std::uint64_t>{});
  open.start(std::span<Index const>(part), begins_key_group{text, key}, first);
  with_keys(std::span<std::uint64_t const>(keys.span()), first, letters);
}

/// Sorts a range whose suffixes share one uniform key, by their runs. Memory as for other ranges, but few suffixes stay open.
template <Backend B, class Index, class WithKeys>
void sort_range_by_runs(B& backend, run_key runs, key_range const& range, std::size_t first, std::span<Index> part,
                        refinement<B, Index, Index>& open, WithKeys& with_keys) {
  auto const keys = backend.template buffer<std::uint64_t>(part.size());
  auto* const key = keys.data();
  auto const* const suffix = part.data();
  backend.each(part.size(), [=] ORDO_FN(std::size_t i) { key[i] = runs(suffix[i]); });
  backend.radix_sort(keys.span(), part, runs.bits(), key_code<std::uint64_t>{});
  open.start(std::span<Index const>(part), begins_run_group<Index>{runs, key, suffix}, first);
  std::uint64_t const shared = range.first;
  backend.each(part.size(), [=] ORDO_FN(std::size_t i) { key[i] = shared; });
  with_keys(std::span<std::uint64_t const>(keys.span()), first, 0);
}

/// Returns true if open group g shares a uniform key.
template <class Index>
struct is_uniform_group {
  is_uniform_key is_uniform;
  Index const *items, *begins;
  ORDO_FN bool operator()(std::size_t g) const { return is_uniform(is_uniform.text.key(items[begins[g]])); }
};

/// Sorts the groups of suffixes that begin with runs by what is left of these.
/// @param order  see refine_by_text
template <Backend B, class Index>
void refine_by_runs(B& backend, packed_view text, letter_runs<B> const& runs, std::span<Index> order, std::size_t first,
                    refinement<B, Index, Index>& open) {
  auto const groups = open.segments();
  is_uniform_group<Index> const is_uniform{is_uniform_key(text), open.items().data(), groups.begins.data()};
  // At most one group of each letter.
  std::size_t const max_groups = std::min<std::size_t>(groups.size(), 256);
  auto const chosen = backend.template buffer<Index>(max_groups), begins = backend.template buffer<Index>(max_groups),
             ends = backend.template buffer<Index>(max_groups);
  std::size_t const count = backend.select(groups.size(), is_uniform, ordo::detail::as_index<Index>{}, chosen.span());
  if (count == 0) return;
  auto const gather_bounds = [&](std::span<Index const> of, std::span<Index> to) {
    backend.gather(of, std::span<Index const>(chosen.span().first(count)), to);
    return std::span<Index const>(to);
  };
  segment_list<Index> const of_runs{gather_bounds(groups.begins, begins.span().first(count)),
                                    gather_bounds(groups.ends, ends.span().first(count))};
  run_key const key = runs.key();
  open.sort_few(of_runs, key, key.bits());
  auto const* const suffix = open.items().data();
  auto* const heads = open.heads().data();
  ordo::detail::in_segments<Index> const in_runs{of_runs.begins.data(), of_runs.ends.data(), count};
  backend.each(open.size(), [=] ORDO_FN(std::size_t i) {
    if (in_runs(i) && key.ends_record(suffix[i])) heads[i] = 1;  // equal suffixes, already in order
  });
  open.place_settled(order, first);
  open.drop_settled();
}

/// Runs the second round: sorts the open groups by the key `depth` letters later, read from the text.
/// @param order  has their rows, from row `first` on
template <Backend B, class Index>
void refine_by_text(B& backend, packed_view text, std::size_t depth, std::span<Index> order, std::size_t first,
                    refinement<B, Index, Index>& open) {
  open.sort(text_key{text, depth}, text.key_bits());
  auto const* const suffix = open.items().data();
  auto* const heads = open.heads().data();
  backend.each(open.size(), [=] ORDO_FN(std::size_t i) {
    if (text.breaks.distance(suffix[i] + depth) < text.letters) heads[i] = 1;  // equal suffixes, already in order
  });
  open.place_settled(order, first);
  open.drop_settled();
}

}  // namespace ordo::inline v0::suffix::detail
