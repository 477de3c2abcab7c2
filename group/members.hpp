#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ordo/group.hpp"

// The engine of members that are threads of one process.
namespace ordo::inline v0::detail {

/// The memory that all members of one process share.
class meeting_point {
 public:
  explicit meeting_point(std::size_t size) : size_(size), slots_(size) {}

  /// Returns when all members have called it. @throws member_lost
  void wait();
  /// Wakes all that wait, and makes every later wait() throw. The first call's reason stays.
  void fail(std::string const& why) noexcept;
  /// Returns the pointer of a member, which is valid between two waits.
  [[nodiscard]] void const*& slot(std::size_t member) { return slots_[member]; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t size_, arrived_ = 0;
  std::uint64_t generation_ = 0;
  bool failed_ = false;
  std::string why_;
  std::vector<void const*> slots_;
};

/// A member that is a thread with a CPU. The engine of GPUs overrides what concerns their memory.
class thread_member : public group {
 public:
  thread_member(std::size_t size, std::size_t rank, meeting_point& shared) : group(size, rank), shared_(shared) {}

  using group::all_gather;
  using group::all_to_all;
  using group::reduce;
  void broadcast(std::span<std::byte> data, std::size_t root) override;
  void all_gather(std::span<std::byte const> own, std::span<std::byte> all) override;
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override;
  void reduce(std::span<std::uint64_t> values, reduction by) override;
  void barrier() override { shared_.wait(); }
  void fail(std::string const& why) noexcept override;
  [[nodiscard]] bool shares_memory() const noexcept override { return true; }

 protected:
  using list_of_spans = std::span<std::span<std::byte const> const>;
  /// Publishes this member's list and waits for the lists of all. @returns when others may be read
  void publish(list_of_spans const& sends);
  /// Returns the spans that all members send to this one, by round and member. Those whose length is not that of what is
  /// received are empty, and `wrong` says so.
  [[nodiscard]] std::vector<std::span<std::byte const>> sent_by_all(std::span<std::span<std::byte> const> receives,
                                                                    std::string& wrong) const;
  /// Waits for all members, whose memory is read until then. @throws usage_error  if something is wrong
  void end_verb(std::string const& wrong);

  meeting_point& shared_;
};

/// Runs start(rank) in a thread for each member, and rethrows the first exception when all have ended.
void run_threads(std::size_t size, meeting_point& shared, std::function<void(std::size_t)> const& start);

}  // namespace ordo::inline v0::detail
