#include "ordo/cpu_backend.hpp"
#include "sort_core/scoped_machine.hpp"
#include "suffix/text/append_fasta.hpp"

namespace ordo::suffix::detail {

void append_on_host(fasta& to, std::string const& name, source& from, fasta_options const& how, fasta_totals& totals) {
  work_on<cpu>(how.machine, how.machine.threads, [&](host_backend& machine) {
    // What has been read is still in a cache when it is parsed. Threads wait for each other a few times a part.
    std::size_t const part = (std::size_t{4} << 20) * std::size_t(machine.arena().max_concurrency());
    residues_for_host<host_backend> residues(machine, to.residues);
    append_counted(machine, to, residues, name, from, how, {part, 1024}, totals);
  });
}

}  // namespace ordo::suffix::detail
