#pragma once

#include "core/survey/reading/SurveyAnswer.h"

#include <string>

namespace softscope {

/// A value of a survey as a place to go to: a picture, with the model, layer and head that the
/// value belongs to.
struct SurveyPlace {
  /// Path of the picture, as recorded by the survey.
  std::string picture;
  std::string model;
  std::string modelPath;
  /// The modelFingerprint() of its file when it was measured; empty if unknown.
  std::string fingerprint;
  /// The request that the model was opened with, as JSON.
  std::string request;
  /// How pictures were read and prepared for the model, as JSON.
  std::string transform;
  /// Name of the layer; empty for a measure of the whole model.
  std::string layer;
  /// Number of the head; -1 for a measure of the whole layer or model.
  int head = -1;
};

SurveyPlace surveyPlace(const SurveyAnswer& answer, const SurveySeries& series, std::size_t index);

/// Returns a place as text, e.g. `cat/3.png · soft_tiny · block1.0.attn · head 3`.
std::string surveyPlaceText(const SurveyAnswer& answer, const SurveySeries& series,
                            std::size_t index);

}  // namespace softscope
