#include "core/tensor/TorchErrors.h"

#include "core/Error.h"

#include <algorithm>
#include <initializer_list>

namespace softscope {
namespace {

bool containsAny(const std::string& text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return text.find(part) != std::string::npos; });
}

/// Returns true if the error is about GPU memory. The allocator throws a type of its own; CUDA and
/// its libraries, which allocate memory on their own, are recognised by their messages.
bool isOfGpuMemory(const c10::Error& error, const std::string& message) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         containsAny(message, {"CUDA out of memory", "CUDA error: out of memory",
                               "CUBLAS_STATUS_ALLOC_FAILED", "CUSOLVER_STATUS_ALLOC_FAILED",
                               "CUDNN_STATUS_ALLOC_FAILED"});
}

/// Returns true if the error is no answer to the input, such as one about shapes: LibTorch's own
/// checks of itself, and CUDA and its libraries, whose messages begin with their names.
bool isFault(const std::string& message) {
  // Errors about sizes are answers to the input, even if CUDA or its libraries give them.
  if (containsAny(message, {"_STATUS_NOT_SUPPORTED", "_STATUS_INVALID_VALUE", "_STATUS_BAD_PARAM",
                            "invalid configuration argument", "invalid argument"})) {
    return false;
  }
  return containsAny(message, {"INTERNAL ASSERT FAILED", "CUDA error", "CUDA driver error",
                               "cuDNN error", "CUDNN_STATUS_", "CUBLAS_STATUS_", "CUSOLVER_STATUS_",
                               "NVRTC", "cusolver error", "NCCL error"});
}

}  // namespace

void throwReadable(const std::string& context, const c10::Error& error,
                   const std::string& smaller) {
  const std::string message = error.what_without_backtrace();
  if (isOfGpuMemory(error, message)) {
    throw GpuMemoryError(context +
                         ": the GPU has not enough free memory; run it on the CPU, or choose a "
                         "smaller " +
                         smaller);
  }
  if (containsAny(message, {"out of memory", "allocate memory", "not enough memory"})) {
    throw MemoryError(context + ": not enough memory; choose a smaller " + smaller);
  }
  if (isFault(message)) throw ComputeError(context + ": " + message);
  throw InspectionError(context + ": " + message);
}

}  // namespace softscope
