#pragma once
#include <nanobind/nanobind.h>

namespace ordo_python {

/// Each adds the functions of one subject to the module.
void add_arrow(nanobind::module_& module);
void add_distributed(nanobind::module_& module);
void add_operators(nanobind::module_& module);
void add_partition(nanobind::module_& module);
void add_plain(nanobind::module_& module);
void add_programs(nanobind::module_& module);
void add_sorts(nanobind::module_& module);
void add_sparse(nanobind::module_& module);
void add_spectra(nanobind::module_& module);
void add_strings(nanobind::module_& module);
void add_suffix(nanobind::module_& module);
void add_tokens(nanobind::module_& module);

}  // namespace ordo_python
