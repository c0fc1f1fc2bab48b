#pragma once

#include <string>
#include <vector>

namespace softscope {

/// A model's file, and what its user calls it.
struct NamedFile {
  std::string path;
  /// Empty: by its file.
  std::string name;
};

/// What models are called beside each other, in their order: as their users say, else the file's
/// name without its ending, after its folder's where files of several folders share one
/// (`run2/checkpoint`). The same file twice has the same name twice.
std::vector<std::string> modelNames(const std::vector<NamedFile>& files);

}  // namespace softscope
