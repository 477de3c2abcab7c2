#include "tools/sufsort/memory_limits.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <malloc.h>
#include <CLI/CLI.hpp>

#include "base/parse_bytes.hpp"
#include "ordo/machine.hpp"
#include "tools/cli/available_memory.hpp"

namespace ordo::sufsort {

std::size_t memory_limits::host_bytes(std::size_t held) const {
  std::size_t const there = cli::available_memory();  // without what is held
  if (host.empty()) return there;
  std::size_t const most = parse_bytes(host);
  return std::min(there, most - std::min(most, held));
}

std::string memory_limits::advice(std::size_t bytes, std::string_view predicate) const {
  std::string const size = size_for_option(bytes);
  std::size_t const there = cli::available_memory();
  std::string const free = bytes > there ? fmt::format(", and {} bytes are free", there) : "";
  return fmt::format("{}{} {}{}", host.empty() ? "free memory of " : "--memory ", size, predicate, free);
}

std::string memory_limits::advice_for_text(std::size_t least, std::size_t most) const {
  if (least >= most) return advice(most);
  return advice(most, fmt::format("suffices for any text, {} unless it repeats itself", size_for_option(least)));
}

std::string size_for_option(std::size_t bytes) {
  bool const small = bytes < std::size_t{64} << 20;
  std::size_t const unit = std::size_t{1} << (small ? 10 : 20);
  return fmt::format("{}{}", bytes / unit + (bytes % unit != 0), small ? 'K' : 'M');
}

void memory_limits::apply() const {
  // By default glibc keeps freed blocks of up to 32 MiB once one of that size has been freed: what a pool gives back is still
  // the process's then, beside what it takes next. A threshold that is set stays.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  if (!host.empty()) static_cast<void>(parse_bytes(host));
  if (gpu.empty()) return;
  static_cast<void>(parse_bytes(gpu));
  setenv("ORDO_GPU_MEMORY", gpu.c_str(), 1);  // which is where machines look
}

void add_memory_options(CLI::App& command, memory_limits& limits) {
  command.add_option("--memory", limits.host, "most of the host's memory that may be taken, as 8G [what is free]")
      ->type_name("SIZE");
  command.add_option("--gpu-memory", limits.gpu, "most of the GPU's, in the place of ORDO_GPU_MEMORY [what is free]")
      ->type_name("SIZE");
}

}  // namespace ordo::sufsort
