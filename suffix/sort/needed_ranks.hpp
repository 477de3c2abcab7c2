#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

// Of which positions ranks are needed, where few suffixes are left open. A suffix at p that is told from others by the rank of
// what follows `known` letters agrees with one of them so far. So the suffix at p + known - depth agrees with another one in
// `depth` letters: if all that did so were open once, it was one of them, and `depth` letters behind it is what is asked for.
// Of two ranks in a key the second one matters only where the first ones are equal, which are those of suffixes that agree in
// `known` letters, too: the same holds for it. A suffix that begins with a run of one letter may have been settled by the run,
// however many letters it shares: it has a rank of its own, and one that is still open at twice the depth was equal, in a round
// before, by what is behind another open one.
namespace ordo::suffix::detail {

/// Adds what is `depth` letters behind suffix i.
template <class Index>
struct add_position_behind {
  Index const* suffix;
  std::size_t depth;
  set_word* words;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const p = suffix[i] + depth;
    or_relaxed(&words[p / 64].bits, std::uint64_t{1} << (63 - p % 64));
  }
};

struct clear_set_word {
  set_word* words;
  ORDO_FN void operator()(std::size_t w) const { words[w] = {}; }
};

/// A word, and how many positions are in it.
struct counted_word {
  set_word const* words;
  ORDO_FN set_word operator()(std::size_t w) const { return {words[w].bits, count_ones(words[w].bits)}; }
};

/// The positions behind open suffixes, numbered: added, and then numbered.
template <Backend B>
class positions_behind {
 public:
  /// Of a text of n letters: 1/4 byte a letter.
  static std::size_t memory(std::size_t n) {
    return buffer_sizes::of(set_words(n), sizeof(set_word)) + buffer_sizes::of(set_words(n) / 64 + 1, 8);
  }

  /// @param n  how many letters there are
  positions_behind(B& machine, std::size_t n)
      : machine_(machine),
        words_(machine.template buffer<set_word>(set_words(n))),
        not_empty_(machine.template buffer<std::uint64_t>(words_.size() / 64 + 1)) {
    machine.each(words_.size(), clear_set_word{words_.data()});
  }

  /// What is `depth` letters behind suffixes, which do not end before.
  template <class Index>
  void add(std::span<Index const> open, std::size_t depth) {
    machine_.each(open.size(), add_position_behind<Index>{open.data(), depth, words_.data()});
  }

  void number_all() {
    machine_.scan(words_.size(), counted_word{words_.data()}, words_.span(), count_on{});
    machine_.each(not_empty_.size(), write_not_empty{words_.data(), words_.size(), not_empty_.data()});
    count_ = std::size_t(value_at(machine_, words_.span(), words_.size() - 1).end);
  }

  /// How many there are.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] numbered_position numbers() const { return {words_.data(), 1, not_empty_.data()}; }

 private:
  B& machine_;
  buffer<set_word> words_;
  buffer<std::uint64_t> not_empty_;
  std::size_t count_ = 0;
};

}  // namespace ordo::suffix::detail
