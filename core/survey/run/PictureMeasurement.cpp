#include "core/survey/run/PictureMeasurement.h"

#include "core/Error.h"
#include "core/ParallelWork.h"
#include "core/image/PreparedPicture.h"
#include "core/model/ModelRequest.h"
#include "core/network/Device.h"
#include "core/network/InspectionRecorder.h"
#include "core/network/Measurements.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"
#include "core/network/RecorderGroup.h"
#include "core/network/ShareRecorder.h"
#include "core/network/TokenInspector.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/TransformJson.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Returns the request as a survey keeps it: it may be opened from any folder.
ModelRequest keptRequest(ModelRequest request) {
  auto& names = request.classNames;
  if (names) names = std::filesystem::absolute(*names).string();
  return request;
}

/// Runs one forward pass and records everything that the measures need.
ModelPass::Parts recordPass(const SurveyedModel& surveyed,
                            const std::shared_ptr<const InputTensor>& input, bool ofTerms,
                            bool ofTokens, const Progress& progress) {
  const Model& model = *surveyed.model;
  const std::size_t layers = model.summary().layers.size();
  InspectionRecorder attention(layers, model.network().device(), {}, progress);
  ShareRecorder terms(progress);
  TokenRecorder tokens(layers, progress);
  std::vector<Recorder*> recorders{&attention};
  if (ofTerms) recorders.push_back(&terms);
  if (ofTokens) recorders.push_back(&tokens);
  RecorderGroup group(std::move(recorders));
  const std::vector<float> logits = runNetwork(model, *input, &group);

  ModelPass::Parts parts{.model = surveyed.model, .input = input, .engine = measuringEngine()};
  auto inspection = std::make_shared<Inspection>(attention.take(logits));
  inspection->inputHeight = input->height;
  inspection->inputWidth = input->width;
  parts.inspection = inspection;
  if (ofTerms) parts.share = std::make_shared<ModelShare>(ModelShare{terms.take(), logits, false});
  if (ofTokens) parts.tokens = std::make_shared<TokenInspection>(TokenInspection{tokens.take()});
  return parts;
}

/// Returns a measure's value, or nothing if it is not defined.
template <typename Pass>
std::optional<double> definedValue(const std::function<std::optional<double>(const Pass&)>& value,
                                   const Pass& pass) {
  try {
    const std::optional<double> number = value(pass);
    return number && std::isfinite(*number) ? number : std::nullopt;
  } catch (const MemoryError&) {
    throw;
  } catch (const InspectionError&) {
    return std::nullopt;
  }
}

/// Returns the values of all measures of one scope.
template <typename Pass>
MeasuredValues valuesOf(const std::vector<Measure>& measures, const Pass& pass) {
  using Value = std::function<std::optional<double>(const Pass&)>;
  MeasuredValues values;
  for (const Measure& measure : measures) {
    if (const auto* value = std::get_if<Value>(&measure.value)) {
      values.push_back(definedValue(*value, pass));
    }
  }
  return values;
}

/// Returns the message of an error about a file without the file's path.
std::string withoutPath(std::string message, const std::string& path) {
  if (message.starts_with(path + ": ")) message.erase(0, path.size() + 2);
  return message;
}

/// Prepares the picture at `path` for each of the models, only once for those with the same
/// preparation, and frees it before they run. Returns its sourceNote().
std::string prepareInputs(const std::string& path, const PictureReading& reading,
                          const std::vector<SurveyedModel>& models,
                          std::vector<std::shared_ptr<const InputTensor>>& inputs) {
  std::string noted;
  usePicture(path, reading, [&](const Picture& picture) {
    noted = sourceNote(picture.source, OptionsInNote::Named);
    for (const SurveyedModel& model : models) {
      const auto alike = std::ranges::find(models, model.transform, &SurveyedModel::transform);
      const auto first = static_cast<std::size_t>(alike - models.begin());
      inputs.push_back(first < inputs.size() ? inputs[first]
                                             : std::make_shared<InputTensor>(
                                                   preparePicture(picture, model.transform).input));
    }
  });
  return noted;
}

void checkSize(const SurveyedModel& model) {
  const InputTransform& transform = model.transform;
  if (transform.extent == InputTransform::Extent::FullSize) return;
  model.model->network().checkInputSize(transform.height, transform.width);
}

std::vector<std::string> measuredNames(const SurveyedModel& model) {
  std::vector<std::string> names;
  for (const LayerSummary& layer : model.measuredLayers()) names.push_back(layer.name);
  return names;
}

}  // namespace

std::vector<LayerSummary> SurveyedModel::measuredLayers() const {
  std::vector<LayerSummary> measured;
  for (const int position : layers) {
    measured.push_back(model->summary().layers[static_cast<std::size_t>(position)]);
  }
  return measured;
}

SurveyPlan::Model planOf(const SurveyedModel& model, const PictureReading& reading) {
  const ModelSummary& summary = model.model->summary();
  SurveyPlan::Model plan{.name = model.name,
                         .path = std::filesystem::absolute(model.request.path).string(),
                         .fingerprint = modelFingerprint(model.request.path),
                         .family = summary.family,
                         .variant = summary.variant,
                         .mechanism = summary.mechanism,
                         .parameters = summary.parameters,
                         .request = requestJson(keptRequest(model.request)),
                         .transform = transformJson(model.transform, reading),
                         .layers = {},
                         .logitOfClass = model.logitOfClass};
  const std::vector<LayerSummary> layers = model.measuredLayers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    plan.layers.push_back({.name = layers[i].name,
                           .position = model.layers[i],
                           .mechanism = layers[i].mechanism,
                           .heads = layers[i].heads});
  }
  return plan;
}

