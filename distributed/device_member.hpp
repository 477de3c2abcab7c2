#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distributed/members.hpp"
#include "distributed/nccl.hpp"

// The engine of members that are devices of one process, without the calls of CUDA, so that it can be tested without them.
namespace ordo::inline v0::detail {

/// A member that is a thread with a device. Copies from device to device by the device, or by NCCL.
/// @tparam Device  the device, with streams for copies beside that of the machine. Members may share one:
///     make_current(): returns an object while which the device is the current one
///     synchronize(): waits for the work of the machine
///     settle(): waits for all work of the device, and does not throw
///     make_events(n): makes events 0 to n - 1, each of which can be used again
///     copy(m, from, to): queues a copy from the memory of member m on the stream for it
///     record(event, m): queues an event on the stream for copies from member m
///     hold_until(event): lets later work of the machine wait for an event
///     has_passed(event)
///     stream(m): returns the stream as NCCL takes it
template <class Device>
class device_member final : public thread_member {
 public:
  using communicator::all_gather;
  using communicator::all_to_all;
  /// Collective. @param nccl  its functions, or null: the device copies
  template <class... Arguments>
  device_member(std::size_t size, std::size_t rank, meeting_point& shared, nccl_calls const* nccl, Arguments&&... arguments)
      : thread_member(size, rank, shared), device_(std::forward<Arguments>(arguments)...) {
    shared.open();
    if (!nccl) return;
    auto const current = device_.make_current();
    nccl_id id{};
    if (rank == 0) nccl->check(nccl->get_unique_id(&id), "ncclGetUniqueId");
    broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
    link_ = std::make_unique<nccl_link>(*nccl, id, size, rank, shared);
  }
  ~device_member() override {
    if (!link_) return;
    try {
      auto const current = device_.make_current();
      link_.reset();
    } catch (error const&) {  // the device is lost
    }
  }

  void barrier() override {
    device_.synchronize();
    thread_member::barrier();
  }
  void share(void const* own, std::function<void(std::span<void const* const>)> const& use) override {
    device_.synchronize();
    meet_in_steps(
        own, [&] { device_.settle(); },
        [&] {
          use(shared_.slots());
          device_.synchronize();
        });
  }
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    check_lists(sends.size(), receives.size());
    device_.synchronize();  // queued work may still write the bytes to send
    auto const current = device_.make_current();
    std::vector<std::span<std::byte const>> from;
    // No member's copies begin before all have found that the lengths match.
    auto const prepare = [&] {
      from = sent_by_all(receives);
      device_.make_events(receives.size());
    };
    auto const exchange = [&] {
      try {
        move(sends, from, receives, arrived);
        device_.synchronize();
      } catch (...) {
        // The others ask whether a member has failed, unless a call of NCCL holds them that ends when this communicator does.
        if (link_ && !link_->can_be_asked()) link_->abort();
        throw;
      }
    };
    auto const stop = [&] {
      if (link_) link_->abort();
      device_.settle();
    };
    meet_in_steps(&sends, stop, prepare, exchange);
    if (link_) link_->end_exchange();
  }
  /// Four megabytes cross in 10 microseconds; a copy starts in some.
  [[nodiscard]] std::size_t long_message() const noexcept override { return std::size_t{1} << 22; }
  [[nodiscard]] bool moves_device_memory() const noexcept override { return true; }
  /// False: merges by way of the link took up to twice as long as an exchange before them.
  [[nodiscard]] bool shares_memory() const noexcept override { return false; }

 private:
  /// Rounds of NCCL that are queued before the first of them is done: a queue that is full would hold this thread.
  static constexpr std::size_t max_ahead = 16;

  void move(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte const> const> from,
            std::span<std::span<std::byte> const> to, std::function<void(std::size_t)> const& arrived) {
    std::size_t const rounds = to.size() / size();
    std::size_t queued = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      // All copies: with four rounds first, and four more after each, copies waited for members that waited for their sorts.
      for (std::size_t const end = link_ ? std::min(rounds, round + max_ahead) : rounds; queued < end; ++queued) {
        std::size_t const at = queued * size();
        copy(from.subspan(at, size()), to.subspan(at, size()));
        if (link_) link_->move(sends.subspan(at, size()), to.subspan(at, size()), device_.stream((rank() + 1) % size()));
        for (std::size_t m = 0; m < size(); ++m) device_.record(at + m, m);
      }
      for (std::size_t m = 0; m < size(); ++m) {
        // What NCCL receives arrives only if the other member sends it. Work that waits for it would hold this thread.
        if (link_) wait_for(round * size() + m);
        device_.hold_until(round * size() + m);
      }
      arrived(round);
    }
  }
  /// Copies from all members, beginning with the next one. With NCCL, copies from this member only.
  ///
  /// A device sends one copy after the other, in the order in which they were queued, and receives them in the order of its
  /// stream. So members queue them in step: then at any time each device sends to one other, and none sends to the same. Two
  /// copies to one device share its link: out of step, the exchange among four took 1.7 times as long.
  void copy(std::span<std::span<std::byte const> const> from, std::span<std::span<std::byte> const> to) {
    for (std::size_t i = 1; i <= size(); ++i) {
      std::size_t const m = (rank() + i) % size();
      if (link_ && m != rank()) continue;
      if (!link_) shared_.begin_step(step_);
      if (!from[m].empty()) device_.copy(m, from[m], to[m]);
      if (link_) continue;
      ++step_;
      shared_.end_step();
    }
  }
  void wait_for(std::size_t event) {
    while (!device_.has_passed(event)) {
      if (shared_.has_failed()) shared_.throw_lost();
      std::this_thread::yield();
    }
  }

  Device device_;
  std::uint64_t step_ = 0;  // steps of copies that this member has taken, of all exchanges
  std::unique_ptr<nccl_link> link_;
};

}  // namespace ordo::inline v0::detail
