#include "base/lent_arena.hpp"

#include <optional>
#include <utility>

#include "base/threads.hpp"
#include "tests/unit/catch.hpp"

using ordo::lent_arena;

TEST_CASE("arenas: the next call gets the one that the last call gave back", "[threads]") {
  int const threads = ordo::threads_for(0);
  std::optional<lent_arena> first(std::in_place, threads);
  tbb::task_arena const* const of_first = &first->get();
  lent_arena second(threads);
  CHECK(&second.get() != of_first);
  CHECK(second.max_concurrency() == threads);
  first.reset();
  lent_arena third(threads);
  CHECK(&third.get() == of_first);
  CHECK(third.execute([] { return tbb::this_task_arena::max_concurrency(); }) == threads);
}

TEST_CASE("arenas: one of another size is not lent", "[threads]") {
  tbb::task_arena const* const of_one = &lent_arena(1).get();
  lent_arena one(1), three(3);
  CHECK(&one.get() == of_one);
  CHECK(three.max_concurrency() == 3);
}

TEST_CASE("arenas: one is given back by a call that fails", "[threads]") {
  tbb::task_arena const* used = nullptr;
  try {
    lent_arena arena(1);
    used = &arena.get();
    arena.execute([] { throw 1; });
  } catch (int) {}
  CHECK(&lent_arena(1).get() == used);
}
