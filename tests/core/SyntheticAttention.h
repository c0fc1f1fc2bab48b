#pragma once

#include "core/attention/AttentionMap.h"

#include <memory>

namespace softscope::test {

/// Returns the entry of a SyntheticMap: distinct, and determined by head, query and key alone.
float syntheticValue(int head, int query, int key);

/// Returns a map whose entries are given by syntheticValue().
std::shared_ptr<const AttentionMap> syntheticMap(AttentionDescription description);

/// Describes `heads` heads on a grid of height x width, with class tokens before the patches of
/// both queries and keys.
AttentionDescription gridAttention(int heads, int height, int width, int prefixTokens = 0);

}  // namespace softscope::test
