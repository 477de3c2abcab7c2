#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"

// The code for types that are known at run time. A source of its own, because programs that need it link all widths.
namespace ordo::inline v0::detail {

host_code const* host_code_for(std::size_t bytes) noexcept {
  switch (bytes) {
    case 1:
      return &host_code_8;
    case 2:
      return &host_code_16;
    case 4:
      return &host_code_32;
    default:
      return &host_code_64;
  }
}

host_operation_code const* host_operations_for(std::size_t bytes) noexcept {
  switch (bytes) {
    case 1:
      return &host_operations_8;
    case 2:
      return &host_operations_16;
    case 4:
      return &host_operations_32;
    default:
      return &host_operations_64;
  }
}

}  // namespace ordo::inline v0::detail
