#include "ordo/cpu_backend.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/sort/prefix_sort.hpp"

namespace ordo::inline v0::strings::detail {

template <class Offset>
line_sort<Offset> sort_on_host(std::string_view text, sort_options const& options) {
  return with_machine<cpu>(options.machine, options.machine.threads, [&](host_backend& backend) {
    return sort_on<Offset>(backend, text, options, options.memory, host_key_types{});
  });
}

template <class Offset>
std::size_t memory_on_host(std::size_t bytes, std::size_t lines, order const& by, char delimiter) {
  return order_memory<Offset, host_backend>(bytes, lines, by, delimiter, false);
}

template line_sort<std::uint32_t> sort_on_host(std::string_view, sort_options const&);
template line_sort<std::uint64_t> sort_on_host(std::string_view, sort_options const&);
template std::size_t memory_on_host<std::uint32_t>(std::size_t, std::size_t, order const&, char);
template std::size_t memory_on_host<std::uint64_t>(std::size_t, std::size_t, order const&, char);

}  // namespace ordo::inline v0::strings::detail
