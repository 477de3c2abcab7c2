#pragma once
#include "sort_core/host_bytes.hpp"

namespace ordo::cli {

using bytes = host_bytes;

}  // namespace ordo::cli
