#pragma once
#include <memory>

#include "ordo/io.hpp"
#include "spectra/order/chunk.hpp"

namespace ordo::inline v0::spectra::detail {

/// MGF. Chunks whose spectra are all in order are written as they were read.
/// @param task, found  must outlive the format
std::unique_ptr<input_format> make_mgf_format(source& input, chunk_task const& task, diagnostics& found);

}  // namespace ordo::inline v0::spectra::detail
