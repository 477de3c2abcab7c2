#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "suffix/sort/diagonals.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/text_rounds.hpp"
#include "suffix/text/packed_text.hpp"

// What text_rounds.hpp does with all threads, one thread does for as many suffixes as its cache holds. In place: the suffixes
// of a group are in consecutive places of the order, and nothing but these is kept of it.
namespace ordo::suffix::detail {

struct first_key {
  packed_view text;
  std::uint64_t operator()(std::size_t p) const { return text.key(p); }
  void prefetch(std::size_t p) const { text.expect(p); }
};

struct key_of_run {
  run_key run;
  std::uint64_t operator()(std::size_t p) const { return run(p); }
  void prefetch(std::size_t) const {}
};

/// Sorts consecutive places of the order by first keys, and the larger groups that are left by further ones.
template <class Index>
struct worker_rounds {
  packed_view text;
  run_key runs;  // as long as a key and longer
  bool has_runs;
  Index* order;
  Index* lcp;  // of the order, from the first keys; or none

  /// order[first, first + count), which are by position. @param open  takes groups that are left, in any order: room for half
  /// as many as there are suffixes @returns  how many
  template <class Worker>
  std::size_t sort(Worker& worker, std::size_t first, std::size_t count, place_group<Index>* open) const {
    return finish(worker, worker.sort_by(order + first, count, first_key{text}), first, count, open);
  }

  /// The same of suffixes that are in the order of their first keys.
  template <class Worker>
  std::size_t finish(Worker& worker, std::uint64_t const* keys, std::size_t first, std::size_t count,
                     place_group<Index>* open) const {
    if (lcp)
      for (std::size_t i = 1; i < count; ++i) lcp[first + i] = Index(text.common_letters(keys[i - 1], keys[i]));
    place_group<Index>* const begin = open;
    groups large, runs_found;
    is_uniform_key const is_uniform(text);
    each_group(keys, count, [&](std::size_t i, std::size_t size) {
      place_group<Index> const group{Index(first + i), Index(size)};
      if (text.ends(keys[i])) return;  // equal suffixes, in order
      if (has_runs && is_uniform(keys[i]))
        runs_found.push_back(group);
      else
        leave(group, large, open);
    });
    for (place_group<Index> const group : runs_found) sort_run(worker, group, large, open);
    sort_large(worker, std::move(large), most_rounds, false, open);
    return std::size_t(open - begin);
  }

  /// The same of a group that was left, in up to so many rounds, until parts of it are small enough to be compared.
  template <class Worker>
  std::size_t sort_further(Worker& worker, place_group<Index> group, std::size_t rounds, place_group<Index>* open) const {
    place_group<Index>* const begin = open;
    sort_large(worker, {group}, rounds, true, open);
    return std::size_t(open - begin);
  }

 private:
  using groups = std::vector<place_group<Index>>;

  // Of so few suffixes a comparison or two for each are cheaper than a key; others are of different repeats mostly, which lie
  // at so many distances that keys are.
  static constexpr std::size_t few = 4;
  // Of larger groups that are still open then, whole repeats are the same.
  static constexpr std::size_t most_rounds = 16;

  /// use(i, size) for each group of equal keys, two and more.
  template <class Use>
  static void each_group(std::uint64_t const* keys, std::size_t n, Use use) {
    for (std::size_t i = 1; i < n; ++i) {
      if (keys[i] != keys[i - 1]) continue;
      std::size_t const begin = i - 1;
      while (i < n && keys[i] == keys[begin]) ++i;
      use(begin, i - begin);
    }
  }

  static void leave(place_group<Index> group, groups& large, place_group<Index>*& open) {
    if (group.size > few)
      large.push_back(group);
    else
      *open++ = group;
  }

  template <class Worker>
  void sort_run(Worker& worker, place_group<Index> group, groups& large, place_group<Index>*& open) const {
    std::uint64_t const* const keys = worker.sort_by(order + group.begin, group.size, key_of_run{runs});
    each_group(keys, group.size, [&](std::size_t i, std::size_t size) {
      if (!runs.ends_record(order[group.begin + i])) leave({Index(group.begin + i), Index(size)}, large, open);
    });
  }

  /// A round computes the keys of all groups before it sorts any: these are random reads of the text, which then overlap.
  template <class Worker>
  void sort_large(Worker& worker, groups now, std::size_t rounds, bool patient, place_group<Index>*& open) const {
    groups next;
    std::vector<Index> suffixes;
    for (std::size_t round = 1; !now.empty(); ++round) {
      suffixes.clear();
      for (place_group<Index> const group : now)
        suffixes.insert(suffixes.end(), order + group.begin, order + group.begin + group.size);
      text_key const key{text, round * text.letters};
      std::uint64_t* keys = worker.keys_of(suffixes.data(), suffixes.size(), key);
      next.clear();
      for (place_group<Index> const group : now) {
        worker.sort(keys, order + group.begin, group.size);
        each_group(keys, group.size, [&](std::size_t i, std::size_t size) {
          place_group<Index> const part{Index(group.begin + i), Index(size)};
          if (text.ends(keys[i])) return;
          bool const in_vain = size + group.size / 16 >= group.size && (size <= most_by_diagonals || !patient);
          if (round >= rounds || in_vain)
            *open++ = part;
          else
            leave(part, next, open);
        });
        keys += group.size;
      }
      std::swap(now, next);
    }
  }
};

}  // namespace ordo::suffix::detail
