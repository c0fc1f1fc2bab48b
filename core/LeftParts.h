#pragma once

#include <string>

namespace softscope {

/// Removes from a folder the files and folders that PartFile left there in programs that were
/// killed: those that belong to this user, whose process is gone, and that nobody has locked. Looks
/// into each folder only once.
void removeLeftParts(const std::string& folder);

}  // namespace softscope
