#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/spectra/selection.hpp"
#include "ordo/spectra/spectrum.hpp"

namespace ordo::spectra::detail {

/// Numbers of 32 or 64 bits in a machine's memory: one instance of an algorithm serves both.
struct real_column {
  void const* data = nullptr;
  bool wide = true;

  ORDO_FN double operator[](std::size_t i) const {
    return wide ? static_cast<double const*>(data)[i] : double(static_cast<float const*>(data)[i]);
  }
};

/// Peaks of many spectra in a machine's memory. Spectrum s has the peaks [begin(s), begin(s + 1)).
struct peak_arrays {
  real_column mz, intensity;  // NaN: missing
  void const* offsets = nullptr;
  bool wide_offsets = false;
  std::size_t first = 0;  // what the offsets count from
  std::size_t spectra = 0;
  real_column precursor_mz;              // of each spectrum, NaN: missing; if precursors are to be removed
  std::int32_t const* charge = nullptr;  // and its charge, 0: missing; or none at all

  [[nodiscard]] ORDO_FN std::size_t begin(std::size_t s) const {
    return (wide_offsets ? std::size_t(static_cast<std::uint64_t const*>(offsets)[s])
                         : std::size_t(static_cast<std::uint32_t const*>(offsets)[s])) -
           first;
  }
};

}  // namespace ordo::spectra::detail
