#pragma once

#include <string>

namespace softscope {

/// The path of a file in `resources/`: below $SOFTSCOPE_RESOURCES if that is set, beside an
/// installed executable (../share/softscope), or in the source tree it was built from. Throws
/// FileError saying where it was looked for.
std::string resourcePath(const std::string& name);

}  // namespace softscope
