#pragma once
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/bench.hpp"

namespace ordo::inline v0::bench {

/// Times of one sort, in microseconds; 0: not measured.
struct times {
  double device = 0, wait = 0, replay = 0;
};

/// Prints the rows of small_sorts and writes them to the JSON file.
class small_report {
 public:
  small_report(bench_options const& options, facts const& machine);
  [[nodiscard]] bool selects(std::string const& row) const { return options_.selects(row); }
  void add(std::string const& row, std::vector<std::pair<std::string, times>> const& measured, bool right);
  /// Writes the file. Returns 0, or 1 if any result was wrong.
  [[nodiscard]] int finish() const;

 private:
  bench_options options_;
  facts machine_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
  bool right_ = true;
};

}  // namespace ordo::inline v0::bench
