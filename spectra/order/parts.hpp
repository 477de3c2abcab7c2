#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/order/ordered_spectra.hpp"
#include "spectra/order/windows.hpp"

namespace ordo::spectra::detail {

/// Writes spectra, in the order in which they come, to one output or to parts of one.
class part_writer {
 public:
  /// @param front   what each part begins with; it is there when the first spectrum is written
  part_writer(spectrum_parts& to, order_options const& how, std::string const& front) : to_(to), how_(how), front_(front) {}

  /// @param all  bytes of all spectra that there will be, if that is known: what parts of a number need
  void expect(std::uint64_t all, std::size_t tail) {
    total_ = all;
    tail_ = tail;
  }
  /// @param window  bytes that are written at a time
  void write(ordered_spectra& from, std::size_t window);
  /// All spectra are written. @param tail  what stands behind the last one
  void finish(std::string const& tail);

  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

 private:
  bool plan(ordered_spectra& from, order_window& window, std::size_t most);
  void end(order_window& window);
  [[nodiscard]] std::size_t part_of(ordered_spectrum const& one) const;
  void open();
  void put(std::string const& text);

  spectrum_parts& to_;
  std::mutex calling_;  // the caller, who has one call at a time: windows are planned while others end
  order_options const& how_;
  std::string const& front_;
  std::optional<std::uint64_t> total_;
  std::size_t tail_ = 0;

  std::size_t parts_ = 0;  // that were opened; the last of them is what is written to
  sink* part_ = nullptr;
  bool addressed_ = false;
  std::uint64_t part_bytes_ = 0;  // with what is planned
  bool any_in_part_ = false;
  std::uint64_t planned_ = 0;  // bytes of spectra
  std::optional<ordered_spectrum> next_;
  std::uint64_t written_ = 0;
  std::vector<spectrum_origin> origins_;  // of one window
};

}  // namespace ordo::spectra::detail
