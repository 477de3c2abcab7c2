#pragma once
#include "sort_core/bytes.hpp"

namespace ordo::cli {
using ordo::bytes;
}
