#include "sort_core/host/host.hpp"
#include "strings/prefix_sort.hpp"

namespace ordo::strings::detail {

template <class Offset>
line_sort<Offset> sort_on_host(std::string_view text, options const& how) {
  host machine(how.machine.threads);
  return sort_on<Offset>(machine, text, how, [&](std::size_t lines) { check_memory(text.size(), lines, how); });
}

template line_sort<std::uint32_t> sort_on_host(std::string_view, options const&);
template line_sort<std::uint64_t> sort_on_host(std::string_view, options const&);

}  // namespace ordo::strings::detail
