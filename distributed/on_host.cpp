#include "distributed/sort.hpp"
#include "ordo/cpu.hpp"
#include "sort_core/host/backend.hpp"

namespace ordo::inline v0::detail {

void sort_over_host(communicator& members, machine& on, sort_task const& task, share_lengths const& lengths) {
  sort_over_on(members, on, static_cast<cpu&>(on).backend(), task, lengths);
}

}  // namespace ordo::inline v0::detail
