#include "ordo/suffix/fasta.hpp"

#include "suffix/text/append_fasta.hpp"

namespace ordo::suffix {

void append_fasta(fasta& to, std::string const& name, source& from, fasta_options const& how) {
  fasta_options here = how;
  if (here.machine.kind() != device::cpu) here.machine = {device::cpu, how.machine.threads};
  detail::fasta_totals totals{to.residues.size(), to.names.size(), to.names.bytes()};
  detail::append_on_host(to, name, from, here, totals);
  if (!totals.kept) detail::refuse_large(name, totals, how.memory);
}

fasta read_fasta(std::string const& name, source& from, fasta_options const& how) {
  fasta all;
  append_fasta(all, name, from, how);
  return all;
}

}  // namespace ordo::suffix
