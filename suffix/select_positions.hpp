#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "sort_core/bits.hpp"
#include "sort_core/functors.hpp"
#include "suffix/buffer_sizes.hpp"

// Which positions of a text have a property. Whole words of the text are looked at by one thread, a bit of an answer for each
// letter: select() of the waist takes four times as long for what is found by looking at a few bits.
namespace ordo::suffix::detail {

constexpr std::size_t letters_in_block = 64;

/// Ones in x.
ORDO_FN constexpr unsigned count_ones(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return unsigned(x * 0x0101010101010101 >> 56);
}

template <class Answers>
struct write_answers {
  Answers answers;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t b) const { to[b] = answers(b); }
};

struct ones_of_word {
  std::uint64_t const* words;
  ORDO_FN std::size_t operator()(std::size_t b) const { return count_ones(words[b]); }
};

/// The positions of the ones of block b. @param ends  how many ones there are up to a block's end
template <class Index>
struct write_positions {
  std::uint64_t const* answers;
  std::size_t const* ends;
  Index* to;

  ORDO_FN void operator()(std::size_t b) const {
    std::uint64_t rest = answers[b];
    for (std::size_t at = ends[b] - count_ones(rest); rest != 0; rest &= rest - 1, ++at)
      to[at] = Index(b * letters_in_block + trailing_zeros(rest));
  }
};

constexpr std::size_t blocks_of(std::size_t letters) {
  return (letters + letters_in_block - 1) / letters_in_block;
}

/// The positions of [0, n) that have a property. Memory: 1/4 byte a position.
template <Backend B>
class selected_positions {
 public:
  static std::size_t memory(std::size_t n) { return 2 * buffer_sizes::of(blocks_of(n), sizeof(std::uint64_t)); }

  selected_positions(B& machine, std::size_t n)
      : machine_(machine),
        words_(machine.template buffer<std::uint64_t>(blocks_of(n))),
        ends_(machine.template buffer<std::size_t>(blocks_of(n))) {}

  /// Looks for others. @param answers  for each block of 64 positions a word, of bit k for the k-th of them
  /// @returns how many there are
  template <class Answers>
  std::size_t select(Answers answers) {
    machine_.each(words_.size(), write_answers<Answers>{answers, words_.data()});
    machine_.scan(words_.size(), ones_of_word{words_.data()}, ends_.span(), plus{});
    return value_at(machine_, ends_.span(), ends_.size() - 1);
  }

  /// to := they, in order. @param to  as many as there are
  template <class Index>
  void write(std::span<Index> to) const {
    machine_.each(words_.size(), write_positions<Index>{words_.data(), ends_.data(), to.data()});
  }

 private:
  B& machine_;
  buffer<std::uint64_t> words_;
  buffer<std::size_t> ends_;
};

}  // namespace ordo::suffix::detail
