#pragma once

#include <string>
#include <vector>

namespace softscope {

/// A model's file and the name that the user gave it.
struct NamedFile {
  std::string path;
  /// The name that the user gave; if empty, the model is named after its file.
  std::string name;
};

/// Returns the names of several models shown together, in their order: the user's name, or the
/// file's name without its extension. If files of several folders share a name, the folder precedes
/// it (`run2/checkpoint`). If a file occurs twice, so does its name.
std::vector<std::string> modelNames(const std::vector<NamedFile>& files);

/// Returns modelNames() of checkpoints of trainings, where those whose files' names differ in
/// numbers alone (`epoch_5`, `epoch_10`) are all named after their folders as well if they lie in
/// several, so that each training has a name of its own.
std::vector<std::string> stepNames(const std::vector<NamedFile>& files);

}  // namespace softscope
