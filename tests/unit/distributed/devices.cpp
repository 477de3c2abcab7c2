#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distributed/device_member.hpp"
#include "ordo/cpu.hpp"
#include "ordo/distributed_sort.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/failing.hpp"

// The engine of GPUs, on devices and an NCCL that are made up here: what is queued runs while somebody waits for it, a receive
// of NCCL is done when the other member's send is, and a call can fail.
namespace {

using namespace ordo;
using namespace ordo::detail;
using namespace distributed_checks;

thread_local chances* left = nullptr;  // of this member
thread_local int open_groups = 0;

struct nccl_stand_in {
  std::size_t rank;
  bool is_aborted = false, fails = false;
};

/// What NCCL knows of all members of a process.
struct network {
  struct message {
    void const* data;
    std::size_t size;
    bool is_taken = false;
  };
  std::mutex mutex;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::shared_ptr<message>>> sent;  // by sender and receiver
  std::deque<nccl_stand_in> communicators;  // a device may still look at one that is gone
  std::size_t members = 0, left = 0;
  bool can_be_asked = true;  // whether calls return before those of other members
};
network* all = nullptr;

/// A call of send or receive.
struct operation {
  std::size_t peer;
  void const* send;  // or null
  void* receive;
  std::size_t size;
};

/// A stream of a device: each item returns true when it is done.
using work_queue = std::deque<std::function<bool()>>;

/// What one launch of NCCL sends and receives.
class launch {
 public:
  launch(nccl_stand_in& on, std::vector<operation> operations) : on_(on), operations_(std::move(operations)) {}
  bool operator()() {
    std::lock_guard const lock(all->mutex);
    if (on_.is_aborted) return true;
    if (!has_begun_)
      for (operation const& one : operations_)
        if (one.send) {
          messages_.push_back(std::make_shared<network::message>(network::message{one.send, one.size}));
          all->sent[{on_.rank, one.peer}].push_back(messages_.back());
        }
    has_begun_ = true;
    bool is_done = true;
    for (operation& one : operations_)
      if (one.receive) {
        auto& from = all->sent[{one.peer, on_.rank}];
        if (from.empty()) {
          is_done = false;
          continue;
        }
        if (from.front()->size != one.size) std::abort();
        std::memcpy(one.receive, from.front()->data, one.size);
        from.front()->is_taken = true;
        from.pop_front();
        one.receive = nullptr;
      }
    for (auto const& message : messages_) is_done = is_done && message->is_taken;
    return is_done;
  }

