#pragma once

#include "core/image/PictureReading.h"
#include "core/model/InputSize.h"
#include "core/model/InputTransform.h"

#include <optional>
#include <string>

namespace softscope {

/// Returns JSON that describes how pictures are read and prepared.
std::string transformJson(const InputTransform& transform,
                          const PictureReading& reading = asPublished);

/// How a survey's pictures were read, and the size at which its model saw them.
struct SurveyedInput {
  PictureReading reading = asPublished;
  /// Nothing if no size that can be chosen is the survey's.
  std::optional<InputSize> size;
  /// Side of the crop over the shorter side of the resized picture, in (0, 1]; nothing if pictures
  /// were not cropped.
  std::optional<double> crop;
};

/// Parses the text of transformJson(). From any other text, takes the parts it understands, which
/// may be none.
SurveyedInput surveyedInput(const std::string& text);

}  // namespace softscope
