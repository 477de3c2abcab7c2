#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/info.h>
#include <nlohmann/json.hpp>

#include "bench/processor.hpp"
#include "bench/row_lines.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/machine.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"

// The common parts of the CPU benchmarks: the clock, the median, pseudorandom numbers, and the JSON file.
namespace ordo::inline v0::bench {

template <class Work>
double time_seconds(Work work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x *= 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Writes the rows and the machine that they were measured on, with its GPU if `on_gpu`. Does nothing if `file` is empty.
inline void write_report(std::string const& file, unsigned threads, std::size_t runs, nlohmann::ordered_json const& rows,
                         bool on_gpu = false) {
  if (file.empty()) return;
  nlohmann::ordered_json machine{{"processor", processor()}};
  if (auto const devices = gpus(); on_gpu && !devices.empty()) machine["device"] = devices.front().name;
  machine["build"] = cli::describe_build();
  nlohmann::ordered_json const report{{"version", version},
                                      {"compiler", __VERSION__},
                                      {"threads", threads == 0 ? unsigned(tbb::info::default_concurrency()) : threads},
                                      {"runs", runs},
                                      {"machine", machine},
                                      {"rows", rows}};
  cli::output out(file);
  out.write(std::string_view(row_lines(report)));
  out.commit();
}

}  // namespace ordo::inline v0::bench
