#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// Returns how far a head looks, in pixels of the network's input, as in "An Image is Worth 16x16
/// Words", 2020, arXiv 2010.11929: the mean over queries of sum_k |a_qk| dist(q, k) / sum_k |a_qk|,
/// where dist is measured between the patches' centres; `height` and `width` are the sides of what
/// the grids cover, in those pixels (Inspection::covered()). Keys may lie on a coarser grid than
/// queries. Prefix tokens count neither as queries nor as keys; queries that attend to no patch are
/// skipped. If there are more than 512 query patches, at most 512 of them are used, spread evenly
/// over the picture.
///
/// Empty if queries or keys are not patches (channel attention, or only a class token), if all
/// weights between patches are zero, or if one of them is not finite.
std::optional<double> attentionDistance(const AttentionMap& map, int head, double height,
                                        double width, const Progress& progress = {});

/// Returns the attentionDistance() of a head that attends to all patches evenly.
std::optional<double> uniformDistance(const AttentionDescription& description, double height,
                                      double width);

}  // namespace softscope
