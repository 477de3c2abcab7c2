#pragma once
#include <atomic>
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

#include "ordo/communicator.hpp"

// The engine of members that are threads of one process.
namespace ordo::inline v0::detail {

/// The meeting point of all members of one process. A verb in which they read each other's memory is open() and close().
/// Between the two no member frees its memory, because a member that fails comes to close(), too.
class meeting_point {
 public:
  explicit meeting_point(std::size_t size) : size_(size), slots_(size) {}

  /// Returns when all members have called it. @throws member_lost  on all members, if one has failed before the last one came
  void open();
  /// Returns when all members have called it. Each that has returned from open() must, whatever happens.
  /// @returns false if a member has failed before the last one came; the same on all
  [[nodiscard]] bool close() noexcept;
  /// Wakes all that wait in open(), and makes every later open() throw. The reason and the member of the first call stay.
  void fail(std::size_t member, std::string const& why) noexcept;
  /// Does the same with the message of the exception that is being handled.
  void fail(std::size_t member) noexcept;
  [[nodiscard]] bool has_failed() const;
  /// Returns true if this member was the first that failed.
  [[nodiscard]] bool has_failed_first(std::size_t member) const;
  /// @throws member_lost
  [[noreturn]] void throw_lost() const;
  /// Returns when all members have taken as many steps as the caller, for whom this is step `step`, from 0 on. It spins, because
  /// steps follow each other in microseconds. @throws member_lost  if a member has failed
  void begin_step(std::uint64_t step) const;
  void end_step() noexcept { steps_.fetch_add(1, std::memory_order_release); }
  /// Returns the pointer of a member, which is valid from open() to close().
  [[nodiscard]] void const*& slot(std::size_t member) { return slots_[member]; }
  [[nodiscard]] std::span<void const* const> slots() const { return slots_; }

 private:
  /// Counts a member that has come.
  /// @returns true if it is the last one, who has let the others go
  bool complete();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t size_, arrived_ = 0;
  std::uint64_t generation_ = 0;
  bool failed_ = false, failed_at_last_ = false;  // the latter: when the last meeting was complete
  std::size_t first_ = 0;                         // the first member that failed
  std::string why_;
  std::vector<void const*> slots_;
  std::atomic<std::uint64_t> steps_ = 0;  // steps that have ended, of all members
};

/// A member that is a thread with a CPU. The engine of GPUs overrides what concerns their memory.
class thread_member : public communicator {
 public:
  thread_member(std::size_t size, std::size_t rank, meeting_point& shared) : communicator(size, rank), shared_(shared) {}

  using communicator::all_gather;
  using communicator::all_to_all;
  using communicator::reduce;
  void broadcast(std::span<std::byte> data, std::size_t root) override;
  void all_gather(std::span<std::byte const> own, std::span<std::byte> all) override;
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override;
  void reduce(std::span<std::uint64_t> values, reduction by) override;
  void barrier() override { shared_.open(); }
  void share(void const* own, std::function<void(std::span<void const* const>)> const& use) override;
  void fail(std::string const& why) noexcept override { shared_.fail(rank(), why); }
  [[nodiscard]] bool shares_memory() const noexcept override { return true; }

 protected:
  /// Shows `own` to all members and then runs the steps, each when all have done the one before it. If a step throws, no member
  /// begins the next one: all call stop(), which must not throw, and leave when all have returned from it, with the exception
  /// of the step or with member_lost.
  template <class Stop, class... Steps>
  void meet_in_steps(void const* own, Stop stop, Steps... steps) {
    shared_.slot(rank()) = own;
    shared_.open();
    std::exception_ptr failure;
    if ((all_do(steps, failure) && ...)) return;
    stop();
    static_cast<void>(shared_.close());
    leave_with(failure);
  }
  /// Shows `own` to all members and calls use(), in which each may read what the others show. All leave when no use goes on any
  /// more: with its exception the member whose use throws, and the others with member_lost.
  template <class Use>
  void meet(void const* own, Use use) {
    shared_.slot(rank()) = own;
    shared_.open();
    std::exception_ptr failure;
    if (!all_do(use, failure)) leave_with(failure);
  }
  /// Returns the spans that all members send to this one, by round and member. Their list is what they show.
  /// @throws usage_error  if their lengths are not those of what is received
  [[nodiscard]] std::vector<std::span<std::byte const>> sent_by_all(std::span<std::span<std::byte> const> receives) const;

  meeting_point& shared_;

 private:
  template <class Step>
  bool all_do(Step& step, std::exception_ptr& failure) {
    try {
      step();
    } catch (...) {
      failure = std::current_exception();
      shared_.fail(rank());
    }
    return shared_.close();
  }
  [[noreturn]] void leave_with(std::exception_ptr const& failure) const {
    if (failure) std::rethrow_exception(failure);
    shared_.throw_lost();
  }
};

/// Runs start(rank) in a thread for each member, and rethrows the first exception when all have ended. Members that wait for
/// one that has ended throw member_lost.
void run_threads(std::size_t size, meeting_point& shared, std::function<void(std::size_t)> const& start);

}  // namespace ordo::inline v0::detail
