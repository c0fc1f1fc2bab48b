#pragma once

#include "core/attention/AttentionMap.h"

#include <memory>

namespace softscope::test {

/// The value of every entry of a SyntheticMap: distinct, and told from head, query and key alone.
float syntheticValue(int head, int query, int key);

/// A map whose every number is known.
std::shared_ptr<const AttentionMap> syntheticMap(AttentionDescription description);

/// `heads` heads on a grid of height x width, with class tokens before the patches of both sides.
AttentionDescription gridAttention(int heads, int height, int width, int prefixTokens = 0);

}  // namespace softscope::test
