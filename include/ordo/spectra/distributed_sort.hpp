#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"

#pragma GCC visibility push(default)

/// Peaks of one file, and spectra of many, by the members of a communicator, such as the processes of an MPI job.
namespace ordo::inline v0::spectra {

struct distributed_report {
  sort_report sort;             // totals of all members; machine, memory and phases of this one
  std::uint64_t own_bytes = 0;  // bytes that this member wrote through its own sink
};

/// Opens the output, of `bytes` bytes, or of an unknown size if spectra or peaks may be dropped. Collective. Returns the sink
/// in which this member writes its parts, where they belong; or null, if member 0 writes them. That of member 0 is not null.
/// Those of the others are addressable.
using output_opener = std::function<sink*(std::optional<std::uint64_t> bytes)>;

/// Returns true if the members of a communicator can share the work on an input: if no rule of the choice depends on the number
/// of a spectrum.
bool can_be_divided(sort_options const& options);

/// Sorts and selects the peaks of MGF as sort() does in one process, to the same bytes. Collective: all members pass the same
/// input and options, and each a machine of its own.
///
/// Members work on adjacent parts of the input, cut before a BEGIN IONS, and write their parts of the output where they belong.
/// If peaks or spectra may be dropped, the place of a part depends on those before it: then a part is in memory until all
/// members have made theirs. Memory of a member: that of sort(), and max_part bytes if it must hold a part.
/// @param input  addressable; the same for all members
/// @param max_part  bytes of the input in a part; more if a spectrum is larger
/// @returns nothing, on all members, if the input has a fault or there is something to warn of: the output is to be discarded,
///     and one process that sorts alone says what it is
/// @throws usage_error  if the work cannot be divided @throws member_lost  if another member failed @throws as sort
std::optional<distributed_report> sort(communicator& members, source const& input, output_opener const& open,
                                       sort_options const& options, std::size_t max_part = std::size_t{64} << 20);

struct distributed_order_report {
  order_report order;  // totals of all members; machine, memory and phases of this one; a phase "exchange" in place of "spill"
  std::uint64_t own_bytes = 0, exchanged = 0;  // bytes that this member wrote through its own sink, and sent to others
  std::vector<std::string> warnings;  // warnings about the inputs together, the same for all members; on_warning gets none
};

/// Returns true if the members of a communicator can share such an order: if the sort can be divided, and there are neither
/// parts nor origins.
bool can_be_divided(sort_options const& options, order_options const& order);

/// Orders the spectra of MGF files as order_spectra() does in one process, to the same bytes. Collective: all members pass the
/// same inputs and options, and each a machine of its own.
///
/// The bytes of all inputs, one after the other, are divided among the members, before a BEGIN IONS. Each reads its part, and
/// sorts its spectra. Samples give the splitters. Each spectrum crosses once, to the member that sorts and writes it; without
/// keys, none does. All spectra are in the memory of the members: half of order.memory for those of each one's part.
/// @param inputs  MGF, each addressable or a compressed file, which one member reads. Each is opened several times by each
///     member
/// @returns nothing, on all members and before the output is opened, if the inputs have a fault, if there is something to warn
///     of, or if memory does not suffice: one process can work alone then
/// @throws usage_error  if the work cannot be divided @throws member_lost  if another member failed @throws as order_spectra
std::optional<distributed_order_report> order_spectra(communicator& members, spectrum_inputs const& inputs,
                                                      output_opener const& open, sort_options const& options,
                                                      order_options const& order);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
