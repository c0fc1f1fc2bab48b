#include "core/attention/CirculantMap.h"

#include <utility>
#include <vector>

namespace softscope {

namespace {

AttentionDescription onTorus(AttentionDescription description, const MatrixStack& kernels) {
  description.queryGrid = TokenGrid{kernels.rows(), kernels.columns()};
  description.keyGrid = description.queryGrid;
  return description;
}

Matrix meanKernel(const MatrixStack& kernels) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(kernels.rows(), kernels.columns());
  for (int channel = 0; channel < kernels.count(); ++channel) {
    sum += kernels[channel].cast<double>();
  }
  return (sum / kernels.count()).cast<float>();
}

/// Returns the kernel turned by half: its entry at -shift.
Matrix turnedKernel(const Matrix& kernel) {
  Matrix result(kernel.rows(), kernel.cols());
  for (Eigen::Index row = 0; row < kernel.rows(); ++row) {
    for (Eigen::Index column = 0; column < kernel.cols(); ++column) {
      result(row, column) =
          kernel((kernel.rows() - row) % kernel.rows(), (kernel.cols() - column) % kernel.cols());
    }
  }
  return result;
}

/// Returns the kernel with its entry for no shift moved to `token`, row-major.
Vector shiftedKernel(const Matrix& kernel, int token) {
  const Eigen::Index height = kernel.rows();
  const Eigen::Index width = kernel.cols();
  const Eigen::Index down = token / width;
  const Eigen::Index right = token % width;
  Vector values(height * width);
  for (Eigen::Index row = 0; row < height; ++row) {
    const auto from = kernel.row(row);
    auto to = values.segment((row + down) % height * width, width);
    to.tail(width - right) = from.head(width - right).transpose();
    to.head(right) = from.tail(right).transpose();
  }
  return values;
}

Eigen::VectorXd correlateKernel(const Matrix& kernel, const Eigen::VectorXd& x) {
  Eigen::VectorXd result(x.size());
  for (Eigen::Index token = 0; token < x.size(); ++token) {
    result[token] = shiftedKernel(kernel, static_cast<int>(token)).cast<double>().dot(x);
  }
  return result;
}

}  // namespace

CirculantMap::CirculantMap(AttentionDescription description, MatrixStack kernels)
    : ChannelMeanMap(withChannels(onTorus(std::move(description), kernels), kernels.count()), 1,
                     kernels.rows() * kernels.columns(), kernels.rows() * kernels.columns()),
      kernels_(std::move(kernels)),
      mean_(meanKernel(kernels_)) {}

Vector CirculantMap::row(int head, int query) const {
  checkQuery(head, query);
  return shiftedKernel(mean_, query);
}

Vector CirculantMap::column(int head, int key) const {
  checkKey(head, key);
  return shiftedKernel(turnedKernel(mean_), key);
}

std::size_t CirculantMap::bytes() const {
  return kernels_.bytes() + sizeof(float) * static_cast<std::size_t>(mean_.size());
}

Eigen::VectorXd CirculantMap::times(int head, const Eigen::VectorXd& x) const {
  checkHead(head);
  return correlateKernel(mean_, x);
}

Eigen::VectorXd CirculantMap::transposedTimes(int head, const Eigen::VectorXd& y) const {
  checkHead(head);
  return correlateKernel(turnedKernel(mean_), y);
}

std::shared_ptr<const ChannelMeanMap> CirculantMap::ofChannel(int channel) const {
  checkChannel(channel);
  return std::make_shared<CirculantMap>(ofOneChannel(channel),
                                        MatrixStack(std::vector<Matrix>{kernels_[channel]}));
}

}  // namespace softscope
