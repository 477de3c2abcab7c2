#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "distributed/output_part.hpp"
#include "ordo/backend.hpp"
#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "suffix/sort/requests.hpp"

// A build over a communicator, as one member's algorithms see it. All data here are in host memory.
namespace ordo::inline v0::suffix::detail {

/// The keys of the first and the last of a member's suffixes, if it has any.
struct range_ends {
  std::uint64_t rows = 0;
  std::uint64_t first_key = 0, last_key = 0;
};

/// Opens an array for the bytes that all members write; null if member 0 writes this member's part.
using array_opener = std::function<sink*(std::string_view array, std::uint64_t bytes)>;

/// Counts the work of a member in a build: its rows, the bytes that it sent, and the rounds that exchanged ranks.
struct share_counts {
  std::uint64_t rows = 0, exchanged = 0;
  unsigned rounds = 0;
};

/// This member's share of a build over a communicator.
class member_share {
 public:
  member_share(communicator& of, array_opener const& open, std::size_t entry_bytes)
      : members(of), open_(open), entry_bytes_(entry_bytes) {}

  [[nodiscard]] std::size_t entry_bytes() const { return entry_bytes_; }
  /// Returns true if members exchange parts of a packed text faster than each packs it all: by links, or in shared memory.
  [[nodiscard]] bool packs_parts() const {
    return members.size() != 1 && (members.moves_device_memory() || members.shares_memory());
  }
  /// Opens this member's parts of the results. Collective.
  /// @param rows  the rows of this member
  /// @param ends  rows of the BWT for the ends of records, which precede those of member 0
  sinks open(std::uint64_t rows, extra_arrays extra, std::uint64_t ends);
  /// Completes the outputs when all members have written their parts. Collective.
  void finish();

  /// Collects the items of all members in the order of members, on those that want them. Collective.
  /// @param counts  how many each member has; one without items may want none @param to  receives them; empty if it wants none
  template <Backend B, class T>
  void collect(B& backend, std::span<std::uint64_t const> counts, std::span<T const> own, std::span<T> to) {
    share_moves moves;
    std::uint64_t at = 0;
    auto const wants = members.all_gather(std::uint64_t(!to.empty()));
    for (std::size_t m = 0; m < members.size(); ++m) {
      moves.send_begin.push_back(0);
      moves.sends.push_back(wants[m] != 0 ? own.size() : 0);
      moves.receive_begin.push_back(at);
      moves.receives.push_back(to.empty() ? 0 : counts[m]);
      at += moves.receives.back();
      if (m != members.rank()) report.exchanged += moves.sends.back() * sizeof(T);
    }
    move_items(members, backend, moves, own, to);
  }

  communicator& members;
  share_counts report;

 private:
  sink* open_part(std::string_view array, std::vector<std::uint64_t> sizes);

  array_opener const& open_;
  std::size_t entry_bytes_;
  std::deque<ordo::detail::output_part> parts_;
};

}  // namespace ordo::inline v0::suffix::detail
