#include "core/analysis/classmap/Sanity.h"

#include "core/array/ComparedSentence.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace softscope {

namespace {

Eigen::VectorXd ranksOf(const Vector& values) {
  std::vector<int> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
  Eigen::VectorXd ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double mean = static_cast<double>(first + end - 1) / 2;
    for (; first < end; ++first) ranks[order[first]] = mean;
  }
  return ranks;
}

const ClassMap* mapOfMethod(const ClassMaps& maps, ClassMethod method) {
  for (const ClassMap& map : maps.maps) {
    if (map.method == method && map.obstacle.empty()) return &map;
  }
  return nullptr;
}

/// Says how alike the maps are once all parts are drawn anew.
std::string sanitySentence(const std::vector<ModelSanity>& models) {
  Table last{{"model", "method", "rank_correlation"}, {}};
  for (const ModelSanity& of : models) {
    for (const SanityCurve& curve : of.curves) {
      if (curve.correlation.empty()) continue;
      last.add({of.model, methodName(curve.method), cellOf(curve.correlation.back())});
    }
  }
  const std::string compared =
      comparedSentence(last, {.quantity = "the rank correlation once all weights are drawn anew",
                              .column = "rank_correlation",
                              .groups = "method"});
  return compared.empty() ? "No rank correlation is defined once all weights are drawn anew."
                          : compared;
}

}  // namespace

std::optional<double> rankCorrelation(const Vector& first, const Vector& second) {
  if (first.size() != second.size() || first.size() < 2) return std::nullopt;
  if (!first.allFinite() || !second.allFinite()) return std::nullopt;
  const auto centred = [](const Vector& values) -> Eigen::VectorXd {
    const Eigen::VectorXd ranks = ranksOf(values);
    return ranks.array() - ranks.mean();
  };
  const Eigen::VectorXd a = centred(first);
  const Eigen::VectorXd b = centred(second);
  const double norms = std::sqrt(a.squaredNorm() * b.squaredNorm());
  return norms > 0 ? std::optional(a.dot(b) / norms) : std::nullopt;
}

std::vector<SanityCurve> sanityCurves(const ClassMaps& trained,
                                      const std::vector<ClassMaps>& randomised) {
  std::vector<SanityCurve> curves;
  for (const ClassMap& map : trained.maps) {
    if (!map.obstacle.empty()) continue;
    SanityCurve curve{.method = map.method, .correlation = {}, .magnitudeCorrelation = {}};
    for (const ClassMaps& maps : randomised) {
      const ClassMap* other = mapOfMethod(maps, map.method);
      // With other weights, the last block whose patches have a gradient may be a different one.
      const bool comparable = other && other->layer == map.layer && other->grid == map.grid;
      curve.correlation.push_back(comparable ? rankCorrelation(map.patches, other->patches)
                                             : std::nullopt);
      curve.magnitudeCorrelation.push_back(
          comparable ? rankCorrelation(map.patches.cwiseAbs(), other->patches.cwiseAbs())
                     : std::nullopt);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

Table sanityTable(const std::vector<ModelSanity>& models) {
  Table table{{"model", "class", "method", "step", "randomised", "rank_correlation",
               "magnitude_rank_correlation"},
              {}};
  for (const ModelSanity& of : models) {
    for (const SanityCurve& curve : of.curves) {
      for (std::size_t i = 0; i < of.parts.size(); ++i) {
        table.add({of.model, static_cast<std::int64_t>(of.classIndex), methodName(curve.method),
                   static_cast<std::int64_t>(i + 1), of.parts[i], cellOf(curve.correlation[i]),
                   cellOf(curve.magnitudeCorrelation[i])});
      }
    }
  }
  table.sentence = sanitySentence(models);
  return table;
}

}  // namespace softscope
