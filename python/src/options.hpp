#pragma once
#include "ordo.h"

namespace ordo_python {

/// The flags of a sort, as _sorts.py passes them.
constexpr unsigned is_descending = 1, has_total_order = 2;

inline ordo_sort_options make_options(unsigned flags) {
  ordo_sort_options options = ORDO_SORT_OPTIONS_INIT;
  options.order = flags & is_descending ? ORDO_DESCENDING : ORDO_ASCENDING;
  options.nans = flags & has_total_order ? ORDO_NANS_TOTAL_ORDER : ORDO_NANS_LAST;
  return options;
}

}  // namespace ordo_python
