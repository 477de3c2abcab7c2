#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/io.hpp"
#include "spectra/order/ordered_spectra.hpp"

namespace ordo::spectra::detail {

/// Some spectra of an order, as they are written at a time.
struct order_window {
  sink* to = nullptr;
  std::uint64_t at = 0;    // in it
  bool addressed = false;  // written there by any thread; else in order
  std::size_t part = 0;
  bool opens = false;  // it is the first of its part
  std::string front;   // what is written before the spectra
  std::vector<ordered_spectrum> all;
  std::uint64_t bytes = 0;  // of all of it
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

/// How many windows are at work at a time, by the threads of the arena that it is called in.
std::size_t windows_at_a_time();

/// Loads and writes windows, many at a time.
/// @param plan  fills what the window is to hold, one after the other. @returns false if there is none left
/// @param end   after each of them, in their order
void write_windows(ordered_spectra const& from, std::function<bool(order_window&)> const& plan,
                   std::function<void(order_window&)> const& end);

}  // namespace ordo::spectra::detail
