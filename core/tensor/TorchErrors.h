#pragma once

#include <c10/util/Exception.h>

#include <string>

namespace softscope {

/// Rethrows an error of LibTorch as one of Softscope's own, without a backtrace and with `context`
/// in front: GpuMemoryError or MemoryError if it is about memory, ComputeError for a fault of a
/// device or within a library, otherwise InspectionError. Where memory lacks, the message asks for
/// a smaller `smaller`.
[[noreturn]] void throwReadable(const std::string& context, const c10::Error& error,
                                const std::string& smaller);

/// Runs `work`, and passes errors of LibTorch to throwReadable().
template <typename Work>
auto withReadableErrors(const std::string& context, Work work,
                        const std::string& smaller = "input size") {
  try {
    return work();
  } catch (const c10::Error& error) {
    throwReadable(context, error, smaller);
  }
}

}  // namespace softscope
