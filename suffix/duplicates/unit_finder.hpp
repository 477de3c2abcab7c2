#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix/duplicates.hpp"
#include "suffix/duplicates/group_matcher.hpp"
#include "suffix/duplicates/stored_bits.hpp"

namespace ordo::inline v0::suffix::detail {

/// Finds whole lines, paragraphs or records that are equal, or n-grams of words that another text has, and marks them. Units
/// are sorted by their hash, in ranges of hashes, and those with the same hash are compared byte by byte.
class unit_finder {
 public:
  using progress = copy_finder::progress;

  /// @param texts, input, other, options, bits  must outlive this @param memory  bytes that may be used
  unit_finder(joined_texts const& texts, text const& input, text const* other, duplicate_options const& options,
              stored_bits& bits, std::size_t memory)
      : texts_(texts), input_(input), other_(other), options_(options), bits_(bits), memory_(memory) {}

  /// As those of copy_finder, for buckets from `finished` on.
  std::size_t count_ranges(std::size_t finished, std::size_t max_buckets, progress const& on_progress);
  /// @returns the end of the range
  std::size_t next_range(std::size_t finished, std::size_t max_buckets, progress const& on_progress, std::string const& name);

  /// Returns the longest unit that repeats, and the most frequent ones, of the finished ranges.
  [[nodiscard]] repeated_strings const& repeated() const noexcept { return repeated_; }
  /// Returns the number of records of the other text that have some words, but too few.
  [[nodiscard]] std::uint64_t short_records() const noexcept { return short_records_; }

 private:
  struct entry {
    std::uint64_t hash, where;  // position in both texts
    auto operator<=>(entry const&) const = default;
  };
  /// The first `words` words from a position of the other text on.
  struct gram {
    std::uint64_t hash, where, words;
    auto operator<=>(gram const&) const = default;
  };
  class marker;

  [[nodiscard]] bool is_of_words() const { return options_.unit == copied_unit::words; }
  template <class Local, class Use, class Done>
  void scan(progress const& on_progress, Use use, Done done) const;
  void count(progress const& on_progress);
  [[nodiscard]] std::size_t range_end(std::size_t begin, std::size_t max_buckets) const;
  void read_grams();
  void find_grams(progress const& on_progress);
  [[nodiscard]] bool has_gram(std::uint64_t hash, std::uint64_t words, std::string_view at) const;
  /// Returns the rest of a record of the other text.
  [[nodiscard]] std::string_view words_in_other(std::uint64_t where) const {
    return other_->residues.substr(where, other_->end(other_->record_at(where)) - where);
  }

  joined_texts const& texts_;
  text const& input_;
  text const* other_;
  duplicate_options const& options_;
  stored_bits& bits_;
  std::size_t memory_;
  std::vector<std::uint64_t> sizes_;    // units in each bucket; empty: not counted yet
  std::vector<gram> grams_;             // grams by hash, each once
  std::vector<std::uint64_t> filter_;   // a bit for some of the bits of each hash
  std::vector<std::uint64_t> lengths_;  // numbers of words of grams, in ascending order
  std::uint64_t short_records_ = 0;
  repeated_strings repeated_;
};

}  // namespace ordo::inline v0::suffix::detail
