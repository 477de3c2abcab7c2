#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "suffix/buffer_sizes.hpp"
#include "suffix/numbers.hpp"
#include "suffix/packed_text.hpp"
#include "suffix/row_filter.hpp"

// Of a text of which only every so many-th position of a record has a row, no other suffixes are sorted: what follows a number
// of letters behind such a position is the end of its record or another one of them, if that number is a multiple of the
// distance. So the ranks of these tell them apart, and time and memory are those of as many suffixes as there are rows.
namespace ordo::suffix::detail {

template <Backend B, class Index>
class sampled_positions {
 public:
  /// Of a text of n letters: 1/8 byte a letter, and sizeof(Index) for 64.
  static std::size_t memory(std::size_t n) {
    return buffer_sizes::of(n / 64 + 1, 8) + buffer_sizes::of(n / 64 + 1, sizeof(Index));
  }

  sampled_positions(B& machine, packed_text<B> const& packed, std::uint64_t distance)
      : distance_(distance),
        words_(machine.template buffer<std::uint64_t>(packed.size() / 64 + 1)),
        ends_(machine.template buffer<Index>(words_.size())) {
    machine.each(
        words_.size(),
        mark_rows<packed_view>{
            packed.view(), packed.breaks().bounds().data(), packed.records(), packed.size(), {false, distance}, words_.data()});
    machine.scan(words_.size(), ones_of_set{words_.data()}, ends_.span(), plus{});
    count_ = std::size_t(value_at(machine, ends_.span(), ends_.size() - 1));
  }

  /// How many there are.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] sampled_position<Index> numbers() const { return {words_.data(), ends_.data(), std::size_t(distance_)}; }

 private:
  std::uint64_t distance_;
  buffer<std::uint64_t> words_;
  buffer<Index> ends_;
  std::size_t count_ = 0;
};

}  // namespace ordo::suffix::detail
