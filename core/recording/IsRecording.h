#pragma once

#include <string>

namespace softscope {

/// Whether a path is a recording by its content: a .npz, a .safetensors with names such as
/// `LAYER/attn`, or a folder that `softscope dump` wrote. What cannot be read is none.
bool isRecording(const std::string& path);

}  // namespace softscope
