#include "ordo/suffix/tokens/token_index.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/scoped_machine.hpp"
#include "suffix/tokens/token_order.hpp"

namespace ordo::inline v0::suffix {

struct token_index::state {
  options chosen;
  std::vector<std::uint32_t> text;
  std::vector<std::uint32_t> older, newer;  // positions before which there is a token, and at which there is one

  /// Sorts the positions from `first` on that precede a token.
  void sort(std::size_t first, std::vector<std::uint32_t>& order) const {
    order.resize(text.size() - std::min(first, text.size()));
    with_machine<cpu>(machine_options{device::cpu, chosen.threads}, chosen.threads, [&](host_backend& backend) {
      detail::sort_by_preceding(backend, std::span<std::uint32_t const>(text), first, std::span(order), chosen.max_match);
    });
  }
  void sort_all() {
    newer.clear();
    sort(1, older);
  }
  void check_size(std::size_t more) const {
    if (more >= std::numeric_limits<std::uint32_t>::max() - text.size())
      throw usage_error(
          fmt::format("too large: tokens: {} and {} more, where fewer than 2^32 - 1 are expected", text.size(), more));
  }
};

token_index::token_index(options chosen) : state_(std::make_unique<state>()) {
  if (chosen.max_match == 0) throw usage_error("bad option: max_match: 0 tokens, where at least one is expected");
  chosen.max_match += chosen.max_match % 2;
  state_->chosen = chosen;
}
token_index::~token_index() = default;
token_index::token_index(token_index&&) noexcept = default;
token_index& token_index::operator=(token_index&&) noexcept = default;

void token_index::assign(std::span<std::uint32_t const> tokens) {
  state_->text.clear();
  state_->check_size(tokens.size());
  state_->text.assign(tokens.begin(), tokens.end());
  state_->sort_all();
}

void token_index::append(std::span<std::uint32_t const> tokens) {
  state_->check_size(tokens.size());
  state_->text.insert(state_->text.end(), tokens.begin(), tokens.end());
  std::size_t const sorted = state_->older.size() + 1;  // the first position that is not in the older order
  if (state_->text.size() < sorted) return;
  if (state_->text.size() - sorted > sorted / 8)
    state_->sort_all();
  else
    state_->sort(sorted, state_->newer);
}

std::size_t token_index::size() const noexcept {
  return state_->text.size();
}

void token_index::draft(std::span<std::uint32_t const> contexts, std::span<std::uint64_t const> offsets, std::size_t max_tokens,
                        std::span<std::uint32_t> drafts, std::span<std::uint32_t> lengths,
                        std::span<std::uint32_t> matched) const {
  if (offsets.empty()) throw usage_error("bad offsets: draft: none, where one more than contexts are expected");
  std::size_t const count = offsets.size() - 1;
  if (lengths.size() != count || matched.size() != count || drafts.size() / std::max<std::size_t>(count, 1) < max_tokens ||
      drafts.size() != count * max_tokens)
    throw usage_error(fmt::format("bad sizes: draft: {} contexts, but room for {} tokens, {} lengths and {} matches", count,
                                  drafts.size(), lengths.size(), matched.size()));
  if (!std::ranges::is_sorted(offsets) || offsets.back() > contexts.size())
    throw usage_error("bad offsets: draft: they are not ascending, or beyond the contexts");
  state const& now = *state_;
  detail::preceding_tokens const tokens{now.text.data()};
  auto const search = [&](std::vector<std::uint32_t> const& order) {
    return detail::context_search{tokens, order.data(), order.size(), now.chosen.max_match};
  };
  detail::write_draft const write{search(now.older), search(now.newer), now.text.data(), now.text.size(), contexts.data(),
                                  offsets.data(),    max_tokens,        drafts.data(),   lengths.data(),  matched.data()};
  pooled_arena arena(threads_for(now.chosen.threads));
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 16), [&](tbb::blocked_range<std::size_t> const& some) {
      for (std::size_t i = some.begin(); i != some.end(); ++i) write(i);
    });
  });
}

}  // namespace ordo::inline v0::suffix
