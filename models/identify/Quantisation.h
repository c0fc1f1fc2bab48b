#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>
#include <vector>

namespace softscope {

/// Explains that weights are quantised, which Softscope does not undo, or are whole numbers, or
/// that the network rounds what it computes to train for a quantisation, and names the tensor that
/// tells. Empty if every weight is in floating point and computes as it is. `method` is what
/// config.json calls the quantisation; it may be empty.
std::string quantisedText(const StateDict& state, const std::string& method);

/// Returns the names of what observers note of a network that is prepared for quantisation and
/// still computes as it did; empty if it rounds what it computes.
std::vector<std::string> observersIn(const StateDict& state);

}  // namespace softscope
