#pragma once

#include "core/Progress.h"
#include "core/image/PictureReading.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"
#include "core/survey/PictureFile.h"
#include "core/survey/PictureList.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/measures/Measure.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A model that pictures are measured with.
struct SurveyedModel {
  /// The model's name in rows.
  std::string name;
  ModelRequest request;
  std::shared_ptr<const Model> model;
  InputTransform transform;
  /// Indices of the measured layers among all layers of the model.
  std::vector<int> layers;
  /// Index of the logit of each of the pictures' classes; empty if unknown.
  std::vector<int> logitOfClass;

  std::vector<LayerSummary> measuredLayers() const;
};

/// Returns a model's description for a survey file, given how pictures are read. Reads the weights
/// again for their fingerprint.
SurveyPlan::Model planOf(const SurveyedModel& model, const PictureReading& reading = asPublished);

/// The result of measuring one picture.
struct MeasuredPicture {
  /// Why the picture has no values; empty if it has.
  std::string unreadable;
  /// How the picture is fed differently from how it is stored; empty for an ordinary picture.
  std::string note{};
  PictureValues values;
  /// The file that the values are of, if it was looked at.
  std::optional<PictureFile> file = {};
};

/// Measures pictures independently: the result of one depends on nothing else. measure() may be
/// called from several threads.
class PictureMeasurement {
 public:
  /// Throws InspectionError if a model cannot take its input size.
  PictureMeasurement(std::vector<SurveyedModel> models, std::vector<Measure> measures,
                     const PictureReading& reading = asPublished);

  /// Decodes the picture at `path`, runs every model on it and computes the measures. `classIndex`
  /// is its class, if known. A picture that cannot be decoded, or that a model cannot take, is
  /// reported as unreadable. Throws MemoryError, ComputeError and Cancelled.
  MeasuredPicture measure(const std::string& path, std::optional<int> classIndex,
                          const Progress& progress = {}) const;

  const std::vector<SurveyedModel>& models() const { return models_; }
  const std::vector<Measure>& measures() const { return measures_; }
  const PictureReading& reading() const { return reading_; }

  /// Returns the number of forward passes per picture in addition to one for each model.
  std::int64_t furtherPasses() const;
  /// Returns the seconds that one forward pass of every model takes on this thread.
  double secondsOfPass() const;

 private:
  void append(const SurveyedModel& model, const ModelPass& pass, PictureValues& values) const;

  std::vector<SurveyedModel> models_;
  std::vector<Measure> measures_;
  PictureReading reading_;
  bool ofTerms_ = false;
  bool ofTokens_ = false;
};

/// Measures the pictures of a list whose numbers in it are `which`, on `workers` threads with one
/// compute thread each. Passes the results, with the files that they are of, to `take` in that
/// order, on the calling thread. Throws what measuring or `take` throws, and Cancelled. The
/// progress must not have a listener.
void measurePictures(const PictureMeasurement& measurement, const PictureList& pictures,
                     const std::vector<std::int64_t>& which, int workers,
                     const std::function<void(std::int64_t picture, MeasuredPicture)>& take,
                     const Progress& progress = {});

}  // namespace softscope