 private:
  nccl_stand_in& on_;
  std::vector<operation> operations_;
  std::vector<std::shared_ptr<network::message>> messages_;
  bool has_begun_ = false;
};

thread_local std::vector<operation> in_group;
thread_local nccl_stand_in* group_on = nullptr;
thread_local work_queue* group_stream = nullptr;

constexpr int failed = 1;  // ncclUnhandledCudaError
int result() {
  return left->is_last() ? failed : nccl_calls::success;
}

int get_unique_id(nccl_id*) {
  return result();
}
int join(nccl_calls::communicator* to, int rank) {
  if (result() != nccl_calls::success) return failed;
  std::lock_guard const lock(all->mutex);
  *to = &all->communicators.emplace_back(nccl_stand_in{std::size_t(rank)});
  return nccl_calls::in_progress;
}
int async_error(nccl_calls::communicator of, int* to) {
  auto& one = *static_cast<nccl_stand_in*>(of);
  std::lock_guard const lock(all->mutex);
  *to = all->communicators.size() < all->members ? nccl_calls::in_progress : one.fails ? failed : nccl_calls::success;
  return *to == nccl_calls::in_progress ? nccl_calls::success : result();  // it is asked a few times or often
}
int init_rank_config(nccl_calls::communicator* to, int, nccl_id, int rank, nccl_settings* how) {
  if (how->size != 24 || how->blocking != 0) return failed;
  return join(to, rank);
}
int init_rank(nccl_calls::communicator* to, int, nccl_id, int rank) {
  if (join(to, rank) == failed) return failed;
  for (;;) {
    std::lock_guard const lock(all->mutex);
    if (all->communicators.size() == all->members) return nccl_calls::success;
  }
}
int abort_communicator(nccl_calls::communicator of) {
  auto& one = *static_cast<nccl_stand_in*>(of);
  std::lock_guard const lock(all->mutex);
  one.is_aborted = true;
  for (auto& [between, messages] : all->sent)
    if (between.first == one.rank) messages.clear();
  ++all->left;
  return nccl_calls::success;
}
int destroy(nccl_calls::communicator) {
  std::lock_guard const lock(all->mutex);
  ++all->left;
  return nccl_calls::success;
}
int group_start() {
  if (result() != nccl_calls::success) return failed;
  ++open_groups;
  return nccl_calls::success;
}
int add(operation const& one, nccl_calls::communicator on, void* to) {
  if (result() != nccl_calls::success) {
    static_cast<nccl_stand_in*>(on)->fails = true;
    return failed;
  }
  group_on = static_cast<nccl_stand_in*>(on);
  group_stream = static_cast<work_queue*>(to);
  in_group.push_back(one);
  return nccl_calls::success;
}
int send(void const* data, std::size_t size, int, int peer, nccl_calls::communicator on, void* to) {
  return add({std::size_t(peer), data, nullptr, size}, on, to);
}
int receive(void* data, std::size_t size, int, int peer, nccl_calls::communicator on, void* to) {
  return add({std::size_t(peer), nullptr, data, size}, on, to);
}
int group_end() {
  --open_groups;
  auto operations = std::exchange(in_group, {});
  if (result() != nccl_calls::success) return failed;
  if (operations.empty() || group_on->fails) return operations.empty() ? nccl_calls::success : failed;
  group_stream->push_back(launch(*group_on, std::move(operations)));
  return all->can_be_asked ? nccl_calls::in_progress : nccl_calls::success;
}
char const* error_string(int) {
  return "made up";
}

nccl_calls functions(bool can_be_asked) {
  nccl_calls calls;
  calls.get_unique_id = get_unique_id;
  calls.init_rank = init_rank;
  calls.destroy = destroy;
  calls.abort = abort_communicator;
  calls.group_start = group_start;
  calls.group_end = group_end;
  calls.send = send;
  calls.receive = receive;
  calls.error_string = error_string;
  if (can_be_asked) {
    calls.init_rank_config = init_rank_config;
    calls.async_error = async_error;
  }
  return calls;
}

std::atomic<bool> is_unsettled = false;  // whether a device has ended before its copies

/// A device of device_member.
class made_up_device {
 public:
  /// @param is_host  whether its machine works at once, as a CPU does
  explicit made_up_device(std::size_t members, bool is_host = false) : is_host_(is_host), streams_(members) {
    left->take();
    own = this;
  }
  ~made_up_device() {
    for (work_queue const& one : streams_)
      if (!one.empty()) is_unsettled = true;
  }
  struct scope {
    ~scope() {}  // a variable that only marks a scope, as that of a GPU
  };
  scope make_current() { return {}; }
  void synchronize() {
    left->take();
    while (!machine_.empty()) run();
  }
  void settle() noexcept {
    while (!machine_.empty() || !std::ranges::all_of(streams_, &work_queue::empty)) run();
  }
  void make_events(std::size_t n) {
    left->take();
    passed_.assign(n, false);
  }
  void copy(std::size_t m, std::span<std::byte const> from, std::span<std::byte> to) {
    left->take();
    streams_[m].push_back([from, to] {
      std::ranges::copy(from, to.begin());
      return true;
    });
  }
  void record(std::size_t event, std::size_t m) {
    left->take();
    passed_[event] = false;
    streams_[m].push_back([this, event] { return passed_[event] = true; });
  }
  void hold_until(std::size_t event) {
    left->take();
    machine_.push_back([this, event] { return bool(passed_[event]); });
    while (is_host_ && !machine_.empty()) run();
  }
  bool has_passed(std::size_t event) {
    run();
    return passed_[event];
  }
  void* stream(std::size_t m) { return &streams_[m]; }
  /// Queues work of the machine.
  void queue(std::function<void()> work) {
    machine_.push_back([work = std::move(work)] {
      work();
      return true;
    });
  }
  static inline thread_local made_up_device* own = nullptr;

