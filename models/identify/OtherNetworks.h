#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// What is said of a network that Softscope knows by the names of its tensors and does not compute:
/// `Swin Transformer, which Softscope does not open yet; record ...`. Empty where the names are of
/// none of those. They are looked at where no family computes all of a file.
std::string otherNetworkText(const StateDict& state);

/// What to do about a network with attention that Softscope does not compute.
std::string recordingAdvice();

}  // namespace softscope
