#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/numbers.hpp"
#include "suffix/positions_behind.hpp"

// Long repeats, without doubling. If what is one letter behind the suffixes of a group is a whole group again, the two are in
// one order; so are all groups of a chain of such ones, that of its last group, whose suffixes differ soon. A copied stretch of
// a genome is such a chain, and so is what genomes that are nearly alike have between two differences. So one round by the
// ranks behind the ends of chains settles what would take a round for every three times as many letters.
namespace ordo::suffix::detail {

// Larger groups are in no chain: there is little to win, and one thread looks at a group.
constexpr std::size_t most_in_chained_group = 16;

/// What is known of an open suffix: its group, and whether that goes on in another one.
template <class Index>
struct group_note {
  Index group;            // the slot of its head
  std::uint16_t size;     // 0: too large
  std::uint16_t goes_on;  // 0 or 1
};

template <class Index>
struct clear_note {
  group_note<Index>* notes;
  ORDO_FN void operator()(std::size_t k) const { notes[k] = {0, 0, 0}; }
};

/// Notes for the suffixes of open groups which one is theirs.
template <class Index>
struct note_groups {
  Index const *suffix, *begins, *ends, *slots;
  numbered_position number;
  group_note<Index>* notes;  // by number
  ORDO_FN void operator()(std::size_t g) const {
    std::size_t const begin = begins[g], size = ends[g] - begin;
    if (size > most_in_chained_group) return;
    group_note<Index> const note{slots[begin], std::uint16_t(size), 0};
    for (std::size_t i = begin; i < begin + size; ++i) notes[number(suffix[i])] = note;
  }
};

/// Notes which groups go on in another one.
template <class Index>
struct note_chains {
  note_groups<Index> groups;
  ORDO_FN void operator()(std::size_t g) const {
    std::size_t const begin = groups.begins[g], end = groups.ends[g];
    numbered_position const number = groups.number;
    if (end - begin > most_in_chained_group) return;
    Index next{};
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t const p = groups.suffix[i] + std::size_t{1};
      if (!number.has(p)) return;
      group_note<Index> const& note = groups.notes[number(p)];
      if (note.size != end - begin || (i != begin && note.group != next)) return;
      next = note.group;
    }
    for (std::size_t i = begin; i < end; ++i) groups.notes[number(groups.suffix[i])].goes_on = 1;
  }
};

/// Of the numbers from the last one down, which one is k if no chain goes on there, else none.
template <class Index>
struct chain_end_from_behind {
  group_note<Index> const* notes;
  std::size_t count;
  ORDO_FN Index operator()(std::size_t i) const { return notes[count - 1 - i].goes_on ? Index{0} : Index(i); }
};

/// The key of a suffix by the ranks behind the end of its group's chain.
template <class Key, class Index>
struct chain_key {
  using key_type = typename Key::key_type;
  Key key;
  numbered_position number;
  Index const* end_from_behind;
  std::size_t count;

  ORDO_FN key_type operator()(Index p) const {
    std::size_t const k = number(p);
    return key(Index(p + (count - 1 - end_from_behind[count - 1 - k] - k)));
  }
  ORDO_FN void prefetch(Index p) const { number.expect(end_from_behind, p); }
};

/// The chains of open groups: these are added, all numbered, and twice noted, before the ends are found. Memory: 1/4 byte a
/// letter, and sizeof(Index) for each open suffix; while it is made, a note more.
template <Backend B, class Index>
class group_chains {
 public:
  using open_groups = refinement<B, Index, Index>;

  /// What it takes at most, for a text of n letters.
  static std::size_t memory(std::size_t n, std::size_t open) {
    return positions_behind<B>::memory(n) + buffer_sizes::of(open, sizeof(Index));
  }
  /// While it is made.
  static std::size_t most_memory(std::size_t n, std::size_t open) {
    return memory(n, open) + buffer_sizes::of(open, sizeof(group_note<Index>));
  }

  /// @param text  of n letters
  group_chains(B& machine, packed_view text, std::size_t n) : machine_(machine), open_(machine, text, n, false) {}

  void add(open_groups const& open) { open_.add(std::span<Index const>(open.items()), 0); }
  void number_all() {
    open_.number_all();
    notes_ = machine_.template buffer<group_note<Index>>(open_.count());
    machine_.each(notes_.size(), clear_note<Index>{notes_.data()});
  }
  void note_groups_of(open_groups const& open) { machine_.each(open.groups(), note_of(open)); }
  void note_chains_of(open_groups const& open) { machine_.each(open.groups(), note_chains<Index>{note_of(open)}); }
  void find_ends() {
    ends_ = machine_.template buffer<Index>(open_.count());
    machine_.scan(ends_.size(), chain_end_from_behind<Index>{notes_.data(), notes_.size()}, ends_.span(), maximum{});
    notes_ = {};
  }

  /// @param key  of the ranks that the open groups go by
  template <class Key>
  [[nodiscard]] chain_key<Key, Index> key(Key const& key) const {
    return {key, open_.numbers(), ends_.data(), ends_.size()};
  }

 private:
  [[nodiscard]] note_groups<Index> note_of(open_groups const& open) {
    auto const all = open.segments();
    return {open.items().data(), all.begins.data(), all.ends.data(), open.slots().data(), open_.numbers(), notes_.data()};
  }

  B& machine_;
  positions_behind<B> open_;
  buffer<group_note<Index>> notes_;
  buffer<Index> ends_;
};

}  // namespace ordo::suffix::detail
