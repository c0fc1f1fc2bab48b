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
};

/// Parses the text of transformJson(). From any other text, takes the parts it understands, which
/// may be none.
SurveyedInput surveyedInput(const std::string& text);

}  // namespace softscope
