#pragma once

#include "core/Progress.h"
#include "core/attention/GradientProductMap.h"
#include "core/inspect/Inspection.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <functional>
#include <memory>
#include <optional>

namespace softscope {

/// Optional parts of an inspection.
struct InspectionOptions {
  /// Also computes bottlenecks in float64, beside those in the network's own float32. Costs about
  /// as much as computing the landmarks again, and the memory of an outer factor in float64.
  bool precise = false;
  /// Also multiplies each layer's attention with the gradient of this logit, in a second forward
  /// pass and a backward one. Where a layer or the model has no such gradient, its
  /// `gradientObstacle` says why; there is no error.
  std::optional<LogitRequest> logit = {};
};

/// A function that runs a model on an input and records its attention, such as inspect().
using ModelInspector = std::function<std::shared_ptr<const Inspection>(
    const Model&, const InputTensor&, const Progress&, const InspectionOptions&)>;

}  // namespace softscope
