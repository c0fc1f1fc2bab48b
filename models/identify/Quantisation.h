#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// Explains that weights are quantised, which Softscope does not undo, and names the tensor that
/// tells: whole numbers in a matrix, or scales that belong to one. Empty if every weight is in
/// floating point. `method` is what config.json calls the quantisation; it may be empty.
std::string quantisedText(const StateDict& state, const std::string& method);

}  // namespace softscope
