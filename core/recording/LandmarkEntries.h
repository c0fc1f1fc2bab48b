#pragma once

#include "core/network/Recorder.h"
#include "core/recording/RecordingFile.h"

#include <string>

namespace softscope {

/// Fills in a layer's landmarks from a recording: `LAYER/A` and `LAYER/A_inv` [heads, m, m], how
/// many landmarks there are and how they lie. The grids must be filled in before. Throws Malformed.
void fillLandmarks(const RecordingFile& file, const std::string& layer, AttentionRecord& record);

/// Adds the entries that `fillLandmarks()` reads.
void addLandmarks(const AttentionRecord& record, RecordingFile& file);

}  // namespace softscope
