#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/sort_by_key.hpp"

namespace ordo {
namespace detail {

// Named functors, not lambdas: several translation units instantiate a refinement of the same types, and nvcc's
// __host__ __device__ lambdas keep their host functions per translation unit, where the linker keeps one copy of the code.

/// Does a group begin at i, or is i the end of all?
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

/// Is i in a group of two and more?
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

/// Slots are positions at first; here they become places in the whole order.
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

/// What comes to position i, from the position that to_slots[i] holds.
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

/// Is i in one of some segments, which ascend?
template <class Index>
struct in_segments {
  Index const *begins, *ends;
  std::size_t count;
  ORDO_FN bool operator()(std::size_t i) const {
    std::size_t low = 0, high = count;  // the first that ends behind i
    while (low < high) {
      std::size_t const middle = (low + high) / 2;
      if (ends[middle] <= i)
        low = middle + 1;
      else
        high = middle;
    }
    return low < count && begins[low] <= i;
  }
};

/// Copies item i of a refinement, or all of it but the item itself.
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

/// The same for items that are groups of their own.
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

/// What heads() holds where a group begins: one that has been there since the last round, or a new one.
enum : std::uint8_t { new_head = 1, old_head = 2 };

template <class Index>
struct mark_old_head {
  Index const* begins;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t group) const { heads[begins[group]] = old_head; }
};

/// The group in which an item is, after a sort.
template <class Index>
struct group_of {
  Index const *head, *slots;
  std::uint8_t const* heads;
  /// Has the group of item i begun where it does since before the sort? Then its items are a part of an older one's, the first.
  [[nodiscard]] ORDO_FN bool is_old(std::size_t i) const { return heads[head[i]] == old_head; }
  /// The slot of its head, which is the rank of its items in the whole order.
  [[nodiscard]] ORDO_FN Index slot(std::size_t i) const { return slots[head[i]]; }
};

}  // namespace detail

/// Sorting by successive keys. After a first sort, items that it could not tell apart lie together in groups; only these
/// go on. A refinement holds them compactly: `items()` group after group, `slots()[i]` the place in the whole order that
/// belongs to position i, `heads()[i]` nonzero where a group begins. One round is
///
///     r.sort(key);             // each group by a further key, stably; heads() tells the smaller groups
///     r.place_settled(order);  // write the items that are groups of their own to their slots
///     r.drop_settled();        // they leave
///
/// Between sort and drop_settled a caller may set heads of its own, to declare equal items settled in their present order.
/// Memory: two times (Item + Index + 1 byte) and half an Index per unresolved item after start, from the machine's pool.
/// (Hou et al., ICS'17, section 5.1; "discarding" of Larsson and Sadakane.)
template <Backend B, class Item, class Index>
class refinement {
 public:
  explicit refinement(B& machine) : machine_(machine) {}

  /// Bytes that it takes from the pool with n unresolved items, sort not counted.
  static std::size_t memory(std::size_t n) {
    return 2 * (pool::rounded(n * sizeof(Item)) + pool::rounded(n * sizeof(Index)) + pool::rounded(n)) +
           pool::rounded(offsets_of(n) * sizeof(Index));
  }
  /// Bytes that sort takes besides, by keys of so many bytes.
  static std::size_t sort_memory(std::size_t n, std::size_t segments, std::size_t key_bytes) {
    return sort_by_key_memory<B>(n, segments, n, key_bytes, sizeof(Item));
  }

  /// The groups of two and more of `order`. head(i) tells whether a group begins at i in [0, order.size()); head(0) must
  /// hold. Evaluated several times per item.
  /// @param first  which place of the whole order `order` begins at
  template <class Head>
  void start(std::span<Item const> order, Head head, std::size_t first = 0) {
    start(order.size(), detail::element<Item>{order.data()}, head, first);
  }

