#include "tools/sufsort/memory_limits.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <malloc.h>

#include "base/parse_bytes.hpp"
#include "tools/cli/available_memory.hpp"

namespace ordo::inline v0::sufsort {

std::size_t memory_limits::host_bytes(std::size_t held) const {
  std::size_t const available = cli::available_memory();  // without the memory held
  if (host.empty()) return available;
  std::size_t const limit = parse_bytes(host);
  return std::min(available, limit - std::min(limit, held));
}

std::string memory_limits::advice(std::size_t bytes, std::string_view predicate) const {
  std::string const size = size_for_option(bytes);
  std::size_t const there = cli::available_memory();
  std::string const free = bytes > there ? fmt::format(", and {} bytes are free", there) : "";
  return fmt::format("{}{} {}{}", host.empty() ? "free memory of " : "--memory ", size, predicate, free);
}

std::string memory_limits::advice_for_text(std::size_t min_bytes, std::size_t max_bytes) const {
  if (min_bytes >= max_bytes) return advice(max_bytes);
  return advice(max_bytes, fmt::format("suffices for any text, {} for most", size_for_option(min_bytes)));
}

std::string size_for_option(std::size_t bytes) {
  bool const small = bytes < std::size_t{64} << 20;
  std::size_t const unit = std::size_t{1} << (small ? 10 : 20);
  return fmt::format("{}{}", bytes / unit + (bytes % unit != 0), small ? 'K' : 'M');
}

void memory_limits::apply() const {
  // By default glibc keeps freed blocks of up to 32 MiB once one of that size has been freed, so that memory which a pool frees
  // would still count. A threshold that is set does not grow.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  if (!host.empty()) static_cast<void>(parse_bytes(host));
  if (gpu.empty()) return;
  static_cast<void>(parse_bytes(gpu));
  setenv("ORDO_GPU_MEMORY", gpu.c_str(), 1);  // machines read it
}

}  // namespace ordo::inline v0::sufsort
