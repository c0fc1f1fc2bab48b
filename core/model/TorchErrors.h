#pragma once

#include "core/Error.h"

#include <c10/util/Exception.h>

#include <string>

namespace softscope {

/// Runs `work`; what LibTorch throws becomes an InspectionError without a backtrace, `context`
/// first, and a MemoryError where it is about memory.
template <typename Work>
auto withReadableErrors(const std::string& context, Work work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    if (message.find("memory") != std::string::npos) {
      throw MemoryError(context + ": not enough memory; choose a smaller input size");
    }
    throw InspectionError(context + ": " + message);
  }
}

}  // namespace softscope
