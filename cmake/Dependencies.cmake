# Every library Softscope is built on. The reasons stand in docs/dependencies.md.
find_package(Threads REQUIRED)
# Of builds without LibTorch, tensors are those of core/hosttensor.
set(SOFTSCOPE_TORCH_NEEDS "")
if(SOFTSCOPE_CHECKPOINTS)
  include(TorchDependencies)
else()
  include(HostTensors)
endif()
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Spectra 1.0 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

if(SOFTSCOPE_IMAGE)
  # No highgui: Debian's is built on Qt 5.
  find_package(OpenCV 4 REQUIRED COMPONENTS core imgproc imgcodecs)
  find_package(TIFF 4.5 REQUIRED)
  find_package(ZLIB REQUIRED)
endif()

if(SOFTSCOPE_GUI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg PrintSupport Test)
  find_package(QCustomPlotQt6 REQUIRED)
  # Sweeps, which are figures in motion.
  pkg_check_modules(WEBPMUX REQUIRED IMPORTED_TARGET libwebpmux libwebp)
  pkg_check_modules(CGIF REQUIRED IMPORTED_TARGET cgif)
  pkg_check_modules(IMAGEQUANT REQUIRED IMPORTED_TARGET imagequant)
endif()
