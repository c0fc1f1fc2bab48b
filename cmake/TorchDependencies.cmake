# LibTorch, what it needs beside itself, and how sources are compiled against it.
set(SOFTSCOPE_TORCH "" CACHE PATH "Folder of another LibTorch than Debian's: of PyTorch 2.x, with include/ and lib/")
if(SOFTSCOPE_TORCH)
  include(WheelTorch)
else()
  find_package(Torch REQUIRED)
endif()
find_package(OpenMP REQUIRED)

# Two oneDNN in one process call each other's functions, so it must be the one that LibTorch is linked to: for Debian's
# LibTorch the one in its own folder. Others' have theirs inside. (Debian's CMake files for it ask for OpenCL.)
find_library(ONEDNN_LIBRARY dnnl)
find_path(ONEDNN_INCLUDE_DIR dnnl.hpp)
mark_as_advanced(ONEDNN_LIBRARY ONEDNN_INCLUDE_DIR)
get_filename_component(torch_folder "${TORCH_LIBRARY}" DIRECTORY)
set(SOFTSCOPE_ONEDNN OFF)
if(ONEDNN_LIBRARY AND ONEDNN_INCLUDE_DIR)
  get_filename_component(onednn_folder "${ONEDNN_LIBRARY}" DIRECTORY)
  if(onednn_folder STREQUAL torch_folder)
    set(SOFTSCOPE_ONEDNN ON)
  endif()
endif()
message(STATUS "Products by oneDNN: ${SOFTSCOPE_ONEDNN}")

# Names of the libraries that Debian's LibTorch is linked to, of which it has some forty. Another one has little more
# than itself.
if(NOT SOFTSCOPE_TORCH)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${torch_folder}/libtorch_cpu.so" OUTPUT_VARIABLE dynamic_section
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "[" " " dynamic_section "${dynamic_section}")  # a bracket would keep a list from being parted
  string(REGEX MATCHALL "library: +[^]]+" SOFTSCOPE_TORCH_NEEDS "${dynamic_section}")
  list(TRANSFORM SOFTSCOPE_TORCH_NEEDS REPLACE "library: +" "")
  list(JOIN SOFTSCOPE_TORCH_NEEDS " " SOFTSCOPE_TORCH_NEEDS)
endif()

# LibTorch's headers are not clean under our warnings, so they count as system headers.
add_library(softscope_torch INTERFACE)
# at::parallel_for is a plain loop in files that are compiled without OpenMP.
target_link_libraries(softscope_torch INTERFACE torch OpenMP::OpenMP_CXX)
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(softscope_torch INTERFACE ${torch_flags})
target_include_directories(softscope_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
