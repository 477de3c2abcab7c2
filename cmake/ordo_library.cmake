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

# ordo_library(NAME DESCRIPTION "for pkg-config" SOURCES file.cpp... [CUDA file.cu...] [LINK ...] [PUBLIC_LINK ...] [PC module...])
# Makes the static library ordo::NAME, whose target is ordo_NAME; its CUDA files are left out of a build without nvcc. What is installed is this archive, or,
# with BUILD_SHARED_LIBS, one libordo.so for all: either way the component NAME of the CMake package and a .pc file.
# PC names the pkg-config modules that an archive needs. The tools and the tests always link the archives.
function(ordo_library name)
  cmake_parse_arguments(ARG "" "DESCRIPTION" "SOURCES;CUDA;LINK;PUBLIC_LINK;PC" ${ARGN})
  if(NOT ORDO_CUDA)
    set(ARG_CUDA)
  endif()
  set(library ordo_${name})
  add_library(${library} STATIC ${ARG_SOURCES} ${ARG_CUDA})
  add_library(ordo::${name} ALIAS ${library})
  ordo_options(${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${library} PUBLIC cxx_std_20)
  ordo_include_folders(${library})
  target_link_libraries(${library} PRIVATE ${ARG_LINK} PUBLIC ${ARG_PUBLIC_LINK})
  list(LENGTH ARG_SOURCES sources)
  if(sources GREATER 15)  # the header takes as long as four sources save
    ordo_precompile(${library})
  endif()
  if(NOT ORDO_INSTALL)
    return()
  endif()

  set(installed ${library})
  set(ordo_pc_requires ${ARG_PC})
  set(ordo_pc_libs "-L\${libdir} -lordo_${name} -Wl,--gc-sections")
  if(BUILD_SHARED_LIBS)
    set(installed ordo_shared_${name})
    add_library(${installed} INTERFACE)
    set_target_properties(${installed} PROPERTIES EXPORT_NAME ${name})
    target_link_libraries(${installed} INTERFACE ordo)
    target_sources(ordo PRIVATE $<TARGET_OBJECTS:${library}>)
    target_link_libraries(ordo PRIVATE ${ARG_LINK})
    set(ordo_pc_requires)
    set(ordo_pc_libs "-L\${libdir} -lordo")
  elseif(name STREQUAL "sort_core" AND ORDO_CUDA)
    get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
    string(APPEND ordo_pc_libs " ${cudart} -lrt -ldl -lpthread")
  endif()
  install(TARGETS ${installed} EXPORT ordo_${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ordo_${name} NAMESPACE ordo:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ordo)

  string(REPLACE "sort_core" "core" ordo_pc_name ordo-${name})
  set(ordo_pc_description ${ARG_DESCRIPTION})
  list(JOIN ordo_pc_requires ", " ordo_pc_requires)
  file(RELATIVE_PATH ordo_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/ordo.pc.in ${PROJECT_BINARY_DIR}/${ordo_pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${ordo_pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# ordo_instance(LIST FILE LINE HEADER...): makes a source in the build folder that includes the headers and holds one line, which
# instantiates a template, and appends it to LIST. So templates that take long to compile are compiled in parallel.
function(ordo_instance list file line)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" includes)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${file} CONTENT "${includes}\n${line}\n")
  set(${list} ${${list}} ${CMAKE_CURRENT_BINARY_DIR}/${file} PARENT_SCOPE)
endfunction()

# ordo_instances(LIST NAME EXTENSION HEADER LINE...): makes sources for many instances of one template, and appends them to LIST.
# There are no more of them than cores, because nvcc takes 20 seconds for what one includes.
function(ordo_instances list name extension header)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  list(LENGTH ARGN left)
  math(EXPR in_a_source "(${left} + ${cores} - 1) / ${cores}")
  while(ARGN)
    set(lines)
    foreach(i RANGE 1 ${in_a_source})
      list(POP_FRONT ARGN line)
      string(APPEND lines "${line}\n")
    endforeach()
    list(LENGTH ARGN left)
    ordo_instance(${list} ${name}_${left}.${extension} "${lines}" ${header})
  endwhile()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()
