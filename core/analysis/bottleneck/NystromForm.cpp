#include "core/analysis/bottleneck/NystromForm.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/Mechanism.h"
#include "core/linalg/Decompositions.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace softscope {

namespace {

/// Singular values of A below this share of the largest are rounding: this limit is for values
/// computed in float64 here, recordedRounding() for recorded float32.
constexpr double preciseRounding = 1e-12;

double recordedRounding(Eigen::Index landmarks) {
  return static_cast<double>(landmarks) *
         static_cast<double>(std::numeric_limits<float>::epsilon());
}

/// The factors of one head: S ~ left kernel^+ right^T.
struct LandmarkFactors {
  Eigen::MatrixXd left;
  Eigen::MatrixXd kernel;
  Eigen::MatrixXd right;  ///< empty where it is `left`
};

/// Returns the kernel between every query and every key, [queries, keys].
Eigen::MatrixXd weightsBetween(const KernelMap& of, const Eigen::MatrixXd& queries,
                               const Eigen::MatrixXd& keys) {
  Eigen::MatrixXd weights(queries.rows(), keys.rows());
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    if (of.kernel() == KernelMap::Kernel::Gaussian) {
      // Take differences first, as KernelMap does: for nearby tokens the expanded square would
      // cancel.
      weights.row(i) =
          (-0.5 * (keys.rowwise() - queries.row(i)).rowwise().squaredNorm()).array().exp();
      continue;
    }
    const Eigen::VectorXd exponents = of.scale() * (keys * queries.row(i).transpose());
    const Eigen::VectorXd exponentials = (exponents.array() - exponents.maxCoeff()).exp();
    weights.row(i) = exponentials.transpose() / exponentials.sum();
  }
  return weights;
}

Eigen::MatrixXd meansOf(const Eigen::MatrixXd& tokens, const LandmarkTokens& landmarks) {
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(landmarks.count(), tokens.cols());
  for (std::size_t i = 0; i < landmarks.groups.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (const int token : landmarks.groups[i]) means.row(row) += tokens.row(token);
    means.row(row) /= static_cast<double>(landmarks.groups[i].size());
  }
  return means;
}

LandmarkFactors factorsWith(const KernelMap& exact, int head, const LandmarkTokens& landmarks) {
  const Eigen::MatrixXd queries = exact.query()[head].cast<double>();
  const Eigen::MatrixXd queryMeans = meansOf(queries, landmarks);
  if (exact.kernel() == KernelMap::Kernel::Gaussian) {
    return {weightsBetween(exact, queries, queryMeans),
            weightsBetween(exact, queryMeans, queryMeans),
            {}};
  }
  const Eigen::MatrixXd keys = exact.key()[head].cast<double>();
  const Eigen::MatrixXd keyMeans = meansOf(keys, landmarks);
  return {weightsBetween(exact, queries, keyMeans), weightsBetween(exact, queryMeans, keyMeans),
          weightsBetween(exact, queryMeans, keys).transpose()};
}

/// Factors whose product is left kernel^+ right^T, each with the square root of the inverse. For a
/// Gaussian kernel none of their rows is longer than 1, so float32 can hold them.
struct RootFactors {
  Matrix left;
  Matrix right;
};

/// Returns 1 / sqrt(value), or 0 for values that are rounding, so that the heads of one layer keep
/// the same width.
Eigen::VectorXd inverseRoots(const Eigen::VectorXd& values, double rounding) {
  const double least = rounding * values.maxCoeff();
  return values.unaryExpr(
      [least](double value) { return value > least ? 1 / std::sqrt(value) : 0.0; });
}

RootFactors rootFactors(const LandmarkFactors& factors, double rounding) {
  if (factors.right.size() == 0) {
    const auto [values, vectors] = decomposeSymmetric(symmetricPart(factors.kernel));
    return {(factors.left * vectors * inverseRoots(values, rounding).asDiagonal()).cast<float>(),
            {}};
  }
  const auto [left, values, right] = decomposeSingular(factors.kernel);
  const Eigen::VectorXd roots = inverseRoots(values, rounding);
  return {(factors.left * right * roots.asDiagonal()).cast<float>(),
          (factors.right * left * roots.asDiagonal()).cast<float>()};
}

NystromForm exactForm(const AttentionDescription& description,
                      const std::vector<LandmarkFactors>& heads, double rounding) {
  std::vector<Matrix> left;
  std::vector<Matrix> right;
  for (const LandmarkFactors& factors : heads) {
    RootFactors roots = rootFactors(factors, rounding);
    left.push_back(std::move(roots.left));
    if (roots.right.size() > 0) right.push_back(std::move(roots.right));
  }
  const MatrixStack stack(left);
  return {std::make_shared<FactoredMap>(description, stack, MatrixStack(),
                                        right.empty() ? stack : MatrixStack(right)),
          NystromForm::Middle::Exact};
}

