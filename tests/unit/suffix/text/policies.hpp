#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/suffix/text/texts.hpp"

/// Reads numbers of `width` bytes.
inline std::vector<std::uint64_t> numbers_in(std::string const& bytes, unsigned size) {
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t value = 0;
    for (unsigned k = size; k-- != 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    values.push_back(value);
  }
  return values;
}

inline std::vector<std::string> random_records(random_numbers& random, std::string_view alphabet) {
  std::vector<std::string> records(1 + random.below(4));
  for (std::string& record : records) {
    record = random_letters(random, alphabet, random.below(5) == 0 ? 0 : random.below(40));
    if (random.below(3) == 0) record += std::string(random.below(70), alphabet[random.below(alphabet.size())]);
    if (random.below(3) == 0) record += record;
  }
  return records;
}