  /// The same for the order item(0), ..., item(n - 1).
  template <class ItemAt, class Head>
  void start(std::size_t n, ItemAt item, Head head, std::size_t first = 0) {
    detail::unsettled<Head> const unsettled{head, n};
    size_ = machine_.reduce(n, detail::as_count<detail::unsettled<Head>>{unsettled}, std::size_t{0}, plus{});
    for (int k = 0; k < 2; ++k) side_[k] = {machine_, size_};
    side& now = side_[0];
    machine_.select(n, unsettled, detail::as_index<Index>{}, now.slots.span());
    machine_.each(size_, detail::collect<Item, Index, ItemAt, Head>{item, head, first, now.slots.data(), now.items.data(),
                                                                    now.heads.data()});
    find_groups();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] std::span<Item> items() const noexcept { return side_[0].items.span().first(size_); }
  [[nodiscard]] std::span<Index const> slots() const noexcept { return side_[0].slots.span().first(size_); }
  [[nodiscard]] std::span<std::uint8_t> heads() const noexcept { return side_[0].heads.span().first(size_); }
  /// The groups as segments of items(), valid from start or drop_settled until the next drop_settled.
  [[nodiscard]] segment_list<Index> segments() const noexcept {
    return segments_from_offsets(std::span<Index const>(offsets_.span().first(groups_ + 1)));
  }

  /// Sort each group by key(item), stably, and set heads() at the groups' new boundaries. See Backend.
  template <class Key>
  void sort(Key key, bit_range bits = {}) {
    sort(segments(), key, bits);
  }
  /// The same for some of the groups.
  template <class Key>
  void sort(segment_list<Index> const& chosen, Key key, bit_range bits = {}) {
    // Of groups that are not chosen, items may be settled, and have no further key.
    detail::unsettled<detail::element<std::uint8_t>> const open{{heads().data()}, size_};
    sort_by_key(machine_, items(), chosen, key, heads(), bits, open);
  }
  /// The same for few of them: no others are asked for a key, and each item looks for itself among them.
  template <class Key>
  void sort_few(segment_list<Index> const& chosen, Key key, bit_range bits = {}) {
    detail::in_segments<Index> const in_them{chosen.begins.data(), chosen.ends.data(), chosen.size()};
    sort_by_key(machine_, items(), chosen, key, heads(), bits, in_them);
  }

  /// order[slots()[i] - first] = items()[i]
  void place(std::span<Item> order, std::size_t first = 0) const { machine_.each(size_, scatter_to(order, first)); }
  /// The same for items that are groups of their own. What is open in the order is in any order then.
  void place_settled(std::span<Item> order, std::size_t first = 0) const {
    machine_.each(size_, detail::scatter_settled<Item, Index>{scatter_to(order, first), {{side_[0].heads.data()}, size_}});
  }

  /// In which group each item is, between sort and drop_settled. @param head  memory for as many as there are items
  [[nodiscard]] detail::group_of<Index> groups_of_items(std::span<Index> head) const {
    std::uint8_t* const heads = side_[0].heads.data();
    machine_.each(groups_, detail::mark_old_head<Index>{offsets_.data(), heads});
    machine_.scan(size_, detail::position_of_head<Index>{heads}, head, maximum{});
    return {head.data(), side_[0].slots.data(), heads};
  }

  /// Let the groups of one item go, and find the segments of those that stay.
  void drop_settled() {
    std::size_t const n = size_;
    side const &now = side_[0], &next = side_[1];
    detail::unsettled<detail::element<std::uint8_t>> const unsettled{{now.heads.data()}, n};
    // First where they are, in the place of their slots.
    size_ = machine_.select(n, unsettled, detail::as_index<Index>{}, next.slots.span());
    machine_.each(size_, detail::pick<Item, Index>{now.items.data(), now.slots.data(), now.heads.data(), next.items.data(),
                                                   next.slots.data(), next.heads.data()});
    std::swap(side_[0], side_[1]);
    find_groups();
  }