PictureMeasurement::PictureMeasurement(std::vector<SurveyedModel> models,
                                       std::vector<Measure> measures, const PictureReading& reading)
    : models_(std::move(models)), measures_(std::move(measures)), reading_(reading) {
  ofTerms_ = std::ranges::any_of(measures_, &Measure::ofTerms);
  ofTokens_ = std::ranges::any_of(measures_, &Measure::ofTokens);
  for (const SurveyedModel& model : models_) checkSize(model);
}

MeasuredPicture PictureMeasurement::measure(const std::string& path, std::optional<int> classIndex,
                                            const Progress& progress) const {
  MeasuredPicture measured;
  try {
    std::vector<std::shared_ptr<const InputTensor>> inputs;
    measured.note = prepareInputs(path, reading_, models_, inputs);
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const SurveyedModel& model = models_[i];
      progress.throwIfCancelled();
      ModelPass::Parts parts = recordPass(model, inputs[i], ofTerms_, ofTokens_, progress);
      if (classIndex && !model.logitOfClass.empty()) {
        parts.trueClass = model.logitOfClass[static_cast<std::size_t>(*classIndex)];
      }
      parts.layers = measuredNames(model);
      append(model, ModelPass(std::move(parts), progress), measured.values);
    }
  } catch (const MemoryError&) {
    throw;
  } catch (const PictureError& error) {
    measured = {.unreadable = withoutPath(error.what(), path), .values = {}};
  } catch (const InspectionError& error) {
    measured = {.unreadable = error.what(), .values = {}};
  }
  return measured;
}

void PictureMeasurement::append(const SurveyedModel& model, const ModelPass& pass,
                                PictureValues& values) const {
  values.models.push_back(valuesOf(measures_, pass));
  for (const LayerSummary& summary : model.measuredLayers()) {
    const LayerInspection* layer = pass.inspection().find(summary.name);
    if (layer == nullptr || layer->attention->description().heads != summary.heads) {
      throw ModelError(model.name + ": the network ran without the " +
                       std::to_string(summary.heads) + " heads of " + summary.name);
    }
    const LayerPass layerPass{pass, *layer};
    values.layers.push_back(valuesOf(measures_, layerPass));
    for (int head = 0; head < summary.heads; ++head) {
      values.heads.push_back(valuesOf(measures_, HeadPass(layerPass, head)));
    }
  }
}

std::int64_t PictureMeasurement::furtherPasses() const {
  std::int64_t passes = 0;
  for (const SurveyedModel& model : models_) {
    std::set<std::string> counted;
    for (const Measure& measure : measures_) {
      const std::string& shared = measure.group.empty() ? measure.name : measure.group;
      if (!measure.isCheap() && counted.insert(shared).second) {
        passes += measure.passes(model.measuredLayers());
      }
    }
  }
  return passes;
}

double PictureMeasurement::secondsOfPass() const {
  double seconds = 0;
  for (const SurveyedModel& model : models_) {
    const auto pixels = static_cast<std::size_t>(model.transform.height) *
                        static_cast<std::size_t>(model.transform.width);
    const InputTensor grey{
        model.transform.height, model.transform.width,
        std::vector<float>(static_cast<std::size_t>(model.transform.channels) * pixels),
        model.transform.channels};
    // The first pass is slower, because code is compiled and memory allocated.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const auto begin = std::chrono::steady_clock::now();
      runNetwork(*model.model, grey, nullptr);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (attempt == 1) seconds += taken.count();
    }
  }
  return seconds;
}

namespace {

/// Measures a picture and keeps the file that it was measured from.
MeasuredPicture measureFile(const PictureMeasurement& measurement, const std::string& path,
                            std::optional<int> classIndex, const Progress& progress) {
  const std::optional<PictureFile> before = pictureFileAt(path);
  MeasuredPicture measured = measurement.measure(path, classIndex, progress);
  if (!before || !measured.unreadable.empty()) return measured;
  try {
    measured.file = withChecksum(*before, path, progress.silent());
  } catch (const FileError& error) {
    return {.unreadable = withoutPath(error.what(), path), .values = {}};
  }
  return measured;
}

}  // namespace

void measurePictures(const PictureMeasurement& measurement, const PictureList& pictures,
                     const std::vector<std::int64_t>& which, int workers,
                     const std::function<void(std::int64_t, MeasuredPicture)>& take,
                     const Progress& progress) {
  const auto work = [&](std::size_t i) {
    const auto& entry = pictures.entries[static_cast<std::size_t>(which[i])];
    return measureFile(measurement, pictures.pathOf(entry), entry.classIndex, progress);
  };
  OrderedWork<MeasuredPicture>(
      {.count = which.size(),
       .workers = workers,
       // Every thread has a setting of its own, which does not follow this thread's.
       .begin = [] { setComputeThreads(1); },
       .work = work,
       .take = [&](std::size_t i,
                   MeasuredPicture measured) { take(which[i], std::move(measured)); }})
      .run(progress);
}

}  // namespace softscope
