#pragma once

#include "core/engine/Engine.h"
#include "core/inspect/Inspection.h"
#include "tests/core/SyntheticAttention.h"

#include <memory>
#include <string>

namespace softscope::test {

/// Returns a model of three layers: `block1.0.attn` (2 heads, 8 x 8, with a convolution of V beside
/// its attention), `block2.0.attn` (3 heads, 4 x 4), `blocks.2.attn` (2 heads, 4 x 4 and a class
/// token). Its input is 64 x 64, the whole picture.
std::shared_ptr<const Model> syntheticModel(const ModelRequest& request);

/// Returns the model's inspection, which is the same for every picture.
std::shared_ptr<const Inspection> syntheticInspection();

/// Return syntheticModel() and syntheticInspection(); they have the signatures of an engine's
/// members.
std::shared_ptr<const Model> openSynthetic(const ModelRequest& request, const Progress& progress);
std::shared_ptr<const Inspection> inspectSynthetic(const Model& model, const InputTensor& input,
                                                   const Progress& progress,
                                                   const InspectionOptions& options);

/// Returns an engine of the synthetic model; other members than these two are empty.
Engine syntheticEngine(decltype(Engine::openModel) open = openSynthetic,
                       ModelInspector inspect = inspectSynthetic);

/// Writes a picture file of width x height in a temporary folder of this process. Returns its path.
std::string writeTestPicture(int width, int height, const std::string& name = "picture.png");

}  // namespace softscope::test
