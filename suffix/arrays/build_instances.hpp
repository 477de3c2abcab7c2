#pragma once
#include "suffix/arrays/build.hpp"

// build_arrays takes most of a minute to compile for one machine and one Index. CMakeLists.txt generates a source for each;
// callers write `extern` before the macro.
#define ORDO_BUILD_ARRAYS(Backend, Index)                                                                        \
  template void ordo::suffix::detail::build_arrays(Backend&, packed_text<Backend> const&, results<Index> const&, \
                                                   build_options const&)
