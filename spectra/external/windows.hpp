#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/io.hpp"
#include "spectra/external/ordered_spectra.hpp"

namespace ordo::inline v0::spectra::detail {

/// Adjacent spectra of an order that are written at a time.
struct order_window {
  sink* to = nullptr;
  std::uint64_t at = 0;    // offset in the sink
  bool addressed = false;  // any thread writes it there; else it is written in order
  std::size_t part = 0;
  bool opens = false;  // it is the first of its part
  std::string front;   // written before the spectra
  std::vector<ordered_spectrum> all;
  std::uint64_t bytes = 0;  // with the front
  std::string index;
  buffer<char> text;

  void clear() {
    to = nullptr;
    opens = false;
    front.clear();
    all.clear();
    index.clear();
    bytes = 0;
  }
};

/// Loads and writes windows, many at a time.
/// @param plan  called for one window after the other, decides what it holds. Returns false if there is no more
/// @param end   called after each window, in their order
void write_windows(ordered_spectra const& from, std::function<bool(order_window&)> const& plan,
                   std::function<void(order_window&)> const& end);

}  // namespace ordo::inline v0::spectra::detail
