#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/generate/random.hpp"

namespace ordo::inline v0::generate {

/// Words that look like English, of this number of syllables.
class word_maker {
 public:
  word_maker();
  void append(std::string& text, std::size_t syllables, random_source& random) const;
  [[nodiscard]] std::string operator()(std::size_t syllables, random_source& random) const {
    std::string word;
    append(word, syllables, random);
    return word;
  }

 private:
  weighted_index onset_, nucleus_, coda_;
};

/// A set of texts that remembers 64 bits of each: tells whether a text is new, where a wrong "no" does no harm.
class fingerprints {
 public:
  /// For at most `capacity` texts. Memory: 16 to 32 bytes a text.
  explicit fingerprints(std::size_t capacity);
  /// @returns true if it was not there yet
  bool insert(std::string_view text);

 private:
  std::vector<std::uint64_t> slots_;
};

}  // namespace ordo::inline v0::generate
