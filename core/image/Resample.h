#pragma once

#include "core/image/Picture.h"
#include "core/model/InputTransform.h"

namespace softscope {

/// The picture at another size, antialiased, as Pillow resizes: the width first, rounded to 8 bits,
/// then the height, rounded. Both sides must be positive.
Picture resample(const Picture& picture, int width, int height, InputTransform::Filter filter);

}  // namespace softscope
