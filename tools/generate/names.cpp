#include "tools/generate/names.hpp"

#include <array>
#include <bit>

namespace ordo::inline v0::generate {
namespace {

// The commonest first: the weights fall as 1 / rank^exponent.
constexpr auto onsets =
    std::to_array<std::string_view>({"s",  "t",  "c",  "r",  "m",  "d",  "p",  "l",  "n",  "b",  "f",   "",   "g", "h",
                                     "v",  "w",  "st", "tr", "pr", "ch", "sh", "k",  "th", "gr", "cr",  "br", "j", "pl",
                                     "fl", "qu", "cl", "sp", "dr", "fr", "bl", "sc", "ph", "gl", "str", "sl", "z", "y"});
constexpr auto nuclei =
    std::to_array<std::string_view>({"e", "a", "i", "o", "u", "ea", "io", "ou", "ie", "ai", "ee", "oo", "y", "au"});
constexpr auto codas = std::to_array<std::string_view>(
    {"", "n", "r", "l", "s", "t", "c", "m", "nt", "ng", "d", "st", "p", "ck", "ss", "nd", "rt", "ll", "g", "ct", "x", "b"});

std::uint64_t fingerprint(std::string_view text) {  // FNV-1a, then mixed; never 0
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
  return (hash ^ hash >> 32) | 1;
}

}  // namespace

word_maker::word_maker()
    : onset_(weighted_index::zipf(onsets.size(), 0.5)),
      nucleus_(weighted_index::zipf(nuclei.size(), 0.9)),
      coda_(weighted_index::zipf(codas.size(), 1)) {}

void word_maker::append(std::string& text, std::size_t syllables, random_source& random) const {
  for (; syllables > 0; --syllables) {
    text += onsets[onset_(random)];
    text += nuclei[nucleus_(random)];
    text += codas[coda_(random)];
  }
}

fingerprints::fingerprints(std::size_t capacity) : slots_(std::bit_ceil(2 * capacity + 2)) {}

bool fingerprints::insert(std::string_view text) {
  std::uint64_t const wanted = fingerprint(text);
  for (std::size_t i = wanted >> 1;; ++i) {
    auto& slot = slots_[i & (slots_.size() - 1)];
    if (slot == wanted) return false;
    if (slot == 0) {
      slot = wanted;
      return true;
    }
  }
}

}  // namespace ordo::inline v0::generate
