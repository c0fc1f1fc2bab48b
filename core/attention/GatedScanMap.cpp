#include "core/attention/GatedScanMap.h"

#include <utility>

namespace softscope {

namespace {

/// Returns the gates of a token, from their logarithms.
Eigen::RowVectorXd gatesOf(const MatrixStack::View& logarithms, Eigen::Index token) {
  return logarithms.row(token).cast<double>().array().exp();
}

/// Sums `x` times `from` over all tokens, in both directions from each token `i`, and returns the
/// products of the sums with `to`. On the way from token j, the sums are multiplied by the gates of
/// the tokens j + 1 to i of `after` where i is behind j, and by those of i to j - 1 of `before`.
Eigen::VectorXd gatedProducts(const MatrixStack::View& from, const MatrixStack::View& to,
                              const MatrixStack::View& after, const MatrixStack::View& before,
                              const Eigen::VectorXd& x) {
  const Eigen::Index tokens = from.rows();
  Eigen::VectorXd result(tokens);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(from.cols());
  for (Eigen::Index token = 0; token < tokens; ++token) {
    sum = sum.cwiseProduct(gatesOf(after, token)) + x[token] * from.row(token).cast<double>();
    result[token] = sum.dot(to.row(token).cast<double>());
  }
  sum.setZero();
  for (Eigen::Index token = tokens; token-- > 0;) {
    sum = sum.cwiseProduct(gatesOf(before, token)) + x[token] * from.row(token).cast<double>();
    result[token] += sum.dot(to.row(token).cast<double>());
  }
  return result;
}

/// The transposed product: on the way from i to j the gates of j + 1 to i of `after` count where j
/// is before i, and those of i to j - 1 of `before`.
Eigen::VectorXd transposedGatedProducts(const MatrixStack::View& from, const MatrixStack::View& to,
                                        const MatrixStack::View& after,
                                        const MatrixStack::View& before, const Eigen::VectorXd& y) {
  const Eigen::Index tokens = from.rows();
  Eigen::VectorXd result(tokens);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(from.cols());
  for (Eigen::Index token = tokens; token-- > 0;) {
    sum += y[token] * from.row(token).cast<double>();
    result[token] = sum.dot(to.row(token).cast<double>());
    sum = sum.cwiseProduct(gatesOf(after, token)).eval();
  }
  sum.setZero();
  for (Eigen::Index token = 0; token < tokens; ++token) {
    sum += y[token] * from.row(token).cast<double>();
    result[token] += sum.dot(to.row(token).cast<double>());
    sum = sum.cwiseProduct(gatesOf(before, token)).eval();
  }
  return result;
}

}  // namespace

GatedScanMap::GatedScanMap(AttentionDescription description, Parts parts)
    : ProductMap(std::move(description), parts.query.count(), parts.query.rows(),
                 parts.query.rows()),
      parts_(std::move(parts)) {}

Vector GatedScanMap::row(int head, int query) const {
  checkQuery(head, query);
  const auto keys = parts_.key[head];
  const Eigen::RowVectorXd start = parts_.query[head].row(query).cast<double>();
  Vector values = Vector::Zero(keys.rows());
  const auto add = [&](Eigen::Index key, const Eigen::RowVectorXd& weights) {
    values[key] += static_cast<float>(weights.dot(keys.row(key).cast<double>()));
  };
  Eigen::RowVectorXd weights = start;
  for (Eigen::Index key = query; key >= 0; --key) {
    add(key, weights);
    weights = weights.cwiseProduct(gatesOf(parts_.forward[head], key)).eval();
  }
  weights = start;
  for (Eigen::Index key = query; key < keys.rows(); ++key) {
    add(key, weights);
    weights = weights.cwiseProduct(gatesOf(parts_.backward[head], key)).eval();
  }
  return values;
}

Vector GatedScanMap::column(int head, int key) const {
  checkKey(head, key);
  const auto queries = parts_.query[head];
  const Eigen::RowVectorXd start = parts_.key[head].row(key).cast<double>();
  Vector values = Vector::Zero(queries.rows());
  const auto add = [&](Eigen::Index query, const Eigen::RowVectorXd& weights) {
    values[query] += static_cast<float>(weights.dot(queries.row(query).cast<double>()));
  };
  Eigen::RowVectorXd weights = start;
  for (Eigen::Index query = key; query < queries.rows(); ++query) {
    if (query > key) weights = weights.cwiseProduct(gatesOf(parts_.forward[head], query)).eval();
    add(query, weights);
  }
  weights = start;
  for (Eigen::Index query = key; query >= 0; --query) {
    if (query < key) weights = weights.cwiseProduct(gatesOf(parts_.backward[head], query)).eval();
    add(query, weights);
  }
  return values;
}

std::size_t GatedScanMap::bytes() const {
  return parts_.query.bytes() + parts_.key.bytes() + parts_.forward.bytes() +
         parts_.backward.bytes();
}

Eigen::VectorXd GatedScanMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  return gatedProducts(parts_.key[head], parts_.query[head], parts_.forward[head],
                       parts_.backward[head], x);
}

Eigen::VectorXd GatedScanMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  return transposedGatedProducts(parts_.query[head], parts_.key[head], parts_.forward[head],
                                 parts_.backward[head], y);
}

}  // namespace softscope
