#pragma once

#include "core/analysis/bottleneck/LayerNorms.h"
#include "core/image/Picture.h"
#include "core/inspect/InspectionOptions.h"

#include <functional>
#include <memory>

namespace softscope {

/// Returns a function that runs `model` on `picture` again; `sameInput` returns the input that the
/// model last ran on, for runs at its own size.
NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture,
                           std::function<InputTensor()> sameInput);

}  // namespace softscope
