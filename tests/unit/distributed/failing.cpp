#include "tests/unit/distributed/fail_at_each.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/distributed_sort.hpp"
#include "ordo/memory.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/distributed_checks.hpp"

namespace {

using namespace ordo;
using namespace distributed_checks;

/// Memory that fails at a chance of its own.
class failing_memory final : public memory_resource {
 public:
  explicit failing_memory(chances& left) : left_(left) {}
  void* allocate(std::size_t bytes) override {
    left_.take();
    return host_memory::shared().allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes) noexcept override { host_memory::shared().deallocate(block, bytes); }

 private:
  chances& left_;
};

template <class K>
std::vector<K> share_of_keys(communicator const& member, std::size_t n) {
  random_numbers random(member.rank() + 1);
  std::vector<K> keys(n);
  for (K& key : keys) key = K(random());
  return keys;
}

void sort_some(communicator& member, machine& on, std::size_t n) {
  auto keys = share_of_keys<std::uint32_t>(member, n);
  std::vector<std::uint32_t> values(n);
  sort_pairs(member, on, keys, values);
}

}  // namespace

TEST_CASE("A member that fails at its n-th verb or callback ends the others", "[distributed]") {
  watchdog const guards;
  std::size_t tried = 0;
  for (std::size_t const members : {2u, 3u, 4u, 5u, 6u, 7u}) {
    tried += fail_at_each(members, [](communicator& all, chances& left) {  // the shares are merged where they are
      failing_member member(all, left);
      cpu on({.threads = 1});
      sort_some(member, on, 50);
    });
    tried += fail_at_each(members,
                          [](communicator& all, chances& left) {  // they cross, some bytes at a time, and are sorted meanwhile
                            failing_member member(all, left, false, 4);
                            cpu on({.threads = 1});
                            sort_some(member, on, 50);
                          });
    tried += fail_at_each(members, [](communicator& all, chances& left) {
      failing_member member(all, left, false);
      cpu on({.threads = 1});
      auto const keys = share_of_keys<std::uint16_t>(member, 40);
      std::vector<std::uint32_t> index(keys.size());
      argsort(member, on, keys, index);
      auto items = share_of_keys<std::uint64_t>(member, 40);
      sample_sort(member, on, std::span(items), distributed_checks::less_by_tens{});
      member.broadcast(std::as_writable_bytes(std::span(items)), 1);
      member.barrier();
    });
  }
  CHECK(tried > 200);
}

TEST_CASE("A member that fails at its n-th allocation ends the others", "[distributed]") {
  watchdog const guards;
  std::size_t tried = 0;
  for (std::size_t const members : {2u, 3u, 7u})
    for (bool const shares : {true, false})
      tried += fail_at_each(
          members,
          [&](communicator& all, chances& left) {
            chances none(0);
            failing_member member(all, none, shares, 4);
            failing_memory memory(left);
            cpu on({.threads = 1, .allocator = &memory});
            sort_some(member, on, 3000);
          },
          false);
  CHECK(tried > 30);
}

TEST_CASE("No member leaves a verb while another is in it", "[distributed]") {
  watchdog const guards;
  for (bool const lends : {false, true})
    for (std::size_t const members : {2u, 3u, 7u}) {
      std::atomic<bool> has_left = false, is_late = false;
      std::atomic<std::size_t> inside = 0;
      auto const in_verb = [&](communicator const& member) {
        ++inside;
        if (member.rank() == 1) {
          while (inside != member.size()) std::this_thread::yield();
          throw made_up();
        }
        // Gives the other time to leave, which it must not take.
        for (int i = 0; i < 20 && !has_left; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (has_left) is_late = true;
      };
      CHECK_THROWS_AS(run_members(
                          members,
                          [&](communicator& member, cpu&) {
                            std::vector<std::byte> memory(100, std::byte(member.rank()));
                            std::vector<std::span<std::byte const>> const sends(member.size());
                            std::vector<std::span<std::byte>> const receives(member.size());
                            try {
                              if (lends)
                                member.share(memory.data(), [&](auto) { in_verb(member); });
                              else
                                member.all_to_all(sends, receives, [&](std::size_t) { in_verb(member); });
                            } catch (made_up const&) {
                              has_left = true;
                              throw;
                            }
                          },
                          1),
                      made_up);
      CHECK_FALSE(is_late);
    }
}

TEST_CASE("What members share is read by all", "[distributed]") {
  run_members(5, [](communicator& member, cpu&) {
    std::uint64_t const own = member.rank() * 7;
    std::uint64_t sum = 0;
    member.share(&own, [&](std::span<void const* const> all) {
      for (void const* const one : all) sum += *static_cast<std::uint64_t const*>(one);
    });
    if (sum != 70) throw std::runtime_error("wrong");
  });
}

TEST_CASE("A member that waits for one that has ended is lost", "[distributed]") {
  watchdog const guards;
  std::atomic<unsigned> lost = 0;
  CHECK_THROWS_AS(run_members(4,
                              [&](communicator& members, cpu&) {
                                members.barrier();
                                if (members.rank() == 1) return;
                                try {
                                  members.barrier();
                                } catch (member_lost const&) {
                                  ++lost;
                                  throw;
                                }
                              }),
                  member_lost);
  CHECK(lost == 3);
}

TEST_CASE("The error of the member that fails first is the one of a communicator", "[distributed]") {
  watchdog const guards;
  // The others' errors follow from it, and are thrown earlier.
  for (int i = 0; i < 20; ++i)
    CHECK_THROWS_WITH(run_members(
                          4,
                          [&](communicator& member, cpu&) {
                            try {
                              member.share(&member, [&](auto) {
                                if (member.rank() == 2) throw std::runtime_error("first");
                              });
                            } catch (member_lost const&) {
                              throw std::runtime_error("second");
                            } catch (...) {
                              std::this_thread::sleep_for(std::chrono::microseconds(100));
                              throw std::runtime_error("first, in other words");
                            }
                          },
                          1),
                      "first, in other words");
}
