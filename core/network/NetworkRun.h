#pragma once

#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <vector>

namespace softscope {

class Recorder;

/// Returns the logits of one forward pass on the device the model was opened on; empty for a
/// backbone without a head. `recorder` may be null. Throws InspectionError if the architecture
/// cannot take that size or memory is insufficient, and anything that the recorder throws.
std::vector<float> runNetwork(const Model& model, const InputTensor& input, Recorder* recorder);

/// Returns the logits of a forward pass with only some of the picture's tokens, as
/// TokenSubsetNetwork defines it. Also throws InspectionError if the network needs all of them.
std::vector<float> runNetworkOnTokens(const Model& model, const InputTensor& input,
                                      const std::vector<int>& kept);

}  // namespace softscope
