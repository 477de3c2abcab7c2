#pragma once
#include <atomic>
#include <string>
#include <thread>

#include "ordo/error.hpp"

namespace ordo::inline v0::detail {

/// The thread that is in a call of a machine, which one thread uses at a time.
class one_user {
 public:
  /// Begins a call by this thread, which may be in other calls already. Returns false if another thread is in one.
  [[nodiscard]] bool try_enter() noexcept {
    std::thread::id const self = std::this_thread::get_id();
    if (thread_.load(std::memory_order_relaxed) != self) {
      std::thread::id none;
      if (!thread_.compare_exchange_strong(none, self, std::memory_order_acquire)) return false;
    }
    ++depth_;
    return true;
  }
  /// @throws usage_error  if another thread is in a call
  void enter(char const* machine) {
    if (!try_enter())
      throw usage_error(std::string("machine in use: ") + machine +
                        ": another thread is in a call: each needs a machine of its own");
  }
  void leave() noexcept {
    if (--depth_ == 0) thread_.store({}, std::memory_order_release);
  }

 private:
  std::atomic<std::thread::id> thread_;
  unsigned depth_ = 0;  // calls within calls, of this thread
};

/// A call of a machine, for the lifetime of the object.
class machine_use {
 public:
  /// @throws usage_error  if another thread is in a call
  machine_use(one_user& user, char const* machine) : user_(user) { user_.enter(machine); }
  ~machine_use() { user_.leave(); }
  machine_use(machine_use const&) = delete;
  machine_use& operator=(machine_use const&) = delete;

 private:
  one_user& user_;
};

/// Throws usage_error for a machine whose state another object has taken over.
[[noreturn]] inline void refuse_moved_from(char const* machine) {
  throw usage_error(std::string("bad machine: ") + machine + ": moved from: another object has taken it over");
}

}  // namespace ordo::inline v0::detail
