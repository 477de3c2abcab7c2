#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/detail/fn.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// Which of some ranges of keys, one behind the other, the key of a suffix is in. To say so of all suffixes of a text, its
/// letters are compared as they lie there; a key is only made of those that agree in all of them with where a range begins.
class range_finder {
 public:
  static constexpr unsigned most = 15;   // ranges
  static constexpr unsigned none = 255;  // what is returned for a key that is in none

  /// @param text  whose keys @param first  the first key of the first range @param lasts  the last key of each, ascending, at
  ///     least one
  range_finder(packed_view text, std::uint64_t first, std::span<std::uint64_t const> lasts)
      : letters_mask_(~std::uint64_t{0} << (64 - text.letters_in_window() * text.letter_bits)),
        ranges_(unsigned(lasts.size())) {
    std::ranges::fill(tops_, ~std::uint32_t{0});
    add_bound(text, first);
    for (std::uint64_t const last : lasts)
      if (last != ~std::uint64_t{0}) add_bound(text, last + 1);
  }

  /// @param top  the first 32 bits of the text at p, if no record ends in the 64 letters behind p
  ORDO_FN unsigned operator()(packed_view const& text, std::size_t p, std::uint32_t top) const {
    top &= std::uint32_t(letters_mask_ >> 32);
    unsigned passed = 0;
    for (unsigned step = (most + 1) / 2; step != 0; step /= 2) passed += top >= tops_[passed + step - 1] ? step : 0;
    passed += top >= tops_[most];
    return number(passed != 0 && top == tops_[passed - 1] ? passed_of(text, p) : passed);
  }
  /// The same wherever records end.
  ORDO_FN unsigned operator()(packed_view const& text, std::size_t p) const { return number(passed_of(text, p)); }

 private:
  void add_bound(packed_view const& text, std::uint64_t key) {
    keys_[bounds_] = key;
    windows_[bounds_] = text.window_of(key);
    tops_[bounds_] = std::uint32_t(windows_[bounds_] >> 32);
    ++bounds_;
  }
  ORDO_FN unsigned number(unsigned passed) const { return passed - 1 < ranges_ ? passed - 1 : none; }
  /// How many bounds are not behind p's suffix.
  ORDO_FN unsigned passed_of(packed_view const& text, std::size_t p) const {
    std::uint64_t const letters = text.window(p) & letters_mask_;
    unsigned passed = 0;
    while (passed < bounds_ && (letters > windows_[passed] || (letters == windows_[passed] && text.key(p) >= keys_[passed])))
      ++passed;
    return passed;
  }

  std::uint64_t letters_mask_;
  unsigned ranges_, bounds_ = 0;
  // Where each range begins, and behind the last one: suffixes of greater letters are behind it, those of the same ones if
  // their key is.
  std::uint32_t tops_[most + 1];  // of the windows; the greatest number where there is none
  std::uint64_t windows_[most + 1] = {}, keys_[most + 1] = {};
};

}  // namespace ordo::suffix::detail
