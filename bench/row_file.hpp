#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "bench/row_lines.hpp"
#include "ordo/detail/config.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"

// The part that the benchmarks of single figures of the papers share: their options, and rows of any members.
namespace ordo::inline v0::bench {

using json_row = nlohmann::ordered_json;

/// Prints each row when it is added, and rewrites the JSON file, so that an interrupted run leaves its results.
class row_file {
 public:
  row_file(std::string_view benchmark, std::string file, facts const& machine) : file_(std::move(file)) {
    all_ = {{"benchmark", benchmark}, {"ordo", version}};
    for (auto const& [name, value] : machine) all_["machine"][name] = value;
    all_["rows"] = json_row::array();
  }

  /// A member `wrong` that is not empty makes the exit status 1.
  void add(json_row row) {
    std::printf("%s\n", row.dump().c_str());
    std::fflush(stdout);
    if (auto const wrong = row.find("wrong"); wrong != row.end() && *wrong != "") failed_ = true;
    all_["rows"].push_back(std::move(row));
    if (file_.empty()) return;
    cli::output out(file_);
    out.write(std::string_view(row_lines(all_)));
    out.commit();
  }
  [[nodiscard]] int status() const noexcept { return failed_ ? 1 : 0; }

 private:
  std::string file_;
  json_row all_;
  bool failed_ = false;
};

/// Rounds a time in milliseconds for the file.
inline double rounded_ms(double ms) {
  return double(std::int64_t(ms * 1e4 + 0.5)) / 1e4;
}

}  // namespace ordo::inline v0::bench
