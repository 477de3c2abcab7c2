#include "tools/sufsort/memory_limits.hpp"

#include <algorithm>
#include <cstdlib>

#include <malloc.h>
#include <CLI/CLI.hpp>

#include "sort_core/machine.hpp"
#include "tools/cli/available_memory.hpp"

namespace ordo::sufsort {

std::size_t memory_limits::host_bytes(std::size_t held) const {
  std::size_t const there = cli::available_memory();  // without what is held
  if (host.empty()) return there;
  std::size_t const most = parse_bytes(host);
  return std::min(there, most - std::min(most, held));
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
