#pragma once
#include <nanobind/nanobind.h>

namespace ordo_python {

/// Each adds the functions of one subject to the module.
void add_sorts(nanobind::module_& module);

}  // namespace ordo_python
