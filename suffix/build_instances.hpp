#pragma once
#include "suffix/sort/build.hpp"

// build_arrays takes most of a minute to compile for one machine and one type of positions. CMakeLists.txt makes a source for
// each; who calls it writes `extern` before.
#define ORDO_BUILD_ARRAYS(Machine, Index)                                                                        \
  template void ordo::suffix::detail::build_arrays(Machine&, packed_text<Machine> const&, results<Index> const&, \
                                                   options const&);
