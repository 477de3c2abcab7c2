#pragma once
#include <fstream>
#include <string>

// What every benchmark says of its host.
namespace ordo::bench {

/// The processor's name as Linux has it; empty where it has none.
inline std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("model name"))
      if (auto const at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "";
}

}  // namespace ordo::bench
