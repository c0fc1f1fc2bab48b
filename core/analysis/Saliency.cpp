#include "core/analysis/Saliency.h"

namespace softscope {

namespace {

SaliencyMap scaled(const Vector& norms) {
  SaliencyMap map{
      .norms = norms, .values = {}, .smallest = norms.minCoeff(), .largest = norms.maxCoeff()};
  const float range = map.largest - map.smallest;
  map.values = (norms.array() - map.smallest) / (range > 0 ? range : 1);
  return map;
}

/// Returns the saliency of `norms` [heads, tokens], in which `suffix` tokens stand behind the
/// patches.
std::optional<Saliency> saliency(const Matrix& norms, const std::optional<TokenGrid>& grid,
                                 int suffix) {
  if (norms.size() == 0 || !grid || norms.cols() < grid->count() + suffix) return std::nullopt;
  const auto patches = norms.middleCols(norms.cols() - suffix - grid->count(), grid->count());
  Saliency result{.grid = *grid, .summed = scaled(patches.colwise().sum().transpose())};
  for (Eigen::Index head = 0; head < patches.rows(); ++head) {
    result.heads.push_back(scaled(patches.row(head).transpose()));
  }
  return result;
}

}  // namespace

std::optional<Saliency> querySaliency(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  return saliency(layer.queryL1, attention.queryGrid, attention.suffixTokens);
}

std::optional<Saliency> keySaliency(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  return saliency(layer.keyL1, attention.keyGrid, attention.suffixTokens);
}

bool keysAreQueries(const LayerInspection& layer) {
  return layer.queryL1.size() > 0 && layer.queryL1.rows() == layer.keyL1.rows() &&
         layer.queryL1.cols() == layer.keyL1.cols() && layer.queryL1 == layer.keyL1;
}

}  // namespace softscope
