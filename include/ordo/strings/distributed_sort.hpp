#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/strings.hpp"

#pragma GCC visibility push(default)

/// Sorting lines over the members of a communicator, such as the processes of an MPI job.
namespace ordo::inline v0::strings {

struct distributed_report {
  sort_report sort;                 // counts of this member: `bytes` read, and `written` of the output of all
  std::uint64_t own_bytes = 0;      // bytes of the output that this member made
  std::uint64_t exchanged = 0;      // bytes that this member sent to others
  std::uint64_t received_text = 0;  // bytes of the lines that this member sorted after the exchange
};

/// Opens the output. Called on every member, with the number of bytes that all write. Collective. Returns the sink in which
/// this member writes its part, where it belongs; or null, if member 0 writes it. That of member 0 is not null. Those of the
/// others are addressable.
using output_opener = std::function<sink*(std::uint64_t bytes)>;

/// Sorts the lines of all texts into one output, to the bytes that sort() writes in one process. Collective: all
/// members pass the same texts, order and options, with a machine of their own.
///
/// Each member reads its part of every addressable text. Member 0 reads sequential texts, such as pipes, and all texts before
/// the last of them. Members sort their parts, and draw splitters from samples of all. Lines cross in order, without the bytes
/// that a line shares with the line before it. Each member then sorts what it received. Equal lines may be split among members,
/// except where they are dropped or counted. (Sample sort of strings with common prefixes cut: Bingmann, Sanders and Schimek,
/// IPDPS'20.)
///
/// All members hold their share in memory, twice for a time. The largest share exceeds the average by a tenth at most, unless
/// single lines, or equal lines that may not be split, are larger than that.
/// @param equal  not by_count
/// @throws usage_error  for by_count
/// @throws member_lost  if another member failed; else as sort()
distributed_report sort(communicator& members, texts const& from, output_opener const& open, sort_options const& options,
                        duplicates equal = duplicates::keep, phase_observer const& began = {});

/// Returns true if several GPUs can divide a sort with these options: they order these keys, all lines are written, and not by
/// count.
bool can_be_divided(sort_options const& options, duplicates equal);

/// Sorts the lines of all texts with several machines of this process, to the bytes that sort() writes with one. GPUs read
/// their part of every text, which is never whole in the host's memory, sort it, exchange lines without the host, and sort
/// what they received. Sequential texts are read to the host first. Machines that are not all GPUs, and sorts that
/// cannot be divided, are the work of the first one.
/// @param machines  at least one; options.machine is not used. An index may occur more than once
/// @param from  open() is called several times for each addressable text, by one thread at a time
/// @returns the bytes of all members, and the most memory of one
/// @throws as sort(); out_of_memory  if a member's share does not fit its GPU
sort_report sort(std::span<machine_options const> machines, texts const& from, sink& to, sort_options const& options,
                 duplicates equal = duplicates::keep, phase_observer const& began = {});

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
