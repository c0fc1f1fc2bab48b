#pragma once

#include <string>
#include <vector>

namespace softscope {

/// All files that a command reads of `models` and of `others` (pictures, surveys, lists), with
/// those that belong to them: shards, descriptions, a survey's journal. For checkOutputs().
std::vector<std::string> filesRead(const std::vector<std::string>& models,
                                   const std::vector<std::string>& others);

}  // namespace softscope
