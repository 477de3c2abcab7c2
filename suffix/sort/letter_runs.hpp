#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

// Runs of one letter, such as N in genomes. The suffixes that begin in one agree in as many letters as are left of it, and
// doubling would process them until it has passed the longest run. But their order is known: let r letters c be left. Followed
// by the end of a record or a letter below c, shorter runs come first; followed by a letter above c, longer runs come first;
// and all of the former come before all of the latter.
namespace ordo::inline v0::suffix::detail {

/// Returns true if a key is whole and of one letter, in a text that may have runs.
struct is_uniform_key {
  packed_view text;
  std::uint64_t ones;  // a key whose letters are all 1

  explicit is_uniform_key(packed_view of) : text(of), ones(of.ones()) {}
  ORDO_FN bool operator()(std::uint64_t key) const {
    std::uint64_t const letters = key >> text.length_bits;
    return text.may_have_runs() && !text.ends(key) && letters == text.last_of_equal(letters) * ones;
  }
};

/// Sets bit k of word b if a run ends before position 64 b + k, which is below n: letters of one record, at least as many as a
/// key has, all the same.
struct ends_run {
  packed_view text;
  std::size_t n;

  ORDO_FN std::uint64_t operator()(std::size_t b) const {
    // Finds letters that equal the one before in their record; then ends of sequences of these.
    stream const equal{b == 0 ? 0 : equal_to_last(b - 1, 65 - text.letters), equal_to_last(b, 0)};
    stream runs{~std::uint64_t{0}, ~std::uint64_t{0}}, power = equal;
    for (unsigned length = 1; length < text.letters; length *= 2) {
      if ((text.letters - 1) & length) runs = power & runs.after(length);
      power = power & power.after(length);
    }
    std::uint64_t const follows = runs.after(1).here & (b == 0 ? ~std::uint64_t{0} >> text.letters : ~std::uint64_t{0});
    std::uint64_t const inside = n - 64 * b < 64 ? ~(~std::uint64_t{0} >> (n - 64 * b)) : ~std::uint64_t{0};
    return reversed_bits(follows & ~equal.here & inside);
  }

 private:
  /// 64 positions and the 64 before them; the highest bit is the first one.
  struct stream {
    std::uint64_t before, here;
    ORDO_FN stream after(unsigned positions) const {  // 1 to 63
      return {before >> positions, here >> positions | before << (64 - positions)};
    }
    ORDO_FN stream operator&(stream other) const { return {before & other.before, here & other.here}; }
  };

  /// Compares the 64 positions from 64 w on, beginning with the `first`-th, to the one before.
  ORDO_FN std::uint64_t equal_to_last(std::size_t w, unsigned first) const {
    unsigned const bits = text.letter_bits;
    std::size_t const begin = 64 * w + first, letters = n - 1, end = 64 * w + 64 < letters ? 64 * w + 64 : letters;
    std::uint64_t equal = 0;
    for (std::size_t p = begin == 0 ? 1 : begin; p < end;) {
      std::uint64_t const window = bits_from(text.words, (p - 1) * bits);
      std::uint64_t differing = window ^ window << bits;
      for (unsigned k = 1; k < 64 / bits && p < end; ++k, ++p, differing <<= bits)
        equal |= std::uint64_t(differing >> (64 - bits) == 0) << (63 - p % 64);
    }
    return equal & ~text.breaks.words[w];
  }
};

/// Computes keys for suffixes that begin with a uniform key of the same letter: the number of letters left of the run, and what
/// follows it. Suffixes with equal keys agree in all of that.
struct run_key {
  packed_view text;
  std::uint64_t const* ends;  // the ends of runs, exclusive, in order
  std::size_t count;
  unsigned width;  // bits of a length

