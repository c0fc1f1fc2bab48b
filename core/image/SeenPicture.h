#pragma once

#include "core/Error.h"
#include "core/image/Picture.h"
#include "core/model/ModelSummary.h"

#include <string>

namespace softscope {

/// A recording was asked about a picture that it holds nothing of.
class OtherPictureError : public InspectionError {
 public:
  using InspectionError::InspectionError;
};

/// Whether a recording holds attention to this picture, pixel for pixel. One without a picture is
/// taken to hold attention to any: nothing in it could tell.
bool isRecordedOn(const RecordedPicture& recorded, const Picture& picture);

/// Throws OtherPictureError for a recording of another picture, which would lay its maps over what
/// its network never saw, and InspectionError for a network before a plain sheet.
void checkSees(const ModelSummary& model, const Picture& picture);

/// ModelSummary::mechanismNote(), and that a recording without a picture is shown on one that it
/// does not know.
std::string noteOn(const ModelSummary& model, const Picture& picture);

}  // namespace softscope
