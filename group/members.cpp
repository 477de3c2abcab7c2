#include "group/members.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "group/reduce.hpp"
#include "ordo/cpu.hpp"

namespace ordo::inline v0 {

namespace detail {

void meeting_point::wait() {
  std::unique_lock lock(mutex_);
  std::uint64_t const generation = generation_;
  if (!failed_ && ++arrived_ == size_) {
    arrived_ = 0;
    ++generation_;
    changed_.notify_all();
    return;
  }
  changed_.wait(lock, [&] { return failed_ || generation_ != generation; });
  // A member that failed after this meeting is reported by the next one.
  if (generation_ == generation) throw member_lost("group: another member failed: " + why_);
}

void meeting_point::fail(std::string const& why) noexcept {
  {
    std::lock_guard const lock(mutex_);
    if (failed_) return;
    failed_ = true;
    try {
      why_ = why;
    } catch (...) {  // no memory for the reason
    }
  }
  changed_.notify_all();
}

void thread_member::broadcast(std::span<std::byte> data, std::size_t root) {
  check_root(root);
  if (rank() == root) shared_.slot(root) = &data;
  shared_.wait();
  std::string wrong;
  if (rank() != root) {
    auto const& from = *static_cast<std::span<std::byte> const*>(shared_.slot(root));
    if (from.size() == data.size())
      std::ranges::copy(from, data.begin());
    else
      wrong = fmt::format("bad length: broadcast: {} bytes, but member {} has {}", data.size(), root, from.size());
  }
  end_verb(wrong);
}

void thread_member::all_gather(std::span<std::byte const> own, std::span<std::byte> all) {
  check_gather(own.size(), all.size());
  shared_.slot(rank()) = &own;
  shared_.wait();
  std::string wrong;
  for (std::size_t m = 0; m < size(); ++m) {
    auto const& from = *static_cast<std::span<std::byte const> const*>(shared_.slot(m));
    if (from.size() == own.size())
      std::ranges::copy(from, all.begin() + std::ptrdiff_t(m * own.size()));
    else if (wrong.empty())
      wrong = fmt::format("bad length: all_gather: {} bytes, but member {} has {}", own.size(), m, from.size());
  }
  end_verb(wrong);
}

void thread_member::publish(list_of_spans const& sends) {
  shared_.slot(rank()) = &sends;
  barrier();
}

std::vector<std::span<std::byte const>> thread_member::sent_by_all(std::span<std::span<std::byte> const> receives,
                                                                   std::string& wrong) const {
  std::vector<std::span<std::byte const>> from(receives.size());
  auto const note = [&](std::size_t member, std::size_t sent, std::size_t received, char const* unit) {
    if (wrong.empty())
      wrong = fmt::format("bad length: all_to_all: member {} sends {} {} to member {}, which receives {}", member, sent, unit,
                          rank(), received);
  };
  for (std::size_t m = 0; m < size(); ++m) {
    auto const& sends = *static_cast<list_of_spans const*>(shared_.slot(m));
    if (sends.size() != receives.size()) {
      note(m, sends.size() / size(), receives.size() / size(), "rounds");
      continue;
    }
    for (std::size_t i = 0; i < receives.size(); i += size()) {
      auto const sent = sends[i + rank()];
      if (sent.size() == receives[i + m].size())
        from[i + m] = sent;
      else
        note(m, sent.size(), receives[i + m].size(), "bytes");
    }
  }
  return from;
}

void thread_member::end_verb(std::string const& wrong) {
  shared_.wait();
  if (!wrong.empty()) throw usage_error(wrong);
}

void thread_member::all_to_all(list_of_spans sends, std::span<std::span<std::byte> const> receives,
                               std::function<void(std::size_t)> const& arrived) {
  check_lists(sends.size(), receives.size());
  publish(sends);
  std::string wrong;
  auto const from = sent_by_all(receives, wrong);
  for (std::size_t round = 0; wrong.empty() && round < receives.size() / size(); ++round) {
    // Each member begins with itself, so that no memory is read by all at once.
    for (std::size_t i = 0; i < size(); ++i) {
      std::size_t const at = round * size() + (rank() + i) % size();
      if (!from[at].empty()) std::memcpy(receives[at].data(), from[at].data(), from[at].size());
    }
    arrived(round);
  }
  end_verb(wrong);
}

void thread_member::reduce(std::span<std::uint64_t> values, reduction by) {
  reduce_gathered(*this, values, by);
}

void thread_member::fail(std::string const& why) noexcept {
  shared_.fail(why);
}

void run_threads(std::size_t size, meeting_point& shared, std::function<void(std::size_t)> const& start) {
  std::mutex mutex;
  std::exception_ptr first, lost;  // the first error of a member, and the first that follows from another's
  auto const run = [&](std::size_t rank) noexcept {
    auto const note = [&](std::exception_ptr& slot, char const* why) {
      std::lock_guard const lock(mutex);
      if (!slot) slot = std::current_exception();
      shared.fail(why);
    };
    try {
      start(rank);
    } catch (member_lost const& e) {
      note(lost, e.what());
    } catch (std::exception const& e) {
      note(first, e.what());
    } catch (...) {
      note(first, "an exception of an unknown type");
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(size);
    try {
      for (std::size_t rank = 0; rank + 1 < size; ++rank) threads.emplace_back(run, rank);
    } catch (std::exception const& e) {  // no more threads
      shared.fail(e.what());
      threads.clear();
      throw;
    }
    run(size - 1);
  }
  if (first) std::rethrow_exception(first);
  if (lost) std::rethrow_exception(lost);
}

}  // namespace detail

void run_members(std::size_t size, std::function<void(group&, cpu&)> const& work, unsigned threads) {
  if (size == 0) throw usage_error("bad group: run_members: no members");
  if (threads == 0) threads = std::max(1u, unsigned(threads_for(0)) / unsigned(std::min<std::size_t>(size, 1u << 16)));
  detail::meeting_point shared(size);
  detail::run_threads(size, shared, [&](std::size_t rank) {
    detail::thread_member member(size, rank, shared);
    cpu machine({.threads = threads});
    work(member, machine);
  });
}

}  // namespace ordo::inline v0
