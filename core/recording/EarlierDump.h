#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace softscope {

/// Returns the arrays that an earlier dump left in `folder` and that the new one, whose files are
/// in the folder `written`, does not replace: they would be read as the new one's. `suffixes` are
/// those of all arrays that a layer may have, such as the empty one and `.q_l1`. Throws FileError
/// if one of the arrays is an input.
std::vector<std::filesystem::path> leftOfEarlierDump(const std::string& folder,
                                                     const std::filesystem::path& written,
                                                     const std::vector<std::string>& suffixes,
                                                     const std::vector<std::string>& inputs);

/// Throws FileError if a file cannot be removed. Files that are gone already are none of these.
void removeFiles(const std::vector<std::filesystem::path>& files);

/// Throws FileError if moving the files of `written` into the folder would replace an input.
void keepInputs(const std::string& folder, const std::string& written,
                const std::vector<std::string>& inputs);

}  // namespace softscope
