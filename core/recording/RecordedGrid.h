#pragma once

#include "core/attention/AttentionMap.h"
#include "core/recording/RecordingFile.h"

#include <string>

namespace softscope {

class WorkBudget;

/// Fills in how a layer's queries and keys lie on the picture, from `LAYER/grid` and
/// `LAYER/prefix`, or from `LAYER/xy` [n, 2] where they lie on no grid (see fillPlaces()), or else
/// from their numbers: what is left over the largest square stands before it. Returns whether a
/// grid was guessed so. Throws Malformed where they do not fit together.
bool fillGrids(const RecordingFile& file, const std::string& layer,
               AttentionDescription& description);

/// Fills in where the tokens lie that `LAYER/xy` gives places, on a picture `aspect` times as wide
/// as it is high. Throws Malformed, also where the layers' places take more than `work`.
void fillPlaces(const RecordingFile& file, const std::string& layer, double aspect,
                WorkBudget& work, AttentionDescription& description);

}  // namespace softscope
