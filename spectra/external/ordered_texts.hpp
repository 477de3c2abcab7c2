#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/spill.hpp"
#include "spectra/external/store.hpp"

namespace ordo::inline v0::spectra::detail {

/// A sorter of texts by keys, in memory, and on disk if they do not fit. One thread at a time.
class ordered_texts {
 public:
  /// @param options  memory and folders
  ordered_texts(order_keys keys, order_options const& options, machine_options const& machine);

  /// Adds the next text, which is not empty, in two parts. @param about  values for drain(); its bytes and text are set here
  /// @param title  if there is a title key @throws output_error
  void add(std::string_view front, std::string_view text, ordered_spectrum about, std::span<std::uint64_t const> codes,
           std::string_view title = {});
  /// Calls output() with all texts in order, stably, after which there are none.
  /// @throws input_error, output_error, and errors of output()
  void drain(std::function<void(ordered_spectrum const&, std::string_view)> const& output);

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t passes() const noexcept { return passes_; }

 private:
  [[nodiscard]] stored_in_order in_order() const;
  void spill();
  void write(ordered_spectra& from, std::size_t runs,
             std::function<void(ordered_spectrum const&, std::string_view)> const& output) const;

  order_keys keys_;
  std::size_t memory_;
  std::vector<std::string> folders_;
  machine_options machine_;
  spectrum_store store_;
  std::optional<spilled_spectra> spilled_;
  std::uint64_t runs_ = 0, passes_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
