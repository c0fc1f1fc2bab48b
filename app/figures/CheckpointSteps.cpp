#include "app/figures/CheckpointSteps.h"

#include "app/arguments/ModelArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "core/files/CheckpointSeries.h"
#include "core/query/ModelNames.h"
#include "core/text/Names.h"

namespace softscope {

namespace {

/// Enters for each file the index of the model that it comes from.
std::vector<NamedFile> filesOfSteps(const ModelArguments& models,
                                    std::vector<std::size_t>& origins) {
  std::vector<NamedFile> files;
  for (std::size_t i = 0; i < models.checkpoints.size(); ++i) {
    const std::string& path = models.checkpoints[i];
    const std::string name = models.givenName(i);
    const std::vector<CheckpointSeries> found = findSeries(path);
    if (found.empty()) files.push_back({path, name});
    if (!found.empty() && !name.empty()) {
      throw UsageError(
          "--name " + name + " is of one checkpoint, and " + path +
          " has several, which are named after their files; leave it out, or say auto");
    }
    for (const CheckpointSeries& series : found) {
      for (const CheckpointSeries::Step& step : series.steps) files.push_back({step.path, {}});
    }
    origins.resize(files.size(), i);
  }
  return files;
}

}  // namespace

CheckpointSteps stepsOf(const ModelArguments& models) {
  models.modelNames();  // Throws if there are more names than models.
  CheckpointSteps steps;
  const std::vector<NamedFile> files = filesOfSteps(models, steps.models);
  for (const NamedFile& file : files) steps.paths.push_back(file.path);
  steps.names = stepNames(files);
  return steps;
}

std::vector<std::size_t> modelsBesideSteps(const std::vector<std::string>& names) {
  std::vector<std::size_t> beside;
  for (const NumberedNames& group : groupByNumber(names)) {
    if (group.isSeries()) continue;
    for (const NumberedNames::Member& member : group.members) beside.push_back(member.index);
  }
  return beside;
}

void noteBesideSteps(const std::string& model) {
  noteOnResult(model +
               " is left out, as its name does not make it a step of a training: names of steps "
               "differ in a number alone");
}

}  // namespace softscope
