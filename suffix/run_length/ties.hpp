#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/each_by_lanes.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/run_length/run_index.hpp"
#include "suffix/run_length/walk.hpp"

/// The order of new suffixes that come before the same row and begin with the same letter: ties. Only groups with different
/// letters before their suffixes need an order, because equal letters make one run in any order.
namespace ordo::inline v0::suffix::run_length {

/// Returns true if a group of ties begins at row i of the sorted keys. Ends of parts are no ties: their order is that of
/// positions.
struct begins_group {
  std::uint64_t const* keys;
  ORDO_FN bool operator()(std::size_t i) const {
    if (i == 0 || suffix_key::gap(keys[i]) != suffix_key::gap(keys[i - 1])) return true;
    unsigned const first = suffix_key::first(keys[i]);
    return first == end_code || first == continued_code;
  }
};

struct head_of_group {
  begins_group begins;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return begins(i) ? std::uint32_t(i) : 0; }
};

/// Marks the groups that have different letters before their suffixes.
struct mark_mixed {
  std::uint64_t const* keys;
  std::uint32_t const* heads;
  std::uint8_t* mixed;
  ORDO_FN void operator()(std::size_t i) const {
    if (heads[i] != i && suffix_key::before(keys[i]) != suffix_key::before(keys[i - 1]))
      store_relaxed(mixed + heads[i], std::uint8_t{1});
  }
};

/// Returns true if a group begins at i, or if it needs no order.
struct begins_mixed {
  std::uint32_t const* heads;
  std::uint8_t const* mixed;
  ORDO_FN bool operator()(std::size_t i) const { return heads[i] == i || mixed[heads[i]] == 0; }
};

/// Packs the letters after the first one of a suffix, with zeros after the end of its part.
struct letters_ahead {
  static constexpr unsigned count = 64 / letter_bits;
  std::uint8_t const* codes;
  std::size_t size;  // the number of codes
  ORDO_FN std::uint64_t operator()(std::uint32_t p) const {
    static_assert(count == 21 && letter_bits == 3);
    constexpr std::uint64_t ones = 0x1249249249249249;  // the lowest bit of each letter
    std::uint64_t const word = pack(p, 1) << 39 | pack(p, 9) << 15 | pack(p, 17) >> 9;
    // No letter after one with all bits or none counts.
    std::uint64_t const is_end = (~(word | word >> 1 | word >> 2) | (word & word >> 1 & word >> 2)) & ones;
    return is_end == 0 ? word : word & ~std::uint64_t{0} << (63 - leading_zeros(is_end));
  }

 private:
  /// Packs eight letters from p + k on.
  [[nodiscard]] ORDO_FN std::uint64_t pack(std::uint32_t p, unsigned k) const {
    std::size_t const begin = std::size_t{p} + k;
    if (begin >= size) return 0;
    std::uint64_t word = load_big_endian(codes + begin, size - begin < 8 ? size - begin : 8);
    word = (word >> 5 & 0x0038003800380038) | (word & 0x0007000700070007);
    word = (word >> 10 & 0x00000fc000000fc0) | (word & 0x0000003f0000003f);
    return (word >> 20 & 0xfff000) | (word & 0xfff);
  }
};

/// Separates equal items that end within the letters ahead: they are in the order of their records.
struct separate_ends {
  letters_ahead key;
  std::uint32_t const* items;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t i) const {
    if (heads[i] == 0 && (key(items[i]) & letter_mask) == end_code) heads[i] = 1;
  }
};

/// Orders small groups of ties by all of their letters, as far as these are in the text and few enough.
struct compare_ties {
  static constexpr std::uint32_t max_items = 32;

  std::uint8_t const* codes;
  std::size_t size;  // the number of codes
  std::uint32_t* items;
  segment_list<std::uint32_t> groups;
  std::uint32_t open;      // see order_ties
  std::uint32_t* work;     // in units of 64 letters; then not 0 if a group has no order yet
  std::uint32_t max_work;  // more is work for prefix doubling, and so is a group that has no order yet
  std::uint32_t max_letters;

