#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/machine.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/spectrum.hpp"

// The keys of spectra as 64-bit codes, by which they are compared and sorted.
namespace ordo::inline v0::spectra::detail {

/// The keys of an order. The code of a title is made of its first bytes, so different titles may have the same code.
class order_keys {
 public:
  /// The greatest code, which comes last.
  static constexpr std::uint64_t missing = ~std::uint64_t{0};

  /// @throws usage_error  for a repeated key
  explicit order_keys(spectrum_order const& order);

  [[nodiscard]] std::size_t count() const noexcept { return order_.by.size(); }
  [[nodiscard]] spectrum_order const& order() const noexcept { return order_; }
  [[nodiscard]] bool has(spectrum_key key) const noexcept;
  /// Writes count() codes.
  void encode(spectrum_header const& header, std::uint64_t peaks, std::uint64_t* codes) const;
  /// Returns true if title a comes before title b. Their codes are equal, and not missing.
  [[nodiscard]] bool title_before(std::string_view a, std::string_view b) const noexcept {
    return order_.descending ? b < a : a < b;
  }

  /// The values of a spectrum that are compared.
  struct values {
    std::uint64_t const* codes;
    std::string_view title;  // if there is a title key
  };
  /// Returns a negative number, 0 or a positive number.
  [[nodiscard]] int compare(values const& a, values const& b) const noexcept;

 private:
  [[nodiscard]] std::uint64_t encode_key(spectrum_key key, spectrum_header const& header, std::uint64_t peaks) const;

  spectrum_order order_;
};

/// The keys of spectra.
struct key_table {
  std::vector<std::uint64_t> codes;      // count() of each, one after the other
  std::vector<std::string_view> titles;  // if there is a title key
};

/// Returns the spectra in their order, stably. Memory: 28 bytes a spectrum.
std::vector<std::uint32_t> sorted_order(order_keys const& keys, key_table const& table, std::size_t count,
                                        machine_options const& options);

}  // namespace ordo::inline v0::spectra::detail
