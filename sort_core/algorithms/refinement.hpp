#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/first_bound.hpp"
#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/sort_by_key.hpp"

namespace ordo::inline v0 {
namespace detail {

// Named functors, not lambdas: several translation units instantiate a refinement of the same types. nvcc keeps the host
// functions of __host__ __device__ lambdas per translation unit, while the linker merges those of named functors.

/// Returns true if a group begins at i, or i is the end of all items.
struct begins_or_ends {
  std::uint8_t const* heads;
  std::size_t n;
  ORDO_FN bool operator()(std::size_t i) const { return i == n || heads[i] != 0; }
};

template <class Index>
struct as_index {
  ORDO_FN Index operator()(std::size_t i) const { return Index(i); }
};

template <class T>
struct element {
  T const* of;
  ORDO_FN T operator()(std::size_t i) const { return of[i]; }
};

/// Returns true if i is in a group of two or more items.
template <class Head>
struct unsettled {
  Head head;
  std::size_t n;
  ORDO_FN bool operator()(std::size_t i) const { return !(head(i) && (i + 1 == n || head(i + 1))); }
};

template <class Predicate>
struct as_count {
  Predicate predicate;
  ORDO_FN std::size_t operator()(std::size_t i) const { return predicate(i); }
};

/// Collects unresolved items with their slots and heads. Slots are positions in `order` first, and become positions in the
/// whole order.
template <class Item, class Index, class ItemAt, class Head>
struct collect {
  ItemAt item;
  Head head;
  std::size_t first;
  Index* slots;
  Item* items;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t i) const {
    items[i] = item(slots[i]);
    heads[i] = std::uint8_t(bool(head(slots[i])));
    slots[i] = Index(first + slots[i]);
  }
};

/// Computes the item that moves to position i, from the position that to_slots[i] holds.
template <class Item, class Index>
struct pick {
  Item const* items;
  Index const* slots;
  std::uint8_t const* heads;
  Item* to_items;
  Index* to_slots;
  std::uint8_t* to_heads;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const from = to_slots[i];
    to_items[i] = items[from];
    to_slots[i] = slots[from];
    to_heads[i] = heads[from];
  }
};

/// Returns true if i is in one of `count` ascending segments.
template <class Index>
struct in_segments {
  Index const *begins, *ends;
  std::size_t count;
  ORDO_FN bool operator()(std::size_t i) const {
    std::size_t const s = first_bound(ends, count, i + 1);
    return s < count && begins[s] <= i;
  }
};

/// Copies item i of a refinement with its slot and head. The item itself is optional.
template <class Item, class Index>
struct copy_open {
  Item const* items;
  Index const* slots;
  std::uint8_t const* heads;
  Item* to_items;  // or null
  Index* to_slots;
  std::uint8_t* to_heads;
  ORDO_FN void operator()(std::size_t i) const {
    if (to_items) to_items[i] = items[i];
    to_slots[i] = slots[i];
    to_heads[i] = heads[i];
  }
};

template <class Item, class Index>
struct scatter {
  Item const* items;
  Index const* slots;
  Item* to;
  std::size_t first;
  ORDO_FN void operator()(std::size_t i) const { to[slots[i] - first] = items[i]; }
};

/// Writes the items that are groups of their own.
template <class Item, class Index>
struct scatter_settled {
  scatter<Item, Index> all;
  unsettled<element<std::uint8_t>> open;
  ORDO_FN void operator()(std::size_t i) const {
    if (!open(i)) all(i);
  }
};

template <class Index>
struct position_of_head {
  std::uint8_t const* heads;
  ORDO_FN Index operator()(std::size_t i) const { return heads[i] ? Index(i) : Index{0}; }
};

/// The values of heads() where a group begins: old heads precede the last sort, new ones result from it.
enum : std::uint8_t { new_head = 1, old_head = 2 };

template <class Index>
struct mark_old_head {
  Index const* begins;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t group) const { heads[begins[group]] = old_head; }
};

/// The group of an item after a sort.
template <class Index>
struct group_finder {
  Index const *head, *slots;
  std::uint8_t const* heads;
  /// Returns true if the group of item i began at the same position before the sort. Then it is the first part of an older
  /// group.
  [[nodiscard]] ORDO_FN bool is_old(std::size_t i) const { return heads[head[i]] == old_head; }
  /// Returns the slot of the group's head, which is the rank of its items in the whole order.
  [[nodiscard]] ORDO_FN Index slot(std::size_t i) const { return slots[head[i]]; }
};

}  // namespace detail

