#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "sort_core/bits.hpp"
#include "sort_core/functors.hpp"

// Which positions of a text have a property. Whole words of the text are looked at by one thread, a bit of an answer for each
// letter: select() of the waist takes four times as long for what is found by looking at a few bits.
namespace ordo::suffix::detail {

constexpr std::size_t letters_in_block = 64;

/// Bit k of word b: is it so at position 64 b + k, which is below n?
template <class Is>
struct answers_in_block {
  Is is;
  std::size_t n;

  ORDO_FN std::uint64_t operator()(std::size_t b) const {
    std::uint64_t answers = 0;
    std::size_t const begin = b * letters_in_block, end = begin + letters_in_block < n ? begin + letters_in_block : n;
    for (std::size_t p = begin; p < end; ++p) answers |= std::uint64_t(is(p)) << (p - begin);
    return answers;
  }
};

/// Ones in x.
ORDO_FN constexpr unsigned count_ones(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return unsigned(x * 0x0101010101010101 >> 56);
}

template <class Answers>
struct count_in_block {
  Answers answers;
  ORDO_FN std::size_t operator()(std::size_t b) const { return count_ones(answers(b)); }
};

/// Writes those of some blocks.
template <class Answers>
struct write_answers {
  Answers answers;
  std::size_t first;  // block
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t b) const { to[b] = answers(first + b); }
};

struct ones_of_word {
  std::uint64_t const* words;
  ORDO_FN std::uint32_t operator()(std::size_t b) const { return count_ones(words[b]); }
};

/// The positions of the ones of block b. @param ends  how many ones there are up to a block's end
template <class Index>
struct write_positions {
  std::uint64_t const* answers;
  std::uint32_t const* ends;
  std::size_t first;  // position
  Index* to;

  ORDO_FN void operator()(std::size_t b) const {
    std::uint64_t rest = answers[b];
    for (std::size_t at = ends[b] - count_ones(rest); rest != 0; rest &= rest - 1, ++at)
      to[at] = Index(first + b * letters_in_block + trailing_zeros(rest));
  }
};

constexpr std::size_t blocks_of(std::size_t letters) {
  return (letters + letters_in_block - 1) / letters_in_block;
}

/// How many positions of [0, n) have it. @param answers  for each block of 64 positions a word, of bit k for the k-th of them
template <Backend B, class Answers>
std::size_t count_positions(B& machine, std::size_t n, Answers answers) {
  return machine.reduce(blocks_of(n), count_in_block<Answers>{answers}, std::size_t{0}, plus{});
}

/// to := the positions of [0, n) that have it, in order. @param to  as many as there are
/// Memory: 96 MiB at most.
template <Backend B, class Index, class Answers>
void select_positions(B& machine, std::size_t n, Answers answers, std::span<Index> to) {
  constexpr std::size_t at_once = std::size_t{1} << 23;  // blocks
  std::size_t const blocks = blocks_of(n);
  auto const words = machine.template buffer<std::uint64_t>(std::min(blocks, at_once));
  auto const ends = machine.template buffer<std::uint32_t>(words.size());
  Index* next = to.data();
  for (std::size_t first = 0; first < blocks && next != to.data() + to.size(); first += at_once) {
    std::size_t const some = std::min(blocks - first, at_once);
    machine.each(some, write_answers<Answers>{answers, first, words.data()});
    machine.scan(some, ones_of_word{words.data()}, ends.span().first(some), plus{});
    machine.each(some, write_positions<Index>{words.data(), ends.data(), first * letters_in_block, next});
    next += value_at(machine, std::span<std::uint32_t const>(ends.span()), some - 1);
  }
}

}  // namespace ordo::suffix::detail
