#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "ordo/communicator.hpp"

// A member that fails at the n-th of its chances, for communicators of threads and of processes.
namespace distributed_checks {

struct made_up : std::runtime_error {
  made_up() : std::runtime_error("made up") {}
};

/// Throws at the n-th chance; never if n is 0.
class chances {
 public:
  explicit chances(std::size_t n) : left_(n) {}
  void take() {
    if (is_last()) throw made_up();
  }
  /// Takes one.
  /// @returns true if it is the one to fail at
  bool is_last() { return left_ != 0 && --left_ == 0; }

 private:
  std::size_t left_;
};

/// A member that can fail before each verb, in each callback of a verb, and at the end of one.
class failing_member final : public ordo::communicator {
 public:
  /// @param shares  whether members read each other's memory @param long_message  with few bytes, sorts divide small arrays
  failing_member(ordo::communicator& member, chances& left, bool shares = true, std::size_t long_message = std::size_t{1} << 20)
      : communicator(member.size(), member.rank()),
        member_(member),
        left_(left),
        shares_(shares),
        long_message_(long_message) {}

  using communicator::all_gather;
  using communicator::all_to_all;
  using communicator::reduce;
  void broadcast(std::span<std::byte> data, std::size_t root) override {
    left_.take();
    member_.broadcast(data, root);
  }
  void all_gather(std::span<std::byte const> own, std::span<std::byte> all) override {
    left_.take();
    member_.all_gather(own, all);
  }
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    left_.take();
    member_.all_to_all(sends, receives, [&](std::size_t round) {
      left_.take();
      arrived(round);
    });
  }
  void reduce(std::span<std::uint64_t> values, ordo::reduction by) override {
    left_.take();
    member_.reduce(values, by);
  }
  void barrier() override {
    left_.take();
    member_.barrier();
  }
  void share(void const* own, std::function<void(std::span<void const* const>)> const& use) override {
    left_.take();
    member_.share(own, [&](std::span<void const* const> all) {
      left_.take();
      use(all);
      left_.take();
    });
  }
  void fail(std::string const& why) noexcept override { member_.fail(why); }
  [[nodiscard]] bool shares_memory() const noexcept override { return shares_ && member_.shares_memory(); }
  [[nodiscard]] std::size_t long_message() const noexcept override { return long_message_; }

 private:
  ordo::communicator& member_;
  chances& left_;
  bool shares_;
  std::size_t long_message_;
};

/// Ends the process if it hangs.
class watchdog {
 public:
  watchdog()
      : thread_([this] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, std::chrono::minutes(2), [this] { return ended_; })) return;
          std::fputs("a member waits for one that has failed\n", stderr);
          std::abort();
        }) {}
  ~watchdog() {
    {
      std::lock_guard const lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace distributed_checks