NystromForm releasedForm(const AttentionDescription& description,
                         const std::vector<LandmarkFactors>& heads) {
  std::vector<Matrix> left;
  std::vector<Matrix> kernels;
  std::vector<Matrix> right;
  for (const LandmarkFactors& factors : heads) {
    left.emplace_back(factors.left.cast<float>());
    kernels.emplace_back(factors.kernel.cast<float>());
    if (factors.right.size() > 0) right.emplace_back(factors.right.cast<float>());
  }
  const InverseScheme scheme = traitsOf(description.mechanism).bottleneck->inverse;
  std::vector<Matrix> inverses;
  for (std::size_t head = 0; head < kernels.size(); ++head) {
    inverses.push_back(releasedInverse(kernels, static_cast<int>(head), scheme));
  }
  const MatrixStack stack(left);
  return {std::make_shared<FactoredMap>(description, stack, MatrixStack(inverses),
                                        right.empty() ? stack : MatrixStack(right)),
          NystromForm::Middle::Released};
}

const FactoredMap& factoredAttention(const LayerInspection& layer) {
  // Throws with the reason if there is no bottleneck.
  bottleneckInverseOf(layer, 0);
  const auto* factored = dynamic_cast<const FactoredMap*>(layer.attention.get());
  if (factored != nullptr) return *factored;
  throw InspectionError("the attention of layer " + layer.name + " is not factored");
}

const KernelMap& kernelMapOf(const LayerInspection& layer) {
  const auto* kernel = dynamic_cast<const KernelMap*>(&exactKernelOf(layer));
  if (kernel != nullptr) return *kernel;
  throw InspectionError("layer " + layer.name +
                        " has no queries that other landmarks could be made of");
}

}  // namespace

std::vector<NystromForm> nystromForms(const LayerInspection& layer) {
  const auto* factored = dynamic_cast<const FactoredMap*>(layer.attention.get());
  // Throws with the reason if there is no bottleneck.
  bottleneckInverseOf(layer, 0);
  const AttentionDescription& description = layer.attention->description();
  const auto& bottleneck = traitsOf(description.mechanism).bottleneck;
  if (factored == nullptr || !bottleneck || !bottleneck->normalised) {
    return {{layer.attention, NystromForm::Middle::Released}};
  }
  const MatrixStack inverse(layer.bottleneckInverse);
  return {{std::make_shared<FactoredMap>(description, factored->left(), inverse, factored->right()),
           NystromForm::Middle::Released},
          {layer.attention, NystromForm::Middle::Normalised}};
}

NystromForm exactNystromForm(const LayerInspection& layer) {
  const FactoredMap& factored = factoredAttention(layer);
  std::vector<LandmarkFactors> heads;
  for (int head = 0; head < factored.description().heads; ++head) {
    const Eigen::MatrixXd kernel = bottleneckOf(layer, head).cast<double>();
    heads.push_back({factored.left()[head].cast<double>(), kernel, {}});
    if (!factored.symmetricFactors()) heads.back().right = factored.right()[head].cast<double>();
  }
  return exactForm(factored.description(), heads, recordedRounding(heads.front().kernel.rows()));
}

std::vector<NystromForm> nystromFormsWith(const LayerInspection& layer,
                                          const LandmarkTokens& landmarks) {
  const KernelMap& exact = kernelMapOf(layer);
  AttentionDescription description = factoredAttention(layer).description();
  if (!description.queryGrid || description.queryGrid->count() != exact.query().rows()) {
    throw InspectionError("the queries of layer " + layer.name +
                          " are not patches in a grid, which other landmarks are chosen from");
  }
  description.landmarks = landmarks.count();
  description.landmarkGrid = landmarks.grid;
  description.landmarkTokens = landmarks.groups;
  std::vector<LandmarkFactors> heads;
  for (int head = 0; head < description.heads; ++head) {
    heads.push_back(factorsWith(exact, head, landmarks));
  }
  return {releasedForm(description, heads), exactForm(description, heads, preciseRounding)};
}

const AttentionMap& exactKernelOf(const LayerInspection& layer) {
  if (!layer.exactKernel) {
    throw InspectionError("layer " + layer.name + " approximates no kernel: its mechanism is " +
                          titleOfMechanism(layer.attention->description().mechanism) +
                          "; choose a layer of " + mechanismsWithBottleneck());
  }
  return *layer.exactKernel;
}

}  // namespace softscope
