#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// Returns a message about a network whose tensor names Softscope knows but which it does not
/// compute: `Swin Transformer, which Softscope does not open yet; record ...`. Empty if the names
/// belong to none of these. Used if no family computes all of a file.
std::string otherNetworkText(const StateDict& state);

/// Returns advice for a network with attention that Softscope does not compute.
std::string recordingAdvice();

}  // namespace softscope
