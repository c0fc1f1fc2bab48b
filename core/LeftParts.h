#pragma once

#include <string>

namespace softscope {

/// Removes from a folder what PartFile made there in programs that were killed: of this user's, of
/// a process that is gone, and locked by nobody. Looks once into each folder.
void removeLeftParts(const std::string& folder);

}  // namespace softscope
