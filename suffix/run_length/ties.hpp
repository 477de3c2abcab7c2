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

/// Marks the groups of ties that have different letters before their suffixes.
struct mark_mixed {
  std::uint64_t const* keys;
  std::uint32_t const *slots, *head_of;
  std::uint8_t* mixed;
  ORDO_FN void operator()(std::size_t i) const {
    if (head_of[i] != i && suffix_key::before(keys[slots[i]]) != suffix_key::before(keys[slots[i - 1]]))
      store_relaxed(mixed + head_of[i], std::uint8_t{1});
  }
};

/// Settles the groups that need no order.
struct settle_equal {
  std::uint32_t const* head_of;
  std::uint8_t const* mixed;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t i) const {
    if (mixed[head_of[i]] == 0) heads[i] = 1;
  }
};

/// The letters of suffixes in a batch. Those that come after a part whose rest is in the index are in an array of their own, as
/// far as they are given.
struct letters_of_suffixes {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint8_t const* codes;
  std::size_t size;                    // the number of codes
  std::uint32_t continued = none;      // the end of the part, which is the first of the batch
  std::uint8_t const* rest = nullptr;  // the codes after it
  std::size_t rest_size = 0;

  /// Returns a letter of the suffix at p; continued_code if it is not known.
  [[nodiscard]] ORDO_FN unsigned operator()(std::uint32_t p, std::uint32_t k) const {
    std::size_t const at = std::size_t{p} + k;
    if (p <= continued && at >= continued) return at - continued < rest_size ? rest[at - continued] : unsigned{continued_code};
    return at < size ? codes[at] : unsigned{continued_code};
  }
  /// Returns true if the letters of the suffix at p up to the k-th are all among the codes, or are none of the suffix.
  [[nodiscard]] ORDO_FN bool is_inside(std::uint32_t p, std::uint32_t k) const {
    return p > continued || std::size_t{p} + k < continued;
  }
};

/// Packs the letters after the first one of a suffix, with zeros after the end of its record.
struct letters_ahead {
  static constexpr unsigned count = 64 / letter_bits;
  letters_of_suffixes letters;
  ORDO_FN std::uint64_t operator()(std::uint32_t p) const {
    static_assert(count == 21 && letter_bits == 3);
    constexpr std::uint64_t ones = 0x1249249249249249;  // the lowest bit of each letter
    if (!letters.is_inside(p, count)) return one_by_one(p);
    std::uint64_t const word = pack(p, 1) << 39 | pack(p, 9) << 15 | pack(p, 17) >> 9;
    // No letter after one with all bits or none counts.
    std::uint64_t const is_end = (~(word | word >> 1 | word >> 2) | (word & word >> 1 & word >> 2)) & ones;
    return is_end == 0 ? word : word & ~std::uint64_t{0} << (63 - leading_zeros(is_end));
  }

