#pragma once

#include "core/analysis/ModelFunctions.h"
#include "core/inspect/Inspection.h"
#include "tests/core/SyntheticAttention.h"

#include <functional>
#include <memory>
#include <string>

namespace softscope::test {

/// A model of three layers: `block1.0.attn` (2 heads, 8 x 8, with a convolution of V beside its
/// attention), `block2.0.attn` (3 heads, 4 x 4),
/// `blocks.2.attn` (2 heads, 4 x 4 and a class token). Its input is 64 x 64, the whole picture.
std::shared_ptr<const Model> syntheticModel(const ModelRequest& request);

/// What it sees, whatever the picture.
std::shared_ptr<const Inspection> syntheticInspection();

/// syntheticModel() and syntheticInspection() as a window is given them.
std::shared_ptr<const Model> openSynthetic(const ModelRequest& request, const Progress& progress);
std::shared_ptr<const Inspection> inspectSynthetic(const Model& model, const InputTensor& input,
                                                   const Progress& progress,
                                                   const InspectionOptions& options);

/// A picture file of width x height in a temporary folder of this process.
std::string writeTestPicture(int width, int height, const std::string& name = "picture.png");

}  // namespace softscope::test
