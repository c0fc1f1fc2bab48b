#include "widgets/settings/ViewSettings.h"

#include "core/image/ColorMap.h"

#include <algorithm>

namespace softscope {
namespace {

bool isColorMapOf(const std::string& name, bool diverging) {
  const auto& names = colorMapNames();
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  return known && colorMap(name).diverging == diverging;
}

}  // namespace

bool isColorMap(const std::string& name) {
  return isColorMapOf(name, false);
}

bool isDivergingColorMap(const std::string& name) {
  return isColorMapOf(name, true);
}

}  // namespace softscope
