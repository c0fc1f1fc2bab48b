#include "core/analysis/spectrum/Spectrum.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/analysis/spectrum/StructuredSpectrum.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/RowBlocks.h"
#include "core/attention/SelectiveScanMap.h"
#include "core/linalg/IterativeSpectrum.h"
#include "core/linalg/MatrixSpectrum.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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
  // Little for each head, because as many heads may be computed at once as there are cores.
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

namespace {

Spectrum spectrumOfMatrix(const Eigen::MatrixXd& matrix, const SpectrumOptions& options,
                          const Progress& progress) {
  Spectrum spectrum{.singularValues = singularValues(matrix)};
  if (matrix.rows() == matrix.cols()) {
    progress.throwIfCancelled();
    spectrum.eigenvalues =
        matrixEigenvalues(matrix, options.denseEigenvalueTokens, options.largest, progress);
  }
  return spectrum;
}

Spectrum factoredSpectrum(const FactoredMap& map, int head, const SpectrumOptions& options,
                          const Progress& progress) {
  if (map.symmetricFactors()) {
    const Eigenvalues values = symmetricFactoredEigenvalues(map, head, progress);
    return {.singularValues = values, .eigenvalues = values};
  }
  Spectrum spectrum{.singularValues = factoredSingularValues(map, head, progress)};
  if (map.description().queries == map.description().keys) {
    spectrum.eigenvalues = factoredEigenvalues(map, head, options, progress);
  }
  return spectrum;
}

/// Returns the spectrum of attention within windows, if it follows from those of the windows.
std::optional<Spectrum> blockSpectrum(const AttentionMap& map, int head,
                                      const SpectrumOptions& options, const Progress& progress) {
  auto singularValues = blockSingularValues(map, head, options.denseTokens, progress);
  if (!singularValues) return std::nullopt;
  Spectrum spectrum{.singularValues = std::move(*singularValues)};
  if (map.description().queries != map.description().keys) return spectrum;
  spectrum.eigenvalues = blockEigenvalues(map, head, options, progress);
  if (!spectrum.eigenvalues) return std::nullopt;
  return spectrum;
}

Spectrum denseSpectrum(const AttentionMap& map, int head, const SpectrumOptions& options,
                       const Progress& progress) {
  Eigen::MatrixXd matrix(map.description().queries, map.description().keys);
  forEachRowBlock(map, head, progress, [&](int first, const Matrix& rows) {
    matrix.middleRows(first, rows.rows()) = rows.cast<double>();
  });
  return spectrumOfMatrix(matrix, options, progress);
}

bool isGaussian(const AttentionMap& map) {
  const auto* kernel = dynamic_cast<const KernelMap*>(&map);
  return kernel != nullptr && kernel->kernel() == KernelMap::Kernel::Gaussian &&
         kernel->query().sharesMemoryWith(kernel->key());
}

Spectrum iterativeSpectrum(const AttentionMap& map, int head, const SpectrumOptions& options,
                           const Progress& progress) {
  const auto product = mapProduct(map, head, options.heldBytes, progress);
  const LinearOperator& matrix = *product;
  if (isGaussian(map)) {
    const Eigenvalues values = largestSemidefiniteValues(matrix, options.largest);
    return {.singularValues = values, .eigenvalues = values};
  }
  Spectrum spectrum{.singularValues = largestSingularValues(matrix, options.largest)};
  if (const auto* scan = dynamic_cast<const SelectiveScanMap*>(&map)) {
    spectrum.eigenvalues = triangularEigenvalues(scan->diagonal(head));
  } else if (matrix.rows() == matrix.columns()) {
    spectrum.eigenvalues = largestEigenvalues(matrix, options.largest);
  }
  return spectrum;
}

}  // namespace

Spectrum attentionSpectrum(const AttentionMap& map, int head, const SpectrumOptions& options,
                           const Progress& progress) {
  map.checkHead(head);
  const int smallerSide = std::min(map.description().queries, map.description().keys);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  if (auto ofBlocks = blockSpectrum(map, head, options, progress)) {
    ofBlocks->eigenvalueBound = eigenvalueBound(map, head);
    return std::move(*ofBlocks);
  }
  Spectrum spectrum = factored != nullptr ? factoredSpectrum(*factored, head, options, progress)
                      : smallerSide <= options.denseTokens
                          ? denseSpectrum(map, head, options, progress)
                          : iterativeSpectrum(map, head, options, progress);
  spectrum.eigenvalueBound = eigenvalueBound(map, head);
  return spectrum;
}

Spectrum computeSpectrum(const LayerInspection& layer, int head, SpectrumMatrix of,
                         const SpectrumOptions& options, const Progress& progress) {
  if (of == SpectrumMatrix::Attention) {
    return attentionSpectrum(*layer.attention, head, options, progress);
  }
  const Matrix& matrix = of == SpectrumMatrix::Bottleneck ? bottleneckOf(layer, head)
                                                          : bottleneckInverseOf(layer, head);
  Spectrum spectrum = spectrumOfMatrix(matrix.cast<double>(), options, progress);
  if (of == SpectrumMatrix::Bottleneck) {
    spectrum.eigenvalueBound = bottleneckBound(layer.attention->description().mechanism, matrix);
  }
  return spectrum;
}

}  // namespace softscope
