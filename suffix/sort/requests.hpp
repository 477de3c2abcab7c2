#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/owners.hpp"
#include "ordo/backend.hpp"
#include "ordo/distributed_sort.hpp"

// Requests that the members of a group send to the owners of items, and their answers.
namespace ordo::inline v0::suffix::detail {

using ordo::detail::share_moves;
using ordo::detail::sort_by_owner;

/// How the requests of all members cross, and their answers.
struct request_moves {
  /// Collective.
  /// @param begins  the begins of this member's requests, by the member that owns what they ask for, and their end
  request_moves(communicator& members, std::span<std::uint64_t const> begins);

  share_moves out, back;
  std::size_t answered = 0;                   // requests that this member answers
  std::uint64_t sent_out = 0, sent_back = 0;  // requests and answers, by this member to others
};

/// Moves items in the backend's memory to the members that they belong to. Collective.
template <Backend B, class T>
void move_items(communicator& members, B& backend, share_moves const& moves, std::span<T const> from, std::span<T> to) {
  ordo::detail::wait_for(backend, from);  // the group knows nothing of the work that is queued here
  ordo::detail::exchange<B, T>(members, backend, has_background_downloads<B>, moves, from, to);
}

}  // namespace ordo::inline v0::suffix::detail
