#include "core/analysis/spectrum/MapProduct.h"

#include "core/attention/FactoredMap.h"
#include "core/attention/ProductMap.h"
#include "core/attention/RowBlocks.h"
#include "core/attention/SumMap.h"

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

namespace {

/// The product L (M (R^T x)), with the factors held in float64.
class FactoredProduct final : public LinearOperator {
 public:
  FactoredProduct(const FactoredMap& map, int head, const Progress& progress)
      : left_(map.left()[head].cast<double>()),
        right_(map.right()[head].cast<double>()),
        progress_(progress) {
    if (!map.middle().empty()) left_ = (left_ * map.middle()[head].cast<double>()).eval();
  }

  int rows() const override { return static_cast<int>(left_.rows()); }
  int columns() const override { return static_cast<int>(right_.rows()); }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override {
    progress_.throwIfCancelled();
    return left_ * (right_.transpose() * x).eval();
  }
  Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const override {
    progress_.throwIfCancelled();
    return right_ * (left_.transpose() * y).eval();
  }

 private:
  Eigen::MatrixXd left_;  ///< with the middle
  Eigen::MatrixXd right_;
  const Progress& progress_;
};

/// The product of a map that multiplies by itself.
class OwnProduct final : public LinearOperator {
 public:
  OwnProduct(const ProductMap& map, int head, const Progress& progress)
      : map_(map), head_(head), progress_(progress) {}

  int rows() const override { return map_.description().queries; }
  int columns() const override { return map_.description().keys; }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override {
    progress_.throwIfCancelled();
    return map_.times(head_, x);
  }
  Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const override {
    progress_.throwIfCancelled();
    return map_.transposedTimes(head_, y);
  }

 private:
  const ProductMap& map_;
  int head_;
  const Progress& progress_;
};

class SumProduct final : public LinearOperator {
 public:
  SumProduct(std::unique_ptr<LinearOperator> first, std::unique_ptr<LinearOperator> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  int rows() const override { return first_->rows(); }
  int columns() const override { return first_->columns(); }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override {
    return first_->times(x) + second_->times(x);
  }
  Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const override {
    return first_->transposedTimes(y) + second_->transposedTimes(y);
  }

 private:
  std::unique_ptr<LinearOperator> first_;
  std::unique_ptr<LinearOperator> second_;
};

}  // namespace

std::unique_ptr<LinearOperator> mapProduct(const AttentionMap& map, int head,
                                           std::size_t budgetBytes, const Progress& progress) {
  if (const auto* factored = dynamic_cast<const FactoredMap*>(&map)) {
    return std::make_unique<FactoredProduct>(*factored, head, progress);
  }
  if (const auto* own = dynamic_cast<const ProductMap*>(&map)) {
    return std::make_unique<OwnProduct>(*own, head, progress);
  }
  if (const auto* sum = dynamic_cast<const SumMap*>(&map)) {
    return std::make_unique<SumProduct>(mapProduct(sum->first(), head, budgetBytes, progress),
                                        mapProduct(sum->second(), head, budgetBytes, progress));
  }
  return std::make_unique<MapOperator>(map, head, budgetBytes, progress);
}

}  // namespace softscope
