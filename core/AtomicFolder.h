#pragma once

#include <functional>
#include <string>

namespace softscope {

/// Fills a folder with files, all of them or none: `write` makes them in a temporary folder. One
/// that is new then takes the name `path`; into a folder that is there already the files are moved,
/// `last` after all others. Throws FileError.
void writeFolderAtomically(const std::string& path, const std::string& last,
                           const std::function<void(const std::string& temporaryFolder)>& write);

}  // namespace softscope
