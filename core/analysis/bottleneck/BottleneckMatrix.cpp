#include "core/analysis/bottleneck/BottleneckMatrix.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/NewtonRaphson.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

namespace {

const Matrix& ofHead(const std::vector<Matrix>& matrices, const LayerInspection& layer, int head) {
  if (matrices.empty()) {
    throw InspectionError("layer " + layer.name + " has no bottleneck matrix: its mechanism is " +
                          titleOfMechanism(layer.attention->description().mechanism) +
                          "; choose a layer of " + mechanismsWithBottleneck());
  }
  if (head < 0 || head >= static_cast<int>(matrices.size())) {
    throw InspectionError("head " + std::to_string(head) + " is outside 0 to " +
                          std::to_string(matrices.size() - 1));
  }
  return matrices[static_cast<std::size_t>(head)];
}

constexpr int nystromformerSteps = 6;

std::vector<std::complex<double>> sorted(std::vector<std::complex<double>> eigenvalues) {
  std::sort(eigenvalues.begin(), eigenvalues.end(),
            [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return eigenvalues;
}

std::vector<std::complex<double>> eigenvaluesOf(const Eigen::MatrixXd& matrix) {
  if (symmetricButForRounding(matrix)) {
    const Eigen::VectorXd eigenvalues = symmetricEigenvalues(symmetricPart(matrix));
    return sorted({eigenvalues.begin(), eigenvalues.end()});
  }
  const std::optional<Eigen::VectorXcd> eigenvalues = generalEigenvalues(matrix);
  if (!eigenvalues) {
    throw InspectionError("the eigenvalues of the bottleneck matrix did not converge");
  }
  return sorted({eigenvalues->begin(), eigenvalues->end()});
}

}  // namespace

const Matrix& bottleneckOf(const LayerInspection& layer, int head) {
  return ofHead(layer.bottleneck, layer, head);
}

const Matrix& bottleneckInverseOf(const LayerInspection& layer, int head) {
  return ofHead(layer.bottleneckInverse, layer, head);
}

Matrix releasedInverse(const std::vector<Matrix>& kernels, int head, InverseScheme scheme) {
  const InverseStart start = startInverse(kernels, scheme)[static_cast<std::size_t>(head)];
  const Eigen::MatrixXf matrix = start.matrix.cast<float>();
  Eigen::MatrixXf inverse = start.inverse.cast<float>();
  const int steps = scheme == InverseScheme::Nystromformer ? nystromformerSteps : releasedSteps;
  for (int step = 0; step < steps; ++step) inverse = nextInverse(inverse, matrix, scheme);
  return inverse;
}

BottleneckEigenvalues bottleneckEigenvalues(const Matrix& kernel) {
  const Eigen::MatrixXd matrix = kernel.cast<double>();
  const Eigen::VectorXd rowSums = matrix.rowwise().sum();
  if (!matrix.allFinite() || (rowSums.array() <= 0).any()) {
    throw InspectionError(
        "the bottleneck matrix has entries that are not finite, or rows that do not sum to "
        "something positive, so D^-1 A is not defined");
  }
  // D^-1/2 A D^-1/2 has the eigenvalues of D^-1 A, and is symmetric if A is.
  const Eigen::VectorXd scale = rowSums.cwiseSqrt().cwiseInverse();
  return {.ofKernel = eigenvaluesOf(matrix),
          .ofNormalised = eigenvaluesOf(scale.asDiagonal() * matrix * scale.asDiagonal())};
}

int countNearOne(const std::vector<std::complex<double>>& eigenvalues, double tolerance) {
  return static_cast<int>(
      std::count_if(eigenvalues.begin(), eigenvalues.end(),
                    [&](const auto& value) { return std::abs(value - 1.0) <= tolerance; }));
}

}  // namespace softscope
