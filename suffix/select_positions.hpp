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

/// Bit k of word b: is it so at position first + 64 b + k?
template <class Is>
struct answers_in_block {
  Is is;
  std::size_t first, size;

  ORDO_FN std::uint64_t operator()(std::size_t b) const {
    std::uint64_t answers = 0;
    std::size_t const begin = b * letters_in_block, end = begin + letters_in_block < size ? begin + letters_in_block : size;
    for (std::size_t i = begin; i < end; ++i) answers |= std::uint64_t(is(first + i)) << (i - begin);
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

template <class Is>
struct count_in_block {
  answers_in_block<Is> block;
  ORDO_FN std::size_t operator()(std::size_t b) const { return count_ones(block(b)); }
};

template <class Is>
struct write_answers {
  answers_in_block<Is> block;
  std::uint64_t* answers;
  ORDO_FN void operator()(std::size_t b) const { answers[b] = block(b); }
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
  std::size_t first;
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

/// How many positions of [0, n) have it.
template <Backend B, class Is>
std::size_t count_positions(B& machine, std::size_t n, Is is) {
  return machine.reduce(blocks_of(n), count_in_block<Is>{{is, 0, n}}, std::size_t{0}, plus{});
}

/// to := the positions of [0, n) that have it, in order. @param to  as many as there are
/// Memory: 24 MiB at most.
template <Backend B, class Index, class Is>
void select_positions(B& machine, std::size_t n, Is is, std::span<Index> to) {
  constexpr std::size_t at_once = std::size_t{1} << 27;
  std::size_t const blocks = blocks_of(std::min(n, at_once));
  auto const answers = machine.template buffer<std::uint64_t>(blocks);
  auto const ends = machine.template buffer<std::uint32_t>(blocks);
  Index* next = to.data();
  for (std::size_t first = 0; first < n && next != to.data() + to.size(); first += at_once) {
    std::size_t const size = std::min(n - first, at_once), some = blocks_of(size);
    machine.each(some, write_answers<Is>{{is, first, size}, answers.data()});
    machine.scan(some, ones_of_word{answers.data()}, ends.span().first(some), plus{});
    machine.each(some, write_positions<Index>{answers.data(), ends.data(), first, next});
    next += value_at(machine, std::span<std::uint32_t const>(ends.span()), some - 1);
  }
}

}  // namespace ordo::suffix::detail
