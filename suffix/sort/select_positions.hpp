#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "suffix/sort/buffer_sizes.hpp"

// Which positions of a text have a property. Whole words of the text are looked at by one thread, a bit of an answer for each
// letter: select() of the waist takes four times as long for what is found by looking at a few bits.
namespace ordo::suffix::detail {

constexpr std::size_t letters_in_block = 64;

template <class Answers>
struct ones_of_answers {
  Answers answers;
  ORDO_FN std::size_t operator()(std::size_t b) const { return count_ones(answers(b)); }
};

/// The positions of the ones of block b. @param ends  how many ones there are up to a block's end
template <class Answers, class Index, class End>
struct write_positions {
  Answers answers;
  End const* ends;
  Index* to;

  ORDO_FN void operator()(std::size_t b) const {
    std::uint64_t rest = answers(b);
    for (std::size_t at = ends[b] - count_ones(rest); rest != 0; rest &= rest - 1, ++at)
      to[at] = Index(b * letters_in_block + trailing_zeros(rest));
  }
};

constexpr std::size_t blocks_of(std::size_t letters) {
  return (letters + letters_in_block - 1) / letters_in_block;
}

/// The positions of [0, n) that have a property. Memory: sizeof(End) bytes for 64 positions; n must fit an End. What says which
/// they are is asked twice: `answers` is for each block of 64 positions a word, of bit k for the k-th of them.
template <Backend B, class End = std::size_t>
class selected_positions {
 public:
  static std::size_t memory(std::size_t n) { return buffer_sizes::of(blocks_of(n), sizeof(End)); }

  selected_positions(B& machine, std::size_t n) : machine_(machine), ends_(machine.template buffer<End>(blocks_of(n))) {}

  /// @returns how many there are
  template <class Answers>
  std::size_t count(Answers answers) {
    machine_.scan(ends_.size(), ones_of_answers<Answers>{answers}, ends_.span(), plus{});
    return std::size_t(value_at(machine_, ends_.span(), ends_.size() - 1));
  }

  /// to := those that were counted last, in order. @param to  as many as there are
  template <class Answers, class Index>
  void write(Answers answers, std::span<Index> to) const {
    machine_.each(ends_.size(), write_positions<Answers, Index, End>{answers, ends_.data(), to.data()});
  }

 private:
  B& machine_;
  buffer<End> ends_;
};

}  // namespace ordo::suffix::detail
