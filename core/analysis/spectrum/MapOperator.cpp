#include "core/analysis/spectrum/MapOperator.h"

#include "core/attention/RowBlocks.h"

#include <utility>

namespace softscope {

MapOperator::MapOperator(const AttentionMap& map, int head, std::size_t budgetBytes,
                         const Progress& progress)
    : map_(map), head_(head), progress_(progress) {
  const std::size_t bytes =
      sizeof(float) * static_cast<std::size_t>(rows()) * static_cast<std::size_t>(columns());
  if (bytes > budgetBytes) return;
  Matrix whole(rows(), columns());
  forEachRowBlock(map_, head_, progress_, [&](int first, const Matrix& block) {
    whole.middleRows(first, block.rows()) = block;
  });
  held_ = std::move(whole);
}

template <typename Visit>
void MapOperator::forEachBlock(Visit visit) const {
  if (held_.size() == 0) {
    forEachRowBlock(map_, head_, progress_, visit);
  } else {
    progress_.throwIfCancelled();
    visit(0, held_);
  }
}

Eigen::VectorXd MapOperator::times(const Eigen::VectorXd& x) const {
  Eigen::VectorXd product(rows());
  forEachBlock([&](int first, const Matrix& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      product[first + i] = block.row(i).cast<double>().dot(x);
    }
  });
  return product;
}

Eigen::VectorXd MapOperator::transposedTimes(const Eigen::VectorXd& y) const {
  Eigen::VectorXd product = Eigen::VectorXd::Zero(columns());
  forEachBlock([&](int first, const Matrix& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      product += y[first + i] * block.row(i).transpose().cast<double>();
    }
  });
  return product;
}

}  // namespace softscope
