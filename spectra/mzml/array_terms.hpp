#pragma once
#include <cstdint>
#include <string_view>

#include "spectra/encoding/binary_array.hpp"
#include "spectra/encoding/terms.hpp"
#include "spectra/mzml/outline.hpp"

namespace ordo::inline v0::spectra::detail::terms {

/// Returns true for terms of imzML and mzMLb which state that the numbers of an array are in another file.
bool is_external(cv_term const& term);

/// A term that is written.
struct written_term {
  std::string_view accession, name;
};
/// Returns the term of a type of floats.
written_term find_type(number_type type);
/// Returns the term of a form that array_encoding can name.
written_term find_form(number_coding coding, packing compression);

/// Sets the property of a binary array that a term states. @param place  the place of the term in the text
void describe(std::uint32_t term, std::string_view name, term_place place, binary_array& array);

}  // namespace ordo::inline v0::spectra::detail::terms
