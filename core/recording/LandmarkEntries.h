#pragma once

#include "core/model/Recorder.h"
#include "core/recording/RecordingFile.h"

#include <string>

namespace softscope {

/// Fills in what a recording has of a layer's landmarks: `LAYER/A` and `LAYER/A_inv` [heads, m, m],
/// how many they are and how they lie. The grids must be there already. Throws Malformed.
void fillLandmarks(const RecordingFile& file, const std::string& layer, AttentionRecord& record);

/// Adds what `fillLandmarks()` reads.
void addLandmarks(const AttentionRecord& record, RecordingFile& file);

}  // namespace softscope
