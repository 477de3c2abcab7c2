// ordo_distributed_test COMMAND [SEED]: one member of an MPI job, for cli/distributed.sh and faults/every_member.py.
//   sorts     compares sorts with those of one machine; prints what is wrong, and ends with status 1. Of many members, which
//             take long to wait for one another on few cores, fewer
//   libraries SEED CASES
//             compares lines, suffix arrays and spectra of random inputs with those of one process
//   fails N MEMBER sorts|libraries
//             does that; the member fails at its N-th chance in a verb or callback. Status 3 and their number on stdout: it has
//             fewer
//   throws    the last member throws; the others wait for it
//   dies      the last member is killed; the others wait for it
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "ordo/mpi.hpp"
#include "tests/distributed/libraries.hpp"
#include "tests/unit/distributed/distributed_checks.hpp"
#include "tests/unit/distributed/exchange_checks.hpp"
#include "tests/unit/distributed/failing.hpp"

namespace {

/// Returns the number of cases that this member found wrong.
/// @param step  of the cases each step-th one
std::uint64_t check_sorts(ordo::communicator& members, std::uint64_t seed, std::size_t step) {
  ordo::cpu on({.threads = 1});
  std::uint64_t wrong = 0;
  for (std::size_t const n : {0u, 1u, 13u, 700u})
    distributed_checks::for_all_cases(members, on, n, seed, step, [&](std::string const& name, std::string const& sorts) {
      if (sorts.empty()) return;
      ++wrong;
      std::printf("member %zu of %zu, %zu items, %s:%s\n", members.rank(), members.size(), n, name.c_str(), sorts.c_str());
    });
  return wrong;
}

/// Returns the number of sorts that sent what they need not send, or were wrong.
std::uint64_t check_exchanges(ordo::communicator& members) {
  apart counted(members, 4);
  ordo::cpu on({.threads = 1});
  std::uint64_t wrong = 0;
  auto const note = [&](std::string const& name, std::string const& why) {
    if (why.empty()) return;
    ++wrong;
    std::printf("member %zu of %zu, %s:%s\n", members.rank(), members.size(), name.c_str(), why.c_str());
  };
  distributed_checks::for_all_exchanges<distributed_checks::guarded_share>(counted, on, 50 * members.size(), note);
  return wrong;
}

bool verbs_are_right(ordo::communicator& members) {
  std::size_t const p = members.size(), rank = members.rank();
  std::vector<std::uint64_t> words(5, rank == p - 1 ? 42 : 0);
  members.broadcast(std::as_writable_bytes(std::span(words)), p - 1);
  bool right = words == std::vector<std::uint64_t>(5, 42);
  std::vector<std::uint64_t> own(7, rank), all(7 * p);
  members.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 0; i < all.size(); ++i) right &= all[i] == i / 7;
  members.reduce(own, ordo::reduction::sum);
  right &= own == std::vector<std::uint64_t>(7, p * (p - 1) / 2);
  right &= members.reduce(rank + 3, ordo::reduction::min) == 3 && members.reduce(rank, ordo::reduction::max) == p - 1;
  members.barrier();
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const command = argc > 1 ? argv[1] : "";
  std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  int status = 0;
  {
    // Messages so short that they cross in many parts, and long ones.
    ordo::mpi_communicator short_messages(MPI_COMM_WORLD, 24), members(MPI_COMM_WORLD);
    bool const is_last = members.rank() + 1 == members.size();
    try {
      if (command == "sorts") {
        std::uint64_t wrong = !verbs_are_right(members) + !verbs_are_right(short_messages);
        wrong += check_sorts(seed % 2 == 0 ? short_messages : members, seed, members.size() < 4 ? 3 : 8 * members.size());
        if (members.size() < 8) wrong += check_exchanges(members);
        status = members.reduce(wrong, ordo::reduction::sum) != 0;
      } else if (command == "libraries") {
        std::uint64_t const cases = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
        status = members.reduce(distributed_checks::wrong_results(members, seed, cases), ordo::reduction::sum) != 0;
      } else if (command == "fails") {
        bool const is_one = argc > 3 && members.rank() == std::strtoull(argv[3], nullptr, 10);
        distributed_checks::chances left(is_one ? seed : 0);
        distributed_checks::failing_member failing(short_messages, left);
        if (argc > 4 && std::string(argv[4]) == "libraries")
          distributed_checks::wrong_results(failing, 1, 2);
        else
          check_sorts(failing, 1, 20);
        if (is_one) std::printf("%zu\n", seed - left.left());
        status = 3;  // there are fewer chances
      } else if (command == "throws" && is_last) {
        throw std::runtime_error("the reason");
      } else if (command == "dies" && is_last) {
        std::raise(SIGKILL);
      } else {
        members.barrier();
        members.barrier();
        status = 3;  // the other member was not missed
      }
    } catch (std::exception const& e) {
      std::fprintf(stderr, "member %zu: %s\n", members.rank(), e.what());
      members.fail(e.what());
    }
  }
  MPI_Finalize();
  return status;
}