  template <class Lanes>
  ORDO_FN void operator()(Lanes lanes, std::size_t group) const {
    auto const begin = std::uint32_t(groups.begin(group)), end = std::uint32_t(groups.end(group));
    if (lanes.any(load_relaxed(work + 1) != 0)) return;
    if (lanes.any(load_relaxed(work) > max_work)) return store_relaxed(work + 1, std::uint32_t{1});
    bool mixed = false, ordered = end - begin <= max_items;
    for (std::uint64_t i = std::uint64_t{begin} + 1 + lanes.rank(); i < end; i += Lanes::count)
      mixed |= before(items[i]) != before(items[begin]);
    if (!lanes.any(mixed)) return;
    std::uint32_t letters = 0;
    for (std::uint32_t i = begin + 1; ordered && i < end; ++i) {
      std::uint32_t const p = items[i];
      std::uint32_t at = i;
      for (; at != begin; --at) {
        std::uint32_t const other = items[at - 1];
        int const order = compare(lanes, other, p, letters);
        if (order == 2) ordered = false;
        if (order <= 0 || order == 2) break;
        if (lanes.rank() == 0) items[at] = other;
      }
      if (lanes.rank() == 0) items[at] = p;
      lanes.sync();
    }
    if (lanes.rank() != 0) return;
    if (ordered)
      add_relaxed(work, letters / 64);
    else
      store_relaxed(work + 1, std::uint32_t{1});  // a sum could wrap: a GPU compares many groups at once
  }

 private:
  [[nodiscard]] ORDO_FN unsigned before(std::uint32_t p) const {
    return p == open ? unsigned{continued_code} : letter_before(codes, p);
  }
  // Returns -1, 0 or 1, as the letters of p compare with those of q, which is after it; 2 if that is not known.
  template <class Lanes>
  [[nodiscard]] ORDO_FN int compare(Lanes lanes, std::uint32_t p, std::uint32_t q, std::uint32_t& letters) const {
    bool const swapped = q < p;
    std::size_t const last = swapped ? p : q;
    for (std::uint32_t k = letters_ahead::count + 1; k < max_letters; k += Lanes::count) {
      std::uint32_t const own = k + lanes.rank();
      bool const is_known = own < max_letters && last + own < size;
      unsigned const a = is_known ? codes[p + own] : unsigned{continued_code}, b = is_known ? codes[q + own] : a;
      bool const ends = a == continued_code || b == continued_code || a != b || a == end_code;
      unsigned const at = lanes.count_before(ends);
      letters += at;
      if (at == Lanes::count) continue;
      std::uint32_t const first = lanes.of(a, at), second = lanes.of(b, at);
      if (first == continued_code || second == continued_code) return 2;
      if (first != second) return first < second ? -1 : 1;
      return swapped ? 1 : -1;
    }
    return 2;
  }
};

/// Returns true if the letters ahead of an item end where its part goes on in the index.
struct leaves_part {
  std::uint8_t const* codes;
  std::uint32_t const* items;
  ORDO_FN std::size_t operator()(std::size_t i) const {
    for (unsigned k = 1; k <= letters_ahead::count && codes[items[i] + k - 1] != end_code; ++k)
      if (codes[items[i] + k] == continued_code) return 1;
    return 0;
  }
};

/// Returns true if items i - 1 and i are in one group, with different letters before them.
struct is_mixed_pair {
  std::uint8_t const* codes;
  std::uint32_t const* items;
  std::uint8_t const* heads;
  std::uint32_t open;  // see order_ties
  ORDO_FN std::size_t operator()(std::size_t i) const {
    if (heads[i] != 0) return 0;
    return items[i] == open || items[i - 1] == open || letter_before(codes, items[i]) != letter_before(codes, items[i - 1]);
  }
};

/// Writes items to their slots, with the letters before them. @param all  or only those that are groups of their own
struct place_items {
  std::uint8_t const* codes;
  std::uint32_t const *items, *slots;
  std::uint8_t const* heads;
  std::size_t n;
  std::uint32_t* order;
  std::uint64_t* keys;
  std::uint32_t open;
  bool all;
  ORDO_FN void operator()(std::size_t i) const {
    if (!all && !(heads[i] != 0 && (i + 1 == n || heads[i + 1] != 0))) return;
    std::uint32_t const p = items[i];
    std::uint64_t& key = keys[slots[i]];
    order[slots[i]] = p;
    key = (key & ~std::uint64_t{letter_mask}) | (p == open ? unsigned{continued_code} : letter_before(codes, p));
  }
};

struct name_by_head {
  std::uint32_t const *order, *heads;
  std::uint32_t* names;
  ORDO_FN void operator()(std::size_t i) const { names[order[i]] = heads[i]; }
};