  [[nodiscard]] bit_range bits() const { return {0, width + 10}; }
  ORDO_FN std::uint64_t operator()(std::size_t p) const {
    std::size_t const end = run_end(p);
    std::uint64_t const left = end - p;
    if (text.breaks(end)) return left << 9;
    unsigned const after = text.letter(end);
    std::uint64_t const all = (std::uint64_t{1} << width) - 1;
    return after < text.letter(p) ? left << 9 | (after + 1) : (all + 1 + all - left) << 9 | (after + 1);
  }
  /// Returns the number of letters of p's run from p on.
  ORDO_FN std::size_t left(std::size_t p) const { return run_end(p) - p; }
  /// Returns true if the run at p ends its record. Then suffixes with equal keys are equal.
  ORDO_FN bool ends_record(std::size_t p) const { return text.breaks(run_end(p)); }

 private:
  ORDO_FN std::size_t run_end(std::size_t p) const {
    std::size_t low = 0, high = count - 1;  // the first end after p
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (ends[middle] <= p)
        low = middle + 1;
      else
        high = middle;
    }
    return ends[low];
  }
};

/// Appends the ends of runs, as ends_run finds them, while it skips most of a text: for threads that can append.
struct run_ends {
  static constexpr std::size_t block = std::size_t{1} << 16;  // letters
  ends_run is_end;

  void operator()(std::size_t b, std::vector<std::uint64_t>& result) const {
    for (std::size_t w = b * block / 64, end = std::min((b + 1) * block, is_end.n); w * 64 < end; ++w) {
      if (!may_end(w)) continue;
      for (std::uint64_t rest = is_end(w); rest != 0; rest &= rest - 1) result.push_back(64 * w + trailing_zeros(rest));
    }
  }

 private:
  /// Returns true if a run may end in word w. A run of 31 bits and more covers some aligned 16 bits, each of which equals the
  /// bit of the letter before.
  [[nodiscard]] bool may_end(std::size_t w) const {
    packed_view const& text = is_end.text;
    unsigned const bits = text.letter_bits;
    if (text.letters * bits < 31) return true;
    constexpr std::uint64_t lanes = 0x0001000100010001;
    std::uint64_t const compared = lanes * (0x10000u - (1u << bits));
    std::size_t const first = 64 * w < text.letters ? 0 : 64 * w - text.letters, last = std::min(64 * w + 63, is_end.n - 1);
    for (std::size_t k = first * bits / 64; k <= last * bits / 64; ++k) {
      std::uint64_t const differing = (text.words[k] ^ text.words[k] << bits) & compared;
      if (((differing - lanes) & ~differing & lanes << 15) != 0) return true;
    }
    return false;
  }
};

/// The runs of a text that are at least as long as a key; none of a text of more than 256 letters. Memory: 8 bytes each.
template <Backend B>
class letter_runs {
 public:
  letter_runs(B& backend, packed_view text, std::size_t n) : text_(text), n_(n) {
    if (!text.may_have_runs()) return;
    ends_run const is{text, n + 1};
    if constexpr (has_workers<B>) {
      std::vector<std::vector<std::uint64_t>> result(n / run_ends::block + 1);
      backend.each_worker(result.size(), [&](auto&, std::size_t b) { run_ends{is}(b, result[b]); });
      std::size_t count = 0;
      for (auto const& some : result) count += some.size();
      ends_ = backend.template buffer<std::uint64_t>(count);
      std::uint64_t* to = ends_.data();
      for (auto const& some : result) to = std::ranges::copy(some, to).out;
    } else {
      selected_positions<B> positions(backend, n + 1);
      ends_ = backend.template buffer<std::uint64_t>(positions.count(is));
      if (!empty()) positions.write(is, ends_.span());
    }
  }
  [[nodiscard]] bool empty() const { return ends_.size() == 0; }
  /// Returns the keys of suffixes with uniform keys. Not if this is empty.
  [[nodiscard]] run_key key() const { return {text_, ends_.data(), ends_.size(), unsigned(std::bit_width(n_))}; }

 private:
  packed_view text_;
  std::size_t n_;
  buffer<std::uint64_t> ends_;
};

}  // namespace ordo::inline v0::suffix::detail
