#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// The names to look for: all, or only those that nobody gives to a network of their own.
enum class NamesOfOthers { All, Unmistakable };

/// Returns a message about a network whose tensor names Softscope knows but which it does not
/// compute: `Swin Transformer, which Softscope does not open yet; record ...`. Empty if the names
/// belong to none of these. Used if no family computes all of a file.
std::string otherNetworkText(const StateDict& state, NamesOfOthers names = NamesOfOthers::All);

/// Returns a message like otherNetworkText() for Hugging Face's `model_type`, if networks of this
/// type have the names of those that Softscope opens, or no names of their own. Empty for any other
/// type.
std::string otherModelText(const std::string& modelType);

/// Returns advice for a network with attention that Softscope does not compute.
std::string recordingAdvice();

}  // namespace softscope
