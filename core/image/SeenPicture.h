#pragma once

#include "core/Error.h"
#include "core/image/Picture.h"
#include "core/model/ModelSummary.h"

#include <optional>
#include <string>

namespace softscope {

/// Thrown when a recording is asked about a picture that it holds no attention to.
class OtherPictureError : public InspectionError {
 public:
  using InspectionError::InspectionError;
};

/// Returns true if a recording holds attention to this picture, compared pixel by pixel. A
/// recording without a picture could belong to any, so the answer is true.
bool isRecordedOn(const RecordedPicture& recorded, const Picture& picture);

/// Throws OtherPictureError for a recording of another picture, because its maps would be laid over
/// something that its network never saw. Throws InspectionError for a network that is given a plain
/// sheet, or what is drawn of an input that 8 bits cannot hold.
void checkSees(const ModelSummary& model, const Picture& picture);

/// Returns the region of a picture that a network saw: `fed` is the region that its input shows,
/// and `seen` the part of the input that it saw, in the input's pixels, if that was not all of it.
/// The part reaches beyond the picture if the network puts zeros around its input.
PictureRegion regionSeen(const PictureRegion& fed, const InputTensor& input,
                         const std::optional<PictureRegion>& seen);

/// Returns ModelSummary::mechanismNote(), and says so if a recording without a picture is shown on
/// one it may not belong to.
std::string noteOn(const ModelSummary& model, const Picture& picture);

}  // namespace softscope
