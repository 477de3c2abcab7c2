#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sort_core/algorithms/each_by_lanes.hpp"
#include "sort_core/cuda/kernels/each_by_warps.cuh"
#include "suffix/tokens/token_order.hpp"
#include "tests/gpu/emulation/machine.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/matches/plain_drafts.hpp"

// Drafts by a warp for each context, beside those of one lane.
namespace {

using namespace ordo::suffix::detail;

/// Returns the positions [first, last) in the order of the tokens before them.
tokens plain_order(tokens const& text, std::size_t first, std::size_t last) {
  tokens order(last - first);
  std::iota(order.begin(), order.end(), std::uint32_t(first));
  preceding_tokens const before{text.data()};
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t back = 0;; ++back) {
      std::uint32_t const of_a = before(a, back), of_b = before(b, back);
      if (of_a != of_b || of_a == 0) return of_a < of_b;
    }
  });
  return order;
}

emulation::machine::buffer_of<std::uint32_t> copied(emulation::machine& machine, tokens const& from) {
  auto to = machine.buffer<std::uint32_t>(from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

}  // namespace

TEST_CASE("warps draft as one lane does") {
  random_numbers random(79);
  std::size_t found = 0, of_newer = 0;
  tokens many(300);
  std::iota(many.begin(), many.end(), 0);
  std::vector<tokens> alphabets = draft_alphabets();
  alphabets.push_back(many);
  for (tokens const& alphabet : alphabets)
    for (std::size_t const size : {0, 1, 2, 30, 113, 500, 3000}) {
      emulation::machine machine;
      tokens const text = random_tokens(random, size, alphabet);
      std::size_t const end = size == 0 ? 0 : size - 1, sorted = std::max<std::size_t>(1, end - random.below(end / 2 + 1));
      tokens const older = size < 2 ? tokens{} : plain_order(text, 1, sorted);
      tokens const newer = size < 2 ? tokens{} : plain_order(text, sorted, size);
      auto const text_there = copied(machine, text), older_there = copied(machine, older), newer_there = copied(machine, newer);
      preceding_tokens const before{text_there.data()};
      std::size_t const max_match = 1 + random.below(40), max_tokens = random.below(50);
      auto const in = machine.buffer<ordered_tokens>(1);
      *in.data() = {{before, older_there.data(), older.size()},
                    {before, newer_there.data(), newer.size()},
                    text_there.data(),
                    size,
                    max_match};
      auto const contexts = random_contexts(random, text, alphabet, 20);
      draft_batch one(contexts, max_tokens, 1);
      std::size_t const count = contexts.size();
      auto const contexts_there = copied(machine, one.contexts), context_lengths = copied(machine, one.context_lengths);
      auto const drafts = copied(machine, one.drafts), lengths = copied(machine, one.lengths),
                 matched = copied(machine, one.matched);
      draft_arrays const arrays{
          contexts_there.data(), context_lengths.data(), one.contexts.size() / count, max_tokens, drafts.data(),
          lengths.data(),        matched.data()};
      using namespace ordo::cuda_detail;
      launch<each_by_warps<write_draft>>(machine.kernels(), 3, by_warps_threads, 0, count,
                                         write_draft{in.data(), arrays});
      write_draft const alone{in.data(),
                              {one.contexts.data(), one.context_lengths.data(), arrays.width, max_tokens, one.drafts.data(),
                               one.lengths.data(), one.matched.data()}};
      for (std::size_t i = 0; i < count; ++i) alone(ordo::one_lane{}, i);
      CHECK(std::ranges::equal(one.drafts, drafts.span()));
      CHECK(std::ranges::equal(one.lengths, lengths.span()));
      CHECK(std::ranges::equal(one.matched, matched.span()));
      CHECK(one.count_wrong(text, contexts, max_match) == 0);
      for (std::size_t i = 0; i < count; ++i) found += one.lengths[i] != 0;
      of_newer += newer.size();
    }
  CHECK(found > 300);
  CHECK(of_newer > 1000);
}
