#pragma once
#include "ordo/host_bytes.hpp"

namespace ordo::cli {

using bytes = host_bytes;

}  // namespace ordo::cli
