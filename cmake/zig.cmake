# Builds programs for Linux systems with glibc 2.28 and newer, by the clang, libc++ and stubs of glibc that zig has. First
# tools/zig_root.sh makes build/zig/TARGET: the compilers, and the libraries that Ordo needs, as archives. The presets archive
# and archive-aarch64 use this file; ORDO_ZIG_ROOT names another folder.
set(ORDO_ZIG_TARGET x86_64 CACHE STRING "The processor: x86_64 or aarch64")
set(ORDO_ZIG_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/zig/${ORDO_ZIG_TARGET} CACHE PATH "The folder that tools/zig_root.sh made")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ORDO_ZIG_TARGET ORDO_ZIG_ROOT)
get_filename_component(ordo_zig_root ${ORDO_ZIG_ROOT} ABSOLUTE)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ORDO_ZIG_TARGET})
set(CMAKE_LIBRARY_ARCHITECTURE ${ORDO_ZIG_TARGET}-linux-gnu)
set(CMAKE_C_COMPILER ${ordo_zig_root}/bin/zig-clang)
set(CMAKE_CXX_COMPILER ${ordo_zig_root}/bin/zig-clang++)
set(CMAKE_AR ${ordo_zig_root}/bin/zig-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${ordo_zig_root}/bin/zig-ranlib CACHE FILEPATH "")

# zig itself says -O2 for -O3, and keeps frame pointers and debug information. No fused multiply-add where the source has none:
# the same bytes on every processor. Sections let the linker leave out functions that nobody calls. The rest protects as the
# flags of Debian's packages do.
string(CONCAT CMAKE_CXX_FLAGS_INIT "-fomit-frame-pointer -g0 -ffp-contract=off -ffunction-sections -fdata-sections "
                                   "-fstack-protector-strong -D_FORTIFY_SOURCE=2")
set(CMAKE_CXX_FLAGS_RELEASE_INIT "-Xclang -O3")
# The compiler's own functions, as for division of 128 bits, come from libgcc. Those of zig are in one file with a memcpy that
# is slower than glibc's, and a program that needs one of them gets all.
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT ${ordo_zig_root}/root/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libgcc.a)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-pie -s")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/c_interface.map")
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)

# Nothing of this machine is found but programs.
set(CMAKE_FIND_ROOT_PATH ${ordo_zig_root}/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ordo_zig_root}/root)
set(ordo_zig_usr ${ordo_zig_root}/root/usr)
set(ENV{PKG_CONFIG_LIBDIR} ${ordo_zig_usr}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${ordo_zig_usr}/share/pkgconfig)

# The build runs its programs to make the manual pages.
if(NOT ORDO_ZIG_TARGET STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  find_program(ORDO_QEMU NAMES qemu-${ORDO_ZIG_TARGET} qemu-${ORDO_ZIG_TARGET}-static)
  if(ORDO_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${ORDO_QEMU} -L ${ordo_zig_root}/system)
  endif()
endif()
