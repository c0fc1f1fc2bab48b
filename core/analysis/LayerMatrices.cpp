#include "core/analysis/LayerMatrices.h"

#include "core/analysis/EntryRange.h"
#include "core/analysis/LineMeasures.h"
#include "core/array/ComparedSentence.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/inspect/LayerMap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

namespace softscope {
namespace {

constexpr int mostCells = 1024;
constexpr int fewestCells = 64;
/// Most numbers that all panels together may hold.
constexpr double panelNumbers = 1 << 25;

std::vector<int> shownHeads(const AttentionDescription& attention, std::optional<int> head) {
  if (head) return {*head};
  std::vector<int> heads(static_cast<std::size_t>(attention.heads));
  std::iota(heads.begin(), heads.end(), 0);
  return heads;
}

/// True if a head of the map has negative averages on a part, as EntryRange::isSigned() tells.
bool hasSignedAverages(const AttentionMap& map, int head, const MatrixPart& part, int cells,
                       const Progress& progress) {
  if (dynamic_cast<const KernelMap*>(&map) != nullptr || hasPositiveFactors(map, head)) {
    return false;
  }
  const Matrix averages = map.averaged(head, part, cells, cells, progress);
  EntryRange range;
  for (const float value : averages.reshaped()) {
    if (!std::isfinite(value)) continue;
    range.smallest = std::min<double>(range.smallest, value);
    range.largest = std::max<double>(range.largest, value);
  }
  return range.isSigned();
}

/// True if a head of the map other than `shown` has negative averages on a part.
bool standsBesideSigned(const AttentionMap& map, int shown, const MatrixPart& part, int cells,
                        const Progress& progress) {
  const int heads = map.description().heads;
  for (int head = 0; head < heads; ++head) {
    const Progress one = progress.part(double(head) / heads, double(head + 1) / heads, {});
    if (head != shown && hasSignedAverages(map, head, part, cells, one)) return true;
  }
  return false;
}

LineMeasures linesOf(const LayerMatrices& matrices, int head, const Progress& progress) {
  const LayerInspection& layer = matrices.of.layer();
  if (matrices.map == ShownMap::Attention) return lineMeasures(layer, head, progress);
  const LineScores scores = lineScores(*mapOf(layer, matrices.map), head, progress);
  return {scores.raw, scores.centred, {}, {}};
}

std::string matrixSentence(const std::vector<LayerMatrices>& matrices) {
  Table scores{{"model", "layer", "head", "score"}, {}};
  bool anyScore = false;
  for (const LayerMatrices& layer : matrices) {
    for (const HeadMatrix& head : layer.heads) {
      anyScore = anyScore || head.lines.score;
      scores.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head.head),
                  cellOf(head.lines.score)});
    }
  }
  if (!anyScore) {
    return "There are no line scores, since the matrices have a single query or no variance.";
  }
  return comparedSentence(
      scores, {.quantity = "the line score, the share of the variance that column means explain,",
               .column = "score"});
}

}  // namespace

int matrixCells(const std::vector<AnalysedLayer>& layers, std::optional<int> head, int asked) {
  if (asked > 0) return asked;
  std::size_t panels = 0;
  for (const AnalysedLayer& layer : layers) {
    panels += shownHeads(layer.attention(), head).size();
  }
  const double side = std::sqrt(panelNumbers / double(std::max<std::size_t>(1, panels)));
  return std::clamp(static_cast<int>(side), fewestCells, mostCells);
}

std::vector<LayerMatrices> averageMatrices(const std::vector<AnalysedLayer>& layers,
                                           std::optional<int> head, const MatrixFraction& part,
                                           int cells, ShownMap shown, const Progress& progress) {
  std::vector<LayerMatrices> matrices;
  for (const AnalysedLayer& layer : layers) matrices.push_back({layer, {}, {}, shown});
  const auto obstacles = forEachLayer(layers, progress, [&](std::size_t i, const Progress& whole) {
    const auto held = mapOf(layers[i].layer(), shown);
    const AttentionMap& map = *held;
    const AttentionDescription& attention = map.description();
    const std::vector<int> heads = shownHeads(attention, head);
    const MatrixPart wanted = matrixPart(part, attention.queries, attention.keys);
    const double shownShare = head ? 1.0 / attention.heads : 1;
    for (std::size_t k = 0; k < heads.size(); ++k) {
      map.checkHead(heads[k]);
      const double count = double(heads.size());
      const Progress one =
          whole.part(shownShare * double(k) / count, shownShare * double(k + 1) / count, {});
      auto averages =
          std::make_shared<const Matrix>(map.averaged(heads[k], wanted, cells, cells, one));
      matrices[i].heads.push_back({heads[k], {wanted, std::move(averages)}, {}});
    }
    if (!head) return;
    matrices[i].isBesideSigned =
        standsBesideSigned(map, *head, wanted, cells, whole.part(shownShare, 1, {}));
  });
  for (std::size_t i = 0; i < matrices.size(); ++i) matrices[i].obstacle = obstacles[i];
  return matrices;
}

void addLineMeasures(std::vector<LayerMatrices>& matrices, const Progress& progress) {
  double done = 0;
  for (LayerMatrices& layer : matrices) {
    for (HeadMatrix& head : layer.heads) {
      progress.report(done / double(matrices.size()), {});
      head.lines = linesOf(layer, head.head, progress);
      done += 1 / double(layer.heads.size());
    }
  }
}

std::string averagedText(const AveragedPart& averages) {
  const auto side = [](int entries, Eigen::Index cells) {
    std::array<char, 32> text{};
    const double ratio = double(entries) / double(cells);
    std::snprintf(text.data(), text.size(), ratio == std::round(ratio) ? "%.0f" : "%.1f", ratio);
    return std::string(text.data());
  };
  return side(averages.part.rows, averages.values->rows()) + " × " +
         side(averages.part.columns, averages.values->cols());
}

NamedArrays matrixArrays(const std::vector<LayerMatrices>& matrices) {
  NamedArrays arrays;
  for (const LayerMatrices& layer : matrices) {
    if (layer.heads.empty()) continue;
    const std::string name = layer.of.model + "." + layerName(layer.of.layer());
    for (const HeadMatrix& head : layer.heads) {
      const Matrix& averages = *head.averages.values;
      arrays.emplace_back(name + ".head_" + std::to_string(head.head),
                          FloatArray{{averages.rows(), averages.cols()},
                                     {averages.data(), averages.data() + averages.size()}});
    }
    for (const LineMeasure& measure : lineMeasureNames) {
      FloatArray values{{static_cast<std::int64_t>(layer.heads.size())}, {}};
      for (const HeadMatrix& head : layer.heads) {
        values.values.push_back(static_cast<float>(
            (head.lines.*measure.value).value_or(std::numeric_limits<double>::quiet_NaN())));
      }
      arrays.emplace_back(name + "." + measure.name, std::move(values));
    }
  }
  arrays.sentence = matrixSentence(matrices);
  return arrays;
}

std::vector<std::string> matrixNotes(const std::vector<LayerMatrices>& matrices) {
  std::vector<std::string> notes;
  for (const LayerMatrices& layer : matrices) {
    for (const HeadMatrix& head : layer.heads) {
      const std::string averaged = averagedText(head.averages);
      if (averaged == "1 × 1") continue;
      notes.push_back(layer.of.model + "." + layerName(layer.of.layer()) + ".head_" +
                      std::to_string(head.head) + ": averages of " + averaged + " entries");
    }
  }
  return notes;
}

}  // namespace softscope
