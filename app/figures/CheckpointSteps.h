#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

struct ModelArguments;

/// The checkpoints of a training, or of several, each with a name that tells it from the others.
struct CheckpointSteps {
  std::vector<std::string> paths;
  std::vector<std::string> names;
  /// The index of the `-m` that each comes from.
  std::vector<std::size_t> models;
};

/// Returns the checkpoints, with the steps of each folder in its place, named as stepNames() does;
/// a checkpoint's `--name` is its own. Throws UsageError for a name of a folder of several.
CheckpointSteps stepsOf(const ModelArguments& models);

/// Returns the indices of the models that are no step of a training, by their names: a curve over
/// steps has no point for them.
std::vector<std::size_t> modelsBesideSteps(const std::vector<std::string>& names);

/// Notes that the model, by its name or path, is left out of a figure of steps, and why.
void noteBesideSteps(const std::string& model);

}  // namespace softscope
