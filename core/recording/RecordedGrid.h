#pragma once

#include "core/attention/AttentionMap.h"
#include "core/recording/RecordingFile.h"

#include <string>

namespace softscope {

class WorkBudget;

/// Fills in how a layer's queries and keys lie on the picture: from `LAYER/grid` and
/// `LAYER/prefix`; from `LAYER/xy` [n, 2] if they are not on a grid (see fillPlaces()); or else
/// guessed from their numbers as the largest square, with the remaining tokens before it. Returns
/// whether a grid was guessed. Throws Malformed if the entries contradict each other.
bool fillGrids(const RecordingFile& file, const std::string& layer,
               AttentionDescription& description);

/// Fills in the places of tokens from `LAYER/xy`, on a picture `aspect` times as wide as it is
/// high. Throws Malformed, also if the layers' places take more than `work`.
void fillPlaces(const RecordingFile& file, const std::string& layer, double aspect,
                WorkBudget& work, AttentionDescription& description);

}  // namespace softscope
