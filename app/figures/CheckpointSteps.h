#pragma once

#include <string>
#include <vector>

namespace softscope {

/// The checkpoints of a training, or of several, each with a name that tells it from the others.
struct CheckpointSteps {
  std::vector<std::string> paths;
  std::vector<std::string> names;
};

/// Returns the checkpoints, with the steps of each folder in its place, named as stepNames() does.
CheckpointSteps stepsOf(const std::vector<std::string>& checkpoints);

}  // namespace softscope
