#include "core/analysis/rollout/ScannedRows.h"

#include "core/Error.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/FactoredMap.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

int partsOf(const AttentionMap& map, RolloutHeads fusion) {
  return fusion == RolloutHeads::Mean ? map.description().heads : 1;
}

}  // namespace

ScannedRows::ScannedRows(const AttentionMap& map, const Eigen::VectorXd& weights,
                         RolloutHeads fusion, const Progress& progress)
    : map_(map),
      weights_(weights),
      progress_(progress),
      seen_(Eigen::MatrixXd::Zero(map.description().keys, partsOf(map, fusion))),
      kept_(Eigen::MatrixXd::Zero(map.description().queries, partsOf(map, fusion))) {
  if (fusion == RolloutHeads::Largest) {
    scanLargest();
    return;
  }
  for (int head = 0; head < parts(); ++head) {
    if (hasPositiveFactors(map, head)) {
      multiply(head);
    } else {
      scan(head);
    }
  }
}

bool ScannedRows::areSharesOfOne() const {
  return farthestFromOne_ <= sumTolerance && negativeShare() <= negativeTolerance;
}

template <typename Visit>
void ScannedRows::forEachStrip(const Visit& visit) const {
  constexpr int strip = 64;
  const int queries = map_.description().queries;
  for (int first = 0; first < queries; first += strip) {
    const int rows = std::min(strip, queries - first);
    if ((weights_.segment(first, rows).array() == 0).all()) continue;
    progress_.throwIfCancelled();
    visit(first, rows);
  }
}

Matrix ScannedRows::magnitudes(int head, int first, int rows) {
  const Matrix block = map_.block(head, first, 0, rows, map_.description().keys);
  for (int row = 0; row < rows; ++row) {
    if (weights_[first + row] == 0) continue;
    const Eigen::RowVectorXd of = block.row(row).cast<double>();
    measure(of.sum(), of.cwiseAbs().sum());
  }
  return block.cwiseAbs();
}

void ScannedRows::scan(int head) {
  forEachStrip([&](int first, int rows) { pass(magnitudes(head, first, rows), first, head); });
}

void ScannedRows::scanLargest() {
  forEachStrip([&](int first, int rows) {
    Matrix largest = magnitudes(0, first, rows);
    for (int head = 1; head < map_.description().heads; ++head) {
      largest = largest.cwiseMax(magnitudes(head, first, rows)).eval();
    }
    pass(largest, first, 0);
  });
}

void ScannedRows::multiply(int head) {
  const auto product = mapProduct(map_, head, heldBytes, progress_);
  const Eigen::VectorXd sums = product->times(Eigen::VectorXd::Ones(map_.description().keys));
  Eigen::VectorXd shares = Eigen::VectorXd::Zero(weights_.size());
  for (Eigen::Index row = 0; row < weights_.size(); ++row) {
    if (weights_[row] == 0) continue;
    measure(sums[row], sums[row]);
    (sums[row] > 0 ? shares[row] : kept_(row, head)) =
        sums[row] > 0 ? weights_[row] / sums[row] : weights_[row];
  }
  seen_.col(head) = product->transposedTimes(shares);
}

void ScannedRows::measure(double sum, double magnitude) {
  if (!std::isfinite(magnitude)) {
    throw InspectionError("some of its weights are not finite, so that they are shares of nothing");
  }
  farthestFromOne_ = std::max(farthestFromOne_, std::abs(sum - 1));
  magnitude_ += magnitude;
  negative_ += std::max(0.0, (magnitude - sum) / 2);
  if (magnitude > 0) leastSum_ = std::min(leastSum_, std::abs(sum) / magnitude);
}

void ScannedRows::pass(const Matrix& magnitudes, int first, int part) {
  for (Eigen::Index row = 0; row < magnitudes.rows(); ++row) {
    const double weight = weights_[first + row];
    if (weight == 0) continue;
    const Eigen::RowVectorXd of = magnitudes.row(row).cast<double>();
    const double sum = of.sum();
    if (sum > 0) {
      seen_.col(part) += weight / sum * of.transpose();
    } else {
      kept_(first + row, part) = weight;
    }
  }
}

}  // namespace softscope
