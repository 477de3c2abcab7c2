# Compiles through ccache where that is installed and can write, unless a launcher, or an empty one, is asked for by
# -DCMAKE_CXX_COMPILER_LAUNCHER or in the environment.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ORDO_CCACHE ccache)
  mark_as_advanced(ORDO_CCACHE)
  if(ORDO_CCACHE)
    set(tried ${PROJECT_BINARY_DIR}/CMakeFiles/ccache_works)
    file(WRITE ${tried}.cpp "int main() {}\n")
    execute_process(COMMAND ${ORDO_CCACHE} ${CMAKE_CXX_COMPILER} -c ${tried}.cpp -o ${tried}.o
                    RESULT_VARIABLE tried_status OUTPUT_QUIET ERROR_QUIET)
    if(tried_status EQUAL 0)
      set(CMAKE_CXX_COMPILER_LAUNCHER ${ORDO_CCACHE})
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${ORDO_CCACHE})
    endif()
  endif()
endif()

# ordo_precompile(TARGET HEADER...): compiles once what nearly every source of a target includes: a third of the time of a
# source. These are headers of the system, so that a change of the project's own compiles no more than without. It is left out
# with a launcher, as ccache finds a source with a precompiled header in the same build folder only. g++ 12 takes precompiled
# headers of the system for the project's own, and warns of std::string's copies.
function(ordo_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE <algorithm> <cstdint> <functional> <memory> <optional> <ranges> <span>
                                                <string> <vector> <fmt/format.h> ${ARGN})
    if(ORDO_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>"
                             "$<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread;-Wno-error=maybe-uninitialized>")
    endif()
  endif()
endfunction()
