#include "distributed/members.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "distributed/reduce.hpp"
#include "ordo/cpu.hpp"

namespace ordo::inline v0 {

namespace detail {

bool meeting_point::complete() {
  if (++arrived_ != size_) return false;
  arrived_ = 0;
  ++generation_;
  failed_at_last_ = failed_;
  changed_.notify_all();
  return true;
}

void meeting_point::open() {
  std::unique_lock lock(mutex_);
  std::uint64_t const generation = generation_;
  if (!failed_ && complete()) return;
  changed_.wait(lock, [&] { return failed_ || generation_ != generation; });
  // A member that failed after this meeting is reported by the next one.
  if (generation_ != generation) return;
  lock.unlock();
  throw_lost();
}

bool meeting_point::close() noexcept {
  std::unique_lock lock(mutex_);
  std::uint64_t const generation = generation_;
  // The next meeting is not complete without this member, which therefore reads what was true of this one.
  if (!complete()) changed_.wait(lock, [&] { return generation_ != generation; });
  return !failed_at_last_;
}

void meeting_point::fail(std::size_t member, std::string const& why) noexcept {
  {
    std::lock_guard const lock(mutex_);
    if (failed_) return;
    failed_ = true;
    first_ = member;
    try {
      why_ = why;
    } catch (...) {  // no memory for the reason
    }
  }
  changed_.notify_all();
}

void meeting_point::fail(std::size_t member) noexcept {
  try {
    throw;
  } catch (std::exception const& e) {
    fail(member, e.what());
  } catch (...) {
    fail(member, "an exception of an unknown type");
  }
}

bool meeting_point::has_failed() const {
  std::lock_guard const lock(mutex_);
  return failed_;
}

bool meeting_point::has_failed_first(std::size_t member) const {
  std::lock_guard const lock(mutex_);
  return failed_ && first_ == member;
}

void meeting_point::begin_step(std::uint64_t step) const {
  while (steps_.load(std::memory_order_acquire) < step * size_) {
    if (has_failed()) throw_lost();
    std::this_thread::yield();
  }
}

void meeting_point::throw_lost() const {
  // Nothing changes the reason any more.
  throw member_lost("communicator: another member failed: " + why_);
}

void thread_member::broadcast(std::span<std::byte> data, std::size_t root) {
  check_root(root);
  meet(&data, [&] {
    if (rank() == root) return;
    auto const& from = *static_cast<std::span<std::byte> const*>(shared_.slot(root));
    if (from.size() != data.size())
      throw usage_error(fmt::format("bad length: broadcast: {} bytes, but member {} has {}", data.size(), root, from.size()));
    std::ranges::copy(from, data.begin());
  });
}

void thread_member::all_gather(std::span<std::byte const> own, std::span<std::byte> all) {
  check_gather(own.size(), all.size());
  meet(&own, [&] {
    for (std::size_t m = 0; m < size(); ++m) {
      auto const& from = *static_cast<std::span<std::byte const> const*>(shared_.slot(m));
      if (from.size() != own.size())
        throw usage_error(fmt::format("bad length: all_gather: {} bytes, but member {} has {}", own.size(), m, from.size()));
      std::ranges::copy(from, all.begin() + std::ptrdiff_t(m * own.size()));
    }
  });
}

void thread_member::share(void const* own, std::function<void(std::span<void const* const>)> const& use) {
  meet(own, [&] { use(shared_.slots()); });
}

std::vector<std::span<std::byte const>> thread_member::sent_by_all(std::span<std::span<std::byte> const> receives) const {
  std::vector<std::span<std::byte const>> from(receives.size());
  auto const check = [&](std::size_t member, std::size_t sent, std::size_t received, char const* unit) {
    if (sent != received)
      throw usage_error(fmt::format("bad length: all_to_all: member {} sends {} {} to member {}, which receives {}", member,
                                    sent, unit, rank(), received));
  };
  for (std::size_t m = 0; m < size(); ++m) {
    auto const& sends = *static_cast<std::span<std::span<std::byte const> const> const*>(shared_.slot(m));
    check(m, sends.size() / size(), receives.size() / size(), "rounds");
    for (std::size_t i = 0; i < receives.size(); i += size()) {
      from[i + m] = sends[i + rank()];
      check(m, from[i + m].size(), receives[i + m].size(), "bytes");
    }
  }
  return from;
}

void thread_member::all_to_all(std::span<std::span<std::byte const> const> sends,
                               std::span<std::span<std::byte> const> receives,
                               std::function<void(std::size_t)> const& arrived) {
  check_lists(sends.size(), receives.size());
  meet(&sends, [&] {
    auto const from = sent_by_all(receives);
    for (std::size_t round = 0; round < receives.size() / size(); ++round) {
      // Each member begins with itself, so that no memory is read by all at once.
      for (std::size_t i = 0; i < size(); ++i) {
        std::size_t const at = round * size() + (rank() + i) % size();
        if (!from[at].empty()) std::memcpy(receives[at].data(), from[at].data(), from[at].size());
      }
      arrived(round);
    }
  });
}

void thread_member::reduce(std::span<std::uint64_t> values, reduction by) {
  reduce_gathered(*this, values, by);
}

void run_threads(std::size_t size, meeting_point& shared, std::function<void(std::size_t)> const& start) {
  std::mutex mutex;
  std::exception_ptr first, lost;  // the first error of a member, and the first that follows from another's
  auto const run = [&](std::size_t rank) noexcept {
    try {
      start(rank);
      shared.fail(rank, "it has ended, and others go on");
    } catch (member_lost const&) {
      shared.fail(rank);
      std::lock_guard const lock(mutex);
      if (!lost) lost = std::current_exception();
    } catch (...) {
      shared.fail(rank);
      std::lock_guard const lock(mutex);
      // Members leave a verb together: an error that follows from the first one may be here before it.
      if (!first || shared.has_failed_first(rank)) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(size);
    try {
      for (std::size_t rank = 0; rank + 1 < size; ++rank) threads.emplace_back(run, rank);
    } catch (std::exception const& e) {  // no more threads
      shared.fail(size - 1, e.what());
      threads.clear();
      throw;
    }
    run(size - 1);
  }
  if (first) std::rethrow_exception(first);
  if (lost) std::rethrow_exception(lost);
}

}  // namespace detail

void run_members(std::size_t size, std::function<void(communicator&, cpu&)> const& work, unsigned threads) {
  if (size == 0) throw usage_error("bad communicator: run_members: no members");
  if (threads == 0) threads = std::max(1u, unsigned(threads_for(0)) / unsigned(std::min<std::size_t>(size, 1u << 16)));
  detail::meeting_point shared(size);
  detail::run_threads(size, shared, [&](std::size_t rank) {
    detail::thread_member member(size, rank, shared);
    cpu machine({.threads = threads});
    work(member, machine);
  });
}

}  // namespace ordo::inline v0
