#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <string_view>

#include "ordo/cpu.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/failing.hpp"

// Communicators of threads in which one member fails.
namespace distributed_checks {

using member_work = std::function<void(ordo::communicator&, chances&)>;

/// Runs work(member, chances) on some members, of which one fails at its n-th chance.
/// @param lost  the number of others that end with member_lost
/// @returns false if it has fewer chances
inline bool fails(std::size_t members, std::size_t one, std::size_t n, member_work const& work, std::size_t& lost) {
  std::atomic<std::size_t> counted = 0;
  bool failed = false;
  try {
    ordo::run_members(
        members,
        [&](ordo::communicator& all, ordo::cpu&) {
          chances left(all.rank() == one ? n : 0);
          try {
            work(all, left);
          } catch (ordo::member_lost const& e) {
            if (all.rank() != one && std::string_view(e.what()).find("made up") != std::string_view::npos) ++counted;
            throw;
          }
        },
        1);
  } catch (made_up const&) {
    failed = true;
  }
  watchdog::end();
  lost = counted;
  return failed;
}

/// Lets one of the members fail at each of its chances in turn. @param are_verbs  whether all chances are in verbs
/// @returns the number of chances
inline std::size_t fail_at_each(std::size_t members, member_work const& work, bool are_verbs = true) {
  for (std::size_t n = 1;; ++n) {
    INFO("chance " << n << " of member " << n % members << " of " << members);
    std::size_t lost = 0;
    if (!fails(members, n % members, n, work, lost)) return n - 1;
    // After the last verb, no member depends on another.
    CHECK((lost == members - 1 || (!are_verbs && lost == 0)));
  }
}

}  // namespace distributed_checks
