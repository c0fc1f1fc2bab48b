#include "core/analysis/bottleneck/Convergence.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/attention/Mechanism.h"
#include "core/linalg/MatrixSpectrum.h"
#include "core/linalg/PseudoInverse.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace softscope {

namespace {

/// The matrices that the iterates of one head are measured against.
class IterateError {
 public:
  IterateError(const Matrix& kernel, const Eigen::MatrixXd& matrix, double rcond,
               const Progress& progress)
      : kernel_(kernel.cast<double>()),
        matrix_(matrix),
        inverse_(pseudoInverse(matrix, rcond).matrix),
        progress_(progress),
        kernelNorm_(norm(kernel_)),
        matrixNorm_(norm(matrix_)),
        inverseNorm_(norm(inverse_)) {}

  void measure(const Eigen::MatrixXd& iterate, ConvergenceCurves& curves) const {
    if (!iterate.allFinite()) {
      for (auto* curve : {&curves.residual, &curves.residualRaw, &curves.inverseDistance,
                          &curves.reflexiveResidual}) {
        curve->push_back(std::numeric_limits<double>::infinity());
      }
      return;
    }
    const Eigen::MatrixXd product = matrix_ * iterate;
    curves.residual.push_back(norm(product * matrix_ - matrix_) / matrixNorm_);
    curves.residualRaw.push_back(norm((kernel_ * iterate).eval() * kernel_ - kernel_) /
                                 kernelNorm_);
    curves.inverseDistance.push_back(norm(iterate - inverse_) / inverseNorm_);
    curves.reflexiveResidual.push_back(norm(iterate * product - iterate) / norm(iterate));
  }

 private:
  double norm(const Eigen::MatrixXd& matrix) const { return spectralNorm(matrix, progress_); }

  Eigen::MatrixXd kernel_;
  const Eigen::MatrixXd& matrix_;
  Eigen::MatrixXd inverse_;
  const Progress& progress_;
  double kernelNorm_;
  double matrixNorm_;
  double inverseNorm_;
};

template <typename Scalar>
ConvergenceCurves iterate(const Matrix& kernel, const InverseStart& start,
                          const ConvergenceOptions& options, const Progress& progress) {
  using SomeMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  ConvergenceCurves curves{.halvings = start.halvings, .boundMet = start.boundMet};
  const IterateError iterateError(kernel, start.matrix, options.rcond, progress);
  const SomeMatrix matrix = start.matrix.template cast<Scalar>();
  SomeMatrix inverse = start.inverse.template cast<Scalar>();
  iterateError.measure(inverse.template cast<double>(), curves);
  for (int step = 0; step < options.iterations; ++step) {
    progress.throwIfCancelled();
    inverse = nextInverse(inverse, matrix, options.scheme);
    iterateError.measure(inverse.template cast<double>(), curves);
  }
  return curves;
}

}  // namespace

std::vector<ConvergenceCurves> convergence(const LayerInspection& layer,
                                           const ConvergenceOptions& options,
                                           const Progress& progress) {
  const std::string& mechanism = layer.attention->description().mechanism;
  bottleneckOf(layer, 0);
  const std::vector<InverseScheme> schemes = schemesFor(mechanism);
  if (std::find(schemes.begin(), schemes.end(), options.scheme) == schemes.end()) {
    throw InspectionError("the " + schemeName(options.scheme) +
                          " scheme does not suit the bottleneck matrix of " +
                          titleOfMechanism(mechanism));
  }
  const std::vector<InverseStart> starts = startInverse(layer.bottleneck, options.scheme);
  std::vector<ConvergenceCurves> curves;
  for (std::size_t head = 0; head < starts.size(); ++head) {
    progress.report(static_cast<double>(head) / static_cast<double>(starts.size()),
                    "Newton-Raphson of " + layer.name);
    const Matrix& kernel = layer.bottleneck[head];
    curves.push_back(options.singlePrecision
                         ? iterate<float>(kernel, starts[head], options, progress)
                         : iterate<double>(kernel, starts[head], options, progress));
  }
  return curves;
}

std::optional<int> firstWithin(const std::vector<double>& curve, double threshold) {
  const auto found =
      std::find_if(curve.begin(), curve.end(), [&](double value) { return value <= threshold; });
  if (found == curve.end()) return std::nullopt;
  return static_cast<int>(found - curve.begin());
}

bool fallsToItsFloor(const std::vector<double>& curve) {
  constexpr double rounding = 1e-6;
  const double smallest = *std::min_element(curve.begin(), curve.end());
  const bool falls = smallest < curve.front() * (1 - rounding);
  if (!falls && curve.front() > convergedResidual) return false;
  const double floor = std::min(10 * smallest, convergedResidual);
  const auto rise =
      std::adjacent_find(curve.begin(), curve.end(), [&](double before, double after) {
        return after > before * (1 + rounding) && after > floor;
      });
  return rise == curve.end();
}

}  // namespace softscope
