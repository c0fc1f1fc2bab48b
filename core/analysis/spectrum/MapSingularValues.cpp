#include "core/analysis/spectrum/MapSingularValues.h"

#include "core/Error.h"
#include "core/analysis/spectrum/BlockSpectrum.h"
#include "core/analysis/spectrum/FactoredSpectrum.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/RowBlocks.h"
#include "core/linalg/IterativeSpectrum.h"
#include "core/linalg/MatrixSpectrum.h"

#include <algorithm>
#include <cstddef>

namespace softscope {

std::optional<SpectrumValues> allSingularValues(const AttentionMap& map, int head,
                                                const Progress& progress, int denseTokens) {
  map.checkHead(head);
  if (const auto* factored = dynamic_cast<const FactoredMap*>(&map)) {
    if (factored->symmetricFactors())
      return symmetricFactoredEigenvalues(*factored, head, progress);
    return factoredSingularValues(*factored, head, progress);
  }
  if (auto values = blockSingularValues(map, head, denseTokens, progress)) return values;
  const AttentionDescription& attention = map.description();
  if (std::min(attention.queries, attention.keys) > denseTokens) return std::nullopt;
  Eigen::MatrixXd matrix(attention.queries, attention.keys);
  forEachRowBlock(map, head, progress, [&](int first, const Matrix& rows) {
    matrix.middleRows(first, rows.rows()) = rows.cast<double>();
  });
  return singularValues(matrix);
}

double largestSingularValue(const AttentionMap& map, int head, const Progress& progress) {
  // Several heads may be computed at once, one on each core.
  constexpr std::size_t heldBytes = std::size_t{16} << 20;
  const auto product = mapProduct(map, head, heldBytes, progress);
  const SpectrumValues values = largestSingularValues(*product, 1);
  if (values.values.empty()) {
    throw InspectionError("the largest singular value was not found; look at the whole spectrum");
  }
  return values.values.front();
}

double squaredFrobeniusNorm(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  double sum = 0;
  forEachRowBlock(map, head, progress,
                  [&](int, const Matrix& rows) { sum += rows.cast<double>().squaredNorm(); });
  return sum;
}

}  // namespace softscope
