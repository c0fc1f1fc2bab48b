#pragma once

#include "core/analysis/ModelFunctions.h"
#include "core/analysis/bottleneck/LayerNorms.h"
#include "core/image/Picture.h"

#include <memory>

namespace softscope {

/// What runs `model` on `picture` again.
NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture);

}  // namespace softscope
