#include "core/analysis/bottleneck/SpectralNorms.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/MatrixSpectrum.h"
#include "core/linalg/NewtonRaphson.h"
#include "core/linalg/PseudoInverse.h"

#include <limits>
#include <optional>
#include <vector>

namespace softscope {

namespace {

/// The outer factors of L X R^T, reduced to what the norm depends on.
struct OuterFactors {
  Eigen::MatrixXd left;
  Eigen::MatrixXd right;

  explicit OuterFactors(const PreciseBottleneck& precise)
      : left(precise.left), right(precise.right) {}
  OuterFactors(const FactoredMap& map, int head, const Progress& progress)
      : left(triangularFactor(map.left()[head], progress)),
        right(map.symmetricFactors() ? left : triangularFactor(map.right()[head], progress)) {}

  double normWith(const Eigen::MatrixXd& middle, const Progress& progress) const {
    return spectralNorm((left * middle).eval() * right.transpose(), progress);
  }
};

struct Inverses {
  Eigen::MatrixXd own;                            ///< of the mechanism inspected
  Eigen::MatrixXd plain;                          ///< what SOFT's attention multiplies with
  std::optional<Eigen::MatrixXd> normalisedFrom;  ///< what SOFT++ normalises
};

SpectralNorms normsWith(const Inverses& inverses, const Eigen::VectorXd& rowSums,
                        const OuterFactors& factors, const Progress& progress) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double outer = spectralNorm(factors.left, progress) * spectralNorm(factors.right, progress);
  SpectralNorms norms{.attention = factors.normWith(inverses.plain, progress),
                      .attentionNormalised = none,
                      .inverse = spectralNorm(inverses.own, progress),
                      .inverseNormalised = none,
                      .bound = outer * spectralNorm(inverses.plain, progress),
                      .boundNormalised = none};
  if (!inverses.normalisedFrom) return norms;
  const Eigen::VectorXd scale = rowSums.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd normalised =
      scale.asDiagonal() * *inverses.normalisedFrom * scale.asDiagonal();
  norms.attentionNormalised = factors.normWith(normalised, progress);
  norms.inverseNormalised = spectralNorm(normalised, progress);
  norms.boundNormalised = outer * norms.inverseNormalised;
  return norms;
}

/// Returns the inverse that the released code of the other mechanism computes from the same
/// matrices.
Eigen::MatrixXd iterated(const std::vector<Matrix>& kernels, int head, InverseScheme scheme) {
  return releasedInverse(kernels, head, scheme).cast<double>();
}

Inverses releasedInverses(const LayerInspection& layer, int head) {
  const Eigen::MatrixXd own = bottleneckInverseOf(layer, head).cast<double>();
  switch (schemesFor(layer.attention->description().mechanism).front()) {
    case InverseScheme::Soft:
      return {own, own, iterated(layer.bottleneck, head, InverseScheme::SoftNorm)};
    case InverseScheme::SoftNorm:
      return {own, iterated(layer.bottleneck, head, InverseScheme::Soft), own};
    default:
      return {own, own, std::nullopt};
  }
}

/// Adds the norms with pinv(A), the normalised ones too if the released norms have them.
void addExact(ReleasedAndExactNorms& norms, const Eigen::MatrixXd& kernel,
              const OuterFactors& factors, double rcond, const Progress& progress) {
  const PseudoInverse exact = pseudoInverse(kernel, rcond);
  progress.throwIfCancelled();
  Inverses inverses{exact.matrix, exact.matrix, std::nullopt};
  if (norms.released.isNormalised()) inverses.normalisedFrom = exact.matrix;
  norms.exact = normsWith(inverses, kernel.rowwise().sum(), factors, progress);
  norms.exact.condition = exact.condition;
  norms.rank = exact.rank;
}

double conditionOf(const Eigen::MatrixXd& matrix) {
  const std::vector<double> values = singularValues(matrix).values;
  if (values.back() == 0) return std::numeric_limits<double>::infinity();
  return values.front() / values.back();
}

}  // namespace

ReleasedAndExactNorms spectralNorms(const LayerInspection& layer, int head, double rcond,
                                    const Progress& progress) {
  const Eigen::MatrixXd kernel = bottleneckOf(layer, head).cast<double>();
  const auto* map = dynamic_cast<const FactoredMap*>(layer.attention.get());
  if (map == nullptr) {
    throw InspectionError("the attention of layer " + layer.name + " is not factored");
  }
  const OuterFactors factors(*map, head, progress);
  ReleasedAndExactNorms norms;
  norms.released =
      normsWith(releasedInverses(layer, head), kernel.rowwise().sum(), factors, progress);
  norms.released.condition = conditionOf(bottleneckInverseOf(layer, head).cast<double>());
  norms.isPrecise = !layer.precise.empty();
  if (norms.isPrecise) {
    const PreciseBottleneck& precise = layer.precise[static_cast<std::size_t>(head)];
    addExact(norms, precise.kernel, OuterFactors(precise), rcond, progress);
  } else {
    addExact(norms, kernel, factors, rcond, progress);
  }
  return norms;
}

}  // namespace softscope
