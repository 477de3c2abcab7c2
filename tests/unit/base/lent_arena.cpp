#include "base/pooled_arena.hpp"

#include <optional>
#include <utility>

#include "base/threads.hpp"
#include "tests/unit/catch.hpp"

using ordo::pooled_arena;

TEST_CASE("arenas: the next call gets the one that the last call gave back", "[threads]") {
  int const threads = ordo::threads_for(0);
  std::optional<pooled_arena> first(std::in_place, threads);
  tbb::task_arena const* const of_first = &first->get();
  pooled_arena second(threads);
  CHECK(&second.get() != of_first);
  CHECK(second.max_concurrency() == threads);
  first.reset();
  pooled_arena third(threads);
  CHECK(&third.get() == of_first);
  CHECK(third.execute([] { return tbb::this_task_arena::max_concurrency(); }) == threads);
}

TEST_CASE("arenas: one of another size is not lent", "[threads]") {
  tbb::task_arena const* const of_one = &pooled_arena(1).get();
  pooled_arena one(1), three(3);
  CHECK(&one.get() == of_one);
  CHECK(three.max_concurrency() == 3);
}

TEST_CASE("arenas: one is given back by a call that fails", "[threads]") {
  tbb::task_arena const* used = nullptr;
  try {
    pooled_arena arena(1);
    used = &arena.get();
    arena.execute([] { throw 1; });
  } catch (int) {}
  CHECK(&pooled_arena(1).get() == used);
}
