#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ordo/spectra/order.hpp"

namespace CLI {
class App;
}

namespace ordo::specsort {

/// The options that put spectra in order, and cut the output into parts.
struct order_options {
  std::string by, memory, map, split_size, split_count;
  std::vector<std::string> folders;
  bool descending = false;

  void add_to(CLI::App& app);
  /// Are spectra taken apart, to be put together in an order or in parts?
  [[nodiscard]] bool any() const { return !by.empty() || splits(); }
  [[nodiscard]] bool splits() const { return !split_size.empty() || !split_count.empty(); }
  /// @throws usage_error for options that are no numbers or go with others only
  [[nodiscard]] spectra::order_options made() const;
};

/// FILE of a part: out.mgf.gz makes out.0001.mgf.gz. @param number  from 1 on
std::string name_of_part(std::string const& file, std::size_t number, std::size_t digits);

}  // namespace ordo::specsort
