#pragma once
#include <fstream>
#include <string>

// The description of the host in all results.
namespace ordo::inline v0::bench {

/// Returns the processor's name from /proc/cpuinfo, or an empty string.
inline std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("model name"))
      if (auto const at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "";
}

}  // namespace ordo::inline v0::bench
