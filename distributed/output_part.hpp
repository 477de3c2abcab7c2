#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <span>
#include <utility>
#include <vector>

#include "base/streams.hpp"
#include "ordo/communicator.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"

// All members of a communicator write one output, each a part of it.
namespace ordo::inline v0::detail {

/// Limits the threads of this process that write at a time. A file system takes the writes to a file one after the other, and
/// more threads that wait for their turn only slow it down: 32, of four GPUs, wrote half as many bytes a second as 8.
inline std::counting_semaphore<>& write_turns() {
  static std::counting_semaphore<> turns(8);
  return turns;
}

/// One member's part of an output that all members of a communicator write, in the order of members. Members with a sink write
/// where their part belongs. Those without keep it in memory until finish() sends it to member 0.
class output_part {
 public:
  /// Collective.
  /// @param sizes  bytes of each member's part
  /// @param to  the whole output as this member writes it; null if member 0 writes its part. That of member 0 is not null, and
  ///     those of the others are addressable.
  output_part(communicator& members, std::vector<std::uint64_t> sizes, sink* to)
      : members_(members), sizes_(std::move(sizes)), to_(to) {
    std::size_t const rank = members.rank();
    if (rank == 0 && !to) throw usage_error("bad output: a communicator's output: member 0 has no sink");
    has_sink_ = members.all_gather(std::uint8_t(to != nullptr));
    in_parts_ = members.reduce(rank != 0 || to->addressable(), reduction::min) != 0;
    std::uint64_t begin = 0;
    for (std::size_t m = 0; m < rank; ++m) begin += sizes_[m];
    if (to && in_parts_)
      direct_.emplace(*to, begin, true, &write_turns());
    else
      stored_.emplace(true).expect(sizes_[rank]);
  }

  /// Returns the sink of this member's part, whose offsets begin at 0.
  [[nodiscard]] sink& writer() { return direct_ ? static_cast<sink&>(*direct_) : *stored_; }
  /// Returns true if this member writes its part itself.
  [[nodiscard]] bool is_direct() const { return direct_.has_value(); }

  /// Completes the output when all members have written their parts. Collective.
  void finish() {
    std::size_t const p = members_.size(), rank = members_.rank();
    if (rank == 0 && stored_) to_->write(stored_->bytes());
    // Members whose all_to_all takes memory of GPUs are threads of one process.
    if (members_.moves_device_memory()) {
      members_.share(stored_ ? stored_->bytes().data() : nullptr, [&](std::span<void const* const> parts) {
        if (rank != 0) return;
        for_each_other_part([&](std::size_t m, std::uint64_t begin) {
          put(begin, {static_cast<char const*>(parts[m]), std::size_t(sizes_[m])});
        });
      });
      stored_.reset();
      return;
    }
    host_bytes received;
    for_each_other_part([&](std::size_t m, std::uint64_t begin) {
      for (std::uint64_t at = 0; at < sizes_[m]; at += max_bytes) {
        std::size_t const n = std::size_t(std::min<std::uint64_t>(max_bytes, sizes_[m] - at));
        std::vector<std::span<std::byte const>> sends(p);
        std::vector<std::span<std::byte>> receives(p);
        if (rank == m) sends[0] = std::as_bytes(stored_->bytes()).subspan(std::size_t(at), n);
        if (rank == 0) {
          received.resize(n);
          receives[m] = std::as_writable_bytes(received.span());
        }
        members_.all_to_all(sends, receives);
        if (rank == 0) put(begin + at, received.span());
      }
    });
    members_.barrier();  // the output is complete
    stored_.reset();
  }

 private:
  /// Calls f(m, offset) for each part that member 0 writes for another member.
  template <class F>
  void for_each_other_part(F f) const {
    std::uint64_t begin = sizes_[0];
    for (std::size_t m = 1; m < sizes_.size(); begin += sizes_[m++])
      if (!in_parts_ || !has_sink_[m]) f(m, begin);
  }
  /// Writes a part of another member, or what comes next of it.
  void put(std::uint64_t at, std::span<char const> part) {
    if (in_parts_)
      to_->write_at(at, part);
    else
      to_->write(part);
  }

  static constexpr std::uint64_t max_bytes = std::uint64_t{64} << 20;  // bytes that cross at a time

  communicator& members_;
  std::vector<std::uint64_t> sizes_;
  sink* to_;
  std::vector<std::uint8_t> has_sink_;
  bool in_parts_;  // whether the whole is addressable
  std::optional<part_sink> direct_;
  std::optional<growing_sink> stored_;
};

}  // namespace ordo::inline v0::detail
