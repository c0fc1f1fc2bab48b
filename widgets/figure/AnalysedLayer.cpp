#include "widgets/figure/AnalysedLayer.h"

#include "widgets/paint/PanelText.h"

#include <algorithm>
#include <numeric>
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

QString curveName(const AnalysedLayer& of, int head, bool severalModels) {
  const QString model =
      severalModels ? QString::fromStdString(of.model) + QStringLiteral(", ") : QString();
  return model + shortLayerName(QString::fromStdString(of.layer().name)) + QStringLiteral(", ") +
         headText(head);
}

std::vector<int> headsOrAll(const AnalysedLayer& of, const std::vector<int>& heads) {
  if (!heads.empty()) return heads;
  std::vector<int> all(static_cast<std::size_t>(of.attention().heads));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string headName(const AnalysedLayer& of, int head) {
  std::string layer = of.layer().name;
  std::replace(layer.begin(), layer.end(), '.', '_');
  return of.model + "." + layer + ".head_" + std::to_string(head);
}

bool severalModels(const std::vector<AnalysedLayer>& layers) {
  return std::any_of(layers.begin(), layers.end(), [&](const AnalysedLayer& layer) {
    return layer.model != layers.front().model;
  });
}

}  // namespace softscope
