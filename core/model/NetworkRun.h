#pragma once

#include "core/model/InputTensor.h"
#include "core/model/Model.h"

#include <vector>

namespace softscope {

class Recorder;

/// The logits of one forward pass on the device the model was opened on; empty for a backbone
/// without a head. `recorder` may be null. Throws InspectionError if the architecture cannot take
/// that size or the memory does not suffice, and what the recorder throws.
std::vector<float> runNetwork(const Model& model, const InputTensor& input, Recorder* recorder);

/// The logits of a pass with some of the picture's tokens alone, as TokenSubsetNetwork has it.
/// Throws InspectionError also where the network needs all of them.
std::vector<float> runNetworkOnTokens(const Model& model, const InputTensor& input,
                                      const std::vector<int>& kept);

}  // namespace softscope
