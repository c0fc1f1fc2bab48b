#pragma once

#include "core/attention/AttentionMap.h"

namespace softscope {

/// Says that each window of ratio x ratio tokens has one landmark, a rest at the right or bottom
/// none.
void describeLandmarks(AttentionDescription& description, int ratio);

}  // namespace softscope
