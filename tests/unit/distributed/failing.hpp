#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"

// A member that fails at the n-th of its chances, for communicators of threads and of processes.
namespace distributed_checks {

struct made_up : std::runtime_error {
  made_up() : std::runtime_error("made up") {}
};

/// Ends the process if a job of members hangs, or goes on for two seconds of its own after one of them has failed.
class watchdog {
 public:
  watchdog() : thread_([this] { watch(); }) {}
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

  /// Says that a member fails, and that all have ended.
  static void begin() { failing = true; }
  static void end() {
    failing = false;
    ++jobs;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    // The time of its processors, and ticks in which it has none: beside other processes all takes longer.
    constexpr std::clock_t second = CLOCKS_PER_SEC;
    std::clock_t begin = std::clock(), before = begin;
    unsigned idle = 0, job = jobs;
    for (bool was_failing = false; before - begin < (was_failing ? 2 : 120) * second && idle < (was_failing ? 20u : 1200u);) {
      if (changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return ended_; })) return;
      std::clock_t const now = std::clock();
      if (job != jobs || was_failing != failing) {
        begin = now;
        idle = 0;
      }
      idle = now - before < second / 1000 ? idle + 1 : 0;
      before = now;
      job = jobs;
      was_failing = failing;
    }
    std::fputs("a member waits for one that has failed\n", stderr);
    std::abort();
  }

  static inline std::atomic<bool> failing = false;
  static inline std::atomic<unsigned> jobs = 0;  // that have ended
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
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
  bool is_last() {
    // Sinks and sources take chances in threads of their own, though never after the last one.
    if (left_ == 0 || --left_ != 0) return false;
    watchdog::begin();
    return true;
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  std::atomic<std::size_t> left_;
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
  [[nodiscard]] bool moves_device_memory() const noexcept override { return member_.moves_device_memory(); }
  [[nodiscard]] std::size_t long_message() const noexcept override { return long_message_; }

 private:
  ordo::communicator& member_;
  chances& left_;
  bool shares_;
  std::size_t long_message_;
};

/// A source that can fail at each read.
class failing_source final : public ordo::source {
 public:
  failing_source(std::string_view text, chances& left, bool addressed) : all_(text), left_(left), addressed_(addressed) {}
  std::size_t read(std::span<char> to) override {
    left_.take();
    return all_.read(to);
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return addressed_ ? all_.size() : std::nullopt; }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    left_.take();
    all_.read_at(offset, to);
  }
  [[nodiscard]] std::uint64_t position() const override { return all_.position(); }
  void skip(std::uint64_t bytes) override { all_.skip(bytes); }

 private:
  ordo::memory_source all_;
  chances& left_;
  bool addressed_;
};

/// A sink that can fail at each announcement and write. Nobody reads what it takes.
class failing_sink final : public ordo::sink {
 public:
  failing_sink(chances& left, bool addressed) : left_(left), addressed_(addressed) {}
  void write(std::span<char const> /*data*/) override { left_.take(); }
  bool expect(std::uint64_t /*bytes*/) override {
    left_.take();
    return addressed_;
  }
  bool expect_unknown() override {
    left_.take();
    return addressed_;
  }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write_at(std::uint64_t /*offset*/, std::span<char const> /*data*/) override { left_.take(); }

 private:
  chances& left_;
  bool addressed_;
};

}  // namespace distributed_checks
