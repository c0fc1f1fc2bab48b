#include "core/analysis/spectrum/EigenvalueBound.h"

#include "core/attention/BlockMap.h"
#include "core/attention/CirculantMap.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/Mechanism.h"

#include <cmath>

namespace softscope {

namespace {

EigenvalueBound stochasticBound() {
  return {1, "rows are weights that sum to one"};
}

EigenvalueBound gaussianBound(int tokens) {
  return {static_cast<double>(tokens), "the Gaussian kernel has ones on its diagonal"};
}

/// True if all row sums are 1 to the rounding of float32 weights that were divided by their sum.
bool areOnes(const Eigen::VectorXd& rowSums) {
  constexpr double rounding = 1e-4;
  return ((rowSums.array() - 1).abs() <= rounding).all();
}

bool sumsToOne(const MatrixStack::View& matrix) {
  return (matrix.array() >= 0).all() && areOnes(matrix.cast<double>().rowwise().sum());
}

bool sumsToOne(const FactoredMap& map, int head) {
  const auto left = map.left()[head];
  const auto right = map.right()[head];
  if ((left.array() < 0).any() || (right.array() < 0).any()) return false;
  Eigen::VectorXd sums = right.cast<double>().colwise().sum().transpose();
  if (!map.middle().empty()) {
    if ((map.middle()[head].array() < 0).any()) return false;
    sums = (map.middle()[head].cast<double>() * sums).eval();
  }
  return areOnes((left * sums.cast<float>()).cast<double>());
}

/// The weights that padding takes are missing from the rows at the border of the picture.
std::optional<EigenvalueBound> blockBound(const BlockMap& map, int head) {
  if ((map.blocks().values[head].array() < 0).any()) return std::nullopt;
  const Eigen::VectorXd sums = map.times(head, Eigen::VectorXd::Ones(map.description().keys));
  if (areOnes(sums)) return stochasticBound();
  if (!areOnes(sums.cwiseMax(1))) return std::nullopt;
  return EigenvalueBound{1, "rows are weights that sum to one with those on padding"};
}

}  // namespace

std::optional<EigenvalueBound> eigenvalueBound(const AttentionMap& map, int head) {
  const AttentionDescription& description = map.description();
  if (description.queries != description.keys) return std::nullopt;
  if (const auto* kernel = dynamic_cast<const KernelMap*>(&map)) {
    if (kernel->kernel() == KernelMap::Kernel::Softmax) return stochasticBound();
    // The kernel is not symmetric between unlike queries and keys, which a recording may have.
    if (!kernel->query().sharesMemoryWith(kernel->key())) return std::nullopt;
    return gaussianBound(description.queries);
  }
  if (const auto* blocks = dynamic_cast<const BlockMap*>(&map)) return blockBound(*blocks, head);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  if (factored != nullptr && sumsToOne(*factored, head)) return stochasticBound();
  if (const auto* circulant = dynamic_cast<const CirculantMap*>(&map)) {
    // The kernel is every row, in another order.
    const Matrix& row = circulant->kernel();
    if (sumsToOne(MatrixStack::View(row.data(), 1, row.size()))) return stochasticBound();
  }
  const auto* dense = dynamic_cast<const DenseMap*>(&map);
  if (dense != nullptr && sumsToOne(dense->values()[head])) return stochasticBound();
  return std::nullopt;
}

std::optional<EigenvalueBound> bottleneckBound(const std::string& mechanism, const Matrix& kernel) {
  const auto& bottleneck = traitsOf(mechanism).bottleneck;
  if (bottleneck && bottleneck->kernel == Mechanism::Bottleneck::Kernel::Gaussian) {
    return gaussianBound(static_cast<int>(kernel.rows()));
  }
  if (sumsToOne(MatrixStack::View(kernel.data(), kernel.rows(), kernel.cols()))) {
    return stochasticBound();
  }
  return std::nullopt;
}

}  // namespace softscope
