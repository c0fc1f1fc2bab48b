#include "core/analysis/cka/CkaAnalysis.h"

#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace softscope {

std::vector<int> batchBegins(int pictures, int batch) {
  const int batches = std::max(1, pictures / batch);
  std::vector<int> begins;
  for (std::int64_t i = 0; i <= batches; ++i) {
    begins.push_back(static_cast<int>(i * pictures / batches));
  }
  return begins;
}

Table ckaTable(const ModelCka& cka) {
  Table table{{"model", "layer", "other_model", "other_layer", "cka", "pictures"}, {}};
  for (std::size_t i = 0; i < cka.firstLayers.size(); ++i) {
    for (std::size_t j = 0; j < cka.secondLayers.size(); ++j) {
      const double value = cka.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      table.add({cka.first, cka.firstLayers[i], cka.second, cka.secondLayers[j],
                 cellOf(std::isfinite(value) ? std::optional(value) : std::nullopt),
                 static_cast<std::int64_t>(cka.pictures)});
    }
  }
  return table;
}

std::string undefinedText(const ModelCka& cka) {
  const auto undefined = (!cka.values.array().isFinite()).count();
  if (undefined == 0) return {};
  return "CKA is not defined for " + std::to_string(undefined) + " of " +
         countedText(cka.values.size(), "pair") +
         " of layers: a layer has the same features on all pictures, or on all but one";
}

}  // namespace softscope
