#pragma once

#include "core/image/Picture.h"
#include "core/model/InputTransform.h"

namespace softscope {

/// Resizes a picture with antialiasing as Pillow does: the width first, rounded to 8 bits, then the
/// height, rounded. Both sides must be positive.
Picture resample(const Picture& picture, int width, int height, InputTransform::Filter filter);

/// Resizes a normalised input with the same antialiasing, and rounds nothing: its values may lie
/// outside those that a picture of 8 bits can hold. Both sides must be positive.
InputTensor resample(const InputTensor& input, int width, int height,
                     InputTransform::Filter filter);

}  // namespace softscope
