#include "app/arguments/CommandProgress.h"
#include "app/arguments/DataSetArguments.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/SurveyedModels.h"
#include "app/arguments/UsageError.h"
#include "app/figures/CheckpointSteps.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/files/Overwriting.h"
#include "core/network/Device.h"
#include "core/survey/reading/SurveyComparison.h"
#include "core/survey/reading/SurveySteps.h"
#include "core/survey/run/PictureMeasurement.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace softscope {

namespace {

Measure measureOf(const FigureArguments& arguments) {
  if (arguments.measure.empty()) {
    throw UsageError(
        "figure series needs a measure: give --measure; softscope survey --list names them");
  }
  std::vector<Measure> measures = asUsage([&] { return chosenMeasures({arguments.measure}); });
  if (measures.size() == 1) return measures.front();
  throw UsageError("figure series shows one measure, and " + arguments.measure + " stands for " +
                   std::to_string(measures.size()) + "; give one of " +
                   listText(measures, ", ", &Measure::name));
}

/// The scope whose units a measure has values for.
SurveyIndex::Scope scopeOf(const Measure& measure) {
  if (std::holds_alternative<Measure::OfModel>(measure.value)) return SurveyIndex::Scope::Model;
  return std::holds_alternative<Measure::OfLayer>(measure.value) ? SurveyIndex::Scope::Layer
                                                                 : SurveyIndex::Scope::Head;
}

/// Measures one checkpoint after the other, each closed before the next is opened, and answers as a
/// survey of all of them would.
class SeriesMeasurement {
 public:
  SeriesMeasurement(const FigureArguments& arguments, Measure measure, PictureList pictures)
      : arguments_(arguments),
        measure_(std::move(measure)),
        pictures_(std::move(pictures)),
        heads_(parseHeads(arguments.heads).heads) {
    index_.classes = pictures_.classes;
    index_.measures = {
        {measure_.name, scopeOf(measure_), measure_.title, measure_.unit, measure_.source}};
    for (const PictureList::Entry& entry : pictures_.entries) {
      index_.pictures.push_back({.id = 0,
                                 .path = entry.path,
                                 .ofClass = entry.classIndex.value_or(-1),
                                 .unreadable = {}});
    }
  }

  /// Measures a step of the training.
  void add(const CheckpointSteps& steps, std::size_t step, ProgressLine& line,
           const Progress& progress) {
    ModelArguments one = arguments_.model.only(steps.models[step]);
    one.checkpoints = {steps.paths[step]};
    one.names = {steps.names[step]};
    DataSetArguments data;
    data.size = arguments_.input(0).size;
    data.reading = arguments_.reading;
    const auto transform = [&](const Model& model) { return chosenTransform(model, data); };
    const std::vector<std::string> layers =
        arguments_.layers.empty() ? std::vector<std::string>{"all"} : arguments_.layers;
    const PictureMeasurement measurement(
        openSurveyedModels(one, layers, transform, data.size, pictures_, line, progress),
        {measure_}, arguments_.reading);
    std::vector<SurveySeries> series = seriesOf(measurement.models().front());
    for (std::size_t i = 0; i < pictures_.entries.size(); ++i) {
      addValues(measurement, static_cast<int>(i), progress, series);
    }
    for (SurveySeries& each : series) {
      if (!isAsked(each)) continue;
      each.summary = summarise(each.values.values);
      answer_.series.push_back(std::move(each));
    }
  }

  /// The pictures that are not fed as they are stored.
  const NotedPictures& noted() const { return noted_; }

  /// Throws InspectionError if no head was asked for that exists.
  SurveyAnswer answer() && {
    if (answer_.series.empty()) throw InspectionError("no measured layer has such a head");
    answer_.index = std::make_shared<const SurveyIndex>(std::move(index_));
    answer_.measure = 0;
    return std::move(answer_);
  }

