# What every target of Softscope is compiled with: C++20, warnings as errors, ccache where it is installed.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# LibTorch brings OpenCV's window toolkit and with it Qt 5 into the process. Were inline functions of Qt 6 that an
# unoptimised program holds visible to it, it would call them and crash before main().
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers need ccache to look past their time stamps.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

# core and models stand in programs and in a library (app/engine), and share one precompiled header, which must be
# compiled as what takes it is.
add_compile_options(-fPIC)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Nobody puts another function in the place of one of ours, so calls need no detour that would allow it.
  add_compile_options(-fno-semantic-interposition)
endif()

if(SOFTSCOPE_ASSERTIONS)
  foreach(flags CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_FLAGS_RELWITHDEBINFO)
    string(REPLACE "-DNDEBUG" "" ${flags} "${${flags}}")
  endforeach()
endif()

if(SOFTSCOPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(SOFTSCOPE_SANITIZE STREQUAL "thread")
  # GCC warns that the thread sanitizer does not follow fences; those are inside libstdc++ and Eigen.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  add_link_options(-fsanitize=thread)
elseif(SOFTSCOPE_SANITIZE)
  message(FATAL_ERROR "SOFTSCOPE_SANITIZE is \"${SOFTSCOPE_SANITIZE}\"; it can be address or thread")
endif()

if(SOFTSCOPE_FUZZ)
  # Without checks of what LibTorch's headers do with its own types.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr,function
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # For the whole folder, so that it precedes every header that a target has included first.
  add_compile_definitions(_GLIBCXX20_CONSTEXPR=)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/ClangContainers.h>")
endif()

add_library(softscope_options INTERFACE)
target_compile_options(softscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${SOFTSCOPE_STRICT}>:-Werror>
  # Designated initialisers leave members out on purpose.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlaps and overflows inside std::string's operator+ that are not there (PR 105651, PR 105329).
  target_compile_options(softscope_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(CMAKE_UNITY_BUILD)
  # Files of one batch see each other's names; whether a file shadows its own is for the presets without batches.
  target_compile_options(softscope_options INTERFACE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What GCC 12 believes to be uninitialised inside Eigen depends on which files share a batch; the presets without
    # batches look at that, too.
    target_compile_options(softscope_options INTERFACE -Wno-maybe-uninitialized)
    # A batch needs about a gigabyte; looking for what can be freed before that takes a tenth of the time.
    target_compile_options(softscope_options INTERFACE "SHELL:--param ggc-min-heapsize=1048576")
  endif()
endif()
# Rows are looked up on the window's thread and a few beside it, where another pool of threads would only get in the way.
target_compile_definitions(softscope_options INTERFACE EIGEN_DONT_PARALLELIZE)
target_include_directories(softscope_options INTERFACE "${PROJECT_SOURCE_DIR}")

# For code that calls, wires and reads, but has no loops of its own over pixels, tokens or channels: it is compiled in
# two thirds of the time, and answers as quickly.
add_library(softscope_little_optimised INTERFACE)
target_compile_options(softscope_little_optimised INTERFACE $<$<CONFIG:Release>:-O1>)

# softscope_put_mocs_into_batch(TARGET): where files are compiled in batches, so is what Qt's moc writes, which CMake
# would compile alone, reading all of Qt's headers once more.
function(softscope_put_mocs_into_batch target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(mocs "${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp")
  set_source_files_properties("${mocs}" PROPERTIES HEADER_FILE_ONLY ON)
  set(batched "${CMAKE_CURRENT_BINARY_DIR}/${target}_mocs.cpp")
  file(CONFIGURE OUTPUT "${batched}" CONTENT "#include \"${mocs}\"\n")
  set_source_files_properties("${batched}" PROPERTIES SKIP_AUTOGEN ON)
  target_sources(${target} PRIVATE "${batched}")
endfunction()
