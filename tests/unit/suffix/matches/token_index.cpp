#include "ordo/suffix/tokens/token_index.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/matches/plain_drafts.hpp"

using namespace ordo;

namespace {

void draft(cpu& on, suffix::token_index const& index, draft_batch& batch) {
  index.draft(on, batch.contexts, batch.context_lengths, batch.drafts, batch.lengths, batch.matched);
}

/// Another machine than the CPU, which must not be asked to work.
class machine_without_work final : public machine {
 public:
  [[nodiscard]] device kind() const noexcept override { return device::gpu; }
  void reserve(std::size_t) override { refuse(); }
  void trim(std::size_t) noexcept override {}
  std::size_t peak_memory() noexcept override { return 0; }
  void run(detail::sort_task const&) override { refuse(); }
  [[nodiscard]] std::size_t memory_for(detail::sort_task const&) override { refuse(); }
  std::uint64_t run(detail::operation_task const&) override { refuse(); }
  [[nodiscard]] std::size_t memory_for(detail::operation_task const&) override { refuse(); }
  std::uint64_t stream(detail::stream_task const&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("a machine without work"); }
};

}  // namespace

TEST_CASE("drafts follow the longest string that a context ends with", "[token_index]") {
  random_numbers random(72);
  cpu one_thread({.threads = 1}), threads({.threads = 3});
  for (tokens const& alphabet : draft_alphabets())
    for (std::size_t const max_match : {1, 2, 5, 16}) {
      suffix::token_index one(max_match), grown(max_match);
      tokens text;
      for (std::size_t round = 0; round < 6; ++round) {
        tokens const more = random_tokens(random, random.below(round < 2 ? 3 : 90), alphabet);
        text.insert(text.end(), more.begin(), more.end());
        grown.append(threads, more);
        one.assign(one_thread, text);
        REQUIRE(grown.size() == text.size());
        auto const contexts = random_contexts(random, text, alphabet, 12);
        for (std::size_t const max_tokens : {0, 1, 5, 20}) {
          draft_batch batch(contexts, max_tokens, 3);
          draft(one_thread, one, batch);
          CHECK(batch.count_wrong(text, contexts, max_match) == 0);
          draft(threads, grown, batch);
          CHECK(batch.count_wrong(text, contexts, max_match) == 0);
        }
      }
    }
}

TEST_CASE("drafts of long texts do not depend on threads", "[token_index]") {
  random_numbers random(73);
  tokens alphabet(2000);
  std::iota(alphabet.begin(), alphabet.end(), 0);
  tokens const text = random_tokens(random, 100000, alphabet);
  suffix::token_index one, several;
  cpu one_thread({.threads = 1}), threads({.threads = 3});
  one.assign(one_thread, text);
  several.assign(threads, text);
  auto const contexts = random_contexts(random, text, alphabet, 100);
  draft_batch of_one(contexts, 8), of_several(contexts, 8);
  draft(one_thread, one, of_one);
  draft(threads, several, of_several);
  CHECK(of_one.drafts == of_several.drafts);
  CHECK(of_one.lengths == of_several.lengths);
  CHECK(of_one.matched == of_several.matched);
  std::vector<tokens> const some(contexts.begin(), contexts.begin() + 20);
  draft_batch few(some, 8);
  draft(one_thread, several, few);  // any machine of the host's memory
  CHECK(few.count_wrong(text, some, 32) == 0);
  tokens const equal(50000, 3);
  several.assign(threads, equal);
  std::vector<tokens> const repeats{{3, 3, 3}, {4}, {4, 3}, tokens(90, 3)};
  draft_batch of_equal(repeats, 8);
  draft(threads, several, of_equal);
  CHECK(of_equal.count_wrong(equal, repeats, 32) == 0);
}

TEST_CASE("an index of tokens whose machine runs out of memory", "[token_index]") {
  random_numbers random(76);
  tokens const alphabet{0, 1, 2, 3};
  tokens const text = random_tokens(random, 6000, alphabet);
  auto const contexts = random_contexts(random, text, alphabet, 30);
  cpu plenty({.threads = 1});
  std::size_t failures = 0;
  for (std::size_t const limit : {1000, 20000, 60000, 100000}) {
    cpu scarce({.threads = 1, .memory_limit = limit});
    suffix::token_index index(16);
    for (std::size_t first = 0; first < text.size(); first += 500) try {
        index.append(scarce, std::span(text).subspan(first, 500));
      } catch (out_of_memory const&) {
        ++failures;
      }
    CHECK(index.size() == text.size());
    draft_batch batch(contexts, 4);
    draft(plenty, index, batch);
    for (std::size_t i = 0; i < contexts.size(); ++i) CHECK(batch.matched[i] <= find_plainly(text, contexts[i], 16, 4).matched);
    tokens const more{1, 2};
    index.append(plenty, more);  // makes up for what failed
    tokens all(text);
    all.insert(all.end(), more.begin(), more.end());
    draft(plenty, index, batch);
    CHECK(batch.count_wrong(all, contexts, 16) == 0);
  }
  CHECK(failures > 0);
}

TEST_CASE("wrong calls of a token index", "[token_index]") {
  CHECK_THROWS_AS(suffix::token_index(0), usage_error);
  suffix::token_index index;
  cpu on({.threads = 1});
  tokens const text{1, 2, 1};
  tokens room(4), lengths(2), matched(2);
  auto const call = [&](tokens const& contexts, tokens const& context_lengths) {
    index.draft(on, contexts, context_lengths, room, lengths, matched);
  };
  CHECK_THROWS_AS(call({1, 2}, {1, 1}), usage_error);  // no text
  CHECK(index.size() == 0);
  index.append(on, text);
  CHECK_NOTHROW(call({1, 1}, {1, 9}));
  CHECK(lengths == tokens{2, 2});
  CHECK(room == tokens{2, 1, 2, 1});
  CHECK_NOTHROW(call({}, {1, 1}));
  CHECK(lengths == tokens{0, 0});
  CHECK_THROWS_AS(call({1, 2, 1}, {1, 1}), usage_error);
  CHECK_THROWS_AS(call({1, 2, 1}, {1, 1, 1}), usage_error);
  CHECK_THROWS_AS(call({1}, {}), usage_error);
  room.resize(5);
  CHECK_THROWS_AS(call({1, 1}, {1, 1}), usage_error);
  room.resize(4);
  machine_without_work other;
  CHECK_THROWS_AS(index.append(other, text), usage_error);
  CHECK_THROWS_WITH(index.append(other, text), "bad machine: tokens: the text is in memory of another machine");
  tokens const contexts{1, 1}, context_lengths{1, 1};
  CHECK_THROWS_AS(index.draft(other, contexts, context_lengths, room, lengths, matched), usage_error);
  CHECK_THROWS_WITH(index.draft(other, contexts, context_lengths, room, lengths, matched),
                    contains_text("bad machine: tokens: "));
  if (!built_with_cuda()) {
    CHECK_THROWS_AS(index.assign(other, text), usage_error);
    CHECK_THROWS_WITH(index.assign(other, text), "no GPU: tokens: the build has no GPU support");
  }
  // These tokens are not read.
  std::span<std::uint32_t const> const large(text.data(), std::numeric_limits<std::uint32_t>::max() - 3);
  CHECK_THROWS_AS(index.append(on, large), usage_error);
  CHECK_THROWS_WITH(index.append(on, large),
                    "too large: tokens: 3 and 4294967292 more, where fewer than 2^32 - 1 are expected");
  CHECK(index.size() == text.size());
  index.assign(on, {});
  CHECK(index.size() == 0);
}
