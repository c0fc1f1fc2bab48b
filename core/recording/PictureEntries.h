#pragma once

#include "core/recording/Recording.h"
#include "core/recording/RecordingFile.h"

namespace softscope {

/// Fills in the picture of a recording, and how it was fed: `picture` uint8 [H, W, 3], or `input`
/// float [3, H, W] with `mean` and `std` [3]; of a picture of which the network saw only a part,
/// `region` [4] (x, y, width, height in its pixels) and `input_size` [2] (height, width). Without
/// either, a plain sheet with the proportions of the layers' grid. Throws Malformed.
void fillPicture(const RecordingFile& file, Recording& recording);

}  // namespace softscope
