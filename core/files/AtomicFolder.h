#pragma once

#include <functional>
#include <string>

namespace softscope {

/// Fills a folder with all of its files or with none: `write` creates them in a temporary folder. A
/// new folder takes the name `path` at the end; if the folder already exists, the files are moved
/// into it, with `last` after all others. Throws FileError, also if another process has put a file
/// called `last` there meanwhile.
void writeFolderAtomically(const std::string& path, const std::string& last,
                           const std::function<void(const std::string& temporaryFolder)>& write);

}  // namespace softscope
