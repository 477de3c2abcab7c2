#include "tests/unit/distributed/distributed_checks.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/members.hpp"
#include "distributed/output_part.hpp"
#include "ordo/gpu.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/exchange_checks.hpp"

namespace {

class kept_bytes final : public ordo::sink {
 public:
  explicit kept_bytes(std::size_t size) : bytes(size, '?') {}
  void write(std::span<char const> data) override {
    write_at(written_, data);
    written_ += data.size();
  }
  [[nodiscard]] bool addressable() const override { return in_parts; }
  void write_at(std::uint64_t offset, std::span<char const> data) override { std::ranges::copy(data, bytes.data() + offset); }
  std::string bytes;
  bool in_parts = true;

 private:
  std::size_t written_ = 0;
};

enum class sharing { memory, long_messages, short_messages };

/// Runs each `step`-th case on communicators of threads, and returns the first that is wrong.
std::string first_wrong(std::size_t members, std::size_t n, sharing how, std::size_t step) {
  std::mutex mutex;
  std::string first;
  ordo::run_members(
      members,
      [&](ordo::communicator& member, ordo::cpu& on) {
        apart copying(member, how == sharing::short_messages ? 4 : 1 << 20);
        auto const note = [&](std::string const& name, std::string const& wrong) {
          std::lock_guard const lock(mutex);
          if (!wrong.empty() && first.empty()) first = "member " + std::to_string(member.rank()) + ": " + name + ":" + wrong;
        };
        distributed_checks::for_all_cases(how == sharing::memory ? member : copying, on, n,
                                          members * 1000 + n + std::size_t(how), step, note);
      },
      1);
  return first;
}

}  // namespace

