#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// How far a head looks, in pixels of the network's input, as in "An Image is Worth 16x16 Words",
/// 2020, arXiv 2010.11929: the mean over queries of sum_k |a_qk| dist(q, k) / sum_k |a_qk|, between
/// the patches' centres. Keys may lie on a coarser grid than queries; prefix tokens are neither
/// counted as queries nor as keys, nor are queries that attend to no patch at all. Of more than 512
/// query patches, at most 512 spread evenly over the picture are taken.
///
/// Nothing where queries or keys are not patches (channel attention, a class token alone).
std::optional<double> attentionDistance(const AttentionMap& map, int head, int inputHeight,
                                        int inputWidth, const Progress& progress = {});

/// attentionDistance() of a head that attends to all patches evenly.
std::optional<double> uniformDistance(const AttentionDescription& description, int inputHeight,
                                      int inputWidth);

}  // namespace softscope
