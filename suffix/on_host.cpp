#include "ordo/cpu_backend.hpp"
#include "sort_core/scoped_machine.hpp"
#include "suffix/arrays/build_instances.hpp"

extern ORDO_BUILD_ARRAYS(ordo::host_backend, std::uint32_t);
extern ORDO_BUILD_ARRAYS(ordo::host_backend, std::uint64_t);

namespace ordo::inline v0::suffix::detail {

template <class Index>
suffix_builder<Index> host_builder() {
  auto cpus = memory_of_builder<Index, host_backend>();
  cpus.build = [](text const& input, results<Index> const& to, build_options const& options, unsigned) {
    return with_machine<cpu>(options.machine, options.machine.threads, [&](host_backend& backend) {
      pool::limit const limited(backend.pool(), options.memory);
      return build_on(backend, input, to, options);
    });
  };
  cpus.check = [](text const& input, arrays<Index const> all, build_options const& options, unsigned,
                  std::optional<mismatch>& result) {
    return with_machine<cpu>(options.machine, options.machine.threads, [&](host_backend& backend) {
      pool::limit const limited(backend.pool(), options.memory);
      result = find_mismatch(backend, input, all);
      return backend.pool().peak();
    });
  };
  cpus.check_share = [](communicator& members, text const& input, arrays<Index const> own, build_options const& options,
                        unsigned, check_report& report) {
    return with_machine<cpu>(options.machine, options.machine.threads, [&](host_backend& backend) {
      pool::limit const limited(backend.pool(), options.memory);
      report.first_mismatch = find_mismatch(backend, members, input, own, report.exchanged);
      return backend.pool().peak();
    });
  };
  return cpus;
}

template suffix_builder<std::uint32_t> host_builder();
template suffix_builder<std::uint64_t> host_builder();

}  // namespace ordo::inline v0::suffix::detail
