#pragma once
#include "ordo/machine.hpp"

namespace ordo::inline v0::detail {

/// Returns the options with ORDO_DEVICE applied if they leave the choice of the device open. @throws usage_error
machine_options with_environment(machine_options const& given);

}  // namespace ordo::inline v0::detail
