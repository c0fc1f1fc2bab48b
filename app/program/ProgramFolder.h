#pragma once

#include <string>

namespace softscope {

/// The folder of the running program's file, where its other parts lie, too.
std::string programFolder();

}  // namespace softscope
