#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Returns true if two paths lead to the same file or folder, also through links. For files that do
/// not exist yet, returns whether they would.
bool isSameFile(const std::string& a, const std::string& b);

/// Throws FileError if writing to `output` would destroy one of `inputs`: if both are the same
/// file, or if `output` is a folder that is itself an input.
void refuseToOverwrite(const std::string& output, const std::vector<std::string>& inputs);

/// Throws FileError if one of `outputs` would destroy an input, or if two outputs are the same
/// file. Checking before a command begins costs nothing.
void checkOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace softscope
