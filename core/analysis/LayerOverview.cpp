#include "core/analysis/LayerOverview.h"

#include "core/analysis/AttentionDistance.h"
#include "core/analysis/AttentionEntropy.h"

#include <utility>

namespace softscope {
namespace {

std::optional<double> overviewOfHead(const AnalysedLayer& layer, int head, OverviewOf of,
                                     const Progress& progress) {
  const AttentionMap& map = *layer.layer().attention;
  if (of == OverviewOf::Entropy) return meanEntropyShare(map, head, progress);
  const Inspection& inspection = *layer.inspection;
  return attentionDistance(map, head, inspection.inputHeight, inspection.inputWidth, progress);
}

}  // namespace

std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers, OverviewOf of,
                                           const Progress& progress) {
  std::vector<LayerOverview> overview;
  for (const AnalysedLayer& layer : layers) {
    progress.report(static_cast<double>(overview.size()) / static_cast<double>(layers.size()),
                    layer.layer().name);
    LayerOverview measured{layer, {}};
    for (int head = 0; head < layer.attention().heads; ++head) {
      measured.heads.push_back(overviewOfHead(layer, head, of, progress));
    }
    overview.push_back(std::move(measured));
  }
  return overview;
}

Table overviewTable(const std::vector<LayerOverview>& layers, OverviewOf of) {
  Table table{
      {"model", "layer", "head", of == OverviewOf::Distance ? "attention_distance" : "entropy"},
      {}};
  for (const LayerOverview& layer : layers) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      table.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
                 cellOf(layer.heads[head])});
    }
  }
  return table;
}

}  // namespace softscope
