#include "app/arguments/SurveyedModels.h"

#include "app/arguments/DataSetArguments.h"
#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "core/Error.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/query/ModelNames.h"
#include "core/text/Names.h"
#include "core/train/Evaluation.h"
#include "models/OpenModel.h"

#include <algorithm>
#include <filesystem>
#include <thread>

namespace softscope {

namespace {

std::vector<int> positionsOf(const ModelSummary& summary, const std::vector<std::string>& layers) {
  std::vector<int> positions;
  for (std::size_t i = 0; i < summary.layers.size(); ++i) {
    const bool meant = std::ranges::any_of(layers, [&](const std::string& text) {
      return selectsLayer(text, summary.layers[i].name);
    });
    if (meant) positions.push_back(static_cast<int>(i));
  }
  return positions;
}

/// Returns which logit belongs to each class of the pictures; nothing, with a note that says why,
/// if they do not match.
std::vector<int> knownClasses(const PictureList& pictures, const ModelSummary& summary,
                              ProgressLine& line) {
  if (pictures.classes.empty() || summary.classes == 0) return {};
  try {
    std::vector<int> logits =
        matchClasses(pictures.folder, pictures.classes, summary.classNames, summary.classes);
    noteOrder(pictures.classes, summary, line);
    return logits;
  } catch (const DataSetError&) {
    line.note("the folders are no classes of " + summary.path +
              ", so that nothing is known to be correct");
    return {};
  }
}

}  // namespace

std::vector<std::string> surveyedNames(const ModelArguments& arguments) {
  std::vector<NamedFile> files;
  for (std::size_t i = 0; i < arguments.checkpoints.size(); ++i) {
    const std::filesystem::path path =
        std::filesystem::path(arguments.checkpoints[i]).lexically_normal();
    const std::filesystem::path file = path.has_filename() ? path : path.parent_path();
    files.push_back({file.string(), arguments.givenName(i)});
  }
  return uniqueNames(stepNames(files));
}

std::vector<SurveyedModel> openSurveyedModels(const ModelArguments& arguments,
                                              const std::vector<std::string>& layers,
                                              const TransformChoice& transform,
                                              const std::string& size, const PictureList& pictures,
                                              ProgressLine& line, const Progress& progress) {
  const std::vector<std::string> names = surveyedNames(arguments);
  std::vector<SurveyedModel> models;
  for (std::size_t i = 0; i < names.size(); ++i) {
    SurveyedModel opened{.name = names[i], .request = arguments.request(i, size)};
    opened.model = openModel(opened.request, progress);
    const ModelSummary& summary = opened.model->summary();
    const std::string obstacle = summary.obstacleTo("attention on other pictures");
    if (!obstacle.empty()) throw InspectionError(obstacle);
    line.clear();
    noteGuesses(summary);
    if (opened.request.size) opened.request = withTakenStride(opened.request, summary);
    checkLayers(summary, layers);
    opened.layers = positionsOf(summary, layers);
    opened.transform = transform(*opened.model);
    opened.logitOfClass = knownClasses(pictures, summary, line);
    models.push_back(std::move(opened));
  }
  return models;
}

int workersFor(int threads) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace softscope
