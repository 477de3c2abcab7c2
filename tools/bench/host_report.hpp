#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <tbb/info.h>
#include <nlohmann/json.hpp>

#include "sort_core/config.hpp"
#include "tools/cli/output.hpp"

// The file in which a benchmark of the CPU leaves its figures.
namespace ordo::bench {

/// Writes the rows and what they were measured with. Nothing if no file is wanted.
inline void write_report(std::string const& file, unsigned threads, std::size_t runs, nlohmann::ordered_json const& rows) {
  if (file.empty()) return;
  nlohmann::ordered_json const report{{"version", version},
                                      {"compiler", __VERSION__},
                                      {"threads", threads == 0 ? unsigned(tbb::info::default_concurrency()) : threads},
                                      {"runs", runs},
                                      {"rows", rows}};
  cli::output out(file);
  out.write(std::string_view(report.dump(1) + "\n"));
  out.commit();
}

}  // namespace ordo::bench
