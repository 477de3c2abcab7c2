#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/suffix.hpp"
#include "tests/unit/inputs.hpp"

/// Records with the storage of a suffix::text.
struct stored_text {
  std::string residues;
  std::vector<std::uint64_t> starts;

  stored_text() = default;
  explicit stored_text(std::string one) : residues(std::move(one)), starts{0} {}
  explicit stored_text(std::vector<std::string> const& records) {
    for (std::string const& record : records) {
      starts.push_back(residues.size());
      residues += record;
    }
  }
  [[nodiscard]] ordo::suffix::text view() const { return {residues, starts}; }
};

/// The definition: a comparison sort of whole suffixes.
inline std::vector<std::uint64_t> plain_suffix_array(ordo::suffix::text const& text) {
  auto const suffix = [&](std::size_t p) { return text.residues.substr(p, text.end(text.record_at(p)) - p); };
  std::vector<std::uint64_t> sa(text.size());
  std::iota(sa.begin(), sa.end(), 0);
  std::sort(sa.begin(), sa.end(), [&](std::size_t p, std::size_t q) {
    int const order = suffix(p).compare(suffix(q));  // char_traits<char> compares as unsigned
    return order != 0 ? order < 0 : p < q;
  });
  return sa;
}

inline std::vector<std::uint64_t> plain_lcp(ordo::suffix::text const& text, std::vector<std::uint64_t> const& sa) {
  std::vector<std::uint64_t> lcp(sa.size());
  for (std::size_t i = 1; i < sa.size(); ++i) {
    std::size_t const p = sa[i - 1], q = sa[i];
    std::size_t const p_end = text.end(text.record_at(p)), q_end = text.end(text.record_at(q));
    while (p + lcp[i] < p_end && q + lcp[i] < q_end && text.residues[p + lcp[i]] == text.residues[q + lcp[i]]) ++lcp[i];
  }
  return lcp;
}

inline std::string plain_bwt(ordo::suffix::text const& text, std::vector<std::uint64_t> const& sa) {
  std::string rows;
  for (std::size_t r = 0; r < text.records(); ++r) rows += text.begin(r) == text.end(r) ? '$' : text.residues[text.end(r) - 1];
  for (std::size_t p : sa) rows += p == text.begin(text.record_at(p)) ? '$' : text.residues[p - 1];
  return rows;
}

inline std::string random_letters(random_numbers& random, std::string_view alphabet, std::size_t n) {
  std::string text(n, ' ');
  for (char& c : text) c = alphabet[random.below(alphabet.size())];
  return text;
}

inline std::string all_bytes() {
  std::string bytes(256, '\0');
  for (int b = 0; b < 256; ++b) bytes[std::size_t(b)] = static_cast<char>(b);
  return bytes;
}

inline std::string repeated(std::string_view unit, std::size_t n) {
  std::string text;
  while (text.size() < n) text += unit;
  text.resize(n);
  return text;
}

inline std::string fibonacci_word(std::size_t n) {
  std::string last = "b", word = "a";
  while (word.size() < n) {
    std::string next = word + last;
    last = std::exchange(word, std::move(next));
  }
  word.resize(n);
  return word;
}

/// Every string of `length` letters once, in a circle (by Lyndon words; Fredricksen and Maiorana).
inline std::string de_bruijn(std::string_view alphabet, std::size_t length) {
  std::string out;
  std::vector<std::size_t> word{0};
  while (!word.empty()) {
    if (length % word.size() == 0)
      for (std::size_t letter : word) out += alphabet[letter];
    std::size_t const period = word.size();
    while (word.size() < length) word.push_back(word[word.size() - period]);
    while (!word.empty() && word.back() + 1 == alphabet.size()) word.pop_back();
    if (!word.empty()) ++word.back();
  }
  return out;
}
