#pragma once
#include <climits>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "distributed/members.hpp"
#include "ordo/error.hpp"

// The calls of NCCL that an exchange needs, without its headers and those of CUDA.
namespace ordo::inline v0::detail {

struct nccl_id {
  char bytes[128];
};
/// The settings of a communicator, as NCCL 2.14 has them. Newer versions take the older structure.
struct nccl_settings {
  std::size_t size = sizeof(nccl_settings);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;
};

/// The functions of NCCL, whose interface is stable since 2.7. Streams are those of CUDA.
struct nccl_calls {
  using communicator = void*;
  static constexpr int success = 0, in_progress = 7, bytes = 0;  // ncclSuccess, ncclInProgress, ncclInt8

  int (*get_unique_id)(nccl_id*) = nullptr;
  int (*init_rank)(communicator*, int, nccl_id, int) = nullptr;
  int (*destroy)(communicator) = nullptr;
  int (*abort)(communicator) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(void const*, std::size_t, int, int, communicator, void*) = nullptr;
  int (*receive)(void*, std::size_t, int, int, communicator, void*) = nullptr;
  char const* (*error_string)(int) = nullptr;
  // Null in versions before 2.14, whose calls wait for those of other members.
  int (*init_rank_config)(communicator*, int, nccl_id, int, nccl_settings*) = nullptr;
  int (*async_error)(communicator, int*) = nullptr;

  [[nodiscard]] bool can_be_asked() const { return init_rank_config && async_error; }
  void check(int result, char const* call) const {
    if (result != success) throw device_error(std::string("NCCL: ") + call + ": " + error_string(result));
  }
};

/// A member's communicator. Calls of NCCL wait for those of other members: while they do, this asks whether a member has
/// failed, which may never make its call.
class nccl_link {
 public:
  /// Collective; the device is current. @throws device_error @throws member_lost
  nccl_link(nccl_calls const& calls, nccl_id const& id, std::size_t size, std::size_t rank, meeting_point const& shared)
      : calls_(calls), shared_(shared), rank_(rank) {
    try {
      if (calls.can_be_asked()) {
        nccl_settings settings;
        wait_for(calls.init_rank_config(&communicator_, int(size), id, int(rank), &settings), "ncclCommInitRankConfig");
      } else {
        calls.check(calls.init_rank(&communicator_, int(size), id, int(rank)), "ncclCommInitRank");
      }
    } catch (...) {
      abort();
      throw;
    }
  }
  ~nccl_link() {
    if (!communicator_) return;
    // After an error, another member may never do its part.
    if (is_in_exchange_ || std::uncaught_exceptions() != 0)
      abort();
    else
      static_cast<void>(calls_.destroy(communicator_));
  }
  nccl_link(nccl_link const&) = delete;
  nccl_link& operator=(nccl_link const&) = delete;

  /// Queues on the stream what this member sends to others, and what it receives. @throws device_error @throws member_lost
  void move(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives, void* stream) {
    is_in_exchange_ = true;
    char const* call = "ncclGroupStart";
    calls_.check(calls_.group_start(), call);
    int result = nccl_calls::success;
    auto const is_queued = [&] { return result == nccl_calls::success || result == nccl_calls::in_progress; };
    for (std::size_t m = 0; m < sends.size(); ++m) {
      if (m == rank_) continue;
      if (is_queued() && !sends[m].empty()) {
        call = "ncclSend";
        result = calls_.send(sends[m].data(), sends[m].size(), nccl_calls::bytes, int(m), communicator_, stream);
      }
      if (is_queued() && !receives[m].empty()) {
        call = "ncclRecv";
        result = calls_.receive(receives[m].data(), receives[m].size(), nccl_calls::bytes, int(m), communicator_, stream);
      }
    }
    // In any case: all later calls of this thread would belong to the communicator.
    int const ended = calls_.group_end();
    if (!is_queued()) calls_.check(result, call);
    wait_for(ended, "ncclGroupEnd");
  }
  /// Says that all that was queued is done.
  void end_exchange() { is_in_exchange_ = false; }
  /// Ends all that is queued, done or not. The communicator is gone then.
  void abort() noexcept {
    if (communicator_) static_cast<void>(calls_.abort(std::exchange(communicator_, nullptr)));
  }
  [[nodiscard]] bool can_be_asked() const { return calls_.can_be_asked(); }

 private:
  void wait_for(int result, char const* call) {
    while (result == nccl_calls::in_progress && calls_.can_be_asked()) {
      if (shared_.has_failed()) shared_.throw_lost();
      std::this_thread::yield();
      calls_.check(calls_.async_error(communicator_, &result), "ncclCommGetAsyncError");
    }
    calls_.check(result, call);
  }

  nccl_calls const& calls_;
  meeting_point const& shared_;
  std::size_t rank_;
  nccl_calls::communicator communicator_ = nullptr;
  bool is_in_exchange_ = false;
};

}  // namespace ordo::inline v0::detail
