#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix/pieces.hpp"
#include "tools/sufsort/found_batch.hpp"
#include "tools/sufsort/search.hpp"

namespace ordo::sufsort {

/// Patterns that have more hits than are printed.
class cut_patterns {
 public:
  void add(std::string_view name, std::size_t hits);
  /// Says so, if there are any.
  void tell(std::size_t limit) const;

 private:
  std::size_t count_ = 0, hits_ = 0;
  std::string first_;
};

/// A hit: where, and at which position of the text.
struct hit {
  suffix::location at;
  std::uint64_t position;
};

/// What locate prints of patterns.
class hit_printer {
 public:
  hit_printer(searched_index const& index, search_options const& how) : index_(index), how_(how) {}

  /// How many lines a pattern takes.
  [[nodiscard]] std::size_t lines(std::size_t hits) const { return how_.limit == 0 ? hits : std::min(hits, how_.limit); }

  /// The lines of pattern i go behind `text`. flush(text) is called after each.
  void print(found_batch const& found, std::size_t i, std::string& text, std::function<void(std::string&)> const& flush);

 private:
  void find_hits(found_batch const& found, std::size_t i);
  void add_context(std::string& text, hit const& one, std::size_t length) const;

  searched_index const& index_;
  search_options const& how_;
  std::vector<hit> hits_;
};

}  // namespace ordo::sufsort
