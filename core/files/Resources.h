#pragma once

#include <string>

namespace softscope {

/// Returns the path of a file in `resources/`: below $SOFTSCOPE_RESOURCES if that is set, beside an
/// installed executable (../share/softscope), or in the source tree it was built from. Throws a
/// FileError that says where it looked.
std::string resourcePath(const std::string& name);

}  // namespace softscope
