#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ordo::inline v0 {

/// Lets threads do something one after the other, in the order of their numbers, from 0.
class ordered_turns {
 public:
  /// Calls f() when all lower numbers have had their turns. Returns false, without a call, after stop().
  /// If f() throws, no later number has a turn: the caller must stop().
  template <class F>
  [[nodiscard]] bool take(std::uint64_t number, F f) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return next_ == number || stopped_; });
      if (stopped_) return false;
    }
    f();
    std::lock_guard const lock(mutex_);
    ++next_;
    changed_.notify_all();
    return true;
  }
  /// Ends all turns that have not begun.
  void stop() {
    std::lock_guard const lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace ordo::inline v0
