#include "spectra/encoding/text_fault.hpp"

#include <fmt/format.h>

namespace ordo::inline v0::spectra::detail {

std::string text_fault::message(std::string_view name, std::uint64_t line) const {
  return fmt::format("{}: {}:{}: {}", what_, name, line, why_);
}

}  // namespace ordo::inline v0::spectra::detail
