#include "core/query/WindowText.h"

#include "core/attention/Mechanism.h"
#include "core/text/Words.h"

#include <algorithm>

namespace softscope {

std::string windowText(const AttentionValues& values) {
  if (values.outside.empty()) return {};
  const auto inside = std::count(values.outside.begin(), values.outside.end(), false);
  return "within a window of " + std::to_string(inside) + (inside == 1 ? " patch" : " patches");
}

std::string paddingText(const AttentionDescription& attention, const AttentionValues& values,
                        Direction direction) {
  const bool isShare = !values.outside.empty() && direction == Direction::Rows &&
                       values.head != AttentionValues::largestOfHeads &&
                       traitsOf(attention.mechanism).variantOf == "softmax";
  if (!isShare) return {};
  const double onTokens = values.patches.cast<double>().sum() + values.prefix.cast<double>().sum();
  constexpr double rounding = 1e-4;
  if (1 - onTokens < rounding) return {};
  return fixedText(100 * (1 - onTokens), 1) + " % on padding";
}

}  // namespace softscope
