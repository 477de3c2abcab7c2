#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ordo::inline v0::sufsort {

/// The memory that a command may use, as 8G; empty: the free memory.
struct memory_limits {
  std::string host, gpu;

  /// Returns the bytes of host memory that a command may still allocate. @param held  bytes that it has allocated
  [[nodiscard]] std::size_t host_bytes(std::size_t held = 0) const;
  /// Returns the advice of an error: the value of --memory that gives a command `bytes` bytes of host memory, or, if --memory
  /// was not given or less is free, that this memory must be free. @param predicate  a statement about the value
  [[nodiscard]] std::string advice(std::size_t bytes, std::string_view predicate = "suffices") const;
  /// Returns the advice if `min_bytes` suffice for most texts and `max_bytes` for all.
  [[nodiscard]] std::string advice_for_text(std::size_t min_bytes, std::size_t max_bytes) const;
  /// Passes the GPU's limit to machines, and makes the C library return freed memory to the system. To be called before all
  /// work. @throws usage_error  for an invalid size
  void apply() const;
};

/// Returns the smallest size of at least `bytes` bytes that --memory accepts.
std::string size_for_option(std::size_t bytes);

}  // namespace ordo::inline v0::sufsort
