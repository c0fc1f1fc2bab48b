#pragma once

#include "core/recording/Recording.h"
#include "core/recording/RecordingFile.h"

#include <vector>

namespace softscope {

/// Returns the layers of a recording, in the order of `layers` or else of the file. Throws a
/// Malformed that names the entry that is wrong or missing.
std::vector<RecordedLayer> recordedLayers(const RecordingFile& file);

}  // namespace softscope
