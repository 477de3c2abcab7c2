#include "ordo/suffix/complement.hpp"

namespace ordo::suffix {

complement::complement(bool rna) {
  constexpr std::string_view letters = "ACGTURYSWKMBDHVN", complements = "TGCAAYRSWMKVHDBN";
  auto const set = [&](char letter, char other) { of_[static_cast<unsigned char>(letter)] = other; };
  auto const lower = [](char c) { return static_cast<char>(c - 'A' + 'a'); };
  for (std::size_t k = 0; k < letters.size(); ++k) {
    char const other = rna && letters[k] == 'A' ? 'U' : complements[k];
    set(letters[k], other);
    set(lower(letters[k]), lower(other));
  }
  for (char const same : {'-', '.', '*'}) set(same, same);
}

std::size_t complement::first_without(std::string_view letters) const noexcept {
  for (std::size_t k = 0; k < letters.size(); ++k)
    if ((*this)(letters[k]) == '\0') return k;
  return letters.npos;
}

void complement::append_reversed(std::string& to, std::string_view letters) const {
  for (std::size_t k = letters.size(); k-- != 0;) {
    char const other = (*this)(letters[k]);
    to += other == '\0' ? letters[k] : other;
  }
}

}  // namespace ordo::suffix
