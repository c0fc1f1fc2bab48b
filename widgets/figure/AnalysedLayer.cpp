#include "widgets/figure/AnalysedLayer.h"

#include <algorithm>
#include <set>

namespace softscope {

std::vector<std::string> uniqueNames(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    std::string numbered = name;
    for (int number = 2; !taken.insert(numbered).second; ++number) {
      numbered = name + "_" + std::to_string(number);
    }
    unique.push_back(numbered);
  }
  return unique;
}

std::string curveName(const AnalysedLayer& of, int head, bool severalModels) {
  const std::string model = severalModels ? of.model + ", " : std::string();
  return model + of.layer().name + ", head " + std::to_string(head);
}

bool severalModels(const std::vector<AnalysedLayer>& layers) {
  return std::any_of(layers.begin(), layers.end(), [&](const AnalysedLayer& layer) {
    return layer.model != layers.front().model;
  });
}

}  // namespace softscope
