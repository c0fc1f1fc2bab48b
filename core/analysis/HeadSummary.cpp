#include "core/analysis/HeadSummary.h"

#include <cassert>

namespace softscope {

Vector meanOverHeads(const std::vector<Vector>& heads) {
  assert(!heads.empty());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(heads.front().size());
  for (const Vector& values : heads) sum += values.cast<double>();
  return (sum / static_cast<double>(heads.size())).cast<float>();
}

Vector largestOverHeads(const std::vector<Vector>& heads) {
  assert(!heads.empty());
  Vector largest = heads.front();
  for (const Vector& values : heads) {
    largest = (values.array().abs() > largest.array().abs()).select(values, largest);
  }
  return largest;
}

}  // namespace softscope
