#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/group_sort.hpp"
#include "suffix/text/first_bound.hpp"

// Requests that the members of a group send to the owners of items, and their answers.
namespace ordo::inline v0::suffix::detail {

using ordo::detail::share_moves;

/// How the requests of all members cross, and their answers.
struct request_moves {
  /// Collective.
  /// @param begins  of this member's requests, by the member that owns what they ask for, and their end
  request_moves(group& members, std::span<std::uint64_t const> begins);

  share_moves out, back;
  std::size_t answered = 0;                   // by this member
  std::uint64_t sent_out = 0, sent_back = 0;  // requests and answers, by this member to others
};

/// Finds where the items of an owner begin.
struct find_begin {
  std::uint32_t const* owners;  // in order
  std::size_t size;
  std::uint64_t* begins;
  ORDO_FN void operator()(std::size_t owner) const { begins[owner] = first_bound(owners, size, owner); }
};

/// Sorts items by the members that own them. Those of no member, whose owner is the number of members, come last. Stable.
/// @returns where the items of each member begin, and the end of the last one
template <Backend B, class Item>
std::vector<std::uint64_t> sort_by_owner(B& backend, std::size_t members, std::span<std::uint32_t> owners,
                                         std::span<Item> items) {
  backend.radix_sort(owners, items, bit_range{0, unsigned(std::bit_width(members))}, key_code<std::uint32_t>{});
  std::vector<std::uint64_t> begins(members + 1);
  auto const found = backend.template buffer<std::uint64_t>(begins.size());
  backend.each(begins.size(), find_begin{owners.data(), owners.size(), found.data()});
  backend.download(std::span<std::uint64_t const>(found.span()), std::span<std::uint64_t>(begins));
  return begins;
}

/// Moves items in the backend's memory to the members that they belong to. Collective.
template <Backend B, class T>
void move_items(group& members, B& backend, share_moves const& moves, std::span<T const> from, std::span<T> to) {
  ordo::detail::wait_for(backend, from);  // the group knows nothing of the work that is queued here
  ordo::detail::exchange<B, T>(members, backend, has_background_downloads<B>, moves, from, to);
}

}  // namespace ordo::inline v0::suffix::detail
