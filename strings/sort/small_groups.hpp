#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "strings/sort/depth_first.hpp"

// Small groups of the breadth-first sort are finished by counting: a thread per line compares it with every other line of its
// group. That is more comparisons than an insertion sort makes, but none waits for another.
namespace ordo::inline v0::strings::detail {

/// Groups up to this size are sorted by comparison.
constexpr std::size_t small_group = 24;

/// Finds the group of a line if it is small. heads[0] must be nonzero.
struct small_group_finder {
  std::uint8_t const* heads;
  std::size_t n;

  struct range {
    std::size_t begin, end;
    [[nodiscard]] ORDO_FN bool is_small() const { return end - begin > 1 && end - begin <= small_group; }
  };
  /// Returns the group of line i, or a range that is not small.
  ORDO_FN range operator()(std::size_t i) const {
    std::size_t begin = i, end = i + 1;
    while (!heads[begin]) {
      --begin;
      if (end - begin > small_group) return {begin, end};
    }
    while (end < n && !heads[end] && end - begin <= small_group) ++end;
    return {begin, end};
  }
};

/// Writes the next key of each line of a small group, so that a line reads the keys of others where they are adjacent.
template <class Offset>
struct write_next_keys {
  line_order by;
  small_group_finder group_at;
  cursor<Offset> const* items;
  std::uint64_t* keys;
  ORDO_FN void operator()(std::size_t i) const {
    if (group_at(i).is_small()) keys[i] = by.key(items[i].at);
  }
};

/// Writes each line of a small group to its place by up to `window` symbols, stably, and its head. Settles equal lines. Copies
/// other lines.
template <class Offset>
struct place_in_group {
  line_order by;
  small_group_finder group_at;
  cursor<Offset> const* items;
  std::uint64_t const* keys;
  Offset const* slots;
  std::size_t window;
  cursor<Offset>* to_items;
  std::uint8_t *to_heads, *repeats;

  ORDO_FN void operator()(std::size_t i) const {
    cursor<Offset> const item = items[i];
    auto const group = group_at(i);
    if (!group.is_small()) {
      to_items[i] = item;
      to_heads[i] = group_at.heads[i];
      return;
    }
    std::uint64_t const key = keys[i];
    std::size_t place = group.begin;
    bool follows_tie = false, follows_equal = false;
    for (std::size_t j = group.begin; j < group.end; ++j) {
      if (j == i) continue;
      line_order::keys last{key, keys[j]};
      if (last.a == last.b && !by.ended(key)) last = by.beyond(item.at, items[j].at, window);
      bool const tie = last.a == last.b;
      place += last.b < last.a || (tie && j < i);
      if (tie && j < i) {
        follows_tie = true;
        follows_equal = by.ended(last.a);
      }
    }
    to_items[place] = item;
    to_heads[place] = place == group.begin ? group_at.heads[place] : std::uint8_t(!follows_tie || follows_equal);
    if (follows_equal) repeats[slots[place]] = 1;
  }
};

template <class T>
struct copy_element {
  T const* from;
  T* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Returns the bytes of the backend that finish_small_groups takes for n lines.
template <class Offset>
std::size_t finish_memory(std::size_t n) {
  return pool::rounded(n * sizeof(std::uint64_t)) + pool::rounded(n * sizeof(cursor<Offset>)) + pool::rounded(n);
}

/// Sorts the small groups by up to `window` symbols and sets their heads. Settles equal lines, and marks them in `repeats`.
template <Backend B, class Offset>
void finish_small_groups(B& backend, refinement<B, cursor<Offset>, Offset>& groups, line_order by, std::size_t window,
                         std::span<std::uint8_t> repeats) {
  std::size_t const n = groups.size();
  auto* const items = groups.items().data();
  auto* const heads = groups.heads().data();
  auto keys = backend.template buffer<std::uint64_t>(n);
  auto to_items = backend.template buffer<cursor<Offset>>(n);
  auto to_heads = backend.template buffer<std::uint8_t>(n);
  small_group_finder const group_at{heads, n};
  backend.each(n, write_next_keys<Offset>{by, group_at, items, keys.data()});
  backend.each(n, place_in_group<Offset>{by, group_at, items, keys.data(), groups.slots().data(), window, to_items.data(),
                                         to_heads.data(), repeats.data()});
  backend.each(n, copy_element<cursor<Offset>>{to_items.data(), items});
  backend.each(n, copy_element<std::uint8_t>{to_heads.data(), heads});
}

}  // namespace ordo::inline v0::strings::detail
