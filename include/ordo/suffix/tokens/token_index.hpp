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
///
/// The text and its order are in the machine's memory, as are all spans: device memory for a gpu, host memory for a cpu. On a
/// gpu, calls queue their work on its stream, or on that of a view (gpu::with_stream), and the machine must outlive the index.
/// Results are the same on every machine.
class token_index {
 public:
  /// The token that ends a document. No match has it, and no draft.
  static constexpr std::uint32_t separator = 0xffffffff;

  /// @param max_match  the maximum number of tokens of a context that are compared @throws usage_error  for 0
  explicit token_index(std::size_t max_match = 32);
  ~token_index();
  token_index(token_index&&) noexcept;
  token_index& operator=(token_index&&) noexcept;

  /// Replaces the text. Waits for the device. @throws usage_error  for 2^32 - 1 tokens or more
  /// @throws out_of_memory  drafts then find less or nothing, until a later call of assign or append succeeds
  void assign(machine& on, std::span<std::uint32_t const> tokens);
  /// Appends to the text. Waits for the device. Time: O(m log m) for the m tokens that were appended since all were sorted.
  /// @param on  the machine of the text, or a view of it; any cpu for a text on the host
  /// @throws usage_error  if the text would have 2^32 - 1 tokens or more; then nothing is appended
  /// @throws out_of_memory  as assign
  void append(machine& on, std::span<std::uint32_t const> tokens);
  /// Returns the number of tokens of the text.
  [[nodiscard]] std::size_t size() const noexcept;

  /// Writes a draft for each context: to its row of `drafts` the tokens that followed the longest string of at most max_match
  /// tokens that the context ends with and that the text has, before another token. lengths[i] is their number, less than that
  /// of the row before a separator or the end of the text; matched[i] the length of that string, 0 if there is none. The text
  /// and the history of the index choose among several such strings; the machine and its threads do not. On the host, any
  /// number of threads may call it, each with a cpu of its own, while no other method runs.
  ///
  /// On a gpu it neither waits nor allocates memory, and a CUDA graph can capture it after the first call of assign. The graph
  /// drafts from the text as it is at each launch. Launches are ordered with other calls of the index, as on one stream they
  /// are.
  /// @param contexts  a row for each context, all of one length @param context_lengths  the number of tokens at the begin of
  /// each row that are the context; that of the row if it is less @param drafts  a row for each context, all of one length; the
  /// rest of each is not written @param lengths, matched  one for each context
  /// @throws usage_error  for spans of other sizes, before the first call of assign or append, and for another machine
  void draft(machine& on, std::span<std::uint32_t const> contexts, std::span<std::uint32_t const> context_lengths,
             std::span<std::uint32_t> drafts, std::span<std::uint32_t> lengths, std::span<std::uint32_t> matched) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
