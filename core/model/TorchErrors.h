#pragma once

#include <c10/util/Exception.h>

#include <string>

namespace softscope {

/// Throws what LibTorch threw as one of our own, without a backtrace and with `context` first: a
/// GpuMemoryError or MemoryError where it is about memory, else an InspectionError.
[[noreturn]] void throwReadable(const std::string& context, const c10::Error& error);

/// Runs `work`; what LibTorch throws is thrown by throwReadable().
template <typename Work>
auto withReadableErrors(const std::string& context, Work work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throwReadable(context, error);
  }
}

}  // namespace softscope
