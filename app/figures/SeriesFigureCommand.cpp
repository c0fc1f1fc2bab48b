#include "app/arguments/DataSetArguments.h"
#include "app/arguments/Interruption.h"
#include "app/arguments/ProgressLine.h"
#include "app/arguments/SurveyedModels.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/files/CheckpointSeries.h"
#include "core/network/Device.h"
#include "core/survey/SurveyWriter.h"
#include "core/survey/reading/SurveyComparison.h"
#include "core/survey/run/PictureMeasurement.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

namespace fs = std::filesystem;

/// A folder for the survey of a series, removed with its content.
class SurveyFolder {
 public:
  SurveyFolder() {
    std::string pattern = (fs::temp_directory_path() / "softscope-series-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw FileError(pattern, "cannot be made");
    folder_ = pattern;
  }
  ~SurveyFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  SurveyFolder(const SurveyFolder&) = delete;
  SurveyFolder& operator=(const SurveyFolder&) = delete;

  std::string survey() const { return (folder_ / "series.survey").string(); }

 private:
  fs::path folder_;
};

/// Returns the checkpoints, with the steps of each folder in its place.
std::vector<std::string> stepsOf(const std::vector<std::string>& paths) {
  std::vector<std::string> steps;
  for (const std::string& path : paths) {
    const std::vector<CheckpointSeries> found = findSeries(path);
    if (found.empty()) steps.push_back(path);
    for (const CheckpointSeries& series : found) {
      for (const CheckpointSeries::Step& step : series.steps) steps.push_back(step.path);
    }
  }
  return steps;
}

/// Returns the name of a step: its file's, after its folder's if there are several folders.
std::string nameOfStep(const fs::path& path, bool withFolder) {
  const std::string name = path.stem().string();
  return withFolder ? path.parent_path().filename().string() + " " + name : name;
}

bool areInOneFolder(const std::vector<std::string>& paths) {
  return std::ranges::all_of(paths, [&](const fs::path& path) {
    return path.parent_path() == fs::path(paths.front()).parent_path();
  });
}

Measure measureOf(const FigureArguments& arguments) {
  if (arguments.measure.empty()) {
    throw UsageError("figure series needs a measure: give --measure, one of " +
                     listText(allMeasures(), ", ", &Measure::name));
  }
  std::vector<Measure> measures = chosenMeasures({arguments.measure});
  if (measures.size() == 1) return measures.front();
  throw UsageError("figure series shows one measure, and " + arguments.measure + " stands for " +
                   std::to_string(measures.size()) + "; give one of " +
                   listText(measures, ", ", &Measure::name));
}

PictureList picturesOf(const std::vector<std::string>& images) {
  std::error_code ignored;
  if (images.size() == 1 && fs::is_directory(images.front(), ignored)) {
    return listPictures(images.front(), std::nullopt);
  }
  PictureList list;
  for (const std::string& image : images) list.entries.push_back({.path = image});
  return list;
}

template <typename Each>
void append(std::vector<Each>& values, const std::vector<Each>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

/// The values of every picture, model by model.
struct MeasuredSeries {
  SurveyPlan plan;
  std::vector<PictureValues> values;
};

void addModel(MeasuredSeries& measured, const PictureMeasurement& measurement,
              const PictureList& pictures, const Progress& progress) {
  measured.plan.models.push_back(planOf(measurement.models().front(), measurement.reading()));
  for (std::size_t i = 0; i < pictures.entries.size(); ++i) {
    const PictureList::Entry& entry = pictures.entries[i];
    const MeasuredPicture picture =
        measurement.measure(pictures.pathOf(entry), entry.classIndex, progress);
    if (!picture.unreadable.empty()) {
      throw FileError(pictures.pathOf(entry), picture.unreadable);
    }
    append(measured.values[i].models, picture.values.models);
    append(measured.values[i].layers, picture.values.layers);
    append(measured.values[i].heads, picture.values.heads);
  }
}

MeasuredSeries measureSeries(const FigureArguments& arguments, const PictureList& pictures,
                             const Measure& measure, ProgressLine& line, const Progress& progress) {
  MeasuredSeries measured;
  measured.values.resize(pictures.entries.size());
  measured.plan.pictures = std::ssize(pictures.entries);
  measured.plan.classes = pictures.classes;
  measured.plan.measures = {
      {measure.name, measure.scope(), measure.title, measure.unit, measure.source}};
  DataSetArguments data;
  data.size = arguments.input(0).size;
  data.reading = arguments.reading;
  const auto transform = [&](const Model& model) { return chosenTransform(model, data); };
  const std::vector<std::string> layers =
      arguments.layers.empty() ? std::vector<std::string>{"all"} : arguments.layers;
  const std::vector<std::string> steps = stepsOf(arguments.model.checkpoints);
  const bool inOneFolder = areInOneFolder(steps);
  for (const std::string& step : steps) {
    ModelArguments one = arguments.model;
    one.checkpoints = {step};
    one.names = {nameOfStep(step, !inOneFolder)};
    line.show(step);
    const PictureMeasurement measurement(
        openSurveyedModels(one, layers, transform, pictures, line, progress), {measure},
        arguments.reading);
    addModel(measured, measurement, pictures, progress);
  }
  return measured;
}

void writeSurvey(const std::string& path, const MeasuredSeries& measured,
                 const PictureList& pictures) {
  SurveyWriter writer(path, measured.plan);
  for (std::size_t i = 0; i < measured.values.size(); ++i) {
    writer.add(static_cast<std::int64_t>(i), pictures.entries[i], measured.values[i]);
  }
}

}  // namespace

int writeSeriesFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const Measure measure = measureOf(arguments);
  const HeadChoice heads = parseHeads(arguments.heads);
  if (heads.mean || heads.largest) {
    throw UsageError("a series has no mean over heads; give --head N or leave it out");
  }
  const PictureList pictures = picturesOf(arguments.images);
  ProgressLine line;
  Progress progress;
  const Interruption interruption(progress);
  setComputeThreads(arguments.model.threads);
  const MeasuredSeries measured = measureSeries(arguments, pictures, measure, line, progress);
  line.clear();
  const SurveyFolder folder;
  writeSurvey(folder.survey(), measured, pictures);
  SurveyColumns survey(folder.survey());
  SurveyQuestion question;
  question.measure = measure.name;
  question.heads = heads.heads;
  const SurveyAnswer answer = answerSurvey(survey, question, progress);
  const std::string obstacle = surveyObstacle(answer, SurveyShow::Steps);
  if (!obstacle.empty()) throw InspectionError(obstacle);
  if constexpr (drawsFigures) drawSurvey(arguments, answer, SurveyShow::Steps);
  writeNumbers(arguments, surveyFigureTable(answer, SurveyShow::Steps));
  return 0;
}

}  // namespace softscope
