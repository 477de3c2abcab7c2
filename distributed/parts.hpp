#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/distributed_sort.hpp"
#include "sort_core/algorithms/run_task.hpp"

// The common parts of the distributed sorts.
namespace ordo::inline v0::detail {

/// Orders keys by the code by which a task orders them.
template <class K>
struct code_less {
  code_at<K> code;
  K mask;
  [[nodiscard]] bool operator()(K a, K b) const { return encode(a) < encode(b); }
  [[nodiscard]] K encode(K key) const { return K(code_in(&key)(0) & mask); }
  /// Returns the codes of other keys.
  [[nodiscard]] code_at<K> code_in(void const* keys) const {
    code_at<K> at = code;
    at.keys = static_cast<K const*>(keys);
    return at;
  }
};

/// Items of one member's arrays.
struct item_range {
  std::uint64_t begin, size;
};
/// What a member sends and receives, by round and member. What it receives in a round is in one piece, in the order of members.
struct rounds_of_moves {
  std::vector<item_range> sends, receives;
};
/// An array that crosses.
struct moved_array {
  std::span<char const> from;
  std::span<char> to;
  std::size_t item_bytes;
  rounds_of_moves const& moves;
};

/// Moves the items of all arrays, in the same number of rounds. Calls arrived(round) when this member may use what it has
/// received in a round.
template <Backend B, class F>
void exchange_rounds(communicator& members, B& backend, bool on_gpu, std::span<moved_array const> arrays, F arrived) {
  bool const is_staged = on_gpu && !members.moves_device_memory();
  std::size_t const p = members.size(), rounds = arrays[0].moves.sends.size() / p;
  std::vector<host_items<char>> sent, received;
  for (moved_array const& array : arrays) {
    if (!is_staged) break;
    backend.download(array.from, sent.emplace_back(array.from.size()).span());
    received.emplace_back(array.to.size());
  }
  std::vector<std::span<std::byte const>> sends;
  std::vector<std::span<std::byte>> receives;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t a = 0; a < arrays.size(); ++a)
      for (std::size_t at = round * p; at < (round + 1) * p; ++at) {
        std::size_t const bytes = arrays[a].item_bytes;
        rounds_of_moves const& moves = arrays[a].moves;
        auto const from = is_staged ? std::span<char const>(sent[a].span()) : arrays[a].from;
        auto const to = is_staged ? received[a].span() : arrays[a].to;
        sends.push_back(std::as_bytes(from.subspan(moves.sends[at].begin * bytes, moves.sends[at].size * bytes)));
        receives.push_back(
            std::as_writable_bytes(to.subspan(moves.receives[at].begin * bytes, moves.receives[at].size * bytes)));
      }
  members.all_to_all(sends, receives, [&](std::size_t i) {
    std::size_t const round = i / arrays.size(), a = i % arrays.size();
    if (is_staged) {
      auto const& receives = arrays[a].moves.receives;
      std::size_t const bytes = arrays[a].item_bytes, begin = receives[round * p].begin * bytes;
      // A member writes the keys of equal items itself: none of them come.
      std::size_t size = 0;
      for (std::size_t m = 0; m < p; ++m) size += receives[round * p + m].size * bytes;
      copy_to_machine(backend, std::span<char const>(received[a].span().subspan(begin, size)),
                      arrays[a].to.subspan(begin, size));
    }
    if (a + 1 == arrays.size()) arrived(round);
  });
}

}  // namespace ordo::inline v0::detail
