#pragma once

#include <string>

namespace softscope {

/// Returns what checkpoints need and builds without LibTorch lack, and how to get it.
std::string lackOfLibTorch();

}  // namespace softscope
