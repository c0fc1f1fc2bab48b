#include "core/attention/FactoredMap.h"

#include "core/attention/MatrixStack.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace softscope {

bool hasPositiveFactors(const AttentionMap& map, int head) {
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  if (factored == nullptr) return false;
  const auto isPositive = [head](const MatrixStack& stack) {
    return stack.empty() || (stack[head].array() >= 0).all();
  };
  return isPositive(factored->left()) && isPositive(factored->middle()) &&
         isPositive(factored->right());
}

namespace {

/// Averages `count` rows of `matrix`, from `first` on, over `areas` even runs. Uses doubles to keep
/// the averaging itself exact.
Eigen::MatrixXd averagedRows(const MatrixStack::View& matrix, int first, int count, int areas) {
  Eigen::MatrixXd averages(areas, matrix.cols());
  for (int area = 0; area < areas; ++area) {
    const int begin = AttentionMap::areaBegin(area, areas, count);
    const int end = AttentionMap::areaBegin(area + 1, areas, count);
    averages.row(area) =
        matrix.middleRows(first + begin, end - begin).cast<double>().colwise().mean();
  }
  return averages;
}

}  // namespace

FactoredMap::FactoredMap(AttentionDescription description, MatrixStack left, MatrixStack middle,
                         MatrixStack right)
    : AttentionMap(std::move(description), left.count(), left.rows(), right.rows()),
      left_(std::move(left)),
      middle_(std::move(middle)),
      right_(std::move(right)) {
  assert(left_.count() == right_.count() && left_.columns() == right_.columns());
  assert(middle_.empty() ||
         (middle_.count() == left_.count() && middle_.rows() == left_.columns() &&
          middle_.columns() == right_.columns()));
}

Vector FactoredMap::row(int head, int query) const {
  checkQuery(head, query);
  Vector weights = left_[head].row(query).transpose();
  if (!middle_.empty()) weights = (middle_[head].transpose() * weights).eval();
  return rowProducts(right_[head], weights);
}

Vector FactoredMap::column(int head, int key) const {
  checkKey(head, key);
  Vector weights = right_[head].row(key).transpose();
  if (!middle_.empty()) weights = (middle_[head] * weights).eval();
  return rowProducts(left_[head], weights);
}

Matrix FactoredMap::block(int head, int firstRow, int firstColumn, int rows, int columns) const {
  checkBlock(head, firstRow, firstColumn, rows, columns);
  const auto left = left_[head].middleRows(firstRow, rows);
  const auto right = right_[head].middleRows(firstColumn, columns);
  if (middle_.empty()) return left * right.transpose();
  return (left * middle_[head]).eval() * right.transpose();
}

Matrix FactoredMap::averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                             const Progress& progress) const {
  checkBlock(head, part.firstRow, part.firstColumn, part.rows, part.columns);
  progress.throwIfCancelled();
  // The average over an area of L M R^T is (average of L's rows) M (average of R's rows)^T.
  Eigen::MatrixXd left =
      averagedRows(left_[head], part.firstRow, part.rows, std::min(maxRows, part.rows));
  const Eigen::MatrixXd right = averagedRows(right_[head], part.firstColumn, part.columns,
                                             std::min(maxColumns, part.columns));
  if (!middle_.empty()) left = (left * middle_[head].cast<double>()).eval();
  return (left * right.transpose()).cast<float>();
}

std::size_t FactoredMap::bytes() const {
  return left_.bytes() + middle_.bytes() + (symmetricFactors() ? 0 : right_.bytes());
}

}  // namespace softscope
