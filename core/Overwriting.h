#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Whether two paths lead to the same file or folder, through links, too; of files that are not
/// there, whether they would.
bool isSameFile(const std::string& a, const std::string& b);

/// Throws FileError where writing to `output` would destroy one of `inputs`: where it leads to the
/// same file, or is a folder that is one of them.
void refuseToOverwrite(const std::string& output, const std::vector<std::string>& inputs);

/// Throws FileError where one of `outputs` would destroy an input, or two of them are the same
/// file. Said before a command begins, it costs nothing.
void checkOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace softscope
