#pragma once

#include "core/Matrix.h"

#include <Eigen/Core>

#include <vector>

namespace softscope {

/// Returns X X^T of features [pictures, p] without their mean over the pictures, in float64. HSIC_1
/// does not depend on that mean, and would lose digits to a large one. Zero if the pictures'
/// features differ by no more than float32 rounding.
Eigen::MatrixXd gramMatrix(const Matrix& features);

/// Returns the unbiased estimate HSIC_1 of two Gram matrices [n, n] of the same n pictures,
///
///   HSIC_1(K, L) = (tr(K~ L~) + 1^T K~ 1 1^T L~ 1 / ((n - 1) (n - 2)) - 2 / (n - 2) 1^T K~ L~ 1)
///                  / (n (n - 3)),
///
/// where K~ and L~ have zeros on the diagonal ("Do Wide and Deep Networks Learn the Same Things?
/// Uncovering How Neural Network Representations Vary with Width and Depth", 2021, arXiv
/// 2010.15327, Eq. 3). `n` is at least leastCkaPictures.
double unbiasedHsic(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second);

/// The smallest number of pictures for which HSIC_1 is defined.
inline constexpr int leastCkaPictures = 4;

/// Linear CKA between each layer of one network and each of another, from minibatches of pictures
/// (Eq. 2 there): the mean of HSIC_1(K, L) over the batches, over the square root of the product of
/// the means of HSIC_1(K, K) and HSIC_1(L, L).
class CkaSum {
 public:
  CkaSum(int firstLayers, int secondLayers);

  /// Adds a batch: the Gram matrices of each network's layers, all of the same pictures.
  void add(const std::vector<Eigen::MatrixXd>& first, const std::vector<Eigen::MatrixXd>& second);
  /// Returns [layers of the first, layers of the second], at most 1 but for rounding, and below 0
  /// by chance for features that have nothing in common; NaN where a layer does not tell the
  /// pictures apart.
  Eigen::MatrixXd values() const;

 private:
  Eigen::MatrixXd both_;
  Eigen::VectorXd first_;
  Eigen::VectorXd second_;
  /// Mean square entries of the Gram matrices that first_ and second_ are computed from.
  Eigen::VectorXd firstScale_;
  Eigen::VectorXd secondScale_;
};

}  // namespace softscope
