# Compile options that every target of the project shares. No strict aliasing: the core sorts floating keys in their own
# memory as the unsigned integers that radix_key makes of them.
function(ordo_options target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -fno-strict-aliasing $<$<BOOL:${ORDO_WERROR}>:-Werror>>
    $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr -Wno-deprecated-gpu-targets
      -Xcompiler=-Wall,-Wextra,-Wno-unused-parameter,-fno-strict-aliasing -Xcudafe=--display_error_number
      $<$<BOOL:${ORDO_WERROR}>:-Werror=all-warnings>
      $<$<BOOL:${ORDO_LINE_INFO}>:-lineinfo> ${ordo_compress}>)
endfunction()

# One include folder for users; the sources of the project see its rooms besides.
function(ordo_include_folders target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# ordo_library(NAME SOURCES file.cpp... [CUDA file.cu...] [LINK ...] [PUBLIC_LINK ...])
# Makes the static library ordo::NAME, a component of the installed package; its CUDA files are left out of a build without nvcc.
function(ordo_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;CUDA;LINK;PUBLIC_LINK" ${ARGN})
  if(NOT ORDO_CUDA)
    set(ARG_CUDA)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_CUDA})
  add_library(ordo::${name} ALIAS ${name})
  ordo_options(${name})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ordo_${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${name} PUBLIC cxx_std_20)
  ordo_include_folders(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} PUBLIC ${ARG_PUBLIC_LINK})
  install(TARGETS ${name} EXPORT ordo_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ordo_${name} NAMESPACE ordo:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ordo)
endfunction()
