#pragma once

#include "core/attention/AttentionMap.h"
#include "core/query/AttentionValues.h"
#include "core/query/ComparedAnswers.h"
#include "core/query/QueriedLayer.h"
#include "core/query/QueryToken.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns `within a window of 49 patches` for values of attention that is computed within windows;
/// empty for any other attention.
std::string windowText(const AttentionValues& values);

/// Returns `12.5 % on padding` for a row of a softmax within a window, the part of its weights that
/// lies on no token; empty if there is none.
std::string paddingText(const AttentionDescription& attention, const AttentionValues& values,
                        Direction direction);

/// Returns `3 of 196 values not finite`, which have no colour; empty if all are finite. Values
/// outside of the window that attention was computed in do not count, and tokens before the patches
/// do.
std::string notFiniteText(const AttentionValues& values);

/// Returns what a reader of a head's map has to know because its colours do not tell: that it is
/// almost the same for every query, that its weights are nearly even, or that it lies within a
/// window, how much of it lies on padding, and how many values are not finite. Usually empty.
std::vector<std::string> caveatsOf(const QueriedLayer& asked, const AttentionValues& values);

/// Returns the caveats of all shown heads for a caption, in the order of the heads: `heads 0, 2:
/// nearly uniform, within 1 %`.
std::vector<std::string> captionCaveats(const QueriedLayer& asked,
                                        const std::vector<AttentionValues>& values);

/// Return the caveats of every answer, each after the name of its array: `LAYER.QUERY.head_0:
/// uniform`.
std::vector<std::string> answerCaveats(const std::vector<QueriedLayer>& answers);
std::vector<std::string> answerCaveats(const std::vector<ComparedAnswer>& answers);

}  // namespace softscope
