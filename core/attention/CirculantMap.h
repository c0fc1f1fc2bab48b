#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/ProductMap.h"

namespace softscope {

/// Attention whose rows are one kernel, shifted to each query on a torus of the patches:
/// A_c[i, j] = p_c[j - i], with the differences of rows and of columns taken modulo the grid's
/// ("Vision Transformers are Circulant Attention Learners", 2025). One head; every channel has a
/// kernel of its own, and the mean of circulant matrices is the circulant matrix of the mean
/// kernel.
class CirculantMap final : public ChannelMeanMap {
 public:
  /// `kernels` is [channels][height, width], where height x width is the grid.
  CirculantMap(AttentionDescription description, MatrixStack kernels);

  /// The mean kernel, [height, width].
  const Matrix& kernel() const { return mean_; }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  std::size_t bytes() const override;
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;
  int channels() const override { return kernels_.count(); }
  std::shared_ptr<const ChannelMeanMap> ofChannel(int channel) const override;

 private:
  MatrixStack kernels_;
  Matrix mean_;
};

}  // namespace softscope
