#include "spectra/mzspeclib/attributes.hpp"

#include <algorithm>
#include <array>

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::array<library_attribute, 10> all{{
    {"COLLISION_ENERGY", 1000045, "collision energy", "UO:0000266|electronvolt", false},
    {"COLLISION_GAS", 1000419, "collision gas", "", false},
    {"SPLASH", 1002599, "splash key", "", false},
    {"USI", 1003063, "universal spectrum identifier", "", false},
    {"FORMULA", 1000866, "molecular formula", "", true},
    {"EXACTMASS", 1001117, "theoretical neutral mass", "UO:0000221|dalton", true},
    {"ADDUCT", 1002813, "adduct ion formula", "", true},
    {"SMILES", 1000868, "SMILES string", "", true},
    {"INCHI", 1003403, "InChI", "", true},
    {"INCHIKEY", 1002894, "InChIKey", "", true},
}};

}  // namespace

library_attribute const* find_attribute(std::string_view key) {
  auto const it = std::ranges::find(all, key, &library_attribute::key);
  return it == all.end() ? nullptr : &*it;
}

library_attribute const* find_attribute(std::uint32_t term) {
  auto const it = std::ranges::find(all, term, &library_attribute::term);
  return it == all.end() ? nullptr : &*it;
}

}  // namespace ordo::inline v0::spectra::detail
