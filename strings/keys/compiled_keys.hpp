#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/strings/order.hpp"
#include "strings/keys/key_codes.hpp"

namespace ordo::strings::detail {

/// The keys of an order, compiled on the host.
class compiled_keys {
 public:
  /// In a locale that collates, the whole line is the last key, if the order has none or a last resort.
  /// @throws usage_error for a locale that the system does not know
  compiled_keys(order const& by, unsigned char delimiter);
  /// The same, with as many codes of collated keys as suit so many lines of so many bytes in all.
  compiled_keys(order const& by, unsigned char delimiter, std::size_t bytes, std::size_t lines);

  /// For the host itself, as long as this lives.
  [[nodiscard]] compiled_order view() const { return {keys_.data(), coded_, &rules_}; }
  [[nodiscard]] std::span<compiled_key const> keys() const { return keys_; }
  /// Those that have codes: the keys up to the first one that is collated.
  [[nodiscard]] std::size_t coded() const { return coded_; }
  /// Have lines with equal codes to be compared, as a key is collated?
  [[nodiscard]] bool is_collated() const { return coded_ != 0 && is_collated(keys_[coded_ - 1]); }
  [[nodiscard]] std::span<key_rules const> rules() const { return {&rules_, 1}; }
  /// Is there a key that only the host can read?
  [[nodiscard]] bool needs_host() const;

  /// Codes of `lines` lines of `bytes` bytes in all, at most.
  [[nodiscard]] std::size_t most_codes(std::size_t bytes, std::size_t lines) const;

 private:
  static bool is_collated(compiled_key const& by) { return by.collated && by.as == reading::bytes; }
  static std::size_t first_level_codes(std::size_t bytes, std::size_t lines);

  std::vector<compiled_key> keys_;
  std::size_t coded_ = 0;
  key_rules rules_{};
};

/// The same in a machine's memory.
template <Backend B>
class uploaded_keys {
 public:
  /// `from` must outlive it.
  uploaded_keys(B& machine, compiled_keys const& from)
      : keys_(machine.upload(from.keys())), coded_(from.coded()), rules_(machine.upload(from.rules())) {}
  [[nodiscard]] compiled_order view() const { return {keys_.data(), coded_, rules_.data()}; }

 private:
  buffer<compiled_key const> keys_;
  std::size_t coded_;
  buffer<key_rules const> rules_;
};

}  // namespace ordo::strings::detail
