#include "spectra/mzml_terms.hpp"

namespace ordo::spectra::detail::terms {

void describe(std::uint32_t term, std::string_view name, binary_array& array) {
  switch (term) {
    case 1000514:
      array.kind = array_kind::mz;
      return;
    case 1000515:
      array.kind = array_kind::intensity;
      return;
    case 1000617:  // wavelength
    case 1002893:  // ion mobility, and its kinds
    case 1002477:
    case 1002816:
    case 1003006:
    case 1003007:
    case 1003008:
    case 1003153:
    case 1003154:
    case 1003155:
    case 1003156:
    case 1003157:  // scanning quadrupole position, lower bound m/z
    case 1003158:  // upper bound
      array.kind = array_kind::axis;
      return;
    case 1000519:
      array.type = number_type::int32;
      return;
    case 1000521:
      array.type = number_type::float32;
      return;
    case 1000522:
      array.type = number_type::int64;
      return;
    case 1000523:
      array.type = number_type::float64;
      return;
    case 1000574:
      array.how = packing::zlib;
      return;
    case 1000576:
      array.how = packing::none;
      return;
    case 1000520:  // 16-bit float
    case 1001479:  // null-terminated ASCII strings
      array.unknown_type = name;
      return;
    default:
      // MS-Numpress, zstd, predictions: what is named beside them, as zlib, is done before or after.
      if (name.find("compression") != std::string_view::npos || name.find("Numpress") != std::string_view::npos)
        array.unknown_packing = name;
  }
}

}  // namespace ordo::spectra::detail::terms
