#pragma once

#include <string>
#include <vector>

namespace softscope {

struct ModelArguments;
struct PictureList;

/// Returns all files that a command reads for `models` and for `others` (pictures, surveys, lists),
/// including files that belong to them: shards, descriptions, a survey's journal. checkOutputs()
/// compares a command's outputs with them.
std::vector<std::string> filesRead(const std::vector<std::string>& models,
                                   const std::vector<std::string>& others);

/// Returns filesRead() of the checkpoints of `models`, with the files that name their classes.
std::vector<std::string> filesReadFor(const ModelArguments& models,
                                      const std::vector<std::string>& others);

/// Returns the pictures of a list, such as those of a folder.
std::vector<std::string> filesRead(const PictureList& pictures);

/// Throws FileError if `folder`, which a command fills, contains one of `inputs`.
void keepOutOf(const std::string& folder, const std::vector<std::string>& inputs);

}  // namespace softscope
