#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/order/ordered_texts.hpp"

namespace ordo::spectra::detail {

/// What mzml_writer keeps where the spectra of a document are put in order: those of a list, until its last is known; then
/// their entries in the index.
struct mzml_ordering {
  mzml_ordering(order_keys const& keys, order_options const& how, machine_options const& machine)
      : how(how),
        keys(keys),
        spectra(keys, how, machine),
        entries(order_keys({.by = {spectrum_key::scan}}), how, machine),  // by where their spectra begin
        missing(keys.count()) {}

  order_options const& how;
  order_keys const& keys;
  ordered_texts spectra, entries;
  std::vector<std::uint64_t> missing;  // of each key
  bool holds_entries = false;
  std::string carried;       // text that goes with what comes next
  std::string list_rest;     // of the tag of the list, behind the number of spectra
  bool counts = false;       // that tag has a number
  std::uint64_t read = 0;    // spectra
  std::uint64_t placed = 0;  // of the list
  std::string batch;         // text that is written next
  std::vector<spectrum_origin> origins;
};

}  // namespace ordo::spectra::detail
