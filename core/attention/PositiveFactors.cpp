#include "core/attention/PositiveFactors.h"

#include "core/attention/FactoredMap.h"

namespace softscope {

bool hasPositiveFactors(const AttentionMap& map, int head) {
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  if (factored == nullptr) return false;
  const auto isPositive = [head](const MatrixStack& stack) {
    return stack.empty() || (stack[head].array() >= 0).all();
  };
  return isPositive(factored->left()) && isPositive(factored->middle()) &&
         isPositive(factored->right());
}

}  // namespace softscope
