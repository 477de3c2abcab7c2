#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "sort_core/refinement.hpp"
#include "strings/keys/symbols.hpp"

namespace ordo::strings::detail {

/// A line on its way: where its next symbols are, and how far that is from its start.
template <class Offset>
struct cursor {
  Offset at, depth;
};

/// The order of lines, eight symbols at a time, as numbers in ascending order.
struct line_order {
  symbols text;
  std::uint64_t flip;  // all ones turns the order round

  ORDO_FN std::uint64_t key(std::size_t p) const { return text(p) ^ flip; }
  ORDO_FN bool ended(std::uint64_t key) const { return symbols::end_in(key ^ flip); }

  struct keys {
    std::uint64_t a, b;
  };
  /// The first keys behind p and q that differ, or in which both lines end, or the last before `window` symbols.
  ORDO_FN keys beyond(std::size_t p, std::size_t q, std::size_t window) const {
    for (std::size_t o = 8;; o += 8) {
      std::uint64_t const a = key(p + o), b = key(q + o);
      if (a != b || ended(a) || o + 8 >= window) return {a, b};
    }
  }
};

/// Groups up to this size are sorted by comparison, each by one thread.
constexpr std::size_t small_group = 24;
/// So many groups in a row are the work of one thread, so that it can ask for the next lines while it sorts the first.
constexpr std::size_t groups_at_once = 4;

/// Sorts small groups by as many symbols as `window` says, stably, and sets its heads. Equal lines are settled.
template <class Offset>
struct finish_groups {
  line_order by;
  Offset const *begins, *ends;
  std::size_t groups;
  cursor<Offset>* items;
  Offset const* slots;
  std::uint8_t *heads, *repeats;
  std::size_t window;

  ORDO_FN void operator()(std::size_t block) const {
    std::size_t const first = block * groups_at_once;
    std::size_t const last = first + groups_at_once < groups ? first + groups_at_once : groups;
    for (std::size_t g = first; g < last; ++g)
      if (ends[g] - begins[g] <= small_group)
        for (std::size_t i = begins[g]; i < ends[g]; ++i) by.text.prefetch(items[i].at);
    for (std::size_t g = first; g < last; ++g)
      if (ends[g] - begins[g] <= small_group) finish(begins[g], ends[g] - begins[g]);
  }

 private:
  ORDO_FN void finish(std::size_t first, std::size_t n) const {
    cursor<Offset>* const group = items + first;
    std::uint64_t keys[small_group];
    for (std::size_t i = 0; i < n; ++i) keys[i] = by.key(group[i].at);
    for (std::size_t i = 1; i < n; ++i) {
      cursor<Offset> const item = group[i];
      std::uint64_t const key = keys[i];
      std::size_t j = i;
      for (; j > 0 && is_greater(keys[j - 1], group[j - 1], key, item); --j) {
        keys[j] = keys[j - 1];
        group[j] = group[j - 1];
      }
      keys[j] = key;
      group[j] = item;
    }
    for (std::size_t i = 1; i < n; ++i) {
      auto const [a, b] = last_keys(keys[i - 1], group[i - 1], keys[i], group[i]);
      bool const equal = a == b && by.ended(a);
      heads[first + i] = a != b || equal;
      if (equal) repeats[slots[first + i]] = 1;
    }
  }

  // The keys that decide between two lines with the first keys a and b.
  ORDO_FN line_order::keys last_keys(std::uint64_t a, cursor<Offset> p, std::uint64_t b, cursor<Offset> q) const {
    return a != b || by.ended(a) ? line_order::keys{a, b} : by.beyond(p.at, q.at, window);
  }
  ORDO_FN bool is_greater(std::uint64_t a, cursor<Offset> p, std::uint64_t b, cursor<Offset> q) const {
    auto const last = last_keys(a, p, b, q);
    return last.a > last.b;
  }
};

template <Backend B, class Offset>
void finish_small_groups(B& machine, refinement<B, cursor<Offset>, Offset>& groups, line_order by, std::size_t window,
                         std::span<std::uint8_t> repeats) {
  auto const segments = groups.segments();
  std::size_t const n = segments.size();
  machine.each((n + groups_at_once - 1) / groups_at_once,
               finish_groups<Offset>{by, segments.begins.data(), segments.ends.data(), n, groups.items().data(),
                                     groups.slots().data(), groups.heads().data(), repeats.data(), window});
}

template <class Offset>
struct next_key {
  line_order by;
  ORDO_FN std::uint64_t operator()(cursor<Offset> item) const { return by.key(item.at); }
  ORDO_FN void prefetch(cursor<Offset> item) const { by.text.prefetch(item.at); }
};

/// Sort the other groups by their next eight symbols, but those that are settled.
template <Backend B, class Offset>
void sort_large_groups(B& machine, refinement<B, cursor<Offset>, Offset>& groups, line_order by) {
  auto const segments = groups.segments();
  auto const* const begins = segments.begins.data();
  auto const* const ends = segments.ends.data();
  auto const* const heads = groups.heads().data();
  auto const large = [=] ORDO_FN(std::size_t g) { return ends[g] - begins[g] > small_group && !heads[begins[g] + 1]; };
  std::size_t const most = groups.size() / (small_group + 1);
  auto large_begins = machine.template buffer<Offset>(most);
  auto large_ends = machine.template buffer<Offset>(most);
  std::size_t const n = machine.select(
      segments.size(), large, [=] ORDO_FN(std::size_t g) { return begins[g]; }, large_begins.span());
  machine.select(
      segments.size(), large, [=] ORDO_FN(std::size_t g) { return ends[g]; }, large_ends.span());
  segment_list<Offset> const chosen{large_begins.span().first(n), large_ends.span().first(n)};
  groups.sort(chosen, next_key<Offset>{by});
}

}  // namespace ordo::strings::detail
