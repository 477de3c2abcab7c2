#include "sort_core/cpu_backend.hpp"
#include "sort_core/machine_lease.hpp"
#include "suffix/build.hpp"

namespace ordo::suffix::detail {

template <class Index>
std::size_t build_on_host(text const& input, arrays<Index> out, options const& how) {
  return work_on<cpu>(how.machine, how.machine.threads, [&](host& machine) { return build_on(machine, input, out, how); });
}

template <class Index>
std::size_t check_on_host(text const& input, arrays<Index const> all, options const& how, std::optional<fault>& found) {
  return work_on<cpu>(how.machine, how.machine.threads, [&](host& machine) {
    found = find_fault(machine, input, all);
    return machine.pool().peak();
  });
}

template std::size_t build_on_host(text const&, arrays<std::uint32_t>, options const&);
template std::size_t build_on_host(text const&, arrays<std::uint64_t>, options const&);
template std::size_t check_on_host(text const&, arrays<std::uint32_t const>, options const&, std::optional<fault>&);
template std::size_t check_on_host(text const&, arrays<std::uint64_t const>, options const&, std::optional<fault>&);

}  // namespace ordo::suffix::detail
