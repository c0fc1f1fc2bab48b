#pragma once

#include "core/Progress.h"
#include "core/image/PictureReading.h"
#include "core/survey/PictureList.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/measures/Measure.h"
#include "core/survey/run/SurveyedModel.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What came of one picture.
struct MeasuredPicture {
  /// Why it has no values; empty where it has some.
  std::string unreadable;
  /// What of it is not fed as it is stored; empty for an ordinary picture.
  std::string note{};
  PictureValues values;
};

/// Measures pictures, each for itself: what comes of one depends on nothing else. measure() may be
/// called from several threads.
class PictureMeasurement {
 public:
  /// Throws InspectionError where a model cannot take the size that pictures are given.
  PictureMeasurement(std::vector<SurveyedModel> models, std::vector<Measure> measures,
                     const PictureReading& reading = asPublished);

  /// Decodes the picture at `path`, of a class where that is known, runs every model on it and
  /// takes the measures. A picture that cannot be decoded, or that a model cannot take, is
  /// unreadable. Throws MemoryError, Cancelled.
  MeasuredPicture measure(const std::string& path, std::optional<int> classIndex,
                          const Progress& progress = {}) const;

  const std::vector<SurveyedModel>& models() const { return models_; }
  const std::vector<Measure>& measures() const { return measures_; }
  const PictureReading& reading() const { return reading_; }

  /// Forward passes that a picture takes beside one for each model.
  std::int64_t furtherPasses() const;
  /// How long one forward pass of every model takes on this thread, in seconds.
  double secondsOfPass() const;

 private:
  void append(const SurveyedModel& model, const ModelLook& look, PictureValues& values) const;

  std::vector<SurveyedModel> models_;
  std::vector<Measure> measures_;
  PictureReading reading_;
  bool ofTerms_ = false;
  bool ofTokens_ = false;
};

/// The pictures of a list that are to be measured, by their number in it, on `workers` threads of
/// one compute thread each. `take` gets them in that order, on the calling thread. Throws what
/// either throws, and Cancelled. Nobody may listen to the progress.
void measurePictures(const PictureMeasurement& measurement, const PictureList& pictures,
                     const std::vector<std::int64_t>& which, int workers,
                     const std::function<void(std::int64_t picture, MeasuredPicture)>& take,
                     const Progress& progress = {});

}  // namespace softscope
