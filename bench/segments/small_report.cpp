#include "bench/row_lines.hpp"
#include "bench/segments/small_report.hpp"

#include <cstdio>
#include <fstream>

#include <fmt/format.h>

namespace ordo::inline v0::bench {

small_report::small_report(bench_options const& options, facts const& machine) : options_(options), machine_(machine) {
  for (auto const& [name, value] : machine_) fmt::print("{}: {}\n", name, value);
  fmt::print("\nmicroseconds, medians: on the device / as the caller waits / in a graph\n");
}

void small_report::add(std::string const& row, std::vector<std::pair<std::string, times>> const& measured, bool right) {
  nlohmann::ordered_json entry{{"name", row}, {"right", right}};
  fmt::print("{:<30}", row);
  for (auto const& [who, t] : measured) {
    fmt::print("  {}: {:.1f} / {:.1f} / {:.1f}", who, t.device, t.wait, t.replay);
    entry[who] = {{"device_us", t.device}, {"wait_us", t.wait}, {"graph_us", t.replay}};
  }
  fmt::print("{}\n", right ? "" : "  WRONG");
  std::fflush(stdout);
  right_ = right_ && right;
  rows_.push_back(std::move(entry));
}

int small_report::finish() const {
  if (!options_.json.empty()) {
    nlohmann::ordered_json document{{"program", "small_sorts"}};
    for (auto const& [name, value] : machine_) document["machine"][name] = value;
    document["rows"] = rows_;
    std::ofstream(options_.json) << row_lines(document);
  }
  return right_ ? 0 : 1;
}

}  // namespace ordo::inline v0::bench
