#include "spectra/mzml/array_terms.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ordo::inline v0::spectra::detail::terms {
namespace {

// The forms of arrays. Some writers name MS-Numpress and zlib in two terms.
struct array_form {
  std::uint32_t term;
  number_coding coding;
  packing compression;  // unknown: the term names none
};
constexpr std::array<array_form, 17> array_forms{{
    {1000574, number_coding::plain, packing::zlib},
    {1000576, number_coding::plain, packing::none},
    {1002312, number_coding::linear, packing::unknown},
    {1002313, number_coding::pic, packing::unknown},
    {1002314, number_coding::slof, packing::unknown},
    {1002746, number_coding::linear, packing::zlib},
    {1002747, number_coding::pic, packing::zlib},
    {1002748, number_coding::slof, packing::zlib},
    {1003088, number_coding::plain, packing::zlib},  // bits of numbers were cut off
    {1003089, number_coding::delta, packing::zlib},
    {1003090, number_coding::second_delta, packing::zlib},
    {1003780, number_coding::plain, packing::zstd},
    {1003781, number_coding::shuffled, packing::zstd},
    {1003782, number_coding::dictionary, packing::zstd},
    {1003783, number_coding::linear, packing::zstd},
    {1003784, number_coding::pic, packing::zstd},
    {1003785, number_coding::slof, packing::zstd},
}};

}  // namespace

written_term find_type(number_type type) {
  return type == number_type::float32 ? written_term{"MS:1000521", "32-bit float"} : written_term{"MS:1000523", "64-bit float"};
}

written_term find_form(number_coding coding, packing compression) {
  struct form {
    number_coding coding;
    packing compression;
    written_term term;
  };
  constexpr std::array<form, 12> forms{{
      {number_coding::plain, packing::none, {"MS:1000576", "no compression"}},
      {number_coding::plain, packing::zlib, {"MS:1000574", "zlib compression"}},
      {number_coding::plain, packing::zstd, {"MS:1003780", "zstd compression"}},
      {number_coding::linear, packing::none, {"MS:1002312", "MS-Numpress linear prediction compression"}},
      {number_coding::pic, packing::none, {"MS:1002313", "MS-Numpress positive integer compression"}},
      {number_coding::slof, packing::none, {"MS:1002314", "MS-Numpress short logged float compression"}},
      {number_coding::linear,
       packing::zlib,
       {"MS:1002746", "MS-Numpress linear prediction compression followed by zlib compression"}},
      {number_coding::pic,
       packing::zlib,
       {"MS:1002747", "MS-Numpress positive integer compression followed by zlib compression"}},
      {number_coding::slof,
       packing::zlib,
       {"MS:1002748", "MS-Numpress short logged float compression followed by zlib compression"}},
      {number_coding::linear,
       packing::zstd,
       {"MS:1003783", "MS-Numpress linear prediction compression followed by zstd compression"}},
      {number_coding::pic,
       packing::zstd,
       {"MS:1003784", "MS-Numpress positive integer compression followed by zstd compression"}},
      {number_coding::slof,
       packing::zstd,
       {"MS:1003785", "MS-Numpress short logged float compression followed by zstd compression"}},
  }};
  return std::ranges::find_if(forms,
                              [=](form const& known) { return known.coding == coding && known.compression == compression; })
      ->term;
}

bool is_external(cv_term const& term) {
  constexpr std::uint32_t hdf5_dataset = 1002841, hdf5_offset = 1002842, hdf5_length = 1002843;
  if (term.accession == "IMS:1000101") return term.value != "false";
  if (term.accession == "IMS:1000102" || term.accession == "IMS:1000103" || term.accession == "IMS:1000104") return true;
  return term.number == hdf5_dataset || term.number == hdf5_offset || term.number == hdf5_length;
}

void describe(std::uint32_t term, std::string_view name, term_place place, binary_array& array) {
  auto const set_type = [&](number_type type) {
    array.type = array.stated_type = type;
    array.type_term = place;
  };
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
      return set_type(number_type::int32);
    case 1000521:
      return set_type(number_type::float32);
    case 1000522:
      return set_type(number_type::int64);
    case 1000523:
      return set_type(number_type::float64);
    case 1000520:  // 16-bit float
    case 1001479:  // null-terminated ASCII strings
      array.unknown_type = name;
      return;
    case 1003826:  // coordinate grid encoding
      array.unknown_packing = name;
      return;
    default:
      break;
  }
  auto const form = std::ranges::find(array_forms, term, &array_form::term);
  if (form == array_forms.end()) {
    // Other compressions, before or after any that is known.
    if (name.find("compression") != std::string_view::npos || name.find("Numpress") != std::string_view::npos)
      array.unknown_packing = name;
    return;
  }
  if (form->coding != number_coding::plain) {
    if (array.coding != number_coding::plain && array.coding != form->coding) array.unknown_packing = name;  // one on another
    array.coding = form->coding;
    array.coding_term = place;
  }
  if (form->compression != packing::unknown) {
    array.compression = form->compression;
    array.packing_term = place;
  }
}

}  // namespace ordo::inline v0::spectra::detail::terms
