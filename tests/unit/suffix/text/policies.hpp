#pragma once
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

/// A sink of bytes in memory, by offset.
struct bytes_sink final : ordo::sink {
  std::string all;
  bool expected = false;
  std::mutex writing;
  void write(std::span<char const>) override { FAIL("arrays have addresses"); }
  bool expect(std::uint64_t bytes) override {
    all.assign(bytes, '?');
    return expected = true;
  }
  [[nodiscard]] bool addressable() const override { return expected; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    std::lock_guard const lock(writing);
    // No assertion: those of the test framework are for one thread.
    if (offset + data.size() > all.size()) throw std::out_of_range("written after the end");
    all.replace(offset, data.size(), data.data(), data.size());
  }
};

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