/// Sorting by successive keys. Items that are equal after a first sort form groups of adjacent items; only these are sorted
/// further. A refinement stores them without gaps: `items()` holds group after group, `slots()[i]` is the position in the whole
/// order that belongs to position i, and `heads()[i]` is nonzero where a group begins. One round is
///
///     r.sort(key);             // sorts each group by a further key, stably; heads() then marks the smaller groups
///     r.place_settled(order);  // writes the items that are groups of their own to their slots
///     r.drop_settled();        // removes them
///
/// Between sort and drop_settled a caller may set further heads, to declare equal items settled in their present order. Memory,
/// from the backend's pool: after start, two times (Item + Index + 1 byte) and half an Index per unresolved item. (Hou et al.,
/// ICS'17, section 5.1; "discarding" of Larsson and Sadakane.)
template <Backend B, class Item, class Index>
class refinement {
 public:
  explicit refinement(B& backend) : backend_(backend) {}

  /// Returns the bytes that the refinement takes from the pool for n unresolved items, without those of sort.
  static std::size_t memory(std::size_t n) {
    return 2 * (pool::rounded(n * sizeof(Item)) + pool::rounded(n * sizeof(Index)) + pool::rounded(n)) +
           pool::rounded(max_offsets(n) * sizeof(Index));
  }
  /// Returns the further bytes that sort takes for keys of `key_bytes` bytes.
  static std::size_t sort_memory(std::size_t n, std::size_t segments, std::size_t key_bytes) {
    return sort_by_key_memory<B>(n, segments, n, key_bytes, sizeof(Item));
  }

  /// Starts with the groups of two or more items of `order`. head(i) is true if a group begins at i in [0, order.size());
  /// head(0) must be true. `head` is evaluated several times per item.
  /// @param first  the position in the whole order at which `order` begins
  template <class Head>
  void start(std::span<Item const> order, Head head, std::size_t first = 0) {
    start(order.size(), detail::element<Item>{order.data()}, head, first);
  }

  /// Does the same for the order item(0), ..., item(n - 1).
  template <class ItemAt, class Head>
  void start(std::size_t n, ItemAt item, Head head, std::size_t first = 0) {
    detail::unsettled<Head> const unsettled{head, n};
    size_ = backend_.reduce(n, detail::as_count<detail::unsettled<Head>>{unsettled}, std::size_t{0}, plus{});
    for (int k = 0; k < 2; ++k) side_[k] = {backend_, size_};
    side& now = side_[0];
    backend_.select(n, unsettled, detail::as_index<Index>{}, now.slots.span());
    backend_.each(size_, detail::collect<Item, Index, ItemAt, Head>{item, head, first, now.slots.data(), now.items.data(),
                                                                    now.heads.data()});
    find_groups();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] std::span<Item> items() const noexcept { return side_[0].items.span().first(size_); }
  [[nodiscard]] std::span<Index const> slots() const noexcept { return side_[0].slots.span().first(size_); }
  [[nodiscard]] std::span<std::uint8_t> heads() const noexcept { return side_[0].heads.span().first(size_); }
  /// Returns the groups as segments of items(), valid from start or drop_settled until the next drop_settled.
  [[nodiscard]] segment_list<Index> segments() const noexcept {
    std::span<Index const> const offsets(
        offsets_.span());  // tests have an Index of 16 bits, of which sort.hpp takes no offsets
    return {offsets.first(groups_), offsets.subspan(1, groups_)};
  }

  /// Sorts each group by key(item) and sets heads() at the new boundaries. Stable. See Backend.
  template <class Key>
  void sort(Key key, bit_range bits = {}) {
    sort(segments(), key, bits);
  }
  /// Does the same for some of the groups.
  template <class Key>
  void sort(segment_list<Index> const& chosen, Key key, bit_range bits = {}) {
    // Items of other groups may be settled and have no further key.
    detail::unsettled<detail::element<std::uint8_t>> const open{{heads().data()}, size_};
    sort_by_key(backend_, items(), chosen, key, heads(), bits, open);
  }
  /// Does the same for a few groups. Keys of other groups are not computed; each item searches its group among the few.
  template <class Key>
  void sort_few(segment_list<Index> const& chosen, Key key, bit_range bits = {}) {
    detail::in_segments<Index> const in_them{chosen.begins.data(), chosen.ends.data(), chosen.size()};
    sort_by_key(backend_, items(), chosen, key, heads(), bits, in_them);
  }

  /// Writes order[slots()[i] - first] = items()[i].
  void place(std::span<Item> order, std::size_t first = 0) const { backend_.each(size_, scatter_to(order, first)); }
  /// Does the same for items that are groups of their own. The unresolved parts of the order are then unspecified.
  void place_settled(std::span<Item> order, std::size_t first = 0) const {
    backend_.each(size_, detail::scatter_settled<Item, Index>{scatter_to(order, first), {{side_[0].heads.data()}, size_}});
  }

  /// Returns the group of each item, between sort and drop_settled. @param head  memory for as many elements as there are items
  [[nodiscard]] detail::group_finder<Index> groups_of_items(std::span<Index> head) const {
    std::uint8_t* const heads = side_[0].heads.data();
    backend_.each(groups_, detail::mark_old_head<Index>{offsets_.data(), heads});
    backend_.scan(size_, detail::position_of_head<Index>{heads}, head, maximum{});
    return {head.data(), side_[0].slots.data(), heads};
  }

