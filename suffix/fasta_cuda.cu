#include "sort_core/gpu.cuh"
#include "sort_core/machine_lease.hpp"
#include "suffix/append_fasta.hpp"

namespace ordo::suffix::detail {

void append_on_cuda(fasta& to, std::string const& name, source& from, fasta_options const& how, unsigned gpu_index) {
  work_on<gpu>(how.machine, gpu_index,
               [&](cuda& machine) { append_on(machine, to, name, from, how, {std::size_t{64} << 20}); });
}

}  // namespace ordo::suffix::detail
