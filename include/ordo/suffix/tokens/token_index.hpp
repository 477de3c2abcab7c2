#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ordo/machine.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Drafts of continuations from a text of tokens that grows, for speculative decoding: the tokens that followed the longest
/// string that a context ends with.
///
/// The positions of the text are sorted by what precedes them: a suffix array of the reversed text, by the last max_match
/// tokens. Appended tokens have an order of their own, until they are an eighth of the text; then all are sorted again. Memory:
/// 8 bytes a token, and 24 more while it is sorted.
class token_index {
 public:
  /// The token that ends a document. No match has it, and no draft.
  static constexpr std::uint32_t separator = 0xffffffff;

  struct options {
    std::size_t max_match = 32;  // tokens of a context that are compared, above 0; it becomes an even number
    unsigned threads = 0;        // 0: all
  };

  /// @throws usage_error  for a max_match of 0
  explicit token_index(options chosen);
  token_index() : token_index(options{}) {}
  ~token_index();
  token_index(token_index&&) noexcept;
  token_index& operator=(token_index&&) noexcept;

  /// Replaces the text. @throws usage_error  for 2^32 - 1 tokens or more
  void assign(std::span<std::uint32_t const> tokens);
  /// Appends to the text. Time: O(m log m) for the m tokens that were appended since all were sorted.
  /// @throws usage_error  if the text would have 2^32 - 1 tokens or more; then nothing is appended
  void append(std::span<std::uint32_t const> tokens);
  /// Returns the number of tokens of the text.
  [[nodiscard]] std::size_t size() const noexcept;

  /// Writes a draft for each context: to drafts[i * max_tokens] and so on the tokens that followed the longest string of at
  /// most max_match tokens that the context ends with and that the text has, before another token. lengths[i] is their number,
  /// fewer than max_tokens before a separator or the end of the text; matched[i] the length of that string, 0 if there is none.
  /// The text and the history of the index choose among several such strings; the number of threads does not. Any
  /// number of threads may call it while no other method runs.
  /// @param offsets  context i is contexts[offsets[i], offsets[i + 1]); one more than contexts @param lengths, matched  one for
  /// each context @param drafts  max_tokens for each context; the rest of each is not written
  /// @throws usage_error  for spans of other sizes, and offsets that are not ascending
  void draft(std::span<std::uint32_t const> contexts, std::span<std::uint64_t const> offsets, std::size_t max_tokens,
             std::span<std::uint32_t> drafts, std::span<std::uint32_t> lengths, std::span<std::uint32_t> matched) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
