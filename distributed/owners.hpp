#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/first_bound.hpp"
#include "ordo/backend.hpp"

// Items that belong to the members of a communicator, in the order of these.
namespace ordo::inline v0::detail {

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
  auto const owner_begins = backend.template buffer<std::uint64_t>(begins.size());
  backend.each(begins.size(), find_begin{owners.data(), owners.size(), owner_begins.data()});
  backend.download(std::span<std::uint64_t const>(owner_begins.span()), std::span<std::uint64_t>(begins));
  return begins;
}

}  // namespace ordo::inline v0::detail
