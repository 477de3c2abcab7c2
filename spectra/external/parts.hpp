#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/external/ordered_spectra.hpp"
#include "spectra/external/windows.hpp"

namespace ordo::inline v0::spectra::detail {

/// Checks the parts of an order. @throws usage_error
void check_parts(order_options const& order);

/// A sink as the only part.
class single_part final : public output_parts {
 public:
  explicit single_part(sink& to) : to_(to) {}
  sink& open(std::size_t) override { return to_; }

 private:
  sink& to_;
};

/// A writer of spectra, in the given order, to one output or to its parts.
class part_writer {
 public:
  /// @param front  text at the begin of each part, complete when the first spectrum is written
  part_writer(output_parts& to, order_options const& options, std::string const& front)
      : to_(to), options_(options), front_(front) {}

  /// Sets the bytes of all spectra and of the text after them, which order_options::parts needs.
  void expect(std::uint64_t all, std::size_t tail) {
    total_ = all;
    tail_ = tail;
  }
  /// @param window  bytes that are written at a time
  void write(ordered_spectra& from, std::size_t window);
  /// Ends the output. @param tail  text after the last spectrum
  void finish(std::string const& tail);

  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

 private:
  bool plan(ordered_spectra& from, order_window& window, std::size_t max_bytes);
  void end(order_window& window);
  [[nodiscard]] std::size_t choose_part(ordered_spectrum const& one) const;
  void open();
  void put(std::string const& text);

  output_parts& to_;
  std::mutex calling_;  // guards calls of output_parts: windows are planned while others end
  order_options const& options_;
  std::string const& front_;
  std::optional<std::uint64_t> total_;
  std::size_t tail_ = 0;

  std::size_t parts_ = 0;  // opened; the last of them is being written
  sink* part_ = nullptr;
  bool addressed_ = false;
  std::uint64_t part_bytes_ = 0;  // with planned windows
  bool any_in_part_ = false;
  std::uint64_t planned_ = 0;  // bytes of spectra
  std::optional<ordered_spectrum> next_;
  std::uint64_t written_ = 0;
  std::vector<spectrum_origin> origins_;  // origins of one window
};

}  // namespace ordo::inline v0::spectra::detail
