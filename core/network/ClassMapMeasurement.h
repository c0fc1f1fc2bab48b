#pragma once

#include "core/Progress.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

namespace softscope {

/// Returns the maps of one class, from one forward pass and a backward pass for each kind of
/// gradient; integrated gradients take one of each for every point. Methods that the network has no
/// map for say why in `obstacle`. Throws InspectionError for a network without classes or without
/// that class, for a network whose weights are not here, and if the architecture cannot take an
/// input of that size; may throw Cancelled.
ClassMaps measureClassMaps(const Model& model, const InputTensor& input,
                           const ClassMapRequest& request, const Progress& progress = {});

}  // namespace softscope
