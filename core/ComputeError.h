#pragma once

#include "core/Error.h"

namespace softscope {

/// A fault of a compute device or of a library, which says nothing about the input: the same work
/// may succeed once the program or the device has been started again. It is no InspectionError, so
/// that nothing takes it for an answer.
class ComputeError : public Error {
 public:
  using Error::Error;
};

}  // namespace softscope