 private:
  /// Packs eight letters from p + k on.
  [[nodiscard]] ORDO_FN std::uint64_t pack(std::uint32_t p, unsigned k) const {
    std::size_t const begin = std::size_t{p} + k;
    if (begin >= letters.size) return 0;
    std::uint64_t word = load_big_endian(letters.codes + begin, letters.size - begin < 8 ? letters.size - begin : 8);
    word = (word >> 5 & 0x0038003800380038) | (word & 0x0007000700070007);
    word = (word >> 10 & 0x00000fc000000fc0) | (word & 0x0000003f0000003f);
    return (word >> 20 & 0xfff000) | (word & 0xfff);
  }
  [[nodiscard]] ORDO_FN std::uint64_t one_by_one(std::uint32_t p) const {
    std::uint64_t word = 0;
    for (unsigned k = 1, shift = 63; k <= count; ++k) {
      unsigned const letter = letters(p, k);
      shift -= letter_bits;
      word |= std::uint64_t{letter} << shift;
      if (letter == end_code || letter == continued_code) break;
    }
    return word;
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

/// Orders small groups of ties by all of their letters, as far as these are known and few enough.
struct compare_ties {
  static constexpr std::uint32_t max_items = 32;

  letters_of_suffixes letters;
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
    std::uint32_t compared = 0;
    for (std::uint32_t i = begin + 1; ordered && i < end; ++i) {
      std::uint32_t const p = items[i];
      std::uint32_t at = i;
      for (; at != begin; --at) {
        std::uint32_t const other = items[at - 1];
        int const order = compare(lanes, other, p, compared);
        if (order == 2) ordered = false;
        if (order <= 0 || order == 2) break;
        if (lanes.rank() == 0) items[at] = other;
      }
      if (lanes.rank() == 0) items[at] = p;
      lanes.sync();
    }
    if (lanes.rank() != 0) return;
    if (ordered)
      add_relaxed(work, compared / 64);
    else
      store_relaxed(work + 1, std::uint32_t{1});  // a sum could wrap: a GPU compares many groups at once
  }

 private:
  [[nodiscard]] ORDO_FN unsigned before(std::uint32_t p) const {
    return p == open ? unsigned{continued_code} : letter_before(letters.codes, p);
  }
  // Returns -1, 0 or 1, as the letters of p compare with those of q, which is after it; 2 if that is not known.
  template <class Lanes>
  [[nodiscard]] ORDO_FN int compare(Lanes lanes, std::uint32_t p, std::uint32_t q, std::uint32_t& compared) const {
    bool const swapped = q < p;
    for (std::uint32_t k = letters_ahead::count + 1; k < max_letters; k += Lanes::count) {
      std::uint32_t const own = k + lanes.rank();
      bool const is_one = own < max_letters;
      unsigned const a = is_one ? letters(p, own) : unsigned{continued_code}, b = is_one ? letters(q, own) : a;
      bool const ends = a == continued_code || b == continued_code || a != b || a == end_code;
      unsigned const at = lanes.count_before(ends);
      compared += at;
      if (at == Lanes::count) continue;
      std::uint32_t const first = lanes.of(a, at), second = lanes.of(b, at);
      if (first == continued_code || second == continued_code) return 2;
      if (first != second) return first < second ? -1 : 1;
      return swapped ? 1 : -1;
    }
    return 2;
  }
};

/// Returns 1 if letters ahead of an item are not known.
struct leaves_part {
  letters_of_suffixes letters;
  std::uint32_t const* items;
  ORDO_FN std::size_t operator()(std::size_t i) const {
    if (letters.is_inside(items[i], letters_ahead::count)) return 0;
    for (unsigned k = 1; k <= letters_ahead::count; ++k)
      if (unsigned const letter = letters(items[i], k); letter == end_code || letter == continued_code)
        return letter == continued_code;
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
template <Backend B>
void order_ties(B& backend, letters_of_suffixes const& letters, std::span<std::uint64_t> keys, std::span<std::uint32_t> order,
                std::uint32_t open) {
  std::size_t const n = keys.size();
  std::uint8_t const* const codes = letters.codes;
  bool const continued = letters.continued != letters.none;
  begins_group const begins{keys.data()};

  refinement<B, std::uint32_t, std::uint32_t> ties(backend);
  auto const place = [&](bool all) {
    backend.each(ties.size(), place_items{codes, ties.items().data(), ties.slots().data(), ties.heads().data(), ties.size(),
                                          order.data(), keys.data(), open, all});
  };
  auto const is_done = [&] {
    is_mixed_pair const pair{codes, ties.items().data(), ties.heads().data(), open};
    return backend.reduce(ties.size(), pair, std::size_t{0}, plus{}) == 0;
  };
  letters_ahead const ahead{letters};

  // Most ties differ soon, and those that need no order are left alone.
  ties.start(std::span<std::uint32_t const>(order), begins);
  {
    auto const head_of = backend.template buffer<std::uint32_t>(ties.size());
    auto const mixed = backend.template buffer<std::uint8_t>(ties.size());
    backend.scan(ties.size(), ordo::detail::position_of_head<std::uint32_t>{ties.heads().data()}, head_of.span(), maximum{});
    backend.each(ties.size(), fill_with<std::uint8_t>{mixed.data(), 0});
    backend.each(ties.size(), mark_mixed{keys.data(), ties.slots().data(), head_of.data(), mixed.data()});
    backend.each(ties.size(), settle_equal{head_of.data(), mixed.data(), ties.heads().data()});
    ties.drop_settled();
  }
  if (ties.empty()) return;
  auto const order_all = [&] {
    if (continued && backend.reduce(ties.size(), leaves_part{letters, ties.items().data()}, std::size_t{0}, plus{}) != 0)
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
    each_by_lanes(backend, ties.groups(),
                  compare_ties{letters, ties.items().data(), ties.segments(), open, work.data(), max_work, max_letters});
    place(true);
    return value_at(backend, work.span(), 1) == 0;
  };
  if (order_all()) return;

  // Doubling needs names of all: a name is the row of the first suffix that is equal so far. The letters after a part of a
  // record are not in the text. Its end has a name of its own, though, so that no tie goes beyond it.
  auto const names = backend.template buffer<std::uint32_t>(n);
  {
    auto const heads = backend.template buffer<std::uint32_t>(n);
    backend.scan(n, head_of_group{begins}, heads.span(), maximum{});
    backend.each(n, name_by_head{order.data(), heads.data(), names.data()});
  }
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
