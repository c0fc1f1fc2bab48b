#pragma once

#include "core/recording/Recording.h"
#include "core/recording/RecordingFile.h"

namespace softscope {

/// Fills in the picture of a recording and how it was fed: `picture` uint8 [H, W, 3], or `input`
/// float [3, H, W] with `mean` and `std` [3]. If the network saw only a part of the picture,
/// `region` [4] gives it (x, y, width, height in pixels of the picture) and `input_size` [2] the
/// size that was fed (height, width). Without either picture, uses a plain sheet with the
/// proportions of the layers' grid. Throws Malformed.
void fillPicture(const RecordingFile& file, Recording& recording);

}  // namespace softscope
