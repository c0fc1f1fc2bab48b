#pragma once

#include "core/attention/AttentionMap.h"
#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"

#include <string>

namespace softscope {

/// Returns `within a window of 49 patches` for values of attention that is computed within windows;
/// empty for any other attention.
std::string windowText(const AttentionValues& values);

/// Returns `12.5 % on padding` for a row of a softmax within a window, the part of its weights that
/// lies on no token; empty if there is none.
std::string paddingText(const AttentionDescription& attention, const AttentionValues& values,
                        Direction direction);

}  // namespace softscope
