#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/spectra.hpp"

namespace ordo::inline v0::spectra::detail {

/// The exchange of chunks among the members of a group. All cut the same input into the same chunks. In each round, each
/// member works on some adjacent ones, those of member 0 first; it then gets the results of the others. Calls are made by one
/// thread at a time. All members construct it at the same time, and then member 0 calls receive_results() and end(), and the
/// others add() and finish().
class chunk_exchange {
 public:
  /// Collective. @param chunk_bytes  that of member 0 counts
  chunk_exchange(communicator& members, std::size_t chunk_bytes, std::size_t threads);

  [[nodiscard]] std::size_t chunk_bytes() const noexcept { return chunk_bytes_; }
  [[nodiscard]] bool is_first() const noexcept { return members_.rank() == 0; }
  /// Returns true if this member works on a chunk.
  [[nodiscard]] bool is_own(std::uint64_t chunk) const noexcept;
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

  /// Returns the results of another member's chunk, of which none comes before those of an earlier one. Empty: the member has
  /// none.
  [[nodiscard]] std::span<char const> receive_results(std::uint64_t chunk);
  /// Returns true if an exchange has thrown. This member then is not where the others are, and calls no verb any more: they are
  /// lost when its error ends the group.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  /// Ends the work of the others, which then have these counts; or, without any, throw member_lost. Does nothing after a cut.
  void end(sort_report const* counts);

  /// Takes the results of the next chunk, which count if it is this member's.
  /// @returns false if member 0 needs no more
  bool add(std::uint64_t chunk, std::span<char const> results);
  /// Sends what is left, waits for the end, and sets the counts to those of member 0. @throws member_lost  if it has failed
  void finish(sort_report& counts);

 private:
  /// A round: its first chunk, and the number that member 0 works on, and each of the others. Rounds become longer, so that
  /// short inputs are divided, too, and long ones cross in few.
  struct round {
    std::uint64_t begin, of_first, share;
  };
  [[nodiscard]] round round_at(std::uint64_t begin, std::uint64_t share) const noexcept;
  [[nodiscard]] round find_round(std::uint64_t chunk) const noexcept;
  [[nodiscard]] std::uint64_t round_length(round const& one) const noexcept {
    return one.of_first + one.share * (members_.size() - 1);
  }
  bool exchange(bool goes_on);

  communicator& members_;
  std::uint64_t chunk_bytes_, min_share_ = 1, max_share_ = 1;  // chunks of another member than the first in a round
  host_bytes own_, all_;                                       // results, each after its size
  std::vector<std::span<char const>> received_;                // what came for each chunk of the round
  round last_{0, 0, 0};                                        // the round that was received last
  std::uint64_t sent_ = 0;
  bool ended_ = false, is_cut_ = false;
};

}  // namespace ordo::inline v0::spectra::detail
