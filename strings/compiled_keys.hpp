#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sort_core/backend.hpp"
#include "strings/key_codes.hpp"
#include "strings/order.hpp"

namespace ordo::strings::detail {

/// The keys of an order, compiled on the host.
class compiled_keys {
 public:
  /// @throws usage_error for a locale other than C
  compiled_keys(order const& by, unsigned char delimiter);

  /// For the host itself, as long as this lives.
  [[nodiscard]] compiled_order view() const { return {keys_.data(), keys_.size(), &rules_}; }
  [[nodiscard]] std::span<compiled_key const> keys() const { return keys_; }
  [[nodiscard]] std::span<key_rules const> rules() const { return {&rules_, 1}; }
  /// Is there a key that only the host can read?
  [[nodiscard]] bool needs_host() const;

  /// Codes of `lines` lines of `bytes` bytes in all, at most.
  [[nodiscard]] std::size_t most_codes(std::size_t bytes, std::size_t lines) const;

 private:
  std::vector<compiled_key> keys_;
  key_rules rules_{};
};

/// The same in a machine's memory.
template <Backend B>
class uploaded_keys {
 public:
  /// `from` must outlive it.
  uploaded_keys(B& machine, compiled_keys const& from)
      : keys_(machine.upload(from.keys())), rules_(machine.upload(from.rules())) {}
  [[nodiscard]] compiled_order view() const { return {keys_.data(), keys_.size(), rules_.data()}; }

 private:
  buffer<compiled_key const> keys_;
  buffer<key_rules const> rules_;
};

}  // namespace ordo::strings::detail
