#pragma once

#include "core/image/Picture.h"
#include "core/model/InputTransform.h"

namespace softscope {

struct PreparedPicture {
  InputTensor input;
  PictureRegion region;
};

/// Applies the published evaluation transform as Pillow and torchvision do: antialiased resize of
/// the width, rounded to 8 bits, then of the height, rounded; centre crop; scaling to [0, 1];
/// normalisation. Equals theirs in at least 99.97 % of values and is never more than one 8-bit
/// level off. For a crop that is not square, the resized picture is the smallest that covers both
/// sides of height / cropFraction x width / cropFraction. A size that is fitted to the picture's
/// proportions is the one that Hugging Face's processors find. For a recording's transform, only
/// the region is computed. May run on any thread. Throws InspectionError for an impossible size: a
/// side outside 1 to 8192, or more than 100 megapixels in an intermediate step.
PreparedPicture preparePicture(const Picture& picture, const InputTransform& transform);

/// Returns a normalised input at another size, `side` x `side`: its shorter side is resized with
/// the transform's filter, in float, and the centre is cropped. An input of that size stays as it
/// is. Throws InspectionError for an impossible size, as preparePicture() does.
InputTensor resizedInput(const InputTensor& input, int side, const InputTransform& transform);

}  // namespace softscope
