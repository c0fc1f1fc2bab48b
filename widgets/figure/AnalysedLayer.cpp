#include "widgets/figure/AnalysedLayer.h"

#include "widgets/figure/PanelText.h"

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

QString curveName(const AnalysedLayer& of, int head, bool severalModels) {
  const QString model =
      severalModels ? QString::fromStdString(of.model) + QStringLiteral(", ") : QString();
  return model + shortLayerName(QString::fromStdString(of.layer().name)) + QStringLiteral(", ") +
         headText(head);
}

bool severalModels(const std::vector<AnalysedLayer>& layers) {
  return std::any_of(layers.begin(), layers.end(), [&](const AnalysedLayer& layer) {
    return layer.model != layers.front().model;
  });
}

}  // namespace softscope
