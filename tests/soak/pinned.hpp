#pragma once
#include <memory>

#include "ordo/memory.hpp"

namespace ordo::soak {

/// Host memory that a GPU reads and writes, too. @throws usage_error  if the build has no GPU support
std::unique_ptr<memory_resource> pinned_memory();

}  // namespace ordo::soak
