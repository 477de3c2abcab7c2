#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spectra/external/keys.hpp"
#include "spectra/external/store.hpp"
#include "spectra/order/input_reader.hpp"
#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra::detail {

/// Returns a warning of spectra with equal titles, or nothing. @param titles  hashes, as spectrum_records has them
std::optional<std::string> warning_of_titles(std::vector<std::size_t> titles);

/// Reads inputs into a store of spectra, each with the text between it and the spectrum before it.
class spectrum_collector final : private chunk_receiver {
 public:
  /// @param on_head  receives the file header of input k once its end is known: on_head(k, head, has_spectra, name).
  /// Returns
  ///     the part of it that goes with the next spectrum
  /// @param make_room  empties the store
  /// @param to  the format of the spectra @param several  there are several inputs
  spectrum_collector(input_reader& reader, order_keys const& keys, spectrum_store& store, format to, bool several,
                     std::function<std::string(std::size_t, std::string const&, bool, std::string const&)> on_head,
                     std::function<void()> make_room)
      : reader_(reader),
        keys_(keys),
        store_(store),
        to_(to),
        several_(several),
        on_head_(std::move(on_head)),
        make_room_(std::move(make_room)) {}

  /// Reads an input, or a part of it. @param begun  a spectrum of the input has begun before this part
  void read(spectrum_inputs::opened const& opened, std::size_t input, bool begun = false);
  /// Returns the hashes of the titles, if there are several inputs.
  [[nodiscard]] std::vector<std::size_t> const& titles() const noexcept { return titles_; }
  /// Text that belongs to the next spectrum.
  [[nodiscard]] std::string const& carried() const noexcept { return carried_; }

 private:
  void take(chunk const& chunk) override;
  void store(spectrum_records const& records, std::size_t skipped, std::string_view text);

  input_reader& reader_;
  order_keys const& keys_;
  spectrum_store& store_;
  format to_;
  bool several_;
  std::function<std::string(std::size_t, std::string const&, bool, std::string const&)> on_head_;
  std::function<void()> make_room_;
  std::string carried_;
  std::vector<std::size_t> titles_;  // hashes, as far as there is room

  // State of the input that is being read.
  std::size_t input_ = 0;
  std::string name_, head_;
  bool begun_ = false;  // a spectrum has
};

}  // namespace ordo::inline v0::spectra::detail
