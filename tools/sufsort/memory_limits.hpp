#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What of the memory a command may take, as 8G; empty: what is free.
struct memory_limits {
  std::string host, gpu;

  /// Bytes of the host's that may still be taken, by who holds so many.
  [[nodiscard]] std::size_t host_bytes(std::size_t held = 0) const;
  /// Says what to do for a command to take so many bytes of the host's, for messages: the value of --memory; or, where none was
  /// given or no less is free, that so much has to be free. @param predicate  what is to be said of the value
  [[nodiscard]] std::string advice(std::size_t bytes, std::string_view predicate = "suffices") const;
  /// The same where `least` suffices for most texts, and `most` for any.
  [[nodiscard]] std::string advice_for_text(std::size_t least, std::size_t most) const;
  /// Makes that of the GPU's known to the machines, and has what is freed of the host's go back. Before all work. @throws
  /// usage_error for what is no size
  void apply() const;
};

/// A size that is no less, as --memory takes it.
std::string size_for_option(std::size_t bytes);

void add_memory_options(CLI::App& command, memory_limits& limits);

}  // namespace ordo::sufsort
