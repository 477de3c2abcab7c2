#pragma once
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/distributed_sort.hpp"
#include "strings/distributed/shares.hpp"

// Sorts over machines of one process that hold their lines themselves.
namespace ordo::inline v0::strings::detail {

/// Texts that all members of one process read. Sequential ones are read to the host's memory first.
class common_texts {
 public:
  /// @param from  must outlive this object
  explicit common_texts(texts const& from);

  /// Returns a member's share. @throws as collect_pieces()
  [[nodiscard]] texts share(communicator const& members, char delimiter) const;

 private:
  [[nodiscard]] std::unique_ptr<source> open(std::size_t k) const;

  texts const& from_;
  std::vector<text_range> ranges_;
  std::vector<host_bytes> piped_;
  mutable std::mutex opening_;
};

/// A member's part in such a sort.
struct share_task {
  communicator& members;
  texts const& share;
  member_sink& to;
  sort_options const& options;  // with the machine of this member
  duplicates equal;             // not by_count
  phase_observer const& began;
  distributed_report& report;
};

/// Sorts the share of a member whose machine is a GPU: see share_on.hpp.
void sort_share_on_cuda(share_task& task);

/// Sorts a member's share of the texts into its part of the output. Collective.
/// @param options  can be divided; with the choice of this member's machine
/// @param sort_share  sort_share_on for the machine
/// @throws as choose_machine()
distributed_report sort_share(communicator& members, machine& on, common_texts const& all, sink& to, sort_options options,
                              duplicates equal, phase_observer const& began,
                              std::function<void(share_task&)> const& sort_share);

}  // namespace ordo::inline v0::strings::detail
