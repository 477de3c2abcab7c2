#pragma once
#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What of the memory a command may take, as 8G; empty: what is free.
struct memory_limits {
  std::string host, gpu;

  /// Bytes of the host's that may still be taken, by who holds so many.
  [[nodiscard]] std::size_t host_bytes(std::size_t held = 0) const;
  /// Makes that of the GPU's known to the machines, and has what is freed of the host's go back. Before all work. @throws
  /// usage_error for what is no size
  void apply() const;
};

void add_memory_options(CLI::App& command, memory_limits& limits);

}  // namespace ordo::sufsort