 private:
  /// Enters a model, and returns an empty series for each of its units, in the order in which its
  /// values are measured.
  std::vector<SurveySeries> seriesOf(const SurveyedModel& model) {
    const SurveyIndex::Scope scope = index_.measures.front().scope;
    std::vector<SurveySeries> series;
    const auto add = [&](const SurveyIndex::Unit& unit) {
      series.emplace_back();
      series.back().unit = unit;
    };
    const auto number = static_cast<int>(index_.models.size());
    index_.models.push_back({.id = 0,
                             .name = model.name,
                             .path = model.request.path,
                             .fingerprint = {},
                             .mechanism = model.model->summary().mechanism,
                             .request = {}});
    if (scope == SurveyIndex::Scope::Model) add({.model = number});
    for (const LayerSummary& layer : model.measuredLayers()) {
      const auto of = static_cast<int>(index_.layers.size());
      index_.layers.push_back(
          {.id = 0, .model = number, .name = layer.name, .mechanism = layer.mechanism});
      if (scope == SurveyIndex::Scope::Layer) add({.model = number, .layer = of});
      for (int head = 0; head < layer.heads && scope == SurveyIndex::Scope::Head; ++head) {
        add({.model = number, .layer = of, .head = static_cast<int>(index_.heads.size())});
        index_.heads.push_back({.id = 0, .layer = of, .number = head});
      }
    }
    return series;
  }

  void addValues(const PictureMeasurement& measurement, int picture, const Progress& progress,
                 std::vector<SurveySeries>& series) {
    const PictureList::Entry& entry = pictures_.entries[static_cast<std::size_t>(picture)];
    const std::string path = pictures_.pathOf(entry);
    const MeasuredPicture measured = measurement.measure(path, entry.classIndex, progress);
    if (!measured.unreadable.empty()) throw FileError(path, measured.unreadable);
    // Every step sees the same pictures.
    if (index_.models.size() == 1) noted_.add(path, measured.note);
    const PictureValues& all = measured.values;
    const SurveyIndex::Scope scope = index_.measures.front().scope;
    const std::vector<MeasuredValues>& values = scope == SurveyIndex::Scope::Model   ? all.models
                                                : scope == SurveyIndex::Scope::Layer ? all.layers
                                                                                     : all.heads;
    for (std::size_t i = 0; i < series.size(); ++i) {
      series[i].values.pictures.push_back(picture);
      series[i].values.values.push_back(
          values[i].front().value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }

  bool isAsked(const SurveySeries& series) const {
    const int head = index_.headNumber(series.unit);
    return head < 0 || heads_.empty() || std::ranges::find(heads_, head) != heads_.end();
  }

  const FigureArguments& arguments_;
  const Measure measure_;
  const PictureList pictures_;
  const std::vector<int> heads_;
  NotedPictures noted_;
  SurveyIndex index_;
  SurveyAnswer answer_;
};

/// Leaves out, and notes, checkpoints that are no step of a training, such as `best.pth` beside
/// `epoch_1.pth`: their values would be measured, and shown nowhere. Throws InspectionError if none
/// is a step.
void leaveOutOthers(CheckpointSteps& steps) {
  const std::string obstacle = stepsObstacle(steps.names);
  if (!obstacle.empty()) throw InspectionError(obstacle);
  std::vector<std::size_t> beside = modelsBesideSteps(steps.names);
  std::ranges::sort(beside, std::greater());
  for (const std::size_t i : beside) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    noteBesideSteps(steps.paths[i]);
    steps.paths.erase(steps.paths.begin() + at);
    steps.names.erase(steps.names.begin() + at);
    steps.models.erase(steps.models.begin() + at);
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
  if (!arguments.model.names.empty()) {
    throw UsageError("a series names its steps after their files; leave --name out");
  }
  if (arguments.sizes.size() > 1) {
    throw UsageError("all steps of a series see pictures of one size; give --size once");
  }
  CheckpointSteps steps = stepsOf(arguments.model);
  leaveOutOthers(steps);
  PictureList pictures = namedPictures(arguments.images);
  const std::vector<std::string> outputs{arguments.output, arguments.data};
  checkOutputs(outputs, filesRead(pictures));
  checkOutputs(outputs, filesRead(steps.paths, {}));
  notePassedOver(arguments, {measure.name, scopeOf(measure), !measure.isCheap()});
  ProgressLine line;
  Progress progress;
  const Interruption interruption(progress);
  setComputeThreads(arguments.model.threads);
  SeriesMeasurement measurement(arguments, measure, std::move(pictures));
  for (std::size_t i = 0; i < steps.paths.size(); ++i) {
    line.show(steps.paths[i]);
    measurement.add(steps, i, line, progress);
  }
  line.clear();
  noteSources(measurement.noted(), line);
  const SurveyAnswer answer = std::move(measurement).answer();
  const std::string undefined = surveyObstacle(answer, SurveyShow::Steps);
  if (!undefined.empty()) throw InspectionError(undefined);
  if constexpr (drawsFigures) drawSurvey(arguments, answer, SurveyShow::Steps);
  writeNumbers(arguments, surveyFigureTable(answer, SurveyShow::Steps));
  return 0;
}

}  // namespace softscope
