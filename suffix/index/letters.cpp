#include "ordo/suffix/letters.hpp"

#include <algorithm>
#include <atomic>

#include "base/bits.hpp"
#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/suffix/fm_index.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t word_bits = 64, letters_at_once = std::size_t{1} << 18;

// Sets the bits of a level to bit(i) for each i in [0, n). @returns the number of ones
template <class Bit>
std::uint64_t fill(std::vector<std::uint64_t>& words, std::size_t n, Bit bit) {
  words.resize((n + word_bits - 1) / word_bits);
  std::atomic<std::uint64_t> count{0};
  host_detail::blocks(words.size(), letters_at_once / word_bits).run([&](std::size_t, std::size_t begin, std::size_t end) {
    std::uint64_t result = 0;
    for (std::size_t w = begin; w < end; ++w) {
      std::size_t const first = w * word_bits, size = std::min(word_bits, n - first);
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < size; ++i) word |= std::uint64_t{bit(first + i)} << i;
      result += std::uint64_t(__builtin_popcountll(word));
      words[w] = word;
    }
    count += result;
  });
  return count;
}

constexpr std::string_view letters_of_proteins = "EFIJLOPQZefijlopqz";

letter_choice choice_for(std::uint64_t of_proteins, std::uint64_t all) {
  return of_proteins != 0 && of_proteins >= all / 100 ? letter_choice::all : letter_choice::nucleotides;
}

}  // namespace

letter_choice usual_letters(std::string_view residues, unsigned threads) {
  std::array<bool, 256> is_of_proteins{};
  for (char const letter : letters_of_proteins) is_of_proteins[static_cast<unsigned char>(letter)] = true;
  std::atomic<std::size_t> atomic{0};
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks(residues.size(), letters_at_once).run([&](std::size_t, std::size_t begin, std::size_t end) {
      std::size_t here = 0;
      for (std::size_t p = begin; p < end; ++p) here += is_of_proteins[static_cast<unsigned char>(residues[p])];
      atomic += here;
    });
  });
  return choice_for(atomic, residues.size());
}

letter_choice usual_letters(fm_index const& fm) {
  std::uint64_t result = 0, all = 0;
  for (unsigned byte = 0; byte < 256; ++byte) all += fm.count(static_cast<char>(byte));
  for (char const letter : letters_of_proteins) result += fm.count(letter);
  return choice_for(result, all);
}

ambiguous_positions::ambiguous_positions(std::string_view residues, unsigned threads) {
  std::array<bool, 256> is_ambiguous{};
  for (unsigned byte = 0; byte < 256; ++byte) is_ambiguous[byte] = !is_nucleotide(static_cast<unsigned char>(byte));
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    count_ = fill(levels_.emplace_back(), residues.size(),
                  [&](std::size_t p) { return is_ambiguous[static_cast<unsigned char>(residues[p])]; });
    while (levels_.back().size() > 1) {
      bits upper;
      bits const& lower = levels_.back();
      fill(upper, lower.size(), [&](std::size_t word) { return lower[word] != 0; });
      levels_.push_back(std::move(upper));
    }
  });
}

std::optional<std::uint64_t> ambiguous_positions::next(std::uint64_t p) const noexcept {
  // Climbs until a word has a bit at or after p, where p counts bits of that level; then descends to that bit.
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::uint64_t const word = p / word_bits;
    if (word >= levels_[level].size()) return std::nullopt;
    if (std::uint64_t const left = levels_[level][word] & ~std::uint64_t{0} << p % word_bits; left != 0) {
      p = word * word_bits + trailing_zeros(left);
      while (level-- != 0) p = p * word_bits + trailing_zeros(levels_[level][p]);
      return p;
    }
    p = word + 1;
  }
  return std::nullopt;
}

}  // namespace ordo::inline v0::suffix
