#include "ordo/cpu_backend.hpp"
#include "sort_core/scoped_machine.hpp"
#include "suffix/text/read_fasta.hpp"

namespace ordo::inline v0::suffix::detail {

void append_on_host(fasta& to, std::string const& name, source& from, fasta_options const& options, fasta_totals& totals) {
  with_machine<cpu>(options.machine, options.machine.threads, [&](host_backend& backend) {
    // A part is still in the cache when it is parsed. Threads wait for each other a few times a part.
    std::size_t const part = (std::size_t{4} << 20) * std::size_t(backend.arena().max_concurrency());
    residues_for_host<host_backend> residues(backend, to.residues);
    append_counted(backend, to, residues, name, from, options, {part, 1024}, totals);
  });
}

}  // namespace ordo::inline v0::suffix::detail
