#include "ordo/cpu_backend.hpp"
#include "sort_core/scoped_machine.hpp"
#include "suffix/build_instances.hpp"

extern ORDO_BUILD_ARRAYS(ordo::host_backend, std::uint32_t) extern ORDO_BUILD_ARRAYS(ordo::host_backend, std::uint64_t)

    namespace ordo::suffix::detail {
  template <class Index>
  std::size_t build_on_host(text const& input, results<Index> const& out, options const& how) {
    return work_on<cpu>(how.machine, how.machine.threads, [&](host_backend& machine) {
      pool::limit const limited(machine.pool(), how.memory);
      return build_on(machine, input, out, how);
    });
  }

  template <class Index>
  std::size_t check_on_host(text const& input, arrays<Index const> all, options const& how, std::optional<fault>& found) {
    return work_on<cpu>(how.machine, how.machine.threads, [&](host_backend& machine) {
      pool::limit const limited(machine.pool(), how.memory);
      found = find_fault(machine, input, all);
      return machine.pool().peak();
    });
  }

  template <class Index>
  memory_plan build_memory_on_host(std::size_t n, std::size_t records, wanted what, row_choice rows) {
    return memory_of_rows<Index, host_backend>(n, records, what, false, rows.sample);
  }

  template <class Index>
  std::size_t most_in_range_on_host(std::size_t n, std::size_t records, wanted what, row_choice rows, std::size_t available) {
    return most_in_range<Index, host_backend>(n, records, what, false, rows.sample, available);
  }

  template <class Index>
  std::size_t check_memory_on_host(std::size_t n, std::size_t records, wanted what) {
    return proof_memory<Index, host_backend>(n, records, what, false);
  }

  template std::size_t build_on_host(text const&, results<std::uint32_t> const&, options const&);
  template std::size_t build_on_host(text const&, results<std::uint64_t> const&, options const&);
  template std::size_t check_on_host(text const&, arrays<std::uint32_t const>, options const&, std::optional<fault>&);
  template std::size_t check_on_host(text const&, arrays<std::uint64_t const>, options const&, std::optional<fault>&);
  template memory_plan build_memory_on_host<std::uint32_t>(std::size_t, std::size_t, wanted, row_choice);
  template memory_plan build_memory_on_host<std::uint64_t>(std::size_t, std::size_t, wanted, row_choice);
  template std::size_t most_in_range_on_host<std::uint32_t>(std::size_t, std::size_t, wanted, row_choice, std::size_t);
  template std::size_t most_in_range_on_host<std::uint64_t>(std::size_t, std::size_t, wanted, row_choice, std::size_t);
  template std::size_t check_memory_on_host<std::uint32_t>(std::size_t, std::size_t, wanted);
  template std::size_t check_memory_on_host<std::uint64_t>(std::size_t, std::size_t, wanted);

}  // namespace ordo::suffix::detail
