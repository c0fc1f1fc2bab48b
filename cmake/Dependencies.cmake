# Every library Softscope is built on. The reasons stand in README.md.
find_package(Threads REQUIRED)
find_package(Torch REQUIRED)
find_package(OpenMP REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Spectra 1.0 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

# Two oneDNN in one process call each other's functions, so it must be the one that LibTorch is linked to: for Debian's
# LibTorch the one in its own folder. Others' have theirs inside. (Debian's CMake files for it ask for OpenCL.)
find_library(ONEDNN_LIBRARY dnnl)
find_path(ONEDNN_INCLUDE_DIR dnnl.hpp)
mark_as_advanced(ONEDNN_LIBRARY ONEDNN_INCLUDE_DIR)
set(SOFTSCOPE_ONEDNN OFF)
if(ONEDNN_LIBRARY AND ONEDNN_INCLUDE_DIR)
  get_filename_component(onednn_folder "${ONEDNN_LIBRARY}" DIRECTORY)
  get_filename_component(torch_folder "${TORCH_LIBRARY}" DIRECTORY)
  if(onednn_folder STREQUAL torch_folder)
    set(SOFTSCOPE_ONEDNN ON)
  endif()
endif()
message(STATUS "Products by oneDNN: ${SOFTSCOPE_ONEDNN}")

if(SOFTSCOPE_IMAGE)
  # No highgui: Debian's is built on Qt 5.
  find_package(OpenCV 4 REQUIRED COMPONENTS core imgproc imgcodecs)
  find_package(ZLIB REQUIRED)
endif()

if(SOFTSCOPE_GUI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg PrintSupport Test)
  find_package(QCustomPlotQt6 REQUIRED)
endif()

# LibTorch's headers are not clean under our warnings, so they count as system headers.
add_library(softscope_torch INTERFACE)
# at::parallel_for is a plain loop in files that are compiled without OpenMP.
target_link_libraries(softscope_torch INTERFACE torch OpenMP::OpenMP_CXX)
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(softscope_torch INTERFACE ${torch_flags})
target_include_directories(softscope_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
