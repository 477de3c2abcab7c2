#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/sort/row_filter.hpp"
#include "suffix/text/packed_text.hpp"

// Of a text of which only every so many-th position of a record has a row, no other suffixes are sorted: what follows a number
// of letters behind such a position is the end of its record or another one of them, if that number is a multiple of the
// distance. So the ranks of these tell them apart, and time and memory are those of as many suffixes as there are rows.
namespace ordo::suffix::detail {

/// Word w of these positions and the end of the text, and how many are in it.
struct sampled_word {
  mark_rows<packed_view> marked;
  ORDO_FN set_word operator()(std::size_t w) const {
    std::uint64_t const end = w == marked.n / 64 ? std::uint64_t{1} << (63 - marked.n % 64) : 0, bits = marked(w) | end;
    return {bits, count_ones(bits)};
  }
};

template <Backend B>
class sampled_positions {
 public:
  /// Of a text of n letters: 1/4 byte a letter.
  static std::size_t memory(std::size_t n) { return buffer_sizes::of(set_words(n), sizeof(set_word)); }

  sampled_positions(B& machine, packed_text<B> const& packed, std::uint64_t distance)
      : distance_(distance), words_(machine.template buffer<set_word>(set_words(packed.size()))) {
    mark_rows<packed_view> const marked{
        packed.view(), packed.breaks().bounds().data(), packed.records(), packed.size(), {false, distance}};
    machine.scan(words_.size(), sampled_word{marked}, words_.span(), count_on{});
    count_ = std::size_t(value_at(machine, words_.span(), words_.size() - 1).end) - 1;
  }

  /// How many there are, the end of the text not counted: that is its number.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] numbered_position numbers() const { return {words_.data(), std::size_t(distance_)}; }

 private:
  std::uint64_t distance_;
  buffer<set_word> words_;
  std::size_t count_ = 0;
};

}  // namespace ordo::suffix::detail
