#include "ordo/suffix/tokens/token_index.hpp"

#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "ordo/cpu_backend.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "suffix/tokens/token_index_on.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// In the host's memory, which every CPU uses.
class tokens_on_host final : public detail::machine_tokens {
 public:
  tokens_on_host(machine& on, std::size_t max_match) {
    with(on, [&](host_backend& backend) { index_.emplace(backend, host_memory::shared(), max_match); });
  }

  [[nodiscard]] bool is_on(machine& on) const override { return on.kind() == device::cpu; }
  void assign(machine& on, std::span<std::uint32_t const> tokens) override {
    with(on, [&](host_backend& backend) { index_->assign(backend, tokens); });
  }
  void append(machine& on, std::span<std::uint32_t const> tokens) override {
    with(on, [&](host_backend& backend) { index_->append(backend, tokens); });
  }
  void draft(machine& on, detail::draft_arrays const& arrays, std::size_t count) const override {
    with(on, [&](host_backend& backend) { index_->draft(backend, arrays, count); });
  }
  [[nodiscard]] std::size_t size() const override { return index_->size(); }

 private:
  template <class F>
  static void with(machine& on, F f) {
    with_backend(static_cast<cpu&>(on), f);
  }

  std::optional<detail::token_index_on<host_backend>> index_;
};

std::unique_ptr<detail::machine_tokens> make_tokens(machine& on, std::size_t max_match) {
  if constexpr (cuda_enabled)
    if (on.kind() == device::gpu) return detail::make_tokens_on_cuda(on, max_match);
  if (on.kind() != device::cpu) throw usage_error("no GPU: tokens: the build has no GPU support");
  return std::make_unique<tokens_on_host>(on, max_match);
}

}  // namespace

struct token_index::state {
  std::size_t max_match;
  std::unique_ptr<detail::machine_tokens> tokens;  // made by the first call

  [[nodiscard]] detail::machine_tokens& on(machine& machine) const {
    if (!tokens->is_on(machine)) throw usage_error("bad machine: tokens: the text is in memory of another machine");
    return *tokens;
  }
};

token_index::token_index(std::size_t max_match) : state_(std::make_unique<state>()) {
  if (max_match == 0) throw usage_error("bad option: max_match: 0 tokens, where at least one is expected");
  state_->max_match = max_match;
}
token_index::~token_index() = default;
token_index::token_index(token_index&&) noexcept = default;
token_index& token_index::operator=(token_index&&) noexcept = default;

void token_index::assign(machine& on, std::span<std::uint32_t const> tokens) {
  if (!state_->tokens || !state_->tokens->is_on(on)) state_->tokens = make_tokens(on, state_->max_match);
  state_->tokens->assign(on, tokens);
}

void token_index::append(machine& on, std::span<std::uint32_t const> tokens) {
  if (!state_->tokens) return assign(on, tokens);
  state_->on(on).append(on, tokens);
}

std::size_t token_index::size() const noexcept {
  return state_->tokens ? state_->tokens->size() : 0;
}

void token_index::draft(machine& on, std::span<std::uint32_t const> contexts, std::span<std::uint32_t const> context_lengths,
                        std::span<std::uint32_t> drafts, std::span<std::uint32_t> lengths,
                        std::span<std::uint32_t> matched) const {
  std::size_t const count = context_lengths.size();
  if (!state_->tokens) throw usage_error("no text: draft: assign comes first, if only of no tokens");
  if (lengths.size() != count || matched.size() != count)
    throw usage_error(fmt::format("bad sizes: draft: {} contexts, but room for {} lengths and {} matches", count,
                                  lengths.size(), matched.size()));
  auto const width = [&](char const* name, std::size_t size) {
    if (count == 0 ? size != 0 : size % count != 0)
      throw usage_error(fmt::format("bad sizes: draft: {} tokens of {}, which are no rows for {} contexts", size, name, count));
    return count == 0 ? 0 : size / count;
  };
  detail::draft_arrays const arrays{contexts.data(),
                                    context_lengths.data(),
                                    width("contexts", contexts.size()),
                                    width("drafts", drafts.size()),
                                    drafts.data(),
                                    lengths.data(),
                                    matched.data()};
  detail::machine_tokens const& tokens = state_->on(on);
  if (count != 0) tokens.draft(on, arrays, count);
}

}  // namespace ordo::inline v0::suffix
