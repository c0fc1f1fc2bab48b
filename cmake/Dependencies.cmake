# Every library Softscope is built on. The reasons stand in README.md.
find_package(Threads REQUIRED)
find_package(Torch REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Spectra 1.0 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

if(SOFTSCOPE_IMAGE)
  # No highgui: Debian's is built on Qt 5.
  find_package(OpenCV 4 REQUIRED COMPONENTS core imgproc imgcodecs)
endif()

if(SOFTSCOPE_GUI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg PrintSupport Test)
  find_package(QCustomPlotQt6 REQUIRED)
endif()

# LibTorch's headers are not clean under our warnings, so they count as system headers.
add_library(softscope_torch INTERFACE)
target_link_libraries(softscope_torch INTERFACE torch)
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(softscope_torch INTERFACE ${torch_flags})
target_include_directories(softscope_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