  /// Removes groups of one item, and finds the segments of the remaining ones.
  void drop_settled() {
    std::size_t const n = size_;
    side const &now = side_[0], &next = side_[1];
    detail::unsettled<detail::element<std::uint8_t>> const unsettled{{now.heads.data()}, n};
    // First their positions, in the memory of their slots.
    size_ = backend_.select(n, unsettled, detail::as_index<Index>{}, next.slots.span());
    backend_.each(size_, detail::pick<Item, Index>{now.items.data(), now.slots.data(), now.heads.data(), next.items.data(),
                                                   next.slots.data(), next.heads.data()});
    std::swap(side_[0], side_[1]);
    find_groups();
  }

  /// Unresolved groups in the least memory: Item + Index + 1 byte per item, or Index + 1 if the items are stored elsewhere.
  struct open_items {
    buffer<Item> items;
    buffer<Index> slots;
    buffer<std::uint8_t> heads;
    std::size_t groups = 0;

    open_items() = default;
    open_items(B& backend, std::size_t n, bool with_items = true)
        : items(backend.template buffer<Item>(with_items ? n : 0)),
          slots(backend.template buffer<Index>(n)),
          heads(backend.template buffer<std::uint8_t>(n)) {}

    [[nodiscard]] std::size_t size() const noexcept { return slots.size(); }
    [[nodiscard]] bool with_items() const noexcept { return items.size() == size(); }
    /// Copies items [from, from + n) to `to` from position `first` on, as far as `to` has room for their parts.
    void copy_to(B& backend, open_items const& to, std::size_t first, std::size_t from, std::size_t n) const {
      backend.each(n, detail::copy_open<Item, Index>{items.data() + from, slots.data() + from, heads.data() + from,
                                                     to.with_items() ? to.items.data() + first : nullptr,
                                                     to.slots.data() + first, to.heads.data() + first});
    }
  };

  /// Removes the unresolved groups and returns them, so that others can be worked on. The items are left out if place() has
  /// written them to the order. Must not be called between sort and drop_settled.
  [[nodiscard]] open_items set_aside(bool with_items = true) {
    side_[1] = {};  // frees memory first, because there may be little
    open_items only(backend_, size_, with_items);
    only.groups = groups_;
    side_[0].copy_to(backend_, only, 0, 0, size_);
    clear();
    return only;
  }
  /// Does the same without the items, in parts of about `max_items` items each.
  [[nodiscard]] std::vector<open_items> set_aside_in_parts(std::size_t max_items) {
    side_[1] = {};
    std::size_t const count = std::min(groups_, (size_ + max_items - 1) / max_items);
    std::vector<open_items> parts;
    for (std::size_t k = 0, begin = 0, first_group = 0; k < count; ++k) {
      std::size_t const group = groups_ / count * (k + 1) + groups_ % count * (k + 1) / count;
      std::size_t const end = k + 1 == count ? size_ : std::size_t(value_at(backend_, offsets_.span(), group));
      open_items& part = parts.emplace_back(backend_, end - begin, false);
      part.groups = group - first_group;
      side_[0].copy_to(backend_, part, 0, begin, end - begin);
      begin = end;
      first_group = group;
    }
    clear();
    return parts;
  }
  /// Removes all groups.
  void clear() {
    for (side& side : side_) side = {};
    offsets_ = {};
    size_ = groups_ = 0;
  }
  /// Replaces the present groups by groups that were set aside. @param order  holds their items, if they were set aside without
  void resume(open_items groups, std::span<Item const> order = {}) {
    size_ = groups.size();
    offsets_ = {};
    side_[0] = std::move(groups);
    if (!side_[0].with_items()) {
      side_[0].items = backend_.template buffer<Item>(size_);
      backend_.gather(order, std::span<Index const>(slots()), items());
    }
    side_[1] = {backend_, size_};
    find_groups();
  }

 private:
  using side = open_items;

  /// Returns the maximum number of offsets: a group has at least two items, and there is one offset more than groups.
  static constexpr std::size_t max_offsets(std::size_t n) { return n / 2 + 1; }

  [[nodiscard]] detail::scatter<Item, Index> scatter_to(std::span<Item> order, std::size_t first) const {
    return {side_[0].items.data(), side_[0].slots.data(), order.data(), first};
  }

  void find_groups() {
    auto const* const heads = side_[0].heads.data();
    std::size_t const n = size_;
    if (offsets_.size() < max_offsets(n)) offsets_ = backend_.template buffer<Index>(max_offsets(n));
    groups_ = backend_.select(n + 1, detail::begins_or_ends{heads, n}, detail::as_index<Index>{}, offsets_.span()) - 1;
  }

  B& backend_;
  side side_[2];
  buffer<Index> offsets_;
  std::size_t size_ = 0, groups_ = 0;
};

}  // namespace ordo::inline v0
