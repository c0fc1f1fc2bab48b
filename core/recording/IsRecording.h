#pragma once

#include <string>

namespace softscope {

/// Returns true if the content at a path is a recording: a .npz, but for one of weights, a
/// .safetensors with names such as `LAYER/attn`, or a folder that `softscope dump` wrote. False if
/// it cannot be read.
bool isRecording(const std::string& path);

}  // namespace softscope
