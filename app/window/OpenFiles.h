#pragma once

#include <string>

namespace softscope {

class Workspace;

/// Throws FileError if writing to `path` would destroy a picture, a model or a survey that is open
/// in the window.
void refuseOpenFile(const Workspace& workspace, const std::string& path);

}  // namespace softscope
