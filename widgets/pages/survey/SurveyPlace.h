#pragma once

#include "core/survey/reading/SurveyAnswer.h"

#include <string>

namespace softscope {

/// A value of a survey as something to look at: a picture, and the model, layer and head it is of.
struct SurveyPlace {
  /// As the survey found it.
  std::string picture;
  std::string model;
  std::string modelPath;
  /// JSON: what was asked for when the model was opened.
  std::string request;
  /// Empty for a measure of the whole model.
  std::string layer;
  /// -1 for a measure of the whole layer or model.
  int head = -1;
};

SurveyPlace surveyPlace(const SurveyAnswer& answer, const SurveySeries& series, std::size_t index);

/// `cat/3.png · soft_tiny · block1.0.attn · head 3`
std::string surveyPlaceText(const SurveyAnswer& answer, const SurveySeries& series,
                            std::size_t index);

}  // namespace softscope
