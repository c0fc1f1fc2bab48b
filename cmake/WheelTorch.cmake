# Another LibTorch than Debian's, in SOFTSCOPE_TORCH: the folder torch/ of an installed PyTorch 2.x, or an unpacked
# LibTorch, with CUDA or without. Its own CMake files ask for CUDA's compiler, which nothing here needs.
# What is found is not kept from one configuration to the next, which may name another folder.
find_path(TORCH_INCLUDE ATen/ATen.h PATHS "${SOFTSCOPE_TORCH}/include" NO_DEFAULT_PATH NO_CACHE)
find_library(TORCH_LIBRARY torch PATHS "${SOFTSCOPE_TORCH}/lib" NO_DEFAULT_PATH NO_CACHE)
if(NOT TORCH_INCLUDE OR NOT TORCH_LIBRARY)
  message(FATAL_ERROR "SOFTSCOPE_TORCH=${SOFTSCOPE_TORCH} is no LibTorch: give the folder that has include/ATen/ATen.h "
    "and lib/libtorch.so, such as site-packages/torch of an installed PyTorch.")
endif()
set(TORCH_INCLUDE_DIRS "${TORCH_INCLUDE}" "${TORCH_INCLUDE}/torch/csrc/api/include")
set(TORCH_CXX_FLAGS "")

# What is installed finds this LibTorch where the build did; the system does not know it.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

add_library(torch INTERFACE)
# Devices register themselves when their library is loaded, and nothing else names it. The C++ library comes before a
# wheel's libtorch.so, which exports parts of another release's std::filesystem: programs that found them there crash.
target_link_options(torch INTERFACE -Wl,--no-as-needed -lstdc++)
foreach(part torch torch_cpu c10 torch_cuda c10_cuda)
  find_library(TORCH_${part} ${part} PATHS "${SOFTSCOPE_TORCH}/lib" NO_DEFAULT_PATH NO_CACHE)
  if(TORCH_${part})
    target_link_libraries(torch INTERFACE "${TORCH_${part}}")
  endif()
endforeach()
# What CUDA's parts of a wheel need lies in packages beside it, where they find it themselves when they are loaded.
file(GLOB cuda_folders "${SOFTSCOPE_TORCH}/../nvidia/*/lib" "${SOFTSCOPE_TORCH}/../nvidia/lib")
foreach(folder ${cuda_folders})
  target_link_options(torch INTERFACE "-Wl,-rpath-link,${folder}")
endforeach()