  /// What is open, in no more memory than it needs: Item + Index + 1 byte an item; or Index + 1, where items are elsewhere.
  struct open_items {
    buffer<Item> items;
    buffer<Index> slots;
    buffer<std::uint8_t> heads;
    std::size_t groups = 0;

    open_items() = default;
    open_items(B& machine, std::size_t n, bool with_items = true)
        : items(machine.template buffer<Item>(with_items ? n : 0)),
          slots(machine.template buffer<Index>(n)),
          heads(machine.template buffer<std::uint8_t>(n)) {}

    [[nodiscard]] std::size_t size() const noexcept { return slots.size(); }
    [[nodiscard]] bool with_items() const noexcept { return items.size() == size(); }
    /// to[first + i] := item from + i, without what `to` has no room for
    void copy_to(B& machine, open_items const& to, std::size_t first, std::size_t from, std::size_t n) const {
      machine.each(n, detail::copy_open<Item, Index>{items.data() + from, slots.data() + from, heads.data() + from,
                                                     to.with_items() ? to.items.data() + first : nullptr,
                                                     to.slots.data() + first, to.heads.data() + first});
    }
  };

  /// Takes the open groups out, so that others can be worked on; without the items, where place() has put these into the order.
  /// Not between sort and drop_settled.
  [[nodiscard]] open_items set_aside(bool with_items = true) {
    side_[1] = {};  // there may be little memory
    open_items only(machine_, size_, with_items);
    only.groups = groups_;
    side_[0].copy_to(machine_, only, 0, 0, size_);
    clear();
    return only;
  }
  /// The same, without the items, in parts of some `most` of them each.
  [[nodiscard]] std::vector<open_items> set_aside_in_parts(std::size_t most) {
    side_[1] = {};
    std::size_t const count = std::min(groups_, (size_ + most - 1) / most);
    std::vector<open_items> parts;
    for (std::size_t k = 0, begin = 0, first_group = 0; k < count; ++k) {
      std::size_t const group = groups_ / count * (k + 1) + groups_ % count * (k + 1) / count;
      std::size_t const end = k + 1 == count ? size_ : std::size_t(value_at(machine_, offsets_.span(), group));
      open_items& part = parts.emplace_back(machine_, end - begin, false);
      part.groups = group - first_group;
      side_[0].copy_to(machine_, part, 0, begin, end - begin);
      begin = end;
      first_group = group;
    }
    clear();
    return parts;
  }
  /// The groups leave, whatever they are.
  void clear() {
    for (side& one : side_) one = {};
    offsets_ = {};
    size_ = groups_ = 0;
  }
  /// Goes on with groups that were set aside, in the place of those that there are. @param order  where their items are, if
  /// they have none
  void take_up(open_items groups, std::span<Item const> order = {}) {
    size_ = groups.size();
    offsets_ = {};
    side_[0] = std::move(groups);
    if (!side_[0].with_items()) {
      side_[0].items = machine_.template buffer<Item>(size_);
      machine_.gather(order, std::span<Index const>(slots()), items());
    }
    side_[1] = {machine_, size_};
    find_groups();
  }

 private:
  using side = open_items;

  /// At least two items a group, and one offset more than there are groups.
  static constexpr std::size_t offsets_of(std::size_t n) { return n / 2 + 1; }

  [[nodiscard]] detail::scatter<Item, Index> scatter_to(std::span<Item> order, std::size_t first) const {
    return {side_[0].items.data(), side_[0].slots.data(), order.data(), first};
  }

  void find_groups() {
    auto const* const heads = side_[0].heads.data();
    std::size_t const n = size_;
    if (offsets_.size() < offsets_of(n)) offsets_ = machine_.template buffer<Index>(offsets_of(n));
    groups_ = machine_.select(n + 1, detail::begins_or_ends{heads, n}, detail::as_index<Index>{}, offsets_.span()) - 1;
  }

  B& machine_;
  side side_[2];
  buffer<Index> offsets_;
  std::size_t size_ = 0, groups_ = 0;
};

}  // namespace ordo