template <class Groups>
struct name_by_group {
  std::uint32_t const* items;
  Groups groups;
  std::uint32_t* names;
  ORDO_FN void operator()(std::size_t i) const { names[items[i]] = groups.slot(i); }
};

struct name_after {
  std::uint32_t const* names;
  std::uint64_t letters;
  ORDO_FN std::uint32_t operator()(std::uint32_t p) const { return names[p + letters]; }
};

/// Orders ties: by the letters ahead, and what that does not decide by prefix doubling.
/// @param keys, order  the keys and positions of the batch, sorted by gap and position
/// @param open  the position whose own row must be right, whatever is before the others of its group; none: n
/// @param continued  a part of the batch ends with `continued_code`
template <Backend B>
void order_ties(B& backend, std::uint8_t const* codes, std::span<std::uint64_t> keys, std::span<std::uint32_t> order,
                std::uint32_t open, bool continued) {
  std::size_t const n = keys.size();
  begins_group const begins{keys.data()};
  auto const heads = backend.template buffer<std::uint32_t>(n);
  backend.scan(n, head_of_group{begins}, heads.span(), maximum{});
  auto mixed = backend.template buffer<std::uint8_t>(n);
  backend.each(n, fill_with<std::uint8_t>{mixed.data(), 0});
  backend.each(n, mark_mixed{keys.data(), heads.data(), mixed.data()});

  refinement<B, std::uint32_t, std::uint32_t> ties(backend);
  auto const place = [&](bool all) {
    backend.each(ties.size(), place_items{codes, ties.items().data(), ties.slots().data(), ties.heads().data(), ties.size(),
                                          order.data(), keys.data(), open, all});
  };
  auto const is_done = [&] {
    is_mixed_pair const pair{codes, ties.items().data(), ties.heads().data(), open};
    return backend.reduce(ties.size(), pair, std::size_t{0}, plus{}) == 0;
  };
  letters_ahead const ahead{codes, n};

  // Most ties differ soon, and those that need no order are left alone.
  ties.start(std::span<std::uint32_t const>(order), begins_mixed{heads.data(), mixed.data()});
  if (ties.empty()) return;
  auto const order_all = [&] {
    if (continued && backend.reduce(ties.size(), leaves_part{codes, ties.items().data()}, std::size_t{0}, plus{}) != 0)
      return false;
    ties.sort(ahead);
    backend.each(ties.size(), separate_ends{ahead, ties.items().data(), ties.heads().data()});
    place(false);
    ties.drop_settled();
    auto const work = backend.template buffer<std::uint32_t>(2);
    backend.each(2, fill_with<std::uint32_t>{work.data(), 0});
    auto const max_work = std::uint32_t(n / 16 + 1024);
    // A warp of a GPU takes as long for some letters as a round of prefix doubling.
    constexpr std::uint32_t max_letters = std::uint32_t{1} << (has_workers<B> ? 16 : 14);
    each_by_lanes(backend, ties.groups(), compare_ties{codes, n, ties.items().data(), ties.segments(), open, work.data(),
                                                       max_work, max_letters});
    place(true);
    return value_at(backend, work.span(), 1) == 0;
  };
  if (order_all()) return;
  mixed = {};

  // Doubling needs names of all: a name is the row of the first suffix that is equal so far. The letters after a part of a
  // record are not in the text. Its end has a name of its own, though, so that no tie goes beyond it.
  auto const names = backend.template buffer<std::uint32_t>(n);
  backend.each(n, name_by_head{order.data(), heads.data(), names.data()});
  ties.start(std::span<std::uint32_t const>(order), begins);
  std::uint64_t depth = 1;  // letters by which ties are equal
  auto const memory = backend.template buffer<std::uint32_t>(ties.size());
  auto const rename = [&] {
    auto const groups = ties.groups_of_items(memory.span().first(ties.size()));
    backend.each(ties.size(), name_by_group<decltype(groups)>{ties.items().data(), groups, names.data()});
  };
  if (!continued) {
    ties.sort(ahead);
    backend.each(ties.size(), separate_ends{ahead, ties.items().data(), ties.heads().data()});
    rename();
    place(false);
    ties.drop_settled();
    depth += letters_ahead::count;
  }
  for (; !ties.empty(); depth *= 2) {
    ties.sort(name_after{names.data(), depth});
    if (is_done()) return place(true);
    rename();
    place(false);
    ties.drop_settled();
  }
}

}  // namespace ordo::inline v0::suffix::run_length
