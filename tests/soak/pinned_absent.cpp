#include "ordo/error.hpp"
#include "tests/soak/pinned.hpp"

namespace ordo::soak {

std::unique_ptr<memory_resource> pinned_memory() {
  throw usage_error("this build has no GPU support");
}

}  // namespace ordo::soak
