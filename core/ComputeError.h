#pragma once

#include "core/Error.h"

namespace softscope {

/// A fault of a compute device or of a library, which says nothing about the input: the same work
/// may succeed once the program or the device has been started again.
class ComputeError : public InspectionError {
 public:
  using InspectionError::InspectionError;
};

}  // namespace softscope
