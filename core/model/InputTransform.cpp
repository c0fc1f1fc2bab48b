#include "core/model/InputTransform.h"

#include <algorithm>
#include <cstddef>

namespace softscope {

bool takesBlueFirst(const std::string& family) {
  return family == "mobilevit";
}

InputTensor withChannelsReversed(InputTensor input) {
  const std::size_t plane = input.values.size() / 3;
  std::swap_ranges(input.values.begin(), input.values.begin() + static_cast<std::ptrdiff_t>(plane),
                   input.values.begin() + static_cast<std::ptrdiff_t>(2 * plane));
  return input;
}

}  // namespace softscope
