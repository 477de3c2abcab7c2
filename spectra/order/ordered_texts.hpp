#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/order/spill.hpp"
#include "spectra/order/store.hpp"

namespace ordo::spectra::detail {

/// Texts that are put in order by keys: in memory, and on disk what is more. By one thread at a time.
class ordered_texts {
 public:
  /// @param how  of which memory and folders count
  ordered_texts(order_keys keys, order_options const& how, machine_options const& machine);

  /// The next text, which is not empty, in two parts. @param about  what is handed on with it; its bytes and text do not count
  /// @param title  if there is a title key. @throws output_error
  void add(std::string_view front, std::string_view text, ordered_spectrum about, std::span<std::uint64_t const> codes,
           std::string_view title = {});
  /// Hands on all of them, equal ones in the order in which they came; then there is none.
  /// @throws input_error, output_error and what `to` throws
  void drain(std::function<void(ordered_spectrum const&, std::string_view)> const& to);

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t passes() const noexcept { return passes_; }

 private:
  [[nodiscard]] stored_in_order in_order() const;
  void put_aside();
  void hand_on(ordered_spectra& from, std::size_t runs,
               std::function<void(ordered_spectrum const&, std::string_view)> const& to) const;

  order_keys keys_;
  std::size_t memory_;
  std::vector<std::string> folders_;
  machine_options machine_;
  spectrum_store store_;
  std::optional<spilled_spectra> spilled_;
  std::uint64_t runs_ = 0, passes_ = 0;
};

}  // namespace ordo::spectra::detail
