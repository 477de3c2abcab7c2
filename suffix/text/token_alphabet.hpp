#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "base/first_bound.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/suffix.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/text/buffer_sizes.hpp"

// Texts of tokens: numbers of 16 or 32 bits, of which a text has fewer than there are.
namespace ordo::inline v0::suffix::detail {

/// Calls use(residues) with the residues of a text, as a span of unsigned char, std::uint16_t or std::uint32_t.
template <class Use>
auto with_residues(text const& input, Use use) {
  auto const as = [&]<class Residue>(Residue) {
    return use(std::span<Residue const>(reinterpret_cast<Residue const*>(input.residues.data()), input.size()));
  };
  if (input.residue_bytes == 4) return as(std::uint32_t{});
  if (input.residue_bytes == 2) return as(std::uint16_t{});
  return as(static_cast<unsigned char>(0));
}

template <class Token>
struct token_at {
  Token const* tokens;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return tokens[i]; }
};

struct clear_mark {
  std::uint64_t* words;
  ORDO_FN void operator()(std::size_t w) const { words[w] = 0; }
};

/// Marks the token at i.
template <class Token>
struct mark_token {
  Token const* tokens;
  std::uint64_t* marks;
  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t* const word = marks + tokens[i] / 64;
    std::uint64_t const bit = std::uint64_t{1} << (tokens[i] % 64);
    if ((load_relaxed(word) & bit) == 0) or_relaxed(word, bit);  // most are marked already: no atomic operation
  }
};

struct count_marks {
  std::uint64_t const* marks;
  ORDO_FN std::uint64_t operator()(std::size_t w) const { return count_ones(marks[w]); }
};

/// Numbers tokens by marks, and by the number of marks up to the end of each word.
struct marked_code {
  std::uint64_t const *marks, *ends;
  ORDO_FN std::uint64_t operator()(std::uint64_t token) const {
    return ends[token / 64] - count_ones(marks[token / 64] >> (token % 64));
  }
};

template <class Token>
struct copy_token {
  Token const* tokens;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = tokens[i]; }
};

/// Returns true if entry i of a sorted list is the first of its value.
struct is_first {
  std::uint64_t const* sorted;
  ORDO_FN bool operator()(std::size_t i) const { return i == 0 || sorted[i] != sorted[i - 1]; }
};

/// Numbers tokens by their place in a sorted list of all that occur.
struct listed_code {
  std::uint64_t const* list;
  std::size_t size;
  ORDO_FN std::uint64_t operator()(std::uint64_t token) const { return first_bound(list, size, token); }
};

/// Numbers the different tokens of a text in their order. Tokens below 2^20, or below about 32 n, are looked up in a table;
/// others are sorted.
template <Backend B, class Token>
class token_alphabet {
 public:
  /// @param tokens  in the backend's memory; they must outlive this
  token_alphabet(B& backend, std::span<Token const> tokens) {
    std::size_t const n = tokens.size();
    if (n == 0) return;
    std::size_t const words =
        std::size_t(backend.reduce(n, token_at<Token>{tokens.data()}, std::uint64_t{0}, maximum{})) / 64 + 1;
    is_marked_ = words <= max_words(n);
    if (is_marked_) {
      first_ = backend.template buffer<std::uint64_t>(words);
      ends_ = backend.template buffer<std::uint64_t>(words);
      backend.each(words, clear_mark{first_.data()});
      backend.each(n, mark_token<Token>{tokens.data(), first_.data()});
      backend.scan(words, count_marks{first_.data()}, ends_.span(), plus{});
      size_ = std::size_t(value_at(backend, std::span<std::uint64_t const>(ends_.span()), words - 1));
      return;
    }
    auto const sorted = backend.template buffer<std::uint64_t>(n);
    backend.each(n, copy_token<Token>{tokens.data(), sorted.data()});
    backend.radix_sort(sorted.span());
    first_ = backend.template buffer<std::uint64_t>(n);
    is_first const first{sorted.data()};
    size_ = backend.select(n, first, token_at<std::uint64_t>{sorted.data()}, first_.span());
  }

  /// Returns the temporary memory in bytes for tokens below 2^20.
  static std::size_t usual_memory() { return 2 * buffer_sizes::of(usual_words, sizeof(std::uint64_t)); }
  /// Returns the temporary memory in bytes for any n tokens.
  static std::size_t memory(std::size_t n) {
    std::size_t const looked_up = 2 * buffer_sizes::of(max_words(n), sizeof(std::uint64_t));
    if (sizeof(Token) == 2) return looked_up;
    std::size_t const list = buffer_sizes::of(n, sizeof(std::uint64_t));
    return std::max(looked_up, list + std::max(list, B::radix_sort_memory(n, sizeof(std::uint64_t), 0)));
  }

  /// Returns the number of different tokens.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Calls use(code) with a function object that numbers the tokens of the text from 0 on.
  template <class Use>
  void use_code(Use use) const {
    if (is_marked_)
      use(marked_code{first_.data(), ends_.data()});
    else
      use(listed_code{first_.data(), size_});
  }

 private:
  static constexpr std::size_t usual_words = sizeof(Token) == 2 ? std::size_t{1} << 10 : std::size_t{1} << 14;
  static std::size_t max_words(std::size_t n) { return sizeof(Token) == 2 ? usual_words : std::max(usual_words, n / 2 + 1); }

  bool is_marked_ = false;
  std::size_t size_ = 0;
  buffer<std::uint64_t> first_, ends_;  // marks and their counts, or the list of tokens
};

}  // namespace ordo::inline v0::suffix::detail
