#include "sort_core/cpu_backend.hpp"
#include "sort_core/machine_lease.hpp"
#include "strings/prefix_sort.hpp"

namespace ordo::strings::detail {

template <class Offset>
line_sort<Offset> sort_on_host(std::string_view text, options const& how) {
  return work_on<cpu>(how.machine, how.machine.threads,
                      [&](host& machine) { return sort_on<Offset>(machine, text, how, how.memory); });
}

template <class Offset>
std::size_t memory_on_host(std::size_t bytes, std::size_t lines) {
  return sort_memory<Offset, host>(bytes, lines);
}

template line_sort<std::uint32_t> sort_on_host(std::string_view, options const&);
template line_sort<std::uint64_t> sort_on_host(std::string_view, options const&);
template std::size_t memory_on_host<std::uint32_t>(std::size_t, std::size_t);
template std::size_t memory_on_host<std::uint64_t>(std::size_t, std::size_t);

}  // namespace ordo::strings::detail