TEST_CASE("Distributed sorts over threads give the bytes of one machine", "[distributed]") {
  // Members that wait for one another take long on few cores: of each size other cases are left out.
  for (std::size_t const members : {1u, 2u, 3u, 8u})
    for (std::size_t const n : {0u, 1u, 5u, 33u, 1000u}) {
      INFO(members << " members, " << n << " items");
      std::size_t const step = members == 8 ? 7 : 4;
      CHECK(first_wrong(members, n, sharing::memory, step) == "");
      if (members > 1) CHECK(first_wrong(members, n, sharing::long_messages, step) == "");
      if (members > 1) CHECK(first_wrong(members, n, sharing::short_messages, step) == "");
    }
  CHECK(first_wrong(16, 9, sharing::memory, 5) == "");
  CHECK(first_wrong(2, 30'001, sharing::memory, 5) == "");  // the shares are narrowed in several rounds
  CHECK(first_wrong(5, 30'001, sharing::long_messages, 7) == "");
  CHECK(first_wrong(5, 30'001, sharing::short_messages, 3) == "");
}

TEST_CASE("Distributed sorts send what must move, once", "[distributed]") {
  for (std::size_t members = 1; members <= 7; ++members)
    for (std::size_t const n : {1u, 40u, 1000u})
      for (unsigned const kind : {0u, 1u, 2u}) {
        if (kind != 0 && n == 1) continue;
        bool const as_gpus = kind == 1;
        std::size_t const long_message = kind == 2 ? 1u << 20 : 4;
        std::mutex mutex;
        std::string first;
        ordo::run_members(
            members,
            [&](ordo::communicator& threads, ordo::cpu& on) {
              apart member(threads, long_message, as_gpus, as_gpus);
              distributed_checks::for_all_exchanges<distributed_checks::guarded_share>(
                  member, on, n, [&](std::string const& name, std::string const& wrong) {
                    std::lock_guard const lock(mutex);
                    if (!wrong.empty() && first.empty()) first = name + ":" + wrong;
                  });
            },
            1);
        INFO(members << " members, " << n << " items, long messages of " << long_message << (as_gpus ? ", as GPUs" : ""));
        CHECK(first == "");
      }
}

TEST_CASE("The verbs of a communicator of threads", "[distributed]") {
  ordo::run_members(5, [](ordo::communicator& members, ordo::cpu&) {
    std::size_t const rank = members.rank();
    std::uint64_t word = rank == 3 ? 42 : 0;
    members.broadcast(std::as_writable_bytes(std::span(&word, 1)), 3);
    bool right = word == 42 && members.all_gather(std::uint32_t(rank * rank)) == std::vector<std::uint32_t>{0, 1, 4, 9, 16};
    right &= members.reduce(rank, ordo::reduction::sum) == 10 && members.reduce(rank + 7, ordo::reduction::min) == 7 &&
             members.reduce(rank, ordo::reduction::max) == 4;
    // Member a sends a * 5 + b bytes to member b.
    std::vector<std::vector<std::byte>> sent, received;
    for (std::size_t m = 0; m < 5; ++m) {
      sent.emplace_back(rank * 5 + m, std::byte(rank * 5 + m));
      received.emplace_back(m * 5 + rank);
    }
    std::vector<std::span<std::byte const>> const sends(sent.begin(), sent.end());
    std::vector<std::span<std::byte>> const receives(received.begin(), received.end());
    members.all_to_all(sends, receives);
    for (std::size_t m = 0; m < 5; ++m)
      for (std::byte const x : received[m]) right &= x == std::byte(m * 5 + rank);
    // In three rounds: to every member, then to the next one only, then to none.
    std::vector<std::span<std::byte const>> in_rounds(15);
    std::vector<std::span<std::byte>> rounds_received(15);
    std::vector<std::byte> from_all(5), from_before(1);
    std::byte const own{std::uint8_t(rank)};
    for (std::size_t m = 0; m < 5; ++m) {
      in_rounds[m] = {&own, 1};
      rounds_received[m] = std::span(from_all).subspan(m, 1);
    }
    in_rounds[5 + (rank + 1) % 5] = {&own, 1};
    rounds_received[5 + (rank + 4) % 5] = from_before;
    std::vector<std::size_t> arrived;
    members.all_to_all(in_rounds, rounds_received, [&](std::size_t round) {
      arrived.push_back(round);
      if (round == 0)
        for (std::size_t m = 0; m < 5; ++m) right &= from_all[m] == std::byte(m);
    });
    right &= arrived == std::vector<std::size_t>{0, 1, 2} && from_before[0] == std::byte((rank + 4) % 5);
    members.barrier();
    if (!right) throw std::runtime_error("wrong");
  });
}

TEST_CASE("A member that fails ends the others", "[distributed]") {
  std::atomic<unsigned> lost = 0;
  CHECK_THROWS_WITH(ordo::run_members(4,
                                      [&](ordo::communicator& members, ordo::cpu&) {
                                        members.barrier();
                                        if (members.rank() == 2) throw std::runtime_error("the reason");
                                        try {
                                          for (;;) members.barrier();
                                        } catch (ordo::member_lost const& e) {
                                          if (std::string(e.what()).find("the reason") != std::string::npos) ++lost;
                                          throw;
                                        }
                                      }),
                    "the reason");
  CHECK(lost == 3);
}

TEST_CASE("A member that fails with an exception of no known type ends the others", "[distributed]") {
  std::string why;
  CHECK_THROWS_AS(ordo::run_members(2,
                                    [&](ordo::communicator& members, ordo::cpu&) {
                                      if (members.rank() == 1) throw 7;
                                      try {
                                        for (;;) members.barrier();
                                      } catch (ordo::member_lost const& e) {
                                        why = e.what();
                                        throw;
                                      }
                                    }),
                  int);
  CHECK(why == "communicator: another member failed: an exception of an unknown type");
}

TEST_CASE("Wrong calls of a communicator are errors on every member", "[distributed]") {
  using ordo::communicator, ordo::cpu, ordo::usage_error;
  CHECK_THROWS_AS(ordo::run_members(0, [](communicator&, cpu&) {}), usage_error);
  std::atomic<unsigned> refused = 0;
  auto const refuses = [&](auto work) {
    refused = 0;
    ordo::run_members(3, [&](communicator& members, cpu& on) {
      std::vector<std::uint32_t> keys(10), other(9 + (members.rank() == 0));
      try {
        work(members, on, keys, other);
      } catch (usage_error const&) {
        ++refused;
      }
    });
    return refused == 3;
  };
  // Fewer outputs than inputs; another type or order on one member; arguments that one member has wrong.
  CHECK(refuses([](communicator& members, cpu& on, auto& keys, auto& other) { ordo::sort_keys(members, on, keys, other); }));
  CHECK(refuses([](communicator& members, cpu& on, auto& keys, auto&) {
    std::vector<std::uint64_t> wide(10);
    members.rank() == 1 ? ordo::sort_keys(members, on, wide) : ordo::sort_keys(members, on, keys);
  }));
  CHECK(refuses([](communicator& members, cpu& on, auto& keys, auto&) {
    members.rank() == 1 ? ordo::sort_keys<ordo::sort_order::descending>(members, on, keys) : ordo::sort_keys(members, on, keys);
  }));
  CHECK(refuses([](communicator& members, cpu& on, auto& keys, auto& other) { ordo::sort_pairs(members, on, keys, other); }));
  CHECK(refuses([](communicator& members, cpu& on, auto& keys, auto& other) {
    ordo::sample_sort(members, on, std::span(keys), std::span(other), std::less<>());
  }));
  // Verbs with lengths that do not match.
  CHECK_THROWS_AS(ordo::run_members(2,
                                    [](communicator& members, cpu&) {
                                      std::vector<std::byte> own(members.rank()), all(2 * members.rank());
                                      members.all_gather(own, all);
                                    }),
                  usage_error);
  // Other numbers of rounds; half a round.
  CHECK_THROWS_AS(ordo::run_members(2,
                                    [](communicator& members, cpu&) {
                                      std::size_t const spans = 2 + 2 * members.rank();
                                      std::vector<std::span<std::byte const>> const sends(spans);
                                      std::vector<std::span<std::byte>> const receives(spans);
                                      members.all_to_all(sends, receives);
                                    }),
                  usage_error);
  CHECK_THROWS_AS(ordo::run_members(2,
                                    [](communicator& members, cpu&) {
                                      std::vector<std::span<std::byte const>> const sends(3);
                                      std::vector<std::span<std::byte>> const receives(3);
                                      members.all_to_all(sends, receives);
                                    }),
                  usage_error);
  CHECK_THROWS_AS(ordo::run_members(2, [](communicator& members, cpu&) { members.broadcast({}, 2); }), usage_error);
  if (!ordo::built_with_cuda())
    CHECK_THROWS_WITH(ordo::run_members(std::array{0u}, [](communicator&, ordo::gpu&) {}), Contains("compiled without CUDA"));
}

TEST_CASE("What is wrong in a call of a communicator is said", "[distributed]") {
  using ordo::communicator, ordo::cpu;
  auto const refused = [](std::size_t size, std::string const& why, auto work) {
    INFO(why);
    CHECK_THROWS_MATCHES(ordo::run_members(size, work), ordo::usage_error, Catch::Matchers::Message(why));
  };
  ordo::detail::meeting_point shared(2);
  CHECK_THROWS_MATCHES(ordo::detail::thread_member(2, 2, shared), ordo::usage_error,
                       Catch::Matchers::Message("bad communicator: rank 2: the communicator has 2 members"));
  refused(2, "bad length: all_gather: 3 bytes for 2 members with 1 each", [](communicator& members, cpu&) {
    std::vector<std::byte> own(1), all(3);
    members.all_gather(own, all);
  });
  refused(2, "bad length: broadcast: 1 bytes, but member 1 has 2", [](communicator& members, cpu&) {
    std::vector<std::byte> data(1 + members.rank());
    members.broadcast(data, 1);
  });
  refused(2, "bad values: distributed sort: length 3 for 4 keys", [](communicator& members, cpu& on) {
    std::vector<std::uint32_t> const keys_in(4), values_in(4);
    std::vector<std::uint32_t> keys(4), values(3);
    ordo::sort_pairs(members, on, keys_in, keys, values_in, values);
  });
  refused(2, "bad index: argsort over a communicator: 4 items at a null pointer", [](communicator& members, cpu& on) {
    std::vector<std::uint32_t> const keys(4);
    ordo::argsort(members, on, keys, std::span(static_cast<std::uint32_t*>(nullptr), 4));
  });
  refused(1, "bad output: a communicator's output: member 0 has no sink", [](communicator& members, cpu&) {
    ordo::detail::output_part const part(members, std::vector<std::uint64_t>{3}, nullptr);
  });
  if (ordo::built_with_cuda()) return;
  refused(2, "no GPU support: this build was compiled without CUDA", [](communicator& members, cpu&) {
    ordo::gpu on;
    std::vector<std::uint32_t> keys(4);
    ordo::sort_keys(members, on, keys);
  });
}

TEST_CASE("Shares as even as possible", "[distributed]") {
  for (std::uint64_t const total : {0u, 1u, 7u, 64u, 1001u})
    for (std::size_t const size : {1u, 3u, 8u}) {
      std::uint64_t end = 0;
      for (std::size_t rank = 0; rank < size; ++rank) {
        CHECK(ordo::even_offset(total, size, rank) == end);
        end += ordo::even_share(total, size, rank);
      }
      CHECK(end == total);
    }
}

TEST_CASE("All members write one output, by sinks of their own or through the first one", "[distributed]") {
  for (bool on_gpus : {false, true})
    for (bool in_parts : {true, false})
      for (std::size_t with_sink : {1, 2, 4}) {  // members
        std::vector<std::uint64_t> const sizes{3, 0, 5, 2};
        kept_bytes whole(10);
        whole.in_parts = in_parts;
        std::atomic<std::size_t> direct = 0;
        ordo::run_members(
            4,
            [&](ordo::communicator& threads, ordo::cpu&) {
              apart members(threads, 1, on_gpus);
              std::size_t const rank = members.rank();
              ordo::detail::output_part part(members, sizes, rank < with_sink ? &whole : nullptr);
              auto const text = std::string(std::size_t(sizes[rank]), char('a' + rank));
              part.writer().write(text);
              direct += part.is_direct();
              part.finish();
            },
            1);
        INFO(on_gpus << in_parts << with_sink);
        CHECK(whole.bytes == "aaacccccdd");
        CHECK(direct == (in_parts ? with_sink : 0));
      }
}
