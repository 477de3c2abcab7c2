#include "suffix/fasta.hpp"

#include <cstddef>
#include <limits>

#include "sort_core/config.hpp"
#include "suffix/append_fasta.hpp"

namespace ordo::suffix {

void append_fasta(fasta& to, std::string const& name, source& from, fasta_options const& how) {
  // What is parsed goes to the host's memory: a GPU gains nothing.
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  decision machine = choose(how.machine, 0, never, [](gpu_info const&) { return std::size_t{0}; });
  run_on(
      machine,
      [&] {
        if constexpr (cuda_enabled) detail::append_on_cuda(to, name, from, how, machine.gpu_index);
      },
      [&] { detail::append_on_host(to, name, from, how); });
}

fasta read_fasta(std::string const& name, source& from, fasta_options const& how) {
  fasta all;
  append_fasta(all, name, from, how);
  return all;
}

}  // namespace ordo::suffix
