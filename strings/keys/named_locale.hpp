#pragma once
#include <locale.h>
#include <memory>
#include <string>

namespace ordo::strings::detail {

/// A locale of the system, kept until the process ends. No thread's own locale is changed.
/// @throws usage_error if the system has none of this name
locale_t named_locale(std::string const& name);

}  // namespace ordo::strings::detail
