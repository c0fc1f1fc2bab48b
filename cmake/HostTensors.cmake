# Tensors without LibTorch, which recordings need: LibTorch's headers that sources include, made of core/hosttensor.
foreach(header torch/types.h torch/cuda.h c10/core/InferenceMode.h c10/core/ScalarType.h c10/util/Exception.h)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/hosttensor/${header}"
    CONTENT "#pragma once\n#include \"core/hosttensor/Tensor.h\"\n")
endforeach()
add_library(softscope_torch INTERFACE)
target_include_directories(softscope_torch INTERFACE "${PROJECT_BINARY_DIR}/hosttensor" "${PROJECT_SOURCE_DIR}")
