#include "core/attention/BlockMixedMap.h"

#include <cassert>
#include <cstddef>
#include <utility>

namespace softscope {

BlockMixedMap::BlockMixedMap(AttentionDescription description, MatrixStack query, MatrixStack key,
                             Matrix weights, std::vector<int> blocks)
    : ProductMap(std::move(description), query.count(), query.rows(), key.rows()),
      query_(std::move(query)),
      key_(std::move(key)),
      weights_(std::move(weights)),
      blocks_(std::move(blocks)) {
  assert(query_.count() == key_.count() && query_.columns() == key_.columns());
  assert(static_cast<std::size_t>(query_.rows()) == blocks_.size() && query_.rows() == key_.rows());
}

Vector BlockMixedMap::row(int head, int query) const {
  checkQuery(head, query);
  Vector values = key_[head] * query_[head].row(query).transpose();
  const int block = blocks_[static_cast<std::size_t>(query)];
  for (Eigen::Index key = 0; key < values.size(); ++key) {
    values[key] *= weights_(block, blocks_[static_cast<std::size_t>(key)]);
  }
  return values;
}

Vector BlockMixedMap::column(int head, int key) const {
  checkKey(head, key);
  Vector values = query_[head] * key_[head].row(key).transpose();
  const int block = blocks_[static_cast<std::size_t>(key)];
  for (Eigen::Index query = 0; query < values.size(); ++query) {
    values[query] *= weights_(blocks_[static_cast<std::size_t>(query)], block);
  }
  return values;
}

std::size_t BlockMixedMap::bytes() const {
  return query_.bytes() + key_.bytes() + sizeof(float) * static_cast<std::size_t>(weights_.size()) +
         sizeof(int) * blocks_.size();
}

Eigen::MatrixXd BlockMixedMap::mixedSums(const MatrixStack::View& features,
                                         const Eigen::VectorXd& x,
                                         const Eigen::MatrixXd& weights) const {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(weights.cols(), features.cols());
  for (Eigen::Index token = 0; token < features.rows(); ++token) {
    sums.row(blocks_[static_cast<std::size_t>(token)]) +=
        x[token] * features.row(token).cast<double>();
  }
  return weights * sums;
}

Eigen::VectorXd BlockMixedMap::product(const MatrixStack::View& features,
                                       const Eigen::MatrixXd& mixed) const {
  Eigen::VectorXd result(features.rows());
  for (Eigen::Index token = 0; token < features.rows(); ++token) {
    result[token] =
        features.row(token).cast<double>().dot(mixed.row(blocks_[static_cast<std::size_t>(token)]));
  }
  return result;
}

Eigen::VectorXd BlockMixedMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  return product(query_[head], mixedSums(key_[head], x, weights_.cast<double>()));
}

Eigen::VectorXd BlockMixedMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  return product(key_[head], mixedSums(query_[head], y, weights_.transpose().cast<double>()));
}

}  // namespace softscope
