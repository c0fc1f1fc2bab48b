#pragma once

#include <string>

namespace softscope {

class Workspace;

/// Throws FileError if writing to `path` would destroy a file that is open in the window: a
/// picture, one that is kept beside it, a model, a survey, or vectors that tokens are compared
/// with.
void refuseOpenFile(const Workspace& workspace, const std::string& path);

}  // namespace softscope
