#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "ordo.h"
#include "python/src/machine.hpp"
#include "python/src/numpy.hpp"

namespace ordo_python {

/// Returns the positions of n rows in the order of their columns, as int64.
inline nanobind::object argsort_columns(machines& on, std::vector<ordo_row_key> const& columns, std::size_t n) {
  nanobind::object index = numpy::new_positions(n);
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        return ordo_argsort_rows(machine, columns.data(), columns.size(), n, ORDO_INT64, numpy::data(index));
      },
      n);
  return index;
}

}  // namespace ordo_python