 private:
  void run() {
    auto const run_one = [](work_queue& one) {
      if (!one.empty() && one.front()()) one.pop_front();
    };
    for (work_queue& one : streams_) run_one(one);
    run_one(machine_);
    std::this_thread::yield();
  }
  bool is_host_;
  std::vector<work_queue> streams_;
  work_queue machine_;
  std::vector<char> passed_;
};

/// Returns the byte that a member sends to another in a round.
std::byte sent_byte(std::size_t from, std::size_t to, std::size_t round) {
  return std::byte(from * 31 + to * 7 + round);
}

/// Calls each verb.
/// @returns true if the results are right
bool verbs_are_right(ordo::communicator& member, std::size_t rounds) {
  std::size_t const p = member.size(), rank = member.rank();
  std::vector<std::byte> sent, received(p * rounds);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t m = 0; m < p; ++m) sent.push_back(sent_byte(rank, m, round));
  std::vector<std::span<std::byte const>> sends;
  std::vector<std::span<std::byte>> receives;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    bool const is_empty = i % p == rank && i / p == 1;  // a member sends itself nothing in one round
    sends.push_back(std::span(sent).subspan(i, is_empty ? 0 : 1));
    receives.push_back(std::span(received).subspan(i, is_empty ? 0 : 1));
  }
  std::size_t wrong = 0, looked_at = 0;
  member.all_to_all(sends, receives, [&](std::size_t round) {
    left->take();
    made_up_device::own->queue([&, round] {
      ++looked_at;
      for (std::size_t m = 0; m < p; ++m)
        if (!receives[round * p + m].empty()) wrong += received[round * p + m] != sent_byte(m, rank, round);
    });
  });
  std::vector<std::size_t> const own{rank, 1};
  member.share(own.data(), [&](std::span<void const* const> others) {
    left->take();
    std::size_t sum = 0;
    for (void const* const one : others) sum += *static_cast<std::size_t const*>(one);
    wrong += sum != p * (p - 1) / 2;
  });
  member.barrier();
  return wrong == 0 && looked_at == rounds;
}

auto verbs(std::size_t rounds) {
  return [rounds](ordo::communicator& member) { return verbs_are_right(member, rounds); };
}

enum class copying { by_device, by_nccl, by_old_nccl };

/// Sorts by buckets that cross while others are sorted.
/// @returns true if the result is right
bool sort_is_right(ordo::communicator& devices) {
  failing_member member(devices, *left, false, 4);
  cpu on({.threads = 1});
  constexpr std::size_t n = 40;
  std::size_t const begin = member.rank() * n;
  std::vector<std::uint32_t> keys(n), values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = std::uint32_t(begin + i);
    keys[i] = values[i] * 2654435761u;
  }
  sort_pairs(member, on, keys, values);
  std::size_t wrong = !std::ranges::is_sorted(keys);
  for (std::size_t i = 0; i < n; ++i) wrong += keys[i] != values[i] * 2654435761u;
  auto const lasts = member.all_gather(keys.back());
  wrong += member.rank() != 0 && lasts[member.rank() - 1] > keys.front();
  return wrong == 0;
}

