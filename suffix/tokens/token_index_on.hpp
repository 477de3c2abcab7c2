#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/each_by_lanes.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/tokens/token_order.hpp"

// The index of token_index on any machine.
namespace ordo::inline v0::suffix::detail {

/// Type-erased index on a machine, for code that is compiled without CUDA. `on` is always the machine of the first call, or a
/// view of it.
class machine_tokens {
 public:
  virtual ~machine_tokens() = default;
  /// Returns true if the index is in memory of this machine.
  [[nodiscard]] virtual bool is_on(machine& on) const = 0;
  virtual void assign(machine& on, std::span<std::uint32_t const> tokens) = 0;
  virtual void append(machine& on, std::span<std::uint32_t const> tokens) = 0;
  virtual void draft(machine& on, draft_arrays const& arrays, std::size_t count) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;

 protected:
  machine_tokens() = default;
  machine_tokens(machine_tokens const&) = default;
  machine_tokens& operator=(machine_tokens const&) = default;
};

/// Creates an index in memory of a GPU, in tokens_on_cuda.cu.
std::unique_ptr<machine_tokens> make_tokens_on_cuda(machine& on, std::size_t max_match);

struct store_no_token {
  std::uint32_t* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = 0; }
};

/// A text of tokens and its order in memory of a machine. Calls of one object use backends of one machine.
template <Backend B>
class token_index_on {
 public:
  /// @param memory  where the text and its order are; must outlive this
  token_index_on(B& backend, memory_resource& memory, std::size_t max_match)
      : memory_(memory), max_match_(max_match), current_(memory, 1) {
    publish(backend);
    // The first call of a kernel loads it, which a CUDA graph could not hold.
    buffer<std::uint32_t> const none(memory, 3);
    backend.each(3, store_no_token{none.data()});
    draft(backend, {none.data(), none.data(), 0, 0, none.data(), none.data() + 1, none.data() + 2}, 1);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void assign(B& backend, std::span<std::uint32_t const> tokens) {
    check_size(0, tokens.size());
    std::uint32_t const max_code = greatest_code(backend, tokens);
    size_ = older_ = newer_ = 0;
    publish(backend);
    max_code_ = max_code;
    add(backend, tokens);
    sort_all(backend);
  }

  void append(B& backend, std::span<std::uint32_t const> tokens) {
    check_size(size_, tokens.size());
    if (tokens.empty()) return;
    max_code_ = std::max(max_code_, greatest_code(backend, tokens));
    add(backend, tokens);
    std::size_t const sorted = older_ + 1;  // the first position that is not in the older order
    if (size_ - sorted > sorted / 8) return sort_all(backend);
    sort(backend, sorted, size_ - sorted, newer_order_, newer_);
  }

  /// Neither waits nor allocates.
  void draft(B& backend, draft_arrays const& arrays, std::size_t count) const {
    each_by_lanes(backend, count, write_draft{current_.data(), arrays});
  }

 private:
  static void check_size(std::size_t size, std::size_t more) {
    if (more >= std::numeric_limits<std::uint32_t>::max() - size)
      throw usage_error("too large: tokens: " + std::to_string(size) + " and " + std::to_string(more) +
                        " more, where fewer than 2^32 - 1 are expected");
  }

  /// Returns the array with room for `size` items, of which it keeps the first `kept`.
  void make_room(B& backend, buffer<std::uint32_t>& array, std::size_t size, std::size_t kept) {
    if (array.size() >= size) return;
    if (kept == 0) array = {};
    buffer<std::uint32_t> larger(memory_, std::max(size, kept + kept / 4));
    backend.copy(std::span<std::uint32_t const>(array.span().first(kept)), larger.span().first(kept));
    array = std::move(larger);
  }

  static std::uint32_t greatest_code(B& backend, std::span<std::uint32_t const> tokens) {
    return backend.reduce(tokens.size(), token_code{tokens.data()}, std::uint32_t{0}, maximum{});
  }

  void add(B& backend, std::span<std::uint32_t const> tokens) {
    make_room(backend, text_, size_ + tokens.size(), size_);
    backend.copy(tokens, text_.span().subspan(size_, tokens.size()));
    size_ += tokens.size();
    publish(backend);
  }

  void sort_all(B& backend) {
    newer_ = 0;
    sort(backend, 1, size_ - std::min<std::size_t>(size_, 1), older_order_, older_);
  }

  /// Sorts positions into an order. If memory runs out, the order is empty: what was there is overwritten or freed.
  void sort(B& backend, std::size_t first, std::size_t count, buffer<std::uint32_t>& order, std::size_t& size_of_order) {
    size_of_order = 0;
    publish(backend);
    make_room(backend, order, count, 0);
    sort_by_preceding(backend, std::span<std::uint32_t const>(text_.span().first(size_)), first, order.span().first(count),
                      max_match_, key_layout::of(max_code_));
    size_of_order = count;
    publish(backend);
  }

  /// Lets drafts that are queued from now on see the present text and order.
  void publish(B& backend) {
    preceding_tokens const tokens{text_.data()};
    ordered_tokens const now{
        {tokens, older_order_.data(), older_}, {tokens, newer_order_.data(), newer_}, text_.data(), size_, max_match_};
    backend.each(1, store_ordered_tokens{now, current_.data()});
  }

  memory_resource& memory_;
  std::size_t max_match_;
  buffer<ordered_tokens> current_;
  buffer<std::uint32_t> text_, older_order_, newer_order_;  // with room to grow
  std::size_t size_ = 0, older_ = 0, newer_ = 0;
  std::uint32_t max_code_ = 0;
};

}  // namespace ordo::inline v0::suffix::detail
