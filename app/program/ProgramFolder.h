#pragma once

#include <string>

namespace softscope {

/// Returns the folder of the running program's file, which also holds its other parts.
std::string programFolder();

}  // namespace softscope