/// Runs work(member) on some members, of which one fails at its n-th chance. @param is_host  see made_up_device
/// @returns what is wrong
template <class Work>
std::string run(copying how, std::size_t members, Work work, bool is_host, std::size_t one, std::size_t n, bool& failed_there) {
  network here;
  here.members = members;
  here.can_be_asked = how == copying::by_nccl;
  all = &here;
  is_unsettled = false;
  nccl_calls const calls = functions(here.can_be_asked);
  meeting_point shared(members);
  std::atomic<std::size_t> lost = 0, right = 0, groups = 0;
  failed_there = false;
  try {
    run_threads(members, shared, [&](std::size_t rank) {
      chances own(rank == one ? n : 0);
      left = &own;
      open_groups = 0;
      try {
        device_member<made_up_device> member(members, rank, shared, how == copying::by_device ? nullptr : &calls, members,
                                             is_host);
        right += work(member);
      } catch (member_lost const&) {
        ++lost;
        groups += std::size_t(open_groups);
        throw;
      } catch (...) {
        groups += std::size_t(open_groups);
        throw;
      }
    });
  } catch (member_lost const&) {
    return "no member says what is wrong";
  } catch (std::runtime_error const& e) {
    failed_there = std::string(e.what()).find("made up") != std::string::npos;
    if (!failed_there) return e.what();
  }
  watchdog::end();
  all = nullptr;
  if (groups != 0) return "a group of calls is open";
  if (is_unsettled) return "a device ends before its copies";
  if (here.left != here.communicators.size()) return "a communicator is left";
  if (failed_there) return lost == members - 1 ? "" : std::to_string(lost) + " are lost";
  return right == members ? "" : "a wrong result";
}

}  // namespace

TEST_CASE("Communicators of devices exchange by copies and by NCCL", "[distributed]") {
  watchdog const guards;
  bool failed = false;
  for (copying const how : {copying::by_device, copying::by_nccl, copying::by_old_nccl})
    for (std::size_t const members : {1u, 2u, 5u})
      for (std::size_t const rounds : {0u, 1u, 40u}) {
        INFO(int(how) << " " << members << " members, " << rounds << " rounds");
        CHECK(run(how, members, verbs(rounds), false, 0, 0, failed) == "");
        if (members > 1 && rounds == 0) CHECK(run(how, members, sort_is_right, true, 0, 0, failed) == "");
      }
}

namespace {

/// Lets a device fail at each call, or only at each of the first and at some of the others. (Members wait for each other by
/// yielding their cores, which takes long beside other processes.)
/// @returns the number of failures
std::size_t fail_at_calls(bool every) {
  watchdog const guards;
  std::size_t tried = 0;
  auto const fail_at_each = [&](copying how, std::size_t members, auto work, bool is_host) {
    bool failed = true;
    for (std::size_t n = 1; failed; n += every || n < 10 * members ? 1 : 1 + n / 8) {
      INFO("chance " << n << " of member " << n % members << " of " << members << ", " << int(how));
      CHECK(run(how, members, work, is_host, n % members, n, failed) == "");
      tried += failed;
    }
  };
  for (copying const how : {copying::by_device, copying::by_nccl})
    for (std::size_t const members : {2u, 3u, 4u, 5u, 6u, 7u}) {
      fail_at_each(how, members, verbs(2), false);
      if (every || members == 2 || members == 5) fail_at_each(how, members, sort_is_right, true);
    }
  return tried;
}

}  // namespace

TEST_CASE("A device that fails at its n-th call ends the others", "[distributed]") {
  CHECK(fail_at_calls(false) > 300);
}
TEST_CASE("A device that fails at each call, in sorts of 2 to 7 members, ends the others", "[.every_call]") {
  CHECK(fail_at_calls(true) > 1000);
}

TEST_CASE("Lists of devices that do not match are an error before anything is copied", "[distributed]") {
  watchdog const guards;
  network here;
  here.members = 3;
  all = &here;
  nccl_calls const calls = functions(true);
  meeting_point shared(3);
  std::atomic<std::size_t> lost = 0;
  auto const work = [&](std::size_t rank) {
    chances none(0);
    left = &none;
    device_member<made_up_device> member(3, rank, shared, &calls, std::size_t{3});
    std::vector<std::byte> from(3), to(6);
    std::vector<std::span<std::byte const>> sends(3);
    std::vector<std::span<std::byte>> receives(3);
    if (rank == 0) sends[1] = std::span(from).first(2);
    if (rank == 1) receives[0] = std::span(to).first(3);
    try {
      member.all_to_all(sends, receives);
    } catch (member_lost const&) {
      ++lost;
      throw;
    }
  };
  CHECK_THROWS_AS(run_threads(3, shared, work), usage_error);
  CHECK(lost == 2);
  all = nullptr;
}
