#include "core/analysis/LineCauses.h"

#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/Mechanism.h"

#include <cmath>

namespace softscope {
namespace {

/// One head's queries [queries, d] and keys [keys, d].
struct QueriesAndKeys {
  MatrixStack::View queries;
  MatrixStack::View keys;
};

std::optional<QueriesAndKeys> queriesAndKeys(const LayerInspection& layer, int head) {
  for (const AttentionMap* map : {layer.attention.get(), layer.exactKernel.get()}) {
    if (const auto* kernel = dynamic_cast<const KernelMap*>(map)) {
      return QueriesAndKeys{kernel->query()[head], kernel->key()[head]};
    }
  }
  const auto* factored = dynamic_cast<const FactoredMap*>(layer.attention.get());
  if (factored == nullptr || !factored->middle().empty()) return std::nullopt;
  const AttentionDescription& attention = factored->description();
  // The columns of factors to and from landmarks are no channels.
  if (attention.landmarks || traitsOf(attention.mechanism).hasOtherFactors) return std::nullopt;
  return QueriesAndKeys{factored->left()[head], factored->right()[head]};
}

std::optional<double> correlation(const Eigen::VectorXd& first, const Eigen::VectorXd& second) {
  // If one side does not vary, only the float32 rounding of the factors is left.
  constexpr double rounding = 1e-7;
  const Eigen::VectorXd a = first.array() - first.mean();
  const Eigen::VectorXd b = second.array() - second.mean();
  if (a.norm() <= rounding * first.norm() || b.norm() <= rounding * second.norm()) {
    return std::nullopt;
  }
  return a.dot(b) / (a.norm() * b.norm());
}

}  // namespace

std::optional<LineCauses> lineCauses(const LayerInspection& layer, int head,
                                     const Eigen::VectorXd& columnMeans) {
  const auto vectors = queriesAndKeys(layer, head);
  if (!vectors || vectors->keys.rows() != columnMeans.size()) return std::nullopt;
  const Eigen::MatrixXd keys = vectors->keys.cast<double>();
  const Eigen::RowVectorXd shared = vectors->queries.cast<double>().colwise().mean();
  return LineCauses{correlation(columnMeans, keys.rowwise().norm()),
                    correlation(columnMeans, keys * shared.transpose())};
}

}  // namespace softscope
