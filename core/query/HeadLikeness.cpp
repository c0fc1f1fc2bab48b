#include "core/query/HeadLikeness.h"

#include "core/analysis/LineMeasures.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/RowBlocks.h"
#include "core/linalg/Decompositions.h"
#include "core/query/Proportion.h"

#include <Eigen/Core>

#include <cmath>

namespace softscope {

namespace {

/// Adds up rows that are centred and divided by their norms.
class UnitRows {
 public:
  explicit UnitRows(Eigen::Index length) : sum_(Eigen::RowVectorXd::Zero(length)) {}

  /// Adds `row`, which is less its mean and has the norm `norm`; `size` is the magnitude of its
  /// entries before.
  void add(const Eigen::RowVectorXd& row, double norm, double size) {
    constexpr double rounding = 1e-6;
    ++rows_;
    if (!(norm > rounding * size)) return;
    sum_ += row / norm;
    any_ = true;
  }
  /// Returns the mean of the unit rows; empty if no row varies.
  std::optional<Eigen::RowVectorXd> mean() const {
    if (!any_) return std::nullopt;
    return sum_ / static_cast<double>(rows_);
  }

 private:
  Eigen::RowVectorXd sum_;
  Eigen::Index rows_ = 0;
  bool any_ = false;
};

/// Row i is (L M)_i R^T. Expressed in the basis of the triangular factor of the centred R, it has
/// only as many entries as the factors have columns.
std::optional<double> factoredLikeness(const FactoredMap& map, int head, const Progress& progress) {
  const auto left = map.left()[head];
  const auto right = map.right()[head];
  Eigen::MatrixXd middle = Eigen::MatrixXd::Identity(left.cols(), right.cols());
  if (!map.middle().empty()) middle = map.middle()[head].cast<double>();
  const Eigen::RowVectorXd rightMean = right.cast<double>().colwise().mean();
  const Eigen::MatrixXd basis = triangularFactor(right, rightMean, progress).transpose();
  const double keys = static_cast<double>(right.rows());
  UnitRows rows(basis.cols());
  for (Eigen::Index i = 0; i < left.rows(); ++i) {
    const Eigen::RowVectorXd weights = left.row(i).cast<double>() * middle;
    const Eigen::RowVectorXd row = weights * basis;
    const double mean = weights.dot(rightMean);
    rows.add(row, row.norm(), std::sqrt(keys) * std::abs(mean));
  }
  const auto mean = rows.mean();
  return mean ? std::optional(mean->squaredNorm()) : std::nullopt;
}

std::optional<double> streamedLikeness(const AttentionMap& map, int head,
                                       const Progress& progress) {
  UnitRows rows(map.description().keys);
  forEachRowBlock(map, head, progress, [&](int, const Matrix& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      Eigen::RowVectorXd row = block.row(i).cast<double>();
      const double size = row.norm();
      row.array() -= row.mean();
      rows.add(row, row.norm(), size);
    }
  });
  const auto mean = rows.mean();
  return mean ? std::optional(mean->squaredNorm()) : std::nullopt;
}

}  // namespace

std::optional<double> answerLikeness(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  return factored != nullptr ? factoredLikeness(*factored, head, progress)
                             : streamedLikeness(map, head, progress);
}

bool canCompareAnswers(const AttentionDescription& attention) {
  constexpr double mostEntries = 2e7;
  return attention.queries >= 2 &&
         double(attention.queries) * attention.keys * attention.heads <= mostEntries;
}

std::vector<HeadLikeness> headLikeness(const AttentionMap& map, const Progress& progress) {
  std::vector<HeadLikeness> heads;
  for (int head = 0; head < map.description().heads; ++head) {
    heads.push_back({lineScores(map, head, progress).raw, answerLikeness(map, head, progress)});
  }
  return heads;
}

std::string sameAnswerText(const HeadLikeness& likeness) {
  if (likeness.lineScore.value_or(0) >= sameForEveryQuery) return "almost the same for every query";
  if (likeness.rows.value_or(0) >= sameForEveryQuery) return "same pattern for every query";
  return {};
}

}  // namespace softscope
