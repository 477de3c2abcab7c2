#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "ordo/communicator.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix.hpp"

#pragma GCC visibility push(default)

/// Suffix arrays of one text by the members of a communicator, such as the processes of an MPI job.
namespace ordo::inline v0::suffix {

struct distributed_report {
  build_report build;           // this member's part
  std::uint64_t rows = 0;       // rows of this member, including those that are left out
  std::uint64_t exchanged = 0;  // bytes that this member sent to others, besides results
  unsigned rounds = 0;          // rounds that exchanged ranks
};

/// Opens an array, "sa", "lcp" or "bwt", with the number of bytes that all members write. Collective. Returns the sink in which
/// this member writes its part, where it belongs; or null, if member 0 writes it. That of member 0 is not null. Those of the
/// others are addressable.
using output_opener = std::function<sink*(std::string_view array, std::uint64_t bytes)>;

/// Builds the arrays that build_into builds in one process, with the same bytes. Collective: all members pass the same text,
/// arrays and rows, and each a machine of its own. Members may have different machines.
///
/// A sample of keys of the first letters divides the suffixes into ranges, one for each member, of about equally many suffixes;
/// suffixes whose keys are equal (21 to 31 letters of DNA) stay together. Each member sorts its range as build() sorts one of
/// few positions. Suffixes that share longer prefixes are ordered by the ranks of the suffixes that follow: each round doubles
/// the letters that are compared, and asks the members that own these suffixes for their ranks. Only such suffixes cross, twice
/// sizeof(Index) bytes each in a round. Lengths of common prefixes and letters before suffixes need no exchange.
///
/// Memory of a member, besides the text: the packed text and a quarter of a byte a letter; for each row of its range the
/// results, sizeof(Index) bytes for an LCP, twice as many if long prefixes are shared, and what build() takes for these rows.
/// Results that member 0 writes for others are in host memory until then.
/// @param open  is called for each array that is wanted
/// @param entry_bytes  see sinks
/// @throws as build_into; out_of_memory  if the suffixes of a member do not fit: no other machine takes over
/// @throws member_lost  if another member failed
template <class Index>
ORDO_API distributed_report build_into(communicator& members, text const& input, extra_arrays extra, output_opener const& open,
                                       std::size_t entry_bytes = 0, build_options const& options = {});

/// Does the same with several machines of this process, such as GPUs, to the bytes of build_into with one.
/// @param machines  one for each member, at least one; options.machine is ignored
/// @param out, options  see build_into; CPUs share options.memory
/// @returns the report of the first member @throws as build_into
template <class Index>
ORDO_API distributed_report build_into(std::span<machine_options const> machines, text const& input, sinks const& out,
                                       build_options const& options = {});

/// The result of a check over a communicator.
struct check_report {
  std::optional<mismatch> first_mismatch;  // the same on all members
  build_report build;             // the machine of this member
  std::uint64_t exchanged = 0;    // bytes that this member sent to others
};

/// Checks arrays as check() does in one process, with the same result. Collective: all members pass the same text, and each its
/// own rows and a machine of its own.
///
/// Each member knows the ranks of an even share of the positions. Rows cross to the members of their positions, some at a time:
/// two numbers of sizeof(Index) bytes a row, then two more for the ranks of the suffixes that follow, and three for an LCP.
/// Memory of a member, besides its rows and the text: an eighth of a byte a letter, sizeof(Index) bytes for each of its rows
/// and positions, for an LCP three times as many for each position, and what crosses at a time.
/// @param own  rows of this member, in the order of members. The BWT of member 0 begins with the rows of the records' ends.
/// @param options  rows must be all
/// @throws as check; out_of_memory  if the memory does not suffice @throws member_lost  if another member failed
template <class Index>
ORDO_API check_report check(communicator& members, text const& input, arrays<Index const> own,
                            build_options const& options = {});

/// Does the same with several machines of this process, such as GPUs.
/// @param machines  one for each member, at least one; options.machine is ignored @param all  see check
/// @returns the report of the first member @throws as check
template <class Index>
ORDO_API check_report check(std::span<machine_options const> machines, text const& input, arrays<Index const> all,
                            build_options const& options = {});

/// Returns the rows that member `rank` of `size` checks if all check about equally many. @param records  the records of the
/// text
template <class Index>
arrays<Index const> share_of_rows(arrays<Index const> all, std::size_t records, std::size_t size, std::size_t rank) {
  std::size_t const n = all.sa.size(), begin = std::size_t(even_offset(n, size, rank)),
                    count = std::size_t(even_share(n, size, rank)), ends = rank == 0 ? records : 0;
  return {all.sa.subspan(begin, count), all.lcp.empty() ? all.lcp : all.lcp.subspan(begin, count),
          all.bwt.empty() ? all.bwt : all.bwt.subspan(begin + records - ends, count + ends)};
}

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
