#include "app/figures/CheckpointSteps.h"

#include "core/files/CheckpointSeries.h"
#include "core/query/ModelNames.h"

namespace softscope {

namespace {

std::vector<std::string> pathsOfSteps(const std::vector<std::string>& checkpoints) {
  std::vector<std::string> steps;
  for (const std::string& path : checkpoints) {
    const std::vector<CheckpointSeries> found = findSeries(path);
    if (found.empty()) steps.push_back(path);
    for (const CheckpointSeries& series : found) {
      for (const CheckpointSeries::Step& step : series.steps) steps.push_back(step.path);
    }
  }
  return steps;
}

}  // namespace

CheckpointSteps stepsOf(const std::vector<std::string>& checkpoints) {
  CheckpointSteps steps;
  steps.paths = pathsOfSteps(checkpoints);
  std::vector<NamedFile> files;
  for (const std::string& path : steps.paths) files.push_back({path, {}});
  steps.names = stepNames(files);
  return steps;
}

}  // namespace softscope
