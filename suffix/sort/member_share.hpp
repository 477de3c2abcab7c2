#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "group/output_part.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/group_build.hpp"

// A build over a group, as one member's algorithms see it. All data here are in host memory.
namespace ordo::inline v0::suffix::detail {

/// The keys of the first and the last of a member's suffixes, if it has any.
struct range_ends {
  std::uint64_t rows = 0;
  std::uint64_t first_key = 0, last_key = 0;
};

/// This member's share of a build over a group.
class member_share {
 public:
  member_share(group& of, group_output const& open, std::size_t entry_bytes)
      : members(of), open_(open), entry_bytes_(entry_bytes) {}

  [[nodiscard]] std::size_t entry_bytes() const { return entry_bytes_; }
  /// Opens this member's parts of the results. Collective.
  /// @param rows  of this member
  /// @param ends  rows of the BWT for the ends of records, which precede those of member 0
  sinks open(std::uint64_t rows, extra_arrays extra, std::uint64_t ends);
  /// Completes the outputs when all members have written their parts. Collective.
  void finish();

  group& members;
  group_report report;

 private:
  sink* open_part(std::string_view array, std::vector<std::uint64_t> sizes);

  group_output const& open_;
  std::size_t entry_bytes_;
  std::deque<ordo::detail::output_part> parts_;
};

}  // namespace ordo::inline v0::suffix::detail
