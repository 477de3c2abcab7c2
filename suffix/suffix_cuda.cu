#include "sort_core/gpu.cuh"
#include "sort_core/machine_lease.hpp"
#include "suffix/build.hpp"

namespace ordo::suffix::detail {

template <class Index>
std::size_t build_on_cuda(text const& input, results<Index> const& out, options const& how, unsigned gpu_index) {
  return work_on<gpu>(how.machine, gpu_index, [&](cuda& machine) { return build_on(machine, input, out, how); });
}

template <class Index>
std::size_t check_on_cuda(text const& input, arrays<Index const> all, options const& how, unsigned gpu_index,
                          std::optional<fault>& found) {
  return work_on<gpu>(how.machine, gpu_index, [&](cuda& machine) {
    found = find_fault(machine, input, all);
    return machine.pool().peak();
  });
}

template <class Index>
memory_plan build_memory_on_cuda(std::size_t n, std::size_t records, wanted what) {
  return build_memory<Index, cuda>(n, records, what, true);
}

template <class Index>
std::size_t check_memory_on_cuda(std::size_t n, std::size_t records) {
  return proof_memory<Index, cuda>(n, records, true);
}

template std::size_t build_on_cuda(text const&, results<std::uint32_t> const&, options const&, unsigned);
template std::size_t build_on_cuda(text const&, results<std::uint64_t> const&, options const&, unsigned);
template std::size_t check_on_cuda(text const&, arrays<std::uint32_t const>, options const&, unsigned, std::optional<fault>&);
template std::size_t check_on_cuda(text const&, arrays<std::uint64_t const>, options const&, unsigned, std::optional<fault>&);
template memory_plan build_memory_on_cuda<std::uint32_t>(std::size_t, std::size_t, wanted);
template memory_plan build_memory_on_cuda<std::uint64_t>(std::size_t, std::size_t, wanted);
template std::size_t check_memory_on_cuda<std::uint32_t>(std::size_t, std::size_t);
template std::size_t check_memory_on_cuda<std::uint64_t>(std::size_t, std::size_t);

}  // namespace ordo::suffix::detail
