#include "app/figures/CheckpointSteps.h"

#include "core/files/CheckpointSeries.h"

#include <algorithm>
#include <filesystem>

namespace softscope {

namespace {

namespace fs = std::filesystem;

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

std::vector<std::string> namesOfSteps(const std::vector<std::string>& steps) {
  const auto folderOf = [](const fs::path& step) { return step.parent_path(); };
  const bool inOneFolder = std::ranges::all_of(
      steps, [&](const fs::path& step) { return folderOf(step) == folderOf(steps.front()); });
  std::vector<std::string> names;
  for (const fs::path step : steps) {
    const std::string name = step.stem().string();
    names.push_back(inOneFolder ? name : folderOf(step).filename().string() + " " + name);
  }
  return names;
}

}  // namespace

CheckpointSteps stepsOf(const std::vector<std::string>& checkpoints) {
  CheckpointSteps steps;
  steps.paths = pathsOfSteps(checkpoints);
  steps.names = namesOfSteps(steps.paths);
  return steps;
}

}  // namespace softscope
