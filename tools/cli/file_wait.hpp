#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace ordo::cli {

/// As long as one lives its thread reads or writes a file: it waits for the system.
class file_wait {
 public:
  file_wait() = default;
  ~file_wait() { all_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count(); }
  file_wait(file_wait const&) = delete;
  file_wait& operator=(file_wait const&) = delete;

  /// Of all threads of the process so far, added.
  static double seconds() noexcept { return static_cast<double>(all_.load()) * 1e-9; }

 private:
  inline static std::atomic<std::int64_t> all_{0};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace ordo::cli
