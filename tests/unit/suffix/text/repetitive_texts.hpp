#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/inputs.hpp"
#include "tests/unit/suffix/text/texts.hpp"

inline std::string mutated(random_numbers& random, std::string text, std::size_t changes) {
  for (std::size_t k = 0; k < changes; ++k) text[random.below(text.size())] = "ACGT"[random.below(4)];
  return text;
}

/// A text, its suffix array and its longest common prefixes, by comparison.
struct sorted_text {
  char const* name;
  stored_text text;
  std::vector<std::uint64_t> sa = plain_suffix_array(text.view()), lcp = plain_lcp(text.view(), sa);
};

// Long repeats, at equal and different distances, up to the ends of records and of the text.
inline std::vector<sorted_text> make_repetitive_texts() {
  random_numbers random(31);
  std::string const unit = random_letters(random, "ACGT", 5000), short_unit = random_letters(random, "ACGT", 400);
  std::vector<std::string> strains, copies(12, unit), families, shifted;
  for (int k = 0; k < 12; ++k) strains.push_back(mutated(random, unit, 10));
  for (int k = 0; k < 100; ++k) shifted.push_back(unit.substr(random.below(4000), 300 + random.below(300)));
  for (int k = 0; k < 30; ++k) {
    families.push_back(random_letters(random, "ACDEFGHIKLMNPQRSTVWY", 200 + random.below(200)));
    for (int copy = 0; copy < 5; ++copy) families.push_back(families.back().substr(random.below(20)));
  }
  std::string joined;
  for (std::string const& strain : strains) joined += strain;
  std::vector<sorted_text> all;
  all.push_back({"strains", stored_text(strains)});
  all.push_back({"four strains", stored_text(std::vector<std::string>(strains.begin(), strains.begin() + 4))});
  all.push_back({"strains in one record", stored_text(joined)});
  all.push_back({"equal records", stored_text(copies)});
  all.push_back({"one unit in turn", stored_text(repeated(unit, 40'000))});
  all.push_back({"parts of one record", stored_text(shifted)});
  all.push_back({"a satellite", stored_text(mutated(random, repeated(short_unit, 40'000), 1000))});
  all.push_back({"a tandem repeat of few changes", stored_text(mutated(random, repeated(short_unit, 40'000), 4))});
  all.push_back({"families of proteins", stored_text(families)});
  all.push_back({"a word in turn", stored_text(repeated("ACGTTAC", 30'000))});
  all.push_back({"two letters in turn", stored_text(repeated("AC", 30'001))});
  all.push_back({"Fibonacci's word", stored_text(fibonacci_word(40'000))});
  all.push_back({"one letter", stored_text(std::string(40'000, 'T'))});
  all.push_back({"runs", stored_text(unit + std::string(20'000, 'N') + unit + std::string(20'000, 'N') + unit)});
  std::string const twice = random_letters(random, "ACGT", 12'000);
  std::string few_and_many = twice + random_letters(random, "ACGT", 100) + twice;
  for (int k = 0; k < 40; ++k) few_and_many += mutated(random, short_unit.substr(0, 200), 2);
  all.push_back({"two long copies and many short ones", stored_text(few_and_many)});
  all.push_back({"random", stored_text(random_letters(random, "ACGTN", 60'000))});
  return all;
}
inline std::vector<sorted_text> const& repetitive_texts() {
  static std::vector<sorted_text> const all = make_repetitive_texts();
  return all;
}
