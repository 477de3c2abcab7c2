#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "ordo/strings/order.hpp"
#include "strings/keys/key_codes.hpp"

namespace ordo::inline v0::strings::detail {

/// The keys of an order, compiled on the host.
class compiled_keys {
 public:
  /// In a locale that collates, the whole line is the last key if the order has no keys or a last resort.
  /// @throws usage_error for a locale that the system does not know
  compiled_keys(order const& by, unsigned char delimiter);
  /// As above, with a number of codes of collated keys that suits `lines` lines of `bytes` bytes in all.
  compiled_keys(order const& by, unsigned char delimiter, std::size_t bytes, std::size_t lines,
                collation_by how = collation_by::tables);

  /// Returns the keys for the host. Valid as long as this object.
  [[nodiscard]] compiled_order view() const { return {keys_.data(), coded_, &rules_}; }
  [[nodiscard]] std::span<compiled_key const> keys() const { return keys_; }
  /// Returns the number of keys that have codes: the keys up to the first one that is collated and has not those of all levels.
  [[nodiscard]] std::size_t coded() const { return coded_; }
  /// Returns true if some lines with equal codes have to be compared, because a key is collated.
  [[nodiscard]] bool is_collated() const;
  /// Returns true if all lines with the codes of this one are equal.
  [[nodiscard]] bool codes_decide(text_piece const& line) const;
  [[nodiscard]] std::span<key_rules const> rules() const { return {&rules_, 1}; }
  /// Returns true if only the host can read some key.
  [[nodiscard]] bool needs_host() const;

  /// Returns the maximum number of codes of `lines` lines of `bytes` bytes in all.
  [[nodiscard]] std::size_t max_codes(std::size_t bytes, std::size_t lines) const;

 private:
  void find_pieces(order const& by);
  void read_quoted();
  static bool is_collated(compiled_key const& by) { return by.collated && by.type == key_type::bytes; }
  static std::size_t first_level_codes(std::size_t bytes, std::size_t lines);

  std::vector<compiled_key> keys_, unquoted_, found_;
  std::vector<std::shared_ptr<host_key const>> host_;
  std::size_t coded_ = 0;
  key_rules rules_{};
};

/// Compiled keys in the memory of a backend.
template <Backend B>
class uploaded_keys {
 public:
  /// @param from  must outlive this object
  uploaded_keys(B& backend, compiled_keys const& from)
      : keys_(backend.upload(from.keys())), coded_(from.coded()), rules_(backend.upload(from.rules())) {}
  [[nodiscard]] compiled_order view() const { return {keys_.data(), coded_, rules_.data()}; }

 private:
  buffer<compiled_key const> keys_;
  std::size_t coded_;
  buffer<key_rules const> rules_;
};

}  // namespace ordo::inline v0::strings::detail
