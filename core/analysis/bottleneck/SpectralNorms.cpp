#include "core/analysis/bottleneck/SpectralNorms.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckOf.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/MatrixSpectrum.h"
#include "core/linalg/PseudoInverse.h"
#include "core/linalg/SpectralNorm.h"
#include "core/linalg/TriangularFactor.h"

#include <limits>
#include <vector>

namespace softscope {

namespace {

/// The outer factors of L X R^T, reduced to what its norm depends on.
struct OuterFactors {
  Eigen::MatrixXd left;
  Eigen::MatrixXd right;

  OuterFactors(const FactoredMap& map, int head, const Progress& progress)
      : left(triangularFactor(map.left()[head], progress)),
        right(map.symmetricFactors() ? left : triangularFactor(map.right()[head], progress)) {}

  double normWith(const Eigen::MatrixXd& middle, const Progress& progress) const {
    return spectralNorm((left * middle).eval() * right.transpose(), progress);
  }
};

SpectralNorms normsWith(const Eigen::MatrixXd& inverse, const Eigen::VectorXd& rowSums,
                        const OuterFactors& factors, const Progress& progress) {
  const Eigen::VectorXd scale = rowSums.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd normalised = scale.asDiagonal() * inverse * scale.asDiagonal();
  return {.attention = factors.normWith(inverse, progress),
          .attentionNormalised = factors.normWith(normalised, progress),
          .inverse = spectralNorm(inverse, progress),
          .inverseNormalised = spectralNorm(normalised, progress)};
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
  const Eigen::MatrixXd released = bottleneckInverseOf(layer, head).cast<double>();
  const auto* map = dynamic_cast<const FactoredMap*>(layer.attention.get());
  if (map == nullptr) {
    throw InspectionError("the attention of layer " + layer.name + " is not factored");
  }
  const Eigen::VectorXd rowSums = kernel.rowwise().sum();
  const OuterFactors factors(*map, head, progress);
  const PseudoInverse exact = pseudoInverse(kernel, rcond);
  progress.throwIfCancelled();
  ReleasedAndExactNorms norms{.released = normsWith(released, rowSums, factors, progress),
                              .exact = normsWith(exact.matrix, rowSums, factors, progress),
                              .rank = exact.rank};
  norms.released.condition = conditionOf(released);
  norms.exact.condition = exact.condition;
  return norms;
}

}  // namespace softscope
